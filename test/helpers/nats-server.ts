// A real nats-server with JetStream on loopback, alone or as a cluster, for tests of the bus.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const START_MILLISECONDS = 10_000;

export interface NatsServer {
  /** `nats://127.0.0.1:PORT` */
  readonly url: string;
  readonly port: number;
  /** Ends it as an operator does. */
  stop(): Promise<void>;
  /** Ends it as a power cut does. */
  kill(): Promise<void>;
  /** Starts it again, with the same port and the same store. */
  start(): Promise<void>;
  /** Ends it and takes its store away. */
  close(): Promise<void>;
}

/** One server. @param args further arguments of nats-server */
export async function startNats(...args: string[]): Promise<NatsServer> {
  const [port] = await freePorts(1);
  const server = new Running(port, ['-p', String(port), ...args]);
  await server.start();
  return server;
}

/** Servers that form one cluster; streams may have as many replicas. */
export async function startNatsCluster(size: number): Promise<NatsServer[]> {
  const ports = await freePorts(size * 2);
  const routes = ports.slice(size).map((port) => `nats://127.0.0.1:${port}`);
  const servers = routes.map((route, i) => {
    const others = routes.filter((other) => other !== route).join(',');
    const names = ['--server_name', `server-${i}`, '--cluster_name', 'skein-test'];
    return new Running(ports[i], ['-p', String(ports[i]), '--cluster', route, '--routes', others, ...names]);
  });
  await Promise.all(servers.map((server) => server.start()));
  return servers;
}

class Running implements NatsServer {
  readonly url: string;
  readonly port: number;
  private readonly args: readonly string[];
  private folder: string | undefined;
  private child: ChildProcess | undefined;

  constructor(port: number, args: readonly string[]) {
    this.port = port;
    this.url = `nats://127.0.0.1:${port}`;
    this.args = args;
  }

  async start(): Promise<void> {
    this.folder ??= await mkdtemp(join(tmpdir(), 'skein-nats-'));
    const store = join(this.folder, 'store');
    const child = spawn('nats-server', ['-a', '127.0.0.1', '-js', '-sd', store, ...this.args], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.child = child;
    let printed = '';
    child.stderr.on('data', (bytes: Buffer) => {
      printed = (printed + bytes.toString()).slice(-8192);
    });
    const end = Date.now() + START_MILLISECONDS;
    while (!printed.includes('Server is ready')) {
      if (child.exitCode !== null || Date.now() > end) throw new Error(`nats-server did not start: ${printed}`);
      await sleep(20);
    }
  }

  stop(): Promise<void> {
    return this.end('SIGTERM');
  }

  kill(): Promise<void> {
    return this.end('SIGKILL');
  }

  async close(): Promise<void> {
    await this.kill();
    if (this.folder) await rm(this.folder, { recursive: true, force: true });
  }

  private async end(signal: NodeJS.Signals): Promise<void> {
    const child = this.child;
    this.child = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, 'exit');
    child.kill(signal);
    await exit;
  }
}

/** Ports that are free now; all are held until the last is found, so that none comes twice. */
async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => {
    const address = server.address();
    return typeof address === 'object' && address ? address.port : 0;
  });
  await Promise.all(servers.map((server) => new Promise((done) => server.close(done))));
  return ports;
}

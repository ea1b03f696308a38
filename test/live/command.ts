// `skein live` and `skein replay` as a user starts them, for tests of the page.
import { type ChildProcess, spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { SKEIN } from '../helpers/cli.ts';

export interface RunningLive {
  /** The address of the page, with the token, as it was printed. */
  readonly address: string;
  /** Of its server. */
  readonly port: number;
  readonly pid: number;
  /** Ends it as Ctrl-C does, and says how it ended. */
  close(): Promise<number | null>;
  /** Ends it as a power cut does. */
  kill(): Promise<void>;
}

/** Listens at a UDP port of this machine. @param httpPort 0 for any */
export function startLive(udpPort: number, httpPort: number, ...args: string[]): Promise<RunningLive> {
  return startLiveOn(`udpin:127.0.0.1:${udpPort}`, httpPort, ...args);
}

export async function startLiveOn(link: string, httpPort: number, ...args: string[]): Promise<RunningLive> {
  const child = spawn(process.execPath, [SKEIN, 'live', link, '--http', String(httpPort), ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const exit = once(child, 'exit');
  let printed = '';
  while (!printed.includes('API at')) {
    const [bytes] = (await Promise.race([once(child.stderr, 'data'), exit])) as [Buffer | number | null];
    if (!(bytes instanceof Buffer)) throw new Error(`skein live ended: ${printed}`);
    printed += bytes.toString();
  }
  child.stderr.resume();
  const address = /page at (\S+)/.exec(printed)?.[1] ?? '';
  const port = Number(new URL(address).port);
  // the server is there before the links: what is sent to them too early nobody hears
  while ((await linkStates(port)).includes('opening')) await sleep(20);
  return {
    ...{ address, port, pid: child.pid ?? 0, close: () => interrupt(child, exit) },
    kill: async () => {
      child.kill('SIGKILL');
      await exit;
    },
  };
}

async function linkStates(port: number): Promise<string[]> {
  const answer = await fetch(`http://127.0.0.1:${port}/v1/links`);
  return ((await answer.json()) as { links: { state: string }[] }).links.map(({ state }) => state);
}

export interface RunningReplay {
  close(): Promise<number | null>;
}

/** Plays a recording to a UDP port again and again. */
export function startReplay(file: string, udpPort: number, speed: number): RunningReplay {
  const to = `udpout:127.0.0.1:${udpPort}`;
  const args = [SKEIN, 'replay', file, to, '--speed', String(speed), '--loop'];
  const child = spawn(process.execPath, args, { stdio: 'ignore' });
  const exit = once(child, 'exit');
  return { close: () => interrupt(child, exit) };
}

async function interrupt(child: ChildProcess, exit: Promise<unknown[]>): Promise<number | null> {
  child.kill('SIGINT');
  return (await exit)[0] as number | null;
}

export async function freeUdpPort(): Promise<number> {
  const socket = createSocket('udp4');
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const { port } = socket.address();
  await new Promise<void>((done) => socket.close(() => done()));
  return port;
}

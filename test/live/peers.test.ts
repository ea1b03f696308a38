// Ground stations that others wrote, behind `skein live --forward`, with a simulated vehicle before it.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { temporaryFolder } from '../helpers/folder.ts';
import { needPeers, PEERS, PYTHON } from '../helpers/peers.ts';
import type { Parameter } from '../vehicle/facts.ts';
import { vehicleOverUdp } from '../vehicle/sockets.ts';
import { freeUdpPort, startLive } from './command.ts';

const mavproxy = join(PEERS, 'bin/mavproxy.py');

const folder = temporaryFolder();
const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** A collector that forwards to a port, and how to start its vehicle. */
async function forwarding(): Promise<{ readonly port: number; fly(parameters?: readonly Parameter[]): Promise<void> }> {
  const [udp, port] = [await freeUdpPort(), await freeUdpPort()];
  const live = await startLive(udp, 0, '--forward', `udpout:127.0.0.1:${port}`);
  closing.push(() => live.close());
  return {
    port,
    fly: async (parameters) => {
      const { close } = await vehicleOverUdp(udp, { up: 60, ...(parameters && { parameters }) });
      closing.push(close);
    },
  };
}

function run(command: string, ...args: string[]): { readonly child: ChildProcess; printed: () => string } {
  const child = spawn(command, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (bytes: Buffer) => (printed += String(bytes)));
  closing.push(() => child.kill('SIGKILL'));
  return { child, printed: () => printed };
}

/** Parameters as a copter of many has them. */
const PARAMETERS: readonly Parameter[] = Array.from({ length: 1391 }, (_, i) => ({
  name: `PEER_${i}`,
  value: i / 8,
  type: 9,
}));

needPeers('MAVProxy, pymavlink')('behind a collector', () => {
  test('MAVProxy gets all parameters of a vehicle', async () => {
    const { port, fly } = await forwarding();
    await fly(PARAMETERS);
    const options = ['--daemon', '--non-interactive', '--default-modules=param', '--force-connected'];
    const { printed } = run(
      PYTHON,
      mavproxy,
      `--master=udpin:127.0.0.1:${port}`,
      `--state-basedir=${folder}`,
      ...options,
    );
    const saved = (): string => {
      const files = readdirSync(folder, { recursive: true }).map(String);
      const file = files.find((name) => name.endsWith('mav.parm'));
      return file ? readFileSync(join(folder, file), 'utf8') : '';
    };
    // the vehicle also sends its run time, which it counts among no parameters, as ArduPilot does
    const lines = (): string[] =>
      saved()
        .split('\n')
        .filter((line) => line.startsWith('PEER_'));
    await expect.poll(() => lines().length, { timeout: 60_000, message: printed() }).toBe(PARAMETERS.length);
    const values = new Map(lines().map((line) => line.split(/\s+/) as [string, string]));
    for (const { name, value } of PARAMETERS) expect(Number(values.get(name))).toBe(value);
  });

  test('a station of pymavlink is answered once, and hears no answer to a request of the collector', async () => {
    const { port, fly } = await forwarding();
    const script = fileURLToPath(new URL('../peers/station.py', import.meta.url));
    const { child, printed } = run(PYTHON, script, `udpin:127.0.0.1:${port}`, '4');
    // it listens before the vehicle is there, and so while the collector asks it
    await expect.poll(printed, { timeout: 60_000 }).toContain('ready');
    await fly();
    await once(child, 'exit');
    const heard = JSON.parse(
      printed()
        .split('\n')
        .find((line) => line.startsWith('{')) ?? '{}',
    ) as {
      heard: Record<string, number>;
      acks: number[][];
      versions: number;
      lost: number;
    };
    expect(heard.acks).toEqual([[255, 512, 0]]);
    expect(heard.heard.HEARTBEAT).toBeGreaterThanOrEqual(3);
    expect(heard.heard.ATTITUDE).toBeGreaterThan(5);
  });
});

import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';
import { openLog } from '../../src/entry/index.ts';
import { builtinDialect } from '../../src/formats/mavlink/dialect/builtin.ts';
import { Encoder } from '../../src/formats/mavlink/encode.ts';
import { play } from '../../src/links/playback.ts';
import { MessageReader, type ReadMessage } from '../../src/live/message.ts';
import type { LinkOptions } from '../../src/session/links.ts';
import { SKEIN, skeinHere } from '../helpers/cli.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { until } from '../helpers/until.ts';
import { vehicleBehindUdp, vehicleOverTcp, vehicleOverUdp } from '../vehicle/sockets.ts';
import { type Heard, listen as openLink, portOf } from './listen.ts';

const SAMPLE = fileURLToPath(new URL('../../sample/copter-square.tlog', import.meta.url));
const folder = temporaryFolder();
const dialect = builtinDialect();
const station = new Encoder(dialect, { system: 255, component: 190 });
const open: (() => unknown)[] = [];

function listen(text: string, options?: LinkOptions): Heard {
  const heard = openLink(text, options);
  open.push(() => heard.link.close());
  return heard;
}

afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

/** Frames of a telemetry log without their times, some seconds of it. */
function cutSample(name: string, seconds: number): { path: string; frames: Buffer[]; times: number[] } {
  const bytes = readFileSync(SAMPLE);
  const frames: Buffer[] = [];
  const times: number[] = [];
  let at = 0;
  while (at < bytes.length) {
    const time = Number(bytes.readBigUInt64BE(at));
    if (times.length > 0 && time > times[0] + seconds * 1e6) break;
    const start = at + 8;
    const end = start + bytes[start + 1] + (bytes[start] === 0xfd ? 12 + (bytes[start + 2] & 1) * 13 : 8);
    frames.push(bytes.subarray(start, end));
    times.push(time);
    at = end;
  }
  const path = join(folder, name);
  writeFileSync(path, bytes.subarray(0, at));
  return { path, frames, times };
}

function run(...args: string[]): ChildProcess & { output: () => string } {
  const child = spawn(process.execPath, [SKEIN, 'replay', ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  child.stdout?.on('data', (text) => (output += text));
  child.stderr?.on('data', (text) => (output += text));
  open.push(() => child.kill());
  return Object.assign(child, { output: () => output });
}

describe('a recording', () => {
  test('is handed out record by record, as it came, at its own pace', async () => {
    const { path, frames, times } = cutSample('pace.tlog', 3);
    const taken: Uint8Array[] = [];
    const at: number[] = [];
    const log = await openLog(path);
    const played = await play(
      log,
      (bytes) => {
        taken.push(bytes);
        at.push(Date.now());
        return true;
      },
      { speed: 4 },
    );
    expect(played).toMatchObject({ records: frames.length, secrets: 0, steps: 0, shortened: 0 });
    expect(Buffer.concat(taken).equals(Buffer.concat(frames))).toBe(true);
    const off = at.map((time, i) => time - at[0] - (times[i] - times[0]) / 4000);
    // timers are a little late, never early
    expect(Math.min(...off)).toBeGreaterThan(-25);
    expect(at.at(-1)! - at[0]).toBeGreaterThan((times.at(-1)! - times[0]) / 4000 - 25);
  });

  test('comes over a link of its own, and then the link is closed', async () => {
    const { path, frames } = cutSample('link.tlog', 20);
    const heard = listen(`file:${path}`, { speed: 1000 });
    await until(() => heard.link.state.state === 'closed' && heard.pieces.length > 0);
    expect(heard.bytes().equals(Buffer.concat(frames))).toBe(true);
    expect(heard.states).toEqual(['waiting', 'receiving', 'closed']);
    const absent = listen(join(folder, 'absent.tlog'));
    await until(() => absent.link.state.state === 'failed');
    expect(absent.link.state.error).toBe(`${join(folder, 'absent.tlog')}: no such file`);
  });

  test('a key in it is not sent', async () => {
    const secret = station.message('SETUP_SIGNING', { target_system: 1, secret_key: new Array(32).fill(7) });
    const heartbeat = station.message('HEARTBEAT', { type: 6, autopilot: 8 });
    const path = join(folder, 'secret.raw');
    writeFileSync(path, Buffer.concat([heartbeat, heartbeat, secret, heartbeat, heartbeat]));
    const taken: Uint8Array[] = [];
    const played = await play(await openLog(path), (bytes) => taken.push(bytes) > 0, {
      speed: Number.POSITIVE_INFINITY,
    });
    expect(played).toMatchObject({ records: 4, secrets: 1 });
    expect(Buffer.concat(taken)).toEqual(Buffer.concat([heartbeat, heartbeat, heartbeat, heartbeat]));
  });
});

describe('skein replay', () => {
  test('a minute of the sample over UDP at speed 20: every frame arrives, byte for byte and in order', async () => {
    const heard = listen('udpin:127.0.0.1:0');
    const port = await portOf(heard.link);
    const { path, frames } = cutSample('udp.tlog', 60);
    const child = run(path, `127.0.0.1:${port}`, '--speed', '20', '--json');
    await until(() => child.exitCode !== null, 20);
    await until(() => heard.pieces.length === frames.length);
    expect(heard.bytes().equals(Buffer.concat(frames))).toBe(true);
    expect(heard.link.state.dropped).toBe(0);
    expect(child.exitCode).toBe(0);
    expect(child.output()).toContain(`"records":${frames.length}`);
  });

  test('waits for who connects, and answers as the vehicle would', async () => {
    const { path, frames } = cutSample('vehicle.tlog', 600);
    const reserve = listen('tcpin:0');
    const port = await portOf(reserve.link);
    await reserve.link.close();
    const child = run(path, '--link', `tcpin:${port}`, '--speed', '200', '--answer', '--loop');
    const got = new Map<string, ReadMessage[]>();
    const reader = new MessageReader(
      (name) => ['COMMAND_ACK', 'AUTOPILOT_VERSION', 'PARAM_VALUE'].includes(name),
      (message) => got.set(message.name, [...(got.get(message.name) ?? []), message]),
    );
    const heard = listen(`tcp:127.0.0.1:${port}`);
    await until(() => heard.pieces.length > 0, 20);
    const ask = (command: number, param1: number): unknown =>
      heard.link.send(station.message('COMMAND_LONG', { target_system: 1, target_component: 1, command, param1 }));
    ask(512, 148);
    ask(400, 1);
    const forUs = (command: number): ReadMessage | undefined => {
      for (const { bytes } of heard.pieces.splice(0)) reader.push(bytes);
      return got.get('COMMAND_ACK')?.find(({ data }) => data.command === command && data.target_system === 255);
    };
    await until(() => forUs(512) !== undefined && forUs(400) !== undefined, 15);
    expect(forUs(512)?.data.result).toBe(0);
    expect(forUs(400)?.data.result).toBe(3);
    expect(got.get('AUTOPILOT_VERSION')?.length).toBeGreaterThan(0);
    expect(frames.length).toBeGreaterThan(1000);
    child.kill('SIGINT');
    await until(() => child.exitCode !== null);
    expect(child.output()).toMatch(/\d+ requests answered/);
  });

  test('gives all parameters within a second and a half, none missing, and single ones by name and index', async () => {
    const vehicle = new Encoder(dialect, { system: 1, component: 1 });
    const name = (index: number): string => `P${index}`;
    const count = 1391;
    const parts: Buffer[] = [];
    const add = (second: number, frame: Uint8Array): void => {
      const stamp = Buffer.alloc(8);
      stamp.writeBigUInt64BE(BigInt(Math.round(1_700_000_000_000_000 + second * 1e6)));
      parts.push(stamp, Buffer.from(frame));
    };
    add(0, vehicle.message('HEARTBEAT', { type: 2, autopilot: 3 }));
    for (let i = 0; i < count; i++)
      add(
        i / count,
        vehicle.message('PARAM_VALUE', { param_id: name(i), param_value: i, param_count: count, param_index: i }),
      );
    // changed later, and told as vehicles do: without its index
    add(
      1,
      vehicle.message('PARAM_VALUE', { param_id: name(7), param_value: 70, param_count: count, param_index: 65535 }),
    );
    for (let second = 1; second < 60; second++) add(second, vehicle.message('HEARTBEAT', { type: 2, autopilot: 3 }));
    const path = join(folder, 'parameters.tlog');
    writeFileSync(path, Buffer.concat(parts));

    // what a socket of Linux has by default takes about 270 of them
    const heard = listen('udpin:127.0.0.1:0', { receiveBuffer: 106_496, hears: 'all' });
    const port = await portOf(heard.link);
    run(path, '--to', `udpout:127.0.0.1:${port}`, '--vehicle');
    const got: ReadMessage[] = [];
    const reader = new MessageReader(
      (each) => each === 'PARAM_VALUE',
      (message) => got.push(message),
    );
    const pump = (): void => {
      for (const { bytes } of heard.pieces.splice(0)) reader.push(bytes);
    };
    await until(() => {
      pump();
      return got.some(({ data }) => data.param_value === 70);
    });
    await new Promise((done) => setTimeout(done, 1500));
    pump();
    got.length = 0;
    const asked = Date.now();
    heard.link.send(station.message('PARAM_REQUEST_LIST', { target_system: 1, target_component: 1 }));
    await until(() => {
      pump();
      return got.length >= count;
    });
    expect(Date.now() - asked).toBeLessThan(1500);
    expect(got.map(({ data }) => [data.param_index, data.param_id, data.param_count])).toEqual(
      Array.from({ length: count }, (_, i) => [i, name(i), count]),
    );
    expect(got[7].data.param_value).toBe(70);
    got.length = 0;
    const read = { target_system: 1, target_component: 1 };
    heard.link.send(station.message('PARAM_REQUEST_READ', { ...read, param_id: 'NOT_THERE', param_index: -1 }));
    heard.link.send(station.message('PARAM_REQUEST_READ', { ...read, param_id: name(12), param_index: -1 }));
    heard.link.send(station.message('PARAM_REQUEST_READ', { ...read, param_id: '', param_index: 13 }));
    await until(() => {
      pump();
      return got.length >= 2;
    });
    expect(got.map(({ data }) => [data.param_id, data.param_index])).toEqual([
      [name(12), 65535],
      [name(13), 13],
    ]);
  }, 30_000);

  test('wrong usage is told', async () => {
    const { path } = cutSample('usage.tlog', 1);
    expect(await skeinHere('replay', path)).toMatchObject({ code: 2 });
    const runs = await Promise.all([
      skeinHere('replay', path, '--to', 'udpout:'),
      skeinHere('replay', path, '--to', 'a.tlog'),
      skeinHere('replay', path, '--to', 'tcp:127.0.0.1:1', '--speed', 'fast'),
    ]);
    for (const { code } of runs) expect(code).toBe(2);
    const log = fileURLToPath(new URL('../../sample/copter-square.BIN', import.meta.url));
    const { code, stderr } = await skeinHere('replay', log, '--to', '127.0.0.1:9');
    expect(code).toBe(2);
    expect(stderr).toContain('a log of format dataflash is not a recording of a link');
  });
});

describe('vehicles on links', () => {
  test('a simulated vehicle is heard and answers over UDP both ways, and over TCP', async () => {
    const request = station.message('COMMAND_LONG', { command: 512, param1: 148 });
    const ways: [Heard, () => Promise<{ close(): Promise<void> }>][] = [];
    const listening = listen('udpin:127.0.0.1:0');
    const port = await portOf(listening.link);
    ways.push([listening, () => vehicleOverUdp(port, { firmware: 'px4' })]);
    const behind = await vehicleBehindUdp({ firmware: 'px4' });
    ways.push([listen(`udpout:127.0.0.1:${behind.port}`), async () => behind]);
    const served = await vehicleOverTcp({ firmware: 'px4' });
    ways.push([listen(`tcp:127.0.0.1:${served.port}`), async () => served]);
    for (const [heard, start] of ways) {
      const running = await start();
      open.push(() => running.close());
      const names = new Set<string>();
      const reader = new MessageReader(
        () => true,
        ({ name }) => names.add(name),
      );
      await until(() => {
        heard.link.send(request);
        for (const { bytes } of heard.pieces.splice(0)) reader.push(bytes);
        return names.has('AUTOPILOT_VERSION') && names.has('ATTITUDE');
      });
    }
  });
});

// The live command as a user runs it: a process of its own, real sockets, a limited time.
import { type ChildProcess, spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { SETTING_KEYS } from '../src/live/settings.ts';
import type { Status } from '../src/live/status.ts';
import { SKEIN, skein, skeinHere } from './cli.ts';
import { temporaryFolder } from './folder.ts';
import { vehicleOverUdp } from './simulator/network.ts';
import { tlogFrames } from './tlog-frames.ts';

const folder = temporaryFolder();
const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function freePort(): Promise<number> {
  const socket = createSocket('udp4');
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const { port } = socket.address();
  await new Promise<void>((done) => socket.close(() => done()));
  return port;
}

interface Running {
  readonly child: ChildProcess;
  stdout: string;
  stderr: string;
  readonly ended: Promise<number | null>;
}

function start(...args: string[]): Running {
  const child = spawn(process.execPath, [SKEIN, 'live', ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise<number | null>((done) => child.once('exit', done));
  const running: Running = { child, stdout: '', stderr: '', ended };
  child.stdout.on('data', (bytes: Buffer) => {
    running.stdout += bytes.toString();
  });
  child.stderr.on('data', (bytes: Buffer) => {
    running.stderr += bytes.toString();
  });
  closing.push(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  return running;
}

async function until(isSo: () => boolean, seconds = 25): Promise<void> {
  const end = performance.now() + seconds * 1000;
  while (!isSo()) {
    if (performance.now() > end) throw new Error(`waited ${seconds} s for ${isSo}`);
    await wait(30);
  }
}

function statusOf(path: string): Status | undefined {
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Status) : undefined;
}

describe('skein live', () => {
  test('with a configuration file of old: vehicles, status, recording, API, and an end without a trace', async () => {
    const port = await freePort();
    const config = join(folder, 'collector_config.json');
    const logFile = join(folder, 'status.json');
    const settings = { udp_address: '127.0.0.1', udp_port: port, request_sysid: 255, request_interval_ms: 500 };
    writeFileSync(config, JSON.stringify({ ...settings, heartbeat_timeout_ms: 3000, log_file: logFile }));
    const running = start('--config', config, '--json', '--http', '0', '--record', join(folder, 'flights'));
    await until(() => running.stderr.includes('API at'));
    const vehicles = await Promise.all([
      vehicleOverUdp(port, { firmware: 'ardupilot', system: 1 }),
      vehicleOverUdp(port, { firmware: 'px4', system: 2 }),
    ]);
    closing.push(...vehicles.map(({ close }) => close));
    await until(() => statusOf(logFile)?.vehicles?.['2']?.firmware !== undefined);
    await until(() => statusOf(logFile)?.battery_voltage !== undefined);
    const status = statusOf(logFile);
    expect(Object.keys(status?.vehicles ?? {}).sort()).toEqual(['1', '2']);
    expect(status?.vehicles?.['2'].firmware).toMatch(/^PX4 \d+\.\d+\.\d+$/);
    const url = /API at (http:\S+?)\/v1/.exec(running.stderr)?.[1] ?? '';
    const answer = (await (await fetch(`${url}/v1/vehicles`)).json()) as unknown;
    expect(JSON.stringify(answer)).toContain('Copter');
    const metrics = await (await fetch(`${url}/metrics`)).text();
    expect(metrics).toContain('skein_');
    expect(running.stderr).toMatch(/system id 255 is that of the pilot's ground station/);
    expect(running.stderr.match(/system id 255/g)).toHaveLength(1);
    expect(vehicles[0].vehicle.requests.every(({ system }) => system === 255)).toBe(true);
    running.child.kill('SIGINT');
    expect(await running.ended).toBe(0);
    const events = running.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; vehicle: string | null });
    expect(
      events
        .filter(({ type }) => type === 'vehicle')
        .map(({ vehicle }) => vehicle)
        .sort(),
    ).toEqual(['1', '2']);
    const files = readdirSync(join(folder, 'flights')).filter((name) => name.endsWith('.tlog'));
    const frames = files.flatMap((name) => tlogFrames(join(folder, 'flights', name)));
    expect(new Set(frames.map(({ system }) => system))).toEqual(new Set([1, 2]));
    expect(readdirSync(folder).filter((name) => name.endsWith('.part'))).toEqual([]);
  });

  test('says in plain lines what happens, and ends after the time that it was given', async () => {
    const port = await freePort();
    const vehicle = await vehicleOverUdp(port, { firmware: 'ardupilot', system: 9 });
    closing.push(vehicle.close);
    const running = start(`udpin:127.0.0.1:${port}`, '--duration', '4', '--no-http', '--no-request');
    expect(await running.ended).toBe(0);
    expect(running.stdout).toMatch(/^\d\d:\d\d:\d\d 9 found: ArduCopter, \w+, on udpin:127\.0\.0\.1:\d+$/m);
    expect(running.stdout).not.toContain('\x1b');
    expect(vehicle.vehicle.requests.every(({ name }) => name === 'HEARTBEAT')).toBe(true);
    expect(running.stderr).toBe('');
  });

  test('ends when nobody reads its lines any more', async () => {
    const port = await freePort();
    const vehicle = await vehicleOverUdp(port, { firmware: 'px4', system: 9 });
    const running = start(`udpin:127.0.0.1:${port}`, '--json', '--no-http');
    await until(() => running.stdout.includes('"vehicle"')).finally(() => running.child.stdout?.destroy());
    // that the vehicle is lost is the next line, for which there is no reader
    await vehicle.close();
    expect(await running.ended).toBe(0);
  });

  test.each([
    [['--udp-port', '0'], /udp_port is 0: it must be a whole number from 1 to 65535/],
    [['--profile', 'quick'], /profile is "quick": it must be one of/],
    [['--rate', 'ATTITUDE'], /--rate ATTITUDE: a message and times a second are wanted/],
    [['nonsense:1:2:3'], /link nonsense:1:2:3 is of no known kind/],
    [['--http', 'here'], /--http here: HOST:PORT or a port is wanted/],
    [['--duration', 'x'], /--duration: a number of seconds is wanted/],
  ])('refuses %j with a sentence', async (args, sentence) => {
    const run = await skeinHere('live', 'udpin:127.0.0.1:0', ...args);
    expect(run.code).toBe(2);
    expect(run.stderr).toMatch(sentence);
    expect(run.stdout).toBe('');
  });

  test('ends when the address of its API is taken', async () => {
    const first = start('udpin:127.0.0.1:0', '--http', '0', '--duration', '20');
    await until(() => first.stderr.includes('API at'));
    const port = /API at http:\/\/127\.0\.0\.1:(\d+)/.exec(first.stderr)?.[1] ?? '';
    const second = start('udpin:127.0.0.1:0', '--http', port);
    expect(await second.ended).toBe(1);
    expect(second.stderr).toMatch(/is in use by another program/);
  });

  test('refuses a configuration file with a wrong key', () => {
    const config = join(folder, 'wrong.json');
    writeFileSync(config, '{"udp_prot": 14550}');
    const run = skein(['live', '--config', config]);
    expect([run.code, run.stderr]).toEqual([2, expect.stringMatching(/key udp_prot that is not known: there are/)]);
  });

  test('has an option for every key of the configuration', () => {
    const { stdout } = skein(['live', '--help']);
    const others: Readonly<Record<string, string>> = { links: '[link...]', rates: '--rate' };
    for (const key of SETTING_KEYS) {
      const flag = others[key] ?? `--${key.replaceAll('_', '-')}`;
      expect(stdout.includes(flag) || stdout.includes(flag.replace('--', '--no-'))).toBe(true);
    }
  });
});

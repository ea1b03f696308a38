// The live command as a user runs it: a process of its own, real sockets, a limited time.
import { type ChildProcess, spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';
import type { EventWire } from '../../src/server/wire.ts';
import { SETTING_KEYS } from '../../src/session/settings.ts';
import type { Status } from '../../src/session/status.ts';
import { tlogFrames } from '../formats/tlog/frames.ts';
import { SKEIN, skein, skeinHere } from '../helpers/cli.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { until } from '../helpers/until.ts';
import { freeUdpPort } from '../live/command.ts';
import { vehicleOverUdp } from '../vehicle/sockets.ts';

const folder = temporaryFolder();
const SAMPLE = fileURLToPath(new URL('../../sample/copter-square.tlog', import.meta.url));
const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

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

function statusOf(path: string): Status | undefined {
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Status) : undefined;
}

describe('skein live', () => {
  test('with a configuration file of old: vehicles, status, recording, API, and an end without a trace', async () => {
    const port = await freeUdpPort();
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
    expect(running.stderr).toMatch(/ended: interrupted by SIGINT\n$/);
    const events = running.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as EventWire);
    expect(
      events
        .filter(({ event }) => event === 'vehicle')
        .map(({ vehicle }) => vehicle)
        .sort(),
    ).toEqual(['1', '2']);
    const files = readdirSync(join(folder, 'flights')).filter((name) => name.endsWith('.tlog'));
    const frames = files.flatMap((name) => tlogFrames(join(folder, 'flights', name)));
    expect(new Set(frames.map(({ system }) => system))).toEqual(new Set([1, 2]));
    expect(readdirSync(folder).filter((name) => name.endsWith('.part'))).toEqual([]);
  });

  test('says in plain lines what happens, and ends after the time that it was given', async () => {
    const port = await freeUdpPort();
    const vehicle = await vehicleOverUdp(port, { firmware: 'ardupilot', system: 9 });
    closing.push(vehicle.close);
    const running = start(`udpin:127.0.0.1:${port}`, '--duration', '4', '--no-http', '--no-request');
    expect(await running.ended).toBe(0);
    expect(running.stdout).toMatch(/^\d\d:\d\d:\d\d 9 found: ArduCopter, \w+, on udpin:127\.0\.0\.1:\d+$/m);
    expect(running.stdout).not.toContain('\x1b');
    expect(vehicle.vehicle.requests.every(({ name }) => name === 'HEARTBEAT')).toBe(true);
    expect(running.stderr).toBe('skein: ended: --duration 4 s is over\n');
  });

  test('ends when nobody reads its lines any more', async () => {
    const port = await freeUdpPort();
    const vehicle = await vehicleOverUdp(port, { firmware: 'px4', system: 9 });
    const running = start(`udpin:127.0.0.1:${port}`, '--json', '--no-http');
    await until(() => running.stdout.includes('"event":"vehicle"')).finally(() => running.child.stdout?.destroy());
    // that the vehicle is lost is the next line, for which there is no reader
    await vehicle.close();
    expect(await running.ended).toBe(0);
    expect(running.stderr).toBe('skein: ended: standard output was closed\n');
  });

  test('a link that is forwarded to does not end it before its time', async () => {
    const begin = performance.now();
    const running = start('udpin:127.0.0.1:0', '--forward', 'tcpin:127.0.0.1:0', '--http', '0', '--duration', '4');
    expect(await running.ended).toBe(0);
    expect(performance.now() - begin).toBeGreaterThan(4000);
    expect(running.stderr).toMatch(/ended: --duration 4 s is over\n$/);
  });

  test('with the API on, the first events are there too', async () => {
    const running = start(SAMPLE, '--json', '--http', '0', '--duration', '3');
    expect(await running.ended).toBe(0);
    const events = running.stdout.trimEnd().split('\n');
    const read = events.map((line) => JSON.parse(line) as EventWire & { data: { state?: { state: string } } });
    expect(read.slice(0, 3).map(({ event, data }) => `${event} ${data.state?.state ?? ''}`)).toEqual([
      'link waiting',
      'link receiving',
      'vehicle ',
    ]);
    expect(read.some(({ event }) => event === 'text')).toBe(true);
    // all times are seconds, wherever they are
    const numbers = events.join().match(/-?\d+(\.\d+)?/g) ?? [];
    expect(Math.max(...numbers.map(Number))).toBeLessThan(1e11);
    const now = Date.now() / 1000;
    for (const { time } of read) expect(Math.abs(time - now)).toBeLessThan(60);
  });

  test.each([['--http', '0'], ['--no-http']])(
    'a file that is not there ends it with a word, %s %s',
    async (...args) => {
      const running = start('/no/such.tlog', ...args);
      expect(await running.ended).toBe(1);
      expect(running.stdout).toMatch(/^\d\d:\d\d:\d\d file:\/no\/such\.tlog failed: \/no\/such\.tlog: no such file\n$/);
      expect(running.stderr).toMatch(/ended: \/no\/such\.tlog: no such file\n$/);
    },
  );

  test('a port in use is one line, however often it is tried', async () => {
    const socket = createSocket('udp4');
    socket.bind(0, '127.0.0.1');
    await once(socket, 'listening');
    closing.push(() => new Promise<void>((done) => socket.close(() => done())));
    const { port } = socket.address();
    const running = start(`udpin:127.0.0.1:${port}`, '--no-http', '--duration', '5');
    expect(await running.ended).toBe(0);
    expect(running.stdout.split('\n')).toHaveLength(2);
    expect(running.stdout).toMatch(
      new RegExp(
        `port ${port} is in use by .* \\(process \\d+\\); end that program, or let it forward to another port`,
      ),
    );
  });

  test.each([
    [['--udp-port', '0'], /udp_port is 0: it must be a whole number from 1 to 65535/],
    [['--profile', 'quick'], /profile is "quick": it must be one of/],
    [['--rate', 'ATTITUDE'], /--rate ATTITUDE: expected a message and its rate in Hz/],
    [['nonsense:1:2:3'], /link nonsense:1:2:3 is of an unknown kind/],
    [['--http', 'here'], /--http here: expected HOST:PORT or a port/],
    [['--duration', 'x'], /--duration: expected a number of seconds/],
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
    expect([run.code, run.stderr]).toEqual([2, expect.stringMatching(/unknown key udp_prot; known keys: /)]);
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

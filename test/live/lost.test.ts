// A recording that the disk did not take is said, and the exit code says it too.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { SKEIN, skein } from '../helpers/cli.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { need } from '../helpers/need.ts';
import { sampleFile } from '../suite/sample.ts';
import { NumberedVehicle } from '../vehicle/sockets.ts';
import { freeUdpPort } from './command.ts';

const folder = temporaryFolder();
const log = join(folder, 'a.tlog');
writeFileSync(log, sampleFile('copter-square.tlog').bytes.slice(0, 40_000));

test('live ends with 3 where frames were not recorded, and with 0 where all were', { timeout: 60_000 }, () => {
  const record = (into: string): ReturnType<typeof skein> => skein(['live', log, '--http', '0', '--record', into]);
  // a file is not a folder that recordings could be in
  const failed = record(join(log, 'flights'));
  expect([failed.code, failed.stderr]).toEqual([
    3,
    expect.stringMatching(/[\d,]+ records lost: not written to the disk/),
  ]);
  expect(record(join(folder, 'flights')).code).toBe(0);
});

test('a status or a history that cannot be written is named, and the other is written', { timeout: 60_000 }, () => {
  const status = join(folder, 'status.json');
  const { stderr } = skein(['live', log, '--http', '0', '--log-file', status, '--history-file', '/dev/full']);
  expect(stderr).toContain('cannot write /dev/full: ENOSPC');
  expect(JSON.parse(readFileSync(status, 'utf8'))).toHaveProperty('last_update');
  expect(JSON.parse(readFileSync(status, 'utf8'))).not.toHaveProperty('recorder');
});

interface Line {
  readonly event: string;
  readonly data: {
    readonly state: string;
    readonly error: string;
    readonly recording: string;
    readonly dropped: number;
  };
}

/** A file system of its own that is really full, seen by the program alone. */
const OWN_DISK = [
  '-rm',
  'sh',
  '-c',
  'mount -t tmpfs -o size=1m disk "$1" && cd "$1" && head -c 1000k /dev/zero > filler; shift; exec "$@"',
  'sh',
];
const canMount = spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'disk', '/mnt']).status === 0;

need(
  describe,
  canMount,
  'no mounts of its own for a test',
)('a full disk', () => {
  test('is said everywhere, and recording goes on in a new file when there is room', { timeout: 90_000 }, async () => {
    const disk = join(folder, 'disk');
    const status = join(folder, 'full.json');
    mkdirSync(disk);
    const [udp, http] = [await freeUdpPort(), await freeUdpPort()];
    const args = ['live', `udpin:127.0.0.1:${udp}`, '--http', String(http), '--json', '--log-file', status];
    const child = spawn('unshare', [...OWN_DISK, disk, process.execPath, SKEIN, ...args, '--record', disk]);
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (bytes) => (stdout += bytes));
    child.stderr.on('data', (bytes) => (stderr += bytes));
    const exit = once(child, 'exit');
    const lines = (): Line[] =>
      stdout
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line) as Line);
    const told = (): string[] =>
      lines()
        .filter(({ event }) => event === 'recorder')
        .map(({ data }) => data.state);
    const statusNow = () =>
      (JSON.parse(readFileSync(status, 'utf8')) as { recorder?: Record<string, unknown> }).recorder;
    const recorder = async () =>
      (await (await fetch(`http://127.0.0.1:${http}/v1/recorder`)).json()) as Record<string, number>;
    await expect.poll(() => stderr, { timeout: 20_000 }).toContain('API at');
    const vehicle = new NumberedVehicle(udp, 1);
    try {
      vehicle.start(500);
      await expect.poll(told, { timeout: 20_000 }).toEqual(['failed']);
      expect(lines().find(({ event }) => event === 'recorder')?.data.error).toContain('the disk is full');
      await expect
        .poll(statusNow, { timeout: 5000 })
        .toMatchObject({ state: 'failed', error: expect.stringContaining('disk is full') });
      expect(await recorder()).toMatchObject({ state: 'failed', error: expect.stringContaining('disk is full') });
      // of the file system that the program has
      rmSync(join(`/proc/${child.pid}/root`, disk, 'filler'));
      await expect.poll(told, { timeout: 20_000 }).toEqual(['failed', 'recording']);
      expect(lines().findLast(({ event }) => event === 'recorder')?.data.recording).toMatch(/\.tlog$/);
      await expect.poll(statusNow, { timeout: 5000 }).toMatchObject({ state: 'recording', lost: 0 });
      vehicle.pause();
      await expect
        .poll(
          async () => {
            const { frames, acknowledged } = await recorder();
            return frames - acknowledged;
          },
          { timeout: 10_000 },
        )
        .toBe(0);
    } finally {
      await vehicle.close();
      child.kill('SIGINT');
    }
    // nothing was lost: it waited in memory
    expect([(await exit)[0], stderr]).toEqual([0, expect.stringContaining('the disk is full')]);
  });
});

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { factsOf, type LogEvent, openLog } from '../../src/entry/index.ts';
import { needShared, sharedData } from '../helpers/need.ts';

const FIELD = ['..', 'field', 'autopilot'];
const field = (...parts: string[]): string => sharedData(...FIELD, ...parts);

/** A packet of a pcapng capture that carries one MAVLink 2 frame of the vehicle: its block, time, source port and number. */
interface Sent {
  readonly from: number;
  readonly to: number;
  readonly time: number;
  readonly port: number;
  readonly sequence: number;
}

/** The frames of system 1 in a capture of Ethernet, IPv4 and UDP, read without Skein. */
function framesOf(bytes: Buffer): Sent[] {
  const found: Sent[] = [];
  for (let at = 0; at < bytes.length; at += bytes.readUInt32LE(at + 4)) {
    if (bytes.readUInt32LE(at) !== 6) continue;
    const time = bytes.readUInt32LE(at + 12) * 2 ** 32 + bytes.readUInt32LE(at + 16);
    const ip = at + 28 + 14;
    const udp = ip + (bytes[ip] & 15) * 4;
    const frame = udp + 8;
    if (bytes[frame] !== 0xfd || bytes[frame + 5] !== 1 || bytes[frame + 6] !== 1) continue;
    const to = at + bytes.readUInt32LE(at + 4);
    found.push({ from: at, to, time, port: bytes.readUInt16BE(udp), sequence: bytes[frame + 4] });
  }
  return found;
}

/** The first frame of a new run: number 0 after another one than 255, or from another port. */
function restartOf(frames: readonly Sent[]): Sent {
  const restarts = frames.filter(({ sequence, port }, i) => {
    const before = frames[i - 1];
    return before && sequence === 0 && (before.sequence !== 255 || before.port !== port);
  });
  expect(restarts).toHaveLength(1);
  return restarts[0];
}

async function reboots(input: string | Uint8Array): Promise<LogEvent[]> {
  return (await factsOf(await openLog(input)).events()).filter(({ kind }) => kind === 'reboot');
}

needShared(describe, ...FIELD)('a reboot that was recorded', () => {
  test.each([
    ['px4/boot.pcapng', 'rebooted: boot time went back'],
    ['ardupilot/boot-and-requests.pcapng', 'rebooted: TIMESYNC went back'],
  ])('is told once, with the time of the first frame after it: %s', async (name, text) => {
    const first = restartOf(framesOf(readFileSync(field(name))));
    const found = await reboots(field(name));
    expect(found).toEqual([expect.objectContaining({ text, stream: '1:1', severity: 'warning' })]);
    // captures count nanoseconds or microseconds: both are the same to a millisecond
    expect(String(first.time).slice(0, 13)).toBe(String(found[0].time).slice(0, 13));
  });

  test('is told where the last frames before it are missing, so that numbers go from 244 to 0', async () => {
    const bytes = readFileSync(field('px4', 'boot.pcapng'));
    const frames = framesOf(bytes);
    const restart = restartOf(frames);
    const before = frames.filter(({ time, sequence }) => time < restart.time && sequence === 244).at(-1);
    expect(before).toBeDefined();
    const kept = Buffer.concat([bytes.subarray(0, before?.to), bytes.subarray(restart.from)]);
    expect(framesOf(kept).length).toBeLessThan(frames.length);
    const [whole] = await reboots(bytes);
    const [cut, ...others] = await reboots(kept);
    expect(others).toEqual([]);
    expect(cut.time).toBe(whole.time);
  });

  const others = readdirSync(field(), { recursive: true })
    .map(String)
    .filter((name) => /\.(pcapng|tlog\.gz)$/.test(name) && !/boot/.test(name));
  test.each(others)('is told of no other recording: %s', async (name) => {
    expect(await reboots(field(name))).toEqual([]);
  });
});

needShared(describe, 'pcap')('logs and captures of vehicles that did not reboot', () => {
  const paths = ['flight', 'mavlink', 'pcap'].flatMap((folder) =>
    readdirSync(sharedData(folder))
      .filter((name) => /\.(tlog|raw|pcap|pcapng|bin|mavlink)$/.test(name))
      .map((name) => join(folder, name)),
  );
  test.each(paths)('have no reboot: %s', async (name) => {
    expect(await reboots(sharedData(name))).toEqual([]);
  });
});

needShared(describe, ...FIELD)('messages that carry a log', () => {
  test.each(['ftp', 'ftp-eof', 'ftp-sessions', 'remote-log', 'tcp', 'log-protocol'])(
    'are a capture: %s',
    async (name) => {
      const log = await openLog(field('ardupilot', `${name}.pcapng`));
      expect(log.format).toBe('pcap');
      expect(log.table('HEARTBEAT', '1:1')?.rows).toBeGreaterThan(0);
    },
  );

  test('are a telemetry log', async () => {
    const log = await openLog(field('ardupilot', 'ftp.tlog.gz'));
    expect([log.format, log.tables.reduce((sum, { rows }) => sum + rows, 0)]).toEqual(['tlog', 1383]);
  });
});

/** What is said to be lost of each sender, by its flow or '': null where it cannot be known. */
async function losses(path: string): Promise<(readonly [stream: string, flow: string, lost: number | null])[]> {
  const log = await openLog(path);
  const lossOf = await factsOf(log).losses();
  return log.streams.map((each) => [each.stream, each.flow ?? '', lossOf(each)] as const);
}

needShared(describe, ...FIELD)('loss', () => {
  test('is not told of a ground station that is heard through a vehicle, and is where it is heard itself', async () => {
    const path = field('ardupilot', 'two-stations.pcapng');
    // the vehicle passes on 36 and 33 of the 41 and 38 messages that the stations sent
    const numbers = (await openLog(path)).streams.map(({ stream, received, lost }) => [stream, received, lost]);
    expect(numbers).toContainEqual(['254:190', 36, 5]);
    expect((await losses(path)).toSorted()).toEqual([
      ['1:1', '127.0.0.1:52399 > 127.0.0.1:14781', 0],
      ['1:1', '127.0.0.1:56243 > 127.0.0.1:14780', 0],
      ['254:190', '127.0.0.1:14781 > 127.0.0.1:52399', 0],
      ['254:190', '127.0.0.1:56243 > 127.0.0.1:14780', null],
      ['255:190', '127.0.0.1:14780 > 127.0.0.1:56243', 0],
      ['255:190', '127.0.0.1:52399 > 127.0.0.1:14781', null],
    ]);
  });
});

needShared(describe, 'mavlink')('loss in logs of ground stations', () => {
  test.each([
    ['mavlink/ardusub_2023-04-18.tlog', { '1:1': 0, '1:194': expect.any(Number), '255:190': null, '255:0': null }],
    ['mavlink/MACS_uav-cyber-sim_mav.tlog', { '1:1': expect.any(Number), '255:230': null, '255:0': null }],
    ['pcap/thayer_rural.tlog', { '1:1': expect.any(Number), '255:190': null }],
    // a station of which no heartbeat is there, in a flow that has no vehicle
    ['pcap/common.pcapng', { '250:250': expect.any(Number), '1:1': expect.any(Number) }],
  ])('is that of vehicles: %s', async (name, expected) => {
    const found = await losses(sharedData(name));
    expect(Object.fromEntries(found.map(([stream, , lost]) => [stream, lost]))).toMatchObject(expected);
  });
});

needShared(
  describe,
  '..',
  'field',
  'wild',
)('texts of real logs', () => {
  const serious = async (...file: string[]): Promise<string[]> =>
    (await factsOf(await openLog(sharedData(...file))).events())
      .filter(({ kind, severity }) => (kind === 'text' || kind === 'failsafe') && /error|warning/.test(severity))
      .map(({ kind, severity, text }) => `${kind} ${severity}: ${text}`);
  const wild = (name: string): string[] => ['..', 'field', 'wild', name];
  const faults = (name: string): string[] => ['..', 'field', 'faults', name];

  test('of a flight of 2013, all sent with one severity: none is a warning', async () => {
    expect(await serious(...wild('code-lever-3e8aaf.tlog.gz'))).toEqual([]);
  });

  test.each([
    [faults('copter-06.tlog.gz'), 'failsafe error: Radio Failsafe'],
    [faults('copter-03.tlog.gz'), 'failsafe error: EKF Failsafe: changed to LAND Mode'],
    [['mavlink', 'MACS_uav-cyber-sim_mav.tlog'], 'failsafe warning: PrecLand: Failsafe Measures'],
    [['dataflash', 'macs-214.BIN'], 'failsafe warning: PrecLand: Failsafe Measures'],
    [faults('copter-09.BIN.gz'), 'text warning: EKF3 IMU0 emergency yaw reset'],
    [wild('DependableSystemsLab-c3c8fd.BIN'), 'text error: Config error: See console: Format definition must '],
    [wild('brunoolivieri-886f02.bin.gz'), 'text warning: PreArm: Internal errors 0x100000 l:967 flow_of_ctr'],
  ])('%s tells %s', async (file, expected) => {
    expect(await serious(...file)).toContainEqual(expect.stringContaining(expected.trimEnd()));
  });

  test.each(['copter-01.BIN.gz', 'copter-01.tlog.gz', 'copter-08.BIN.gz'])('%s has no serious one', async (name) => {
    expect(await serious(...faults(name))).toEqual([]);
  });
});

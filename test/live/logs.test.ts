// Logs of a vehicle are listed and downloaded over a bad link: what arrives is right, or nothing does.
import { describe, expect, test } from 'vitest';
import { builtinDialect } from '../../src/formats/mavlink/dialect/builtin.ts';
import { Encoder } from '../../src/formats/mavlink/encode.ts';
import { FTP_READING, FtpClient } from '../../src/live/vehicle/ftp.ts';
import { PathList, type VehicleLog } from '../../src/live/vehicle/log-list.ts';
import { Random } from '../suite/random.ts';
import { cardOf, LogBench, MemoryStore, NO_FAULTS } from '../vehicle/log-bench.ts';
import { readRecording } from '../vehicle/recording.ts';
import type { VehicleOptions } from '../vehicle/vehicle.ts';
import { needRecordings } from './recorded.ts';

const SECOND = 1e6;
/** What a number of seeds tries; `SKEIN_SEEDS=1000` for all of them. */
const SEEDS = Number(process.env.SKEIN_SEEDS ?? 40);
const FIRST_SEED = Number(process.env.SKEIN_SEED ?? 1);

type Ways = 'both' | 'files' | 'logs';

function benchOf(
  isPx4: boolean,
  sizes: readonly number[],
  ways: Ways = 'both',
  seed = 7,
): LogBench & { bytes: Uint8Array[] } {
  const random = new Random(seed);
  const bytes = sizes.map((size) => random.bytes(size));
  const { logs, files } = cardOf(isPx4, bytes);
  const options: VehicleOptions = {
    ...(isPx4 ? { firmware: 'px4' as const } : {}),
    ...(ways === 'logs' ? {} : { files }),
    ...(ways === 'files' ? {} : { logs }),
  };
  return Object.assign(new LogBench(random, options), { bytes });
}

interface Ended {
  readonly error: string;
  readonly bytes: Uint8Array;
  readonly isWhole: boolean;
}

/** Downloads a log to its end. */
function download(bench: LogBench, log: VehicleLog, seconds = 600, each?: () => void): Ended | undefined {
  const store = new MemoryStore(log.size);
  let error: string | undefined;
  bench.logs.start(log.key, store, (why) => {
    error = why;
  });
  bench.run(seconds, () => error !== undefined, each);
  return error === undefined ? undefined : { error, bytes: store.bytes, isWhole: store.written === log.size };
}

const isEqual = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;

describe.each([
  ['ArduPilot', false],
  ['PX4', true],
] as const)('%s', (_, isPx4) => {
  // the last one is a multiple of both packets, ArduPilot's end of file is wrong then
  const SIZES = [1, 90, 5000, 41_000, 239 * 90 * 3];

  test.each(['both', 'files', 'logs'] as const)('every log comes as it is, by %s', (ways) => {
    const bench = benchOf(isPx4, SIZES, ways);
    expect(bench.list()).toBe(true);
    const { logs } = bench.logs;
    expect(logs.map(({ size }) => size).sort((a, b) => a - b)).toEqual([...SIZES].sort((a, b) => a - b));
    expect(logs.every(({ path }) => (path !== null) === (ways !== 'logs'))).toBe(true);
    expect(logs.every(({ id }) => (id !== null) === (ways !== 'files'))).toBe(true);
    for (const log of logs) {
      const ended = download(bench, log);
      expect([log.size, ended?.error, ended?.isWhole]).toEqual([log.size, '', true]);
      expect(isEqual(ended?.bytes ?? new Uint8Array(0), bench.bytes[SIZES.indexOf(log.size)])).toBe(true);
      expect(bench.logs.progress).toMatchObject({ isVerified: ways !== 'logs', hasGrown: false });
      expect([bench.vehicle.files.isOpen, bench.vehicle.logs.isBusy]).toEqual([false, false]);
    }
    expect(bench.vehicle.files.asked.every((request) => FTP_READING.includes(request[3]))).toBe(true);
  });

  test('is as fast as what the vehicle sends, less a tenth', () => {
    const bench = benchOf(isPx4, [400_000], 'both');
    bench.list();
    const from = bench.now;
    expect(download(bench, bench.logs.logs[0])?.error).toBe('');
    // ArduPilot paces its bursts; PX4 sends all that fits into its buffer, and waits for the next request
    const least = isPx4 ? 150_000 : 600 * 239;
    const rate = 400_000 / ((bench.now - from) / SECOND - 1);
    expect(rate).toBeGreaterThan(0.9 * least);
  });

  test.each(['files', 'logs', 'both'] as const)('over a radio with loss it comes in time, by %s', (ways) => {
    const bench = benchOf(isPx4, [100_000], ways);
    const radio = new Encoder(builtinDialect(), { system: 51, component: 68 });
    bench.deliver(radio.message('RADIO_STATUS', { rssi: 100 }));
    bench.slow(5760);
    bench.faults = { ...NO_FAULTS, loss: 0.03 };
    expect(bench.list()).toBe(true);
    const from = bench.now;
    const ended = download(bench, bench.logs.logs[0], 120);
    expect(ended?.error).toBe('');
    expect(isEqual(ended?.bytes ?? new Uint8Array(0), bench.bytes[0])).toBe(true);
    // of 5,760 bytes a second 4,308 are data where 91 bytes are in a frame of 118; a second passes at the end, and five
    // where the answer with the checksum is lost. A session of PX4 is kept by bursts that replace one another
    const share = isPx4 && ways === 'files' ? 0.8 : 0.7;
    expect(100_000 / ((bench.now - from) / SECOND - 1)).toBeGreaterThan(share * 4308);
    const sizes = bench.vehicle.files.asked.filter((request) => request[3] === 15).map((request) => request[4]);
    expect(sizes.every((size) => size === 91)).toBe(true);
    // PX4 ignores that size: it begins with the log protocol
    if (ways === 'both') expect(sizes.length > 0).toBe(!isPx4);
  });

  test('a link that stalls for eight seconds costs little more', () => {
    const bench = benchOf(isPx4, [200_000], 'files');
    bench.list();
    const log = bench.logs.logs[0];
    const from = bench.now;
    const ended = download(bench, log, 120, () => {
      if (bench.stalledUntil === 0 && (bench.logs.progress?.received ?? 0) > 20_000)
        bench.stalledUntil = bench.now + 8 * SECOND;
    });
    expect(ended?.error).toBe('');
    expect(isEqual(ended?.bytes ?? new Uint8Array(0), bench.bytes[0])).toBe(true);
    expect(bench.now - from).toBeLessThan(16 * SECOND);
  });

  test('no logs, and no answer, are not the same', () => {
    const empty = benchOf(isPx4, [], 'both');
    Object.assign(empty.vehicle.files, {
      files: new Map([[`${isPx4 ? '/fs/microsd/log' : '/APM/LOGS'}/x.txt`, new Uint8Array(3)]]),
    });
    expect(empty.list()).toBe(true);
    expect(empty.logs.logs).toEqual([]);
    const silent = new LogBench(new Random(1), isPx4 ? { firmware: 'px4' } : {});
    expect(silent.list()).toBe(false);
    expect(silent.logs.error).toBe('the vehicle does not list its logs');
  });

  test('nothing is asked of an armed vehicle, and arming stops a download within 1.2 s', () => {
    for (const ways of ['files', 'logs'] as const) {
      const bench = benchOf(isPx4, [900_000], ways);
      bench.list();
      let armedAt = Number.NaN;
      const ended = download(bench, bench.logs.logs[0], 60, () => {
        if (!(bench.logs.progress && bench.logs.progress.received > 100_000) || !Number.isNaN(armedAt)) return;
        bench.vehicle.set({ armed: true });
        armedAt = bench.now;
      });
      expect(ended).toMatchObject({ error: 'armed: disarm to download', isWhole: false });
      const asked = bench.vehicle.requests.filter(
        ({ name }) => name === 'LOG_REQUEST_END' || name === 'FILE_TRANSFER_PROTOCOL',
      );
      const last = asked.findLast(
        ({ name, data }) => name === 'LOG_REQUEST_END' || (data.payload as number[])[3] === 1,
      );
      const first = asked.find(
        ({ time, name, data }) => time > armedAt && (name === 'LOG_REQUEST_END' || (data.payload as number[])[3] === 1),
      );
      expect((first?.time ?? Number.NaN) - armedAt).toBeLessThan(1.2e6);
      expect(last).toBeDefined();
      // ArduPilot looks at it when its burst is over
      bench.run(1);
      expect([bench.vehicle.files.isOpen, bench.vehicle.logs.isBusy]).toEqual([false, false]);
      expect(() => bench.logs.list()).toThrow('armed: disarm to download');
      expect(() => bench.logs.start('1', new MemoryStore(1), () => undefined)).toThrow('armed: disarm to download');
    }
  });

  test('bytes that come twice and differ give no file', () => {
    const bench = benchOf(isPx4, [300_000], 'logs');
    bench.list();
    const encoder = new Encoder(builtinDialect(), { system: 1, component: 1 });
    let isSent = false;
    const ended = download(bench, bench.logs.logs[0], 60, () => {
      if (isSent || !bench.vehicle.requests.some(({ name }) => name === 'LOG_REQUEST_DATA')) return;
      isSent = true;
      const data = { id: isPx4 ? 0 : 1, ofs: 90 * 700, count: 90, data: new Array(90).fill(1) };
      bench.deliver(encoder.message('LOG_DATA', data));
    });
    expect(ended?.error).toMatch(/^bytes that came twice differ at 63000: the logs of the vehicle changed/);
  });

  test('a log that is another one meanwhile gives no file', () => {
    for (const ways of ['files', 'both', 'logs'] as const) {
      const bench = benchOf(isPx4, [300_000, 1000], ways);
      bench.list();
      const log = bench.logs.logs.find(({ size }) => size === 300_000) as VehicleLog;
      let isAnother = false;
      const ended = download(bench, log, 60, () => {
        if (isAnother || !bench.logs.progress || bench.logs.progress.received < 100_000) return;
        isAnother = true;
        const { logs, files } = cardOf(isPx4, [bench.random.bytes(300_000), bench.bytes[1]], 1_699_500_000);
        Object.assign(bench.vehicle.files, { files });
        bench.vehicle.logs.logs = logs;
      });
      const error =
        ways === 'logs' ? 'the logs of the vehicle changed: list them again' : /checksum of the log differs/;
      expect(ended?.error).toMatch(error);
    }
  });

  test('a reboot ends it, and the next one is right', () => {
    const bench = benchOf(isPx4, [isPx4 ? 1_500_000 : 300_000]);
    bench.list();
    let hasRebooted = false;
    const ended = download(bench, bench.logs.logs[0], 120, () => {
      if (hasRebooted || !bench.logs.progress || bench.logs.progress.received < 100_000) return;
      hasRebooted = true;
      bench.vehicle.reboot();
    });
    expect(ended?.error).toBe('the vehicle rebooted');
    bench.run(30);
    expect(bench.list()).toBe(true);
    const again = download(bench, bench.logs.logs[0]);
    expect(again?.error).toBe('');
    expect(isEqual(again?.bytes ?? new Uint8Array(0), bench.bytes[0])).toBe(true);
  });

  test('a client stops it: the session is given back', () => {
    const bench = benchOf(isPx4, [300_000]);
    bench.list();
    let isStopped = false;
    const ended = download(bench, bench.logs.logs[0], 60, () => {
      if (isStopped || !bench.logs.progress || bench.logs.progress.received < 50_000) return;
      isStopped = true;
      bench.logs.stop('stopped');
    });
    expect(ended?.error).toBe('stopped');
    expect([bench.vehicle.files.isOpen, bench.vehicle.logs.isBusy]).toEqual([false, false]);
  });

  test('a disk that is full ends it with its reason', () => {
    const bench = benchOf(isPx4, [100_000]);
    bench.list();
    const store = new MemoryStore(100_000);
    let error = '';
    const full = {
      read: () => new Uint8Array(0),
      write(at: number, bytes: Uint8Array) {
        if (at > 50_000) throw new Error('no space left on device');
        store.write(at, bytes);
      },
    };
    bench.logs.start(bench.logs.logs[0].key, full, (why) => {
      error = why;
    });
    bench.run(30, () => error !== '');
    expect(error).toBe('no space left on device');
    expect(bench.vehicle.files.isOpen).toBe(false);
    const unreadable = Object.assign(new MemoryStore(100_000), {
      read: () => {
        throw new Error('input/output error');
      },
    });
    bench.run(5);
    bench.logs.start(bench.logs.logs[0].key, unreadable, (why) => {
      error = why;
    });
    bench.run(30, () => error === 'input/output error');
    expect(error).toBe('input/output error');
  });
});

test('nothing is read where two vehicles with one system id would answer', () => {
  const bench = benchOf(false, [300_000]);
  bench.list();
  const ended = download(bench, bench.logs.logs[0], 60, () => {
    if ((bench.logs.progress?.received ?? 0) < 50_000) return;
    // senders.test.ts has how this is found
    Object.defineProperty(bench.collector.vehicles.get('1'), 'isMixed', { value: true });
  });
  expect(ended?.error).toBe('two vehicles with one system id would both answer');
  expect(() => bench.logs.list()).toThrow('two vehicles with one system id would both answer');
});

needRecordings('lists of files as real ones sent them', () => {
  /** Answers requests for lists with what was recorded for the same folder and place. */
  function listOf(recording: string, root: string): PathList {
    const asked = new Map<number, string>();
    const answers = new Map<string, number[]>();
    for (const { message } of readRecording(recording)) {
      if (message?.name !== 'FILE_TRANSFER_PROTOCOL') continue;
      const payload = message.data.payload as number[];
      const number = payload[0] + 256 * payload[1];
      if (payload[3] === 3) asked.set(number + 1, keyOf(payload));
      else if (payload[5] === 3 && asked.has(number)) answers.set(asked.get(number) ?? '', payload);
    }
    const client: FtpClient = new FtpClient(0, (payload) => sent.push(payload));
    const sent: Uint8Array[] = [];
    const list = new PathList(client, [root]);
    for (let now = 0; now < 100 && list.state === 'listing'; now++) {
      list.tick(now);
      const request = sent.shift();
      if (!request) continue;
      const answer = answers.get(keyOf([...request]));
      const number = request[0] + 256 * request[1] + 1;
      // a folder that nobody asked for in the recording is empty
      const payload = answer ?? [0, 0, 0, 129, 1, 3, 0, 0, 0, 0, 0, 0, 6];
      client.push([number & 0xff, number >> 8, ...payload.slice(2)], now);
    }
    return list;
  }

  const keyOf = (payload: readonly number[]): string =>
    `${String.fromCharCode(...payload.slice(12, 12 + payload[4]))} ${payload[8] + 256 * payload[9]}`;

  test('ArduPilot: two zeros after each name, and files that are no logs', () => {
    expect(listOf('ardupilot/ftp.pcapng', '/APM/LOGS')).toMatchObject({
      state: 'done',
      logs: [
        { path: '/APM/LOGS/00000002.BIN', size: 106_496 },
        { path: '/APM/LOGS/00000001.BIN', size: 89_600 },
      ],
    });
  });

  test('PX4: a folder for each day, and entries to be skipped', () => {
    const { state, logs } = listOf('px4/ftp.pcapng', '/log');
    expect(state).toBe('done');
    expect(logs).toContainEqual({ path: '/log/2026-11-17/20_01_18.ulg', size: 67_142 });
    expect(logs.every(({ path }) => /^\/log\/2026-11-17\/\d\d_\d\d_\d\d\.ulg$/.test(path))).toBe(true);
  });
});

/** What goes wrong in a run, from its seed. */
interface Run {
  readonly isPx4: boolean;
  readonly ways: Ways;
  readonly loss: number;
  readonly isCalm: boolean;
  readonly happens: 'nothing' | 'reboot' | 'arm' | 'grow' | 'move';
  readonly at: number;
  readonly hasForeign: boolean;
}

function runOf(random: Random): Run {
  const isCalm = random.chance(0.3);
  return {
    isPx4: random.chance(0.5),
    ways: random.pick(['both', 'both', 'files', 'logs'] as const),
    loss: isCalm ? random.below(10) / 100 : random.below(51) / 100,
    isCalm,
    happens: isCalm ? 'nothing' : random.pick(['nothing', 'reboot', 'arm', 'grow', 'move'] as const),
    at: random.below(100) / 100,
    hasForeign: random.chance(0.5),
  };
}

/** One download with everything against it. */
function tryOnce(seed: number): { readonly run: Run; readonly ended: Ended | undefined; readonly isRight: boolean } {
  const random = new Random(seed);
  const run = runOf(random);
  const { isPx4, ways, loss, isCalm, happens, at, hasForeign } = run;
  const size = random.pick([random.between(1, 300), random.between(300, 20_000), random.between(20_000, 90_000)]);
  const bench = benchOf(isPx4, [size, random.between(1, 50_000), random.between(1, 50_000)], ways, seed);
  bench.vehicle.files.flag = () => random.chance(isPx4 ? 0.05 : 0);
  expect(bench.list(), `seed ${seed}`).toBe(true);
  const log = bench.logs.logs.find((each) => each.size === size) as VehicleLog;
  const wanted = bench.bytes[0];
  bench.faults = isCalm
    ? { ...NO_FAULTS, loss, doubled: 0.1 }
    : { loss, doubled: random.below(51) / 100, late: random.below(51) / 100, delay: random.pick([50_000, 400_000]) };
  let hasHappened = happens === 'nothing';
  const encoder = new Encoder(builtinDialect(), { system: 1, component: 1 });
  const foreign = (): void => {
    if (!hasForeign || !random.chance(0.05)) return;
    const other = random.bytes(90);
    const ofs = random.below(size + 200);
    const data = { id: random.between(5, 9), ofs, count: 90, data: [...other] };
    if (random.chance(0.5)) bench.deliver(encoder.message('LOG_DATA', data));
    // the same log, which another station reads from any place
    const same = wanted.subarray(ofs, ofs + 90);
    const own = { id: log.id ?? 0, ofs, count: same.length, data: [...same, ...new Array(90 - same.length).fill(0)] };
    if (random.chance(0.3)) bench.deliver(encoder.message('LOG_DATA', own));
    // a log that had its id before, at a place that was not asked for
    const stale = { ...data, id: log.id ?? 0, ofs: 90 * random.below(1 + size / 90) + random.between(1, 89) };
    if (ways === 'logs') bench.deliver(encoder.message('LOG_DATA', stale));
    // of a session that is not ours: to another station, or late
    const payload = random.bytes(251);
    // of the file before
    const [low = 0, high = 0] = bench.vehicle.files.asked.findLast((request) => request[3] === 4) ?? [];
    const sequence = low + 256 * high - random.below(3000);
    payload.set([sequence & 0xff, (sequence >> 8) & 0xff, 0, 128, random.below(240), random.pick([5, 15]), 0, 0]);
    new DataView(payload.buffer).setUint32(8, random.below(size), true);
    const target = { target_system: random.pick([254, 255]), target_component: 190 };
    bench.deliver(encoder.message('FILE_TRANSFER_PROTOCOL', { ...target, payload: [...payload] }));
  };
  const each = (): void => {
    foreign();
    if (hasHappened || !bench.logs.progress || bench.logs.progress.received < at * size) return;
    hasHappened = true;
    if (happens === 'reboot') bench.vehicle.reboot();
    else if (happens === 'arm') bench.vehicle.set({ armed: true });
    else if (happens === 'grow') {
      const longer = new Uint8Array([...wanted, ...random.bytes(3000)]);
      const { files, logs } = cardOf(isPx4, [longer, ...bench.bytes.slice(1)]);
      Object.assign(bench.vehicle.files, { files });
      bench.vehicle.logs.logs = logs;
    } else if (happens === 'move') {
      // a log went and another one came, so that each id is that of the next one
      const { files, logs } = cardOf(isPx4, [...bench.bytes, random.bytes(size)]);
      files.delete([...files.keys()][random.below(2)]);
      Object.assign(bench.vehicle.files, { files });
      bench.vehicle.logs.logs = logs.slice(1);
    }
  };
  const ended = download(bench, log, 7200, each);
  const isRight = ended !== undefined && (ended.error !== '' || (ended.isWhole && isEqual(ended.bytes, wanted)));
  return { run, ended, isRight };
}

test(`${SEEDS} downloads over bad links give the right bytes or none`, { timeout: 60_000 + SEEDS * 10_000 }, ({
  annotate,
}) => {
  const errors = new Map<string, number>();
  let whole = 0;
  for (let seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
    const { run, ended, isRight } = tryOnce(seed);
    expect([seed, run, ended?.error, isRight]).toEqual([seed, run, ended?.error, true]);
    // it does not get there by giving up
    if (run.isCalm) expect([seed, ended?.error]).toEqual([seed, '']);
    const error = ended?.error.replace(/at \d+/, 'at N').replace(/\S+\/\S+/, 'PATH') ?? '';
    errors.set(error, (errors.get(error) ?? 0) + 1);
    if (error === '') whole++;
  }
  void annotate(`${SEEDS} runs: ${whole} whole, ${SEEDS - whole} without a file, 0 wrong`, 'G17');
  if (process.env.SKEIN_SEEDS) console.log(Object.fromEntries(errors));
  expect(whole).toBeGreaterThan(SEEDS / 3);
});

// The texts of PX4's events: read from the vehicle by MAVFTP, and what they say about arming.
import { beforeAll, describe, expect, test } from 'vitest';
import type { Row } from '../../src/core/table.ts';
import { Px4EventDefinitions, Px4HealthReader } from '../../src/facts/px4-events.ts';
import { unpackXz } from '../../src/facts/xz.ts';
import { builtinDialect } from '../../src/formats/mavlink/dialect/builtin.ts';
import { Encoder } from '../../src/formats/mavlink/encode.ts';
import type { LiveOptions } from '../../src/live/options.ts';
import { EventTexts } from '../../src/live/vehicle/event-texts.ts';
import { FTP_READING } from '../../src/live/vehicle/ftp.ts';
import { openLog } from '../../src/node/open.ts';
import { needShared, sharedData } from '../helpers/need.ts';
import { LiveBench } from '../vehicle/bench.ts';
import { FileServer } from '../vehicle/files.ts';
import { readFiles, readParameters } from '../vehicle/recording.ts';
import type { SimulatedVehicle } from '../vehicle/vehicle.ts';

const FIELD = ['..', 'field', 'autopilot', 'px4'];
const MOST = 2 << 20;
const POSCTL = 196608;
const GENERAL = '/etc/extras/component_general.json.xz';
const EVENTS = '/etc/extras/all_events.json.xz';

async function rowsOf(capture: string, name: string, stream: string): Promise<Row[]> {
  const log = await openLog(sharedData(...FIELD, capture));
  const rows: Row[] = [];
  for (const table of log.tables) {
    if (table.name !== name || table.stream !== stream) continue;
    for await (const row of table.records()) rows.push(row);
  }
  return rows;
}

needShared(describe, ...FIELD)("PX4's events", () => {
  let files: Map<string, Uint8Array>;
  let definitions: Px4EventDefinitions;
  let events: Row[];

  beforeAll(async () => {
    files = readFiles('px4/ftp.pcapng');
    definitions = new Px4EventDefinitions(
      new TextDecoder().decode(await unpackXz(files.get(EVENTS) as Uint8Array, MOST)),
    );
    events = await rowsOf('arm-refused.pcapng', 'EVENT', '1:1');
  });

  const decoded = (row: Row): ReturnType<Px4EventDefinitions['read']> =>
    definitions.read(Number(row.id), row.arguments as number[]);

  test('of a flight all have a text', () => {
    expect(definitions.size).toBe(330);
    expect(events).toHaveLength(41);
    expect(events.filter((row) => !decoded(row))).toEqual([]);
    const texts = events.map((row) => decoded(row)?.text);
    // as the peer libevents, in pyulog, puts arguments into them
    expect(texts).toContain('Armed by external command');
    expect(texts).toContain('Using default takeoff altitude: 8.00 m');
    expect(texts).toContain("Switching to mode 'Position Slow' is currently not possible");
    expect(texts).toContain('RTL: start return at 495 m (6 m above destination)');
  });

  test('say why it does not arm', () => {
    const reader = new Px4HealthReader();
    const reports = events.flatMap((row) => {
      const event = decoded(row);
      const isWhole = event && reader.push(event, Number(row.sequence), Number(row.log_levels));
      return isWhole && reader.health ? [reader.health] : [];
    });
    expect(reports).toHaveLength(4);
    const errors = reports.map(({ checks }) => checks.filter(({ level }) => level <= 3).map(({ text }) => text));
    expect(errors[0]).toContain('GPS fix too low');
    expect(errors[0]).toContain('Global position estimate required');
    expect(errors[2]).toEqual(['No offboard signal']);
    expect(reports.map(({ canArm }) => (canArm & definitions.modeGroup(0x03040000)) !== 0)).toEqual([
      ...[false, false, true, true],
    ]);
  });

  test('a report that lacks an event is dropped', () => {
    const reader = new Px4HealthReader();
    for (const row of events.filter((_, i) => i !== 4).slice(0, 12)) {
      const event = decoded(row);
      if (event) reader.push(event, Number(row.sequence), Number(row.log_levels));
    }
    expect(reader.health).toBeUndefined();
  });

  describe('are read from the vehicle', () => {
    const uri = `mftp:/${GENERAL}`;

    /** Runs the conversation over a link that loses some of the requests. */
    async function read(server: FileServer, isLost: (count: number) => boolean, mayRead = true): Promise<EventTexts> {
      const found: string[] = [];
      let count = 0;
      const texts: EventTexts = new EventTexts({
        send: (payload) => {
          const answer = server.answer(payload);
          if (!isLost(count++)) queue.push(...answer);
        },
        unpack: unpackXz,
        cache: new Map(),
        found: ({ text }) => found.push(text),
      });
      const queue: Uint8Array[] = [];
      for (const row of events.slice(0, 12)) {
        texts.event({
          id: Number(row.id),
          sequence: Number(row.sequence),
          levels: Number(row.log_levels),
          arguments: row.arguments as number[],
          time: 0,
        });
      }
      expect(texts.needsMetadata).toBe(true);
      texts.metadata(uri, 1847624916);
      for (let time = 0; time < 200e6; time += 0.1e6) {
        texts.tick(time, mayRead);
        for (let payload = queue.shift(); payload; payload = queue.shift()) texts.answer(payload, time);
        await Promise.resolve();
        if (time % 1e6 === 0) await new Promise((done) => setTimeout(done, 1));
      }
      return texts;
    }

    test('the files that it names, and what came before is read then', async () => {
      const server = new FileServer(files);
      const texts = await read(server, () => false);
      expect(texts.reasons(POSCTL)).toEqual([
        'GPS fix too low',
        'Navigation error: No valid position estimate',
        'Global position estimate required',
      ]);
      expect(server.asked.every((request) => FTP_READING.includes(request[3]))).toBe(true);
      // each file is opened and closed once: 364 and 15,956 bytes by 239
      expect(server.asked.filter((request) => request[3] === 5)).toHaveLength(2 + 67);
      expect(server.asked.filter((request) => request[3] === 1)).toHaveLength(2);
    });

    test('over a link that loses every fifth answer', async () => {
      const texts = await read(new FileServer(files), (count) => count % 5 === 4);
      expect(texts.reasons(POSCTL)).toContain('GPS fix too low');
    });

    test('never in flight', async () => {
      const server = new FileServer(files);
      await read(server, () => false, false);
      expect(server.asked).toEqual([]);
    });

    test.each([
      ['is missing', undefined],
      ['is cut', (bytes: Uint8Array) => bytes.slice(0, 100)],
      ['is damaged', (bytes: Uint8Array) => bytes.map((byte, i) => (i === 60 ? byte ^ 0x55 : byte))],
      ['is something else', () => new TextEncoder().encode('{"metadataTypes": 7}')],
    ])('a file that %s costs three tries and nothing else', async (_, damage) => {
      const general = files.get(GENERAL) as Uint8Array;
      const server = new FileServer(damage ? new Map([[GENERAL, Uint8Array.from(damage(general))]]) : new Map());
      const texts = await read(server, () => false);
      expect(texts.reasons(POSCTL)).toBeUndefined();
      expect(server.asked.filter((request) => request[3] === 4).length).toBeLessThanOrEqual(3);
    });
  });
});

needShared(describe, ...FIELD)('a collector with a PX4 that does not arm', () => {
  const RUN_PREARM_CHECKS = 401;

  /** A PX4 without GPS, whose checks are run after ten seconds by another station. */
  async function fly(options: Partial<LiveOptions>): Promise<{ bench: LiveBench; vehicle: SimulatedVehicle }> {
    const bench = new LiveBench({ unpack: unpackXz, ...options });
    const parameters = readParameters('px4/params.pcapng', true).map((each) =>
      each.name === 'SIM_GPS_USED' ? { ...each, value: 0 } : each,
    );
    const files = readFiles('px4/ftp.pcapng');
    const vehicle = bench.add('a', { firmware: 'px4', up: 0, mode: POSCTL, parameters, files });
    const station = new Encoder(builtinDialect(), { system: 255, component: 190 });
    for (let second = 0; second < 30; second++) {
      if (second === 10) {
        vehicle.receive(station.message('COMMAND_LONG', { target_system: 1, command: RUN_PREARM_CHECKS }));
      }
      bench.run(1);
      // files are unpacked meanwhile
      await new Promise((done) => setTimeout(done, 10));
    }
    return { bench, vehicle };
  }

  test('answers why, by files that it read from the vehicle', async () => {
    const { bench, vehicle } = await fly({});
    const prearm = bench.collector.vehicles.get('1')?.prearm;
    expect(prearm?.ready).toBe(false);
    expect(prearm?.reasons).toEqual([
      ...['GPS fix too low', 'Navigation error: No valid position estimate', 'Global position estimate required'],
    ]);
    const texts = bench.collector.vehicles.get('1')?.texts.map(({ text }) => text);
    expect(texts).toEqual(expect.arrayContaining(['Preflight Fail: GPS fix too low']));
    expect(bench.collector.statistics().sent.FILE_TRANSFER_PROTOCOL).toBe(2 + 2 + 2 + 67);
    expect(vehicle.files.asked.every((request) => FTP_READING.includes(request[3]))).toBe(true);
  });

  test('asks for nothing where requests are off', async () => {
    const { bench, vehicle } = await fly({ requests: false });
    expect(vehicle.requests.filter(({ name, system }) => name !== 'HEARTBEAT' && system !== 255)).toEqual([]);
    expect(bench.collector.statistics().sent.FILE_TRANSFER_PROTOCOL).toBeUndefined();
  });
});

describe('hostile definitions', () => {
  test.each(['', '7', '[]', '{"components":{"1":{}}}', '{"components":{"1":{"event_groups":{"a":{"events":{}}}}}}'])(
    '%s is refused',
    (text) => {
      expect(() => new Px4EventDefinitions(text)).toThrow(RangeError);
    },
  );

  test('types that do not exist, arguments that lack, tags that never end', () => {
    const events = {
      5: { message: '<a>'.repeat(900), arguments: [{ type: 'nonsense' }] },
      6: { message: '{1} {9} {2:.99}', arguments: [{ type: 'uint8_t' }, { type: 'float' }] },
      7: { message: '{1}', arguments: [{ type: '__proto__' }] },
    };
    const made = new Px4EventDefinitions(
      JSON.stringify({ components: { 1: { event_groups: { default: { events } } } } }),
    );
    const id = (number: number): number => 2 ** 24 + number;
    expect(made.read(id(5), [])?.text).toBe('');
    expect(made.read(id(6), [3, 0, 0, 128, 63])?.text).toBe('3 {9} 1.00000000000000000000');
    expect(made.read(id(7), [1])?.text).toBe('{1}');
    expect(made.read(id(8), [1])).toBeUndefined();
  });
});

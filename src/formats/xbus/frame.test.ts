import { describe, expect, test } from 'vitest';
import { concat } from '../../../test/suite/random.ts';
import type { Column } from '../../core/column.ts';
import { LIMITS } from '../../core/limits.ts';
import type { Log } from '../../core/log.ts';
import { openInput } from '../open.ts';
import { encodeXbusFrame, encodeXbusMessage, encodeXbusPacket } from './encode.ts';
import { XbusDecoder } from './frame.ts';
import { xbus } from './index.ts';
import { errorMeaning, isLoss, warningMeaning } from './messages.ts';

const open = (...parts: readonly Uint8Array[]): Promise<Log> => openInput(concat(...parts), { format: xbus });

const packet = (counter: number, options = {}): Uint8Array =>
  encodeXbusPacket(
    [
      { item: 'PacketCounter', data: { value: counter } },
      { item: 'Acceleration', data: { x: 1, y: 2, z: 9.5 } },
    ],
    options,
  );

const damaged = (frame: Uint8Array, at: number): Uint8Array => frame.map((byte, k) => (k === at ? byte ^ 0x40 : byte));

const codes = (log: Log): string[] =>
  log.faults.kept.map(({ code, offset, length }) => `${code} at ${offset} of ${length}`);

async function column(log: Log, name: string, field: string): Promise<Column> {
  const table = log.tablesNamed(name).find((each) => each.field(field));
  if (!table) throw new Error(`no table ${name} with a field ${field}`);
  return table.column(field);
}

async function values(log: Log, name: string, field: string): Promise<number[]> {
  return [...(await column(log, name, field)).numbers()];
}

describe('frames', () => {
  test('a packet is its header, its items, and the checksum with the last of them', async () => {
    const log = await open(packet(7), packet(8));
    expect(log.tables.map(({ name, stream, rows }) => [name, stream, rows])).toEqual([
      ['MTData2', '255', 2],
      ['PacketCounter', '255', 2],
      ['Acceleration', '255', 2],
    ]);
    expect(log.table('Acceleration')?.offsets.at(0)).toBe(9);
    expect(log.table('MTData2')?.offsets.at(1)).toBe(25);
    expect(await values(log, 'PacketCounter', 'value')).toEqual([7, 8]);
    expect(await values(log, 'Acceleration', 'z')).toEqual([9.5, 9.5]);
    expect(log.faults.count).toBe(0);
  });

  test('a frame behind a false preamble is found', async () => {
    const log = await open(Uint8Array.of(0xfa), packet(1), Uint8Array.of(0xfa, 0xff, 0x36, 0x20), packet(2));
    expect(await values(log, 'PacketCounter', 'value')).toEqual([1, 2]);
    expect(codes(log)).toEqual(['cut-frame at 0 of 1', 'cut-frame at 26 of 4']);
  });

  test('a bad checksum is a fault that says both numbers, and costs one frame', async () => {
    const log = await open(packet(1), damaged(packet(2), 12), packet(3));
    expect(await values(log, 'PacketCounter', 'value')).toEqual([1, 3]);
    expect(log.faults.kept).toEqual([
      {
        code: 'bad-checksum',
        offset: 25,
        length: 25,
        lost: true,
        text: expect.stringMatching(/^frame MTData2 at offset 25 has checksum 0x\w\w, expected 0x\w\w$/),
      },
    ]);
    expect(log.streams[0]).toMatchObject({ received: 2, lost: 1 });
  });

  test('two damaged frames in a row are two faults', async () => {
    const log = await open(packet(1), damaged(packet(2), 12), damaged(packet(3), 13), packet(4));
    expect(codes(log)).toEqual(['bad-checksum at 25 of 25', 'bad-checksum at 50 of 25']);
  });

  test('a length that is wrong does not swallow what follows', async () => {
    const long = damaged(packet(2), 3);
    const log = await open(packet(1), long, packet(3), packet(4), packet(5));
    expect(await values(log, 'PacketCounter', 'value')).toEqual([1, 3, 4, 5]);
  });

  test('any device on the bus is read, and told apart', async () => {
    const log = await open(packet(1), packet(5, { bus: 1 }), packet(2), packet(6, { bus: 1 }));
    expect(log.tablesNamed('PacketCounter').map(({ stream }) => stream)).toEqual(['255', '1']);
    expect(log.streams.map(({ stream, received, lost }) => [stream, received, lost])).toEqual([
      ['1', 2, 0],
      ['255', 2, 0],
    ]);
  });

  test('extended lengths are read', async () => {
    const blob = Uint8Array.from({ length: 200 }, (_, k) => k);
    const items = [1, 2].map(() => ({ item: 0xa080, data: blob }));
    const log = await open(encodeXbusPacket([{ item: 'PacketCounter', data: { value: 3 } }, ...items]));
    expect(await values(log, 'MTData2', 'length')).toEqual([5 + 2 * 203]);
    expect((await column(log, 'RawBlob', 'data')).at(1)).toEqual(blob);
    expect(log.faults.count).toBe(0);
  });

  test('a length beyond all reason holds nothing up', async () => {
    const log = await open(Uint8Array.of(0xfa, 0xff, 0x36, 0xff, 0xff, 0xff), packet(1));
    expect(await values(log, 'PacketCounter', 'value')).toEqual([1]);
    expect(codes(log)).toEqual(['garbage at 0 of 6']);
  });

  test.each([
    ['text', Buffer.from('$GPGGA,,,*00\r\n'), 'text', false],
    ['blanks', new Uint8Array(9), 'blank', true],
    ['anything else', Uint8Array.of(1, 2, 200), 'garbage', true],
  ])('%s between frames is named', async (_, between, code, lost) => {
    const log = await open(packet(1), between, packet(2));
    expect(log.faults.kept).toMatchObject([{ code, offset: 25, length: between.length, lost }]);
  });

  test('zeros behind the last frame are padding', async () => {
    const log = await open(packet(1), new Uint8Array(100));
    expect(log.faults.kept).toMatchObject([{ code: 'padding', offset: 25, length: 100, lost: false }]);
  });

  test.each([1, 2, 3, 4, 10, 24])('a frame cut after %i bytes is named', async (length) => {
    const log = await open(packet(1), packet(2).slice(0, length));
    expect(codes(log)).toEqual([`truncated at 25 of ${length}`]);
  });

  test('items that do not fill their frame are kept as they are', async () => {
    const log = await open(packet(1), encodeXbusFrame(0x36, [0x10, 0x20, 9, 1, 2]), packet(2));
    expect(log.faults.kept).toMatchObject([{ code: 'bad-items', offset: 25, length: 0, lost: true }]);
    expect((await column(log, 'MTData2', 'data')).at(0)).toEqual(Uint8Array.of(0x10, 0x20, 9, 1, 2));
  });

  test('messages and items that are not known are kept as they are', async () => {
    const strange = { item: 0xf123, data: Uint8Array.of(1, 2, 3) };
    const log = await open(packet(1), encodeXbusFrame(0x7f, [4, 5]), encodeXbusPacket([strange]), packet(2));
    expect((await column(log, 'Message_7F', 'data')).at(0)).toEqual(Uint8Array.of(4, 5));
    expect((await column(log, 'Item_F123', 'data')).at(0)).toEqual(Uint8Array.of(1, 2, 3));
    expect(log.faults.count).toBe(0);
  });
});

describe('checksums by the other rule', () => {
  const inverted = (counter: number): Uint8Array => packet(counter, { checksum: 'inverted' });

  test('a stream that follows it throughout is taken, and says so', async () => {
    const log = await open(inverted(1), inverted(2), inverted(3));
    expect(await values(log, 'PacketCounter', 'value')).toEqual([1, 2, 3]);
    expect(log.faults.kept).toMatchObject([{ code: 'inverted-checksum', offset: 0, length: 0, lost: false }]);
  });

  test('one frame is a stream too', async () => {
    const log = await open(encodeXbusMessage('GoToConfig', {}, { checksum: 'inverted' }));
    expect(log.table('GoToConfig')?.rows).toBe(1);
  });

  test('frames by it among others are damaged', async () => {
    const log = await open(packet(1), packet(2), inverted(3), inverted(4), packet(5));
    expect(await values(log, 'PacketCounter', 'value')).toEqual([1, 2, 5]);
    expect(codes(log)).toEqual(['bad-checksum at 50 of 25', 'bad-checksum at 75 of 25']);
  });

  test('frames by the right rule among those are damaged', async () => {
    const log = await open(inverted(1), inverted(2), packet(3), inverted(4));
    expect(await values(log, 'PacketCounter', 'value')).toEqual([1, 2, 4]);
  });

  test('garbage behind the first frame costs nothing', async () => {
    const log = await open(inverted(1), Uint8Array.of(1, 2, 3), inverted(2), inverted(3));
    expect(await values(log, 'PacketCounter', 'value')).toEqual([1, 2, 3]);
  });

  test('a damaged frame that is right by chance does not decide', async () => {
    // one more in any byte makes a sum that is one too low right
    const lucky = inverted(1).map((byte, k) => (k === 20 ? byte + 1 : byte));
    const log = await open(lucky, inverted(2), inverted(3));
    expect((await values(log, 'PacketCounter', 'value')).slice(-2)).toEqual([2, 3]);
  });
});

describe('lengths tell what items are', () => {
  test.each([
    ['EulerAngles', 0x2030, 24, 'float64'],
    ['EulerAngles', 0x2031, 12, 'int32'],
    ['EulerAngles', 0x2033, 12, 'float32'],
    ['EulerAngles', 0x2030, 18, 'float64'],
    ['BaroPressure', 0x3013, 4, 'uint32'],
    ['StatusWord', 0xe020, 2, 'uint16'],
    ['StatusWord', 0xe020, 4, 'uint32'],
    ['DeviceId', 0xe080, 8, 'uint64'],
    ['EulerAngles', 0x2030, 13, 'bytes'],
  ])('%s %i with %i bytes is %s', async (name, item, length, type) => {
    const log = await open(encodeXbusPacket([{ item, data: new Uint8Array(length) }]), packet(1));
    const table = log.table(name);
    expect(table?.rows).toBe(1);
    expect(table?.fields[0].type).toBe(type);
  });

  test.each([
    [0x2010, '255:ENU'],
    [0x2014, '255:NED'],
    [0x2018, '255:NWU'],
    [0x4020, '255'],
    [0x4024, '255:NED'],
    [0xd018, '255:NWU'],
    [0x1060, '255'],
  ])('the stream of item %i is %s', async (item, stream) => {
    const length = [0x2010, 0x2014, 0x2018].includes(item) ? 16 : item === 0x1060 ? 4 : 12;
    const log = await open(encodeXbusPacket([{ item, data: new Uint8Array(length) }]));
    expect(log.tables.at(-1)?.stream).toBe(stream);
  });

  test('satellites of any number are one table', async () => {
    const satellites = (count: number): Uint8Array => {
      const list = Array.from({ length: count }, (_, k) => k + 1);
      const data = { itow: 5, numSVs: count, gnssId: list, svId: list, cno: list, flags: list };
      return encodeXbusPacket([{ item: 'GnssSatInfo', data }]);
    };
    const log = await open(satellites(2), satellites(0), satellites(30));
    const ids = await column(log, 'GnssSatInfo', 'svId');
    expect(ids.length).toBe(3);
    expect(ids.at(0)).toEqual([1, 2]);
    expect(ids.at(1)).toEqual([]);
    expect(ids.at(2)).toEqual(Array.from({ length: 30 }, (_, k) => k + 1));
  });
});

describe('what the device itself calls invalid', () => {
  const fix = (flags: number, valid: number): Uint8Array =>
    encodeXbusPacket([{ item: 'GnssPvtData', data: { flags, valid, lat: 57.5, year: 1980, hAcc: 7, gdop: 99.99 } }]);

  test('is missing', async () => {
    const log = await open(fix(0, 0), fix(1, 1));
    expect((await column(log, 'GnssPvtData', 'lat')).at(0)).toBeNull();
    expect((await column(log, 'GnssPvtData', 'lat')).at(1)).toBe(57.5);
    expect((await column(log, 'GnssPvtData', 'year')).at(0)).toBeNull();
    expect((await column(log, 'GnssPvtData', 'year')).at(1)).toBe(1980);
    expect((await column(log, 'GnssPvtData', 'gdop')).at(1)).toBeNull();
    expect((await column(log, 'GnssPvtData', 'hAcc')).at(0)).toBe(7);
  });

  test('is kept on request', async () => {
    const log = await openInput(fix(0, 0), { format: xbus, keepInvalid: true });
    expect((await column(log, 'GnssPvtData', 'lat')).at(0)).toBe(57.5);
    expect((await column(log, 'GnssPvtData', 'gdop')).at(0)).toBe(99.99);
  });
});

describe('messages', () => {
  test('errors and warnings say what they mean, once', async () => {
    const error = encodeXbusMessage('Error', { code: 0x29 });
    const warning = encodeXbusMessage('Warning', { code: 402, text: 'no answer' });
    const log = await open(packet(1), error, error, warning, packet(2));
    expect(log.table('Error')?.rows).toBe(2);
    expect(log.faults.kept).toMatchObject([
      {
        code: 'device-error',
        offset: 25,
        length: 0,
        lost: true,
        text: expect.stringMatching(/0x29.*baud rate is too low/),
      },
      {
        code: 'device-warning',
        length: 0,
        lost: false,
        text: expect.stringMatching(/402.*GNSS receiver did not answer/),
      },
    ]);
    expect((await column(log, 'Warning', 'text')).at(0)).toBe('no answer');
  });

  test('each warning is said once, up to a limit', () => {
    let count = 0;
    const decoder = xbus.decoder({ table: () => {}, records: () => {}, fault: () => count++ }, {});
    const warning = (code: number): Uint8Array => encodeXbusFrame(0x43, [0, 0, code >> 8, code & 0xff]);
    for (let code = 0; code < LIMITS.faultSubjects + 9; code++) decoder.push(concat(warning(code), warning(code)));
    decoder.end();
    expect(count).toBe(LIMITS.faultSubjects);
  });

  test('data are lost where the device says that it could not send or hold them', () => {
    for (let code = 0; code < 256; code++)
      expect([code, isLoss(code)]).toEqual([code, /overflow|buffer|more than a/.test(errorMeaning(code))]);
    expect([warningMeaning(402), warningMeaning(404)]).toEqual([
      expect.stringContaining('did not answer'),
      'not known',
    ]);
  });

  test('whose data look like items are no packets', async () => {
    const items = packet(8).subarray(4, -1);
    const log = await open(
      packet(7),
      encodeXbusFrame(0xe2, items),
      packet(8),
      encodeXbusFrame(0x36, items, { bus: 1 }),
    );
    expect(log.tables.map(({ name, stream, rows }) => [name, stream, rows])).toEqual([
      ['MTData2', '255', 2],
      ['PacketCounter', '255', 2],
      ['Acceleration', '255', 2],
      ['ForwardGnssData', '255', 1],
      ['MTData2', '1', 1],
      ['PacketCounter', '1', 1],
      ['Acceleration', '1', 1],
    ]);
  });

  test('what identifies a device is read', async () => {
    const log = await open(
      encodeXbusMessage('DeviceID', { id: 0x037003f8 }),
      encodeXbusMessage('FirmwareRev', { major: 1, minor: 8, revision: 2 }),
      encodeXbusMessage('ProductCode', { text: 'MTi-680' }),
      encodeXbusMessage('OutputConfigurationAck', { xdi: [0x1020, 0x4020], frequency: [65535, 100] }),
    );
    expect(await values(log, 'DeviceID', 'id')).toEqual([0x037003f8]);
    expect(await values(log, 'FirmwareRev', 'minor')).toEqual([8]);
    expect((await column(log, 'ProductCode', 'text')).at(0)).toBe('MTi-680');
    expect((await column(log, 'OutputConfigurationAck', 'frequency')).at(0)).toEqual([65535, 100]);
  });
});

test('a .mtb file is a configuration, what the maker knows of the device, and packets', async () => {
  const emts = encodeXbusFrame(
    0x91,
    Uint8Array.from({ length: 2000 }, (_, k) => k * 7),
  );
  const log = await open(encodeXbusFrame(0x0d, new Uint8Array(118)), emts, packet(1), packet(2));
  expect(log.tables.map(({ name, rows }) => [name, rows])).toEqual([
    ['Configuration', 1],
    ['EMTS', 1],
    ['MTData2', 2],
    ['PacketCounter', 2],
    ['Acceleration', 2],
  ]);
  expect(log.faults.count).toBe(0);
});

describe('data of old devices', () => {
  const configuration = (mode: number, settings: number): Uint8Array => {
    const data = new Uint8Array(118);
    const view = new DataView(data.buffer);
    view.setUint16(4, 1152);
    view.setUint16(96, 1);
    view.setUint16(104, mode);
    view.setUint32(106, settings);
    return encodeXbusFrame(0x0d, data);
  };
  const euler = (counter: number): Uint8Array => {
    const data = new Uint8Array(14);
    const view = new DataView(data.buffer);
    [10, 20, 30].forEach((angle, k) => {
      view.setFloat32(4 * k, angle);
    });
    view.setUint16(12, counter);
    return encodeXbusFrame(0x32, data);
  };

  test('is read by the configuration of the stream', async () => {
    const log = await open(configuration(4, 0x80000005), euler(1), euler(2));
    expect(log.tables.map(({ name, stream }) => [name, stream])).toEqual([
      ['Configuration', '255'],
      ['MTData', '255'],
      ['EulerAngles', '255:NED'],
      ['PacketCounter', '255'],
    ]);
    expect(await values(log, 'EulerAngles', 'pitch')).toEqual([20, 20]);
    expect(await values(log, 'PacketCounter', 'value')).toEqual([1, 2]);
    expect(log.faults.count).toBe(0);
  });

  test('is read by a configuration that comes later', async () => {
    const log = await open(euler(1), euler(2), configuration(4, 5), euler(3));
    expect(log.table('EulerAngles', '255:NWU')?.rows).toBe(3);
    expect(log.faults.count).toBe(0);
  });

  test('is guessed by its length where there is none, which is remarked', async () => {
    const log = await open(euler(1), euler(2));
    expect(log.table('EulerAngles')?.rows).toBe(2);
    expect(log.faults.kept).toMatchObject([{ code: 'no-configuration', length: 0, lost: false }]);
  });

  test('of two configurations that come later the first says what came before it', async () => {
    const log = await open(euler(1), configuration(4, 5), euler(2), configuration(4, 0x80000005), euler(3));
    expect([log.table('EulerAngles', '255:NWU')?.rows, log.table('EulerAngles', '255:NED')?.rows]).toEqual([2, 1]);
  });

  test('needs no second reading where its configuration came before it', () => {
    const ignored = { table: () => {}, records: () => {}, fault: () => {} };
    const again = (...parts: Uint8Array[]): boolean => {
      const decoder = xbus.decoder(ignored, {});
      decoder.push(concat(...parts));
      decoder.end();
      return decoder.again?.(ignored) !== undefined;
    };
    expect(again(configuration(4, 5), euler(1), configuration(4, 4), euler(2))).toBe(false);
    expect(again(euler(1), configuration(4, 5))).toBe(true);
    const inverted = packet(1, { checksum: 'inverted' });
    expect(again(inverted, inverted)).toBe(false);
  });

  test('is kept as it is where no layout has its length', async () => {
    const log = await open(encodeXbusFrame(0x32, new Uint8Array(29)));
    expect((await column(log, 'MTData', 'data')).at(0)).toEqual(new Uint8Array(29));
  });

  test('follows the answers to its settings', async () => {
    const mode = encodeXbusMessage('OutputModeAck', { mode: 4 });
    const settings = encodeXbusMessage('OutputSettingsAck', { settings: 5 });
    const log = await open(mode, settings, euler(1));
    expect(await values(log, 'EulerAngles', 'yaw')).toEqual([30]);
  });
});

/** How many frames of a stream are read the careful way, which takes ten times as long as the usual one. */
function carefulIn(...frames: readonly Uint8Array[]): number {
  const decoder = new XbusDecoder({ table: () => {}, records: () => {}, fault: () => {} });
  const ways = decoder as unknown as { addFrame(...args: unknown[]): number };
  const careful = ways.addFrame.bind(decoder);
  let count = 0;
  ways.addFrame = (...args) => {
    count++;
    return careful(...args);
  };
  decoder.push(concat(...frames));
  decoder.end();
  return count;
}

describe('the usual way is taken after the first packet with an item', () => {
  const counted = (counter: number, ...more: readonly number[]): Uint8Array =>
    encodeXbusFrame(0x36, [0x10, 0x20, 2, 0, counter, ...more]);
  const [status, battery] = [
    [0xe0, 0x10, 1, 7],
    [0xe0, 0x40, 1, 9],
  ];
  const temperature = [0x08, 0x10, 4, 0, 0, 0, 0];

  test.each<[string, Uint8Array[], number]>([
    ['packets of one kind', [1, 2, 3, 4].map((k) => counted(k)), 1],
    ['gaps in their counter', [1, 5, 2, 9].map((k) => counted(k)), 1],
    ['another kind of the same length', [counted(1, ...status), counted(2, ...battery), counted(3, ...status)], 2],
    ['items in another order', [counted(1, ...status, ...battery), counted(2, ...battery, ...status)], 1],
    ['fewer items', [counted(1, ...status, ...temperature), counted(2, ...status), counted(3)], 1],
    ['an item twice', [counted(1, ...status), counted(2, ...status, ...status), counted(3, ...status, ...status)], 1],
    ['items of another length', [counted(1, ...temperature), counted(2, 0x08, 0x10, 8, 0, 0, 0, 0, 0, 0, 0, 0)], 2],
    ['no item', [counted(1), encodeXbusFrame(0x36, [])], 2],
    [
      '254 bytes of data',
      [249, 249].map((size) => counted(1, 0xa0, 0x80, size - 3, ...new Array(size - 3).fill(1))),
      1,
    ],
    ['an extended header', [260, 260].map((size) => counted(1, ...new Array(size / 4).fill(status).flat())), 2],
    ['other messages', [counted(1), encodeXbusFrame(0x31, []), counted(2), encodeXbusFrame(0x31, [])], 3],
  ])('%s', (_, frames, count) => expect(carefulIn(...frames)).toBe(count));
});

test('counters of more than one byte are read on the usual way', () => {
  const decoder = new XbusDecoder({ table: () => {}, records: () => {}, fault: () => {} });
  for (let k = 250; k < 520; k++) decoder.push(packet(k));
  decoder.push(concat(...Array.from({ length: 600 }, (_, k) => packet(520 + k))));
  decoder.end();
  expect(decoder.streams()).toMatchObject([{ received: 870, lost: 0, duplicated: 0, reordered: 0, restarted: 0 }]);
});

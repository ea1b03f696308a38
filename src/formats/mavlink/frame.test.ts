import { describe, expect, it } from 'vitest';
import { type FrameParts, frameBytes, StreamWriter } from '../../../test/formats/mavlink/stream.ts';
import { decode, difference, Found, uncovered } from '../../../test/suite/found.ts';
import { concat } from '../../../test/suite/random.ts';
import type { Format } from '../../core/format.ts';
import type { Dialect, MessageDefinition } from './dialect/definition.ts';
import { mavlink } from './index.ts';
import type { MavlinkOptions } from './options.ts';

const HEARTBEAT = { id: 0, payload: [0, 0, 0, 0, 2, 3, 81, 4, 3], extra: 50 } satisfies FrameParts;
const ATTITUDE = { id: 30, payload: Array.from({ length: 28 }, (_, i) => i + 1), extra: 39 } satisfies FrameParts;
const DISTANCE_SENSOR = {
  id: 132,
  payload: Array.from({ length: 22 }, (_, i) => i + 1),
  extra: 85,
} satisfies FrameParts;

/** The format with options for its decoder. */
function withOptions(options: MavlinkOptions): Format {
  return { ...mavlink, decoder: (sink) => mavlink.decoder(sink, options) };
}

function read(bytes: Uint8Array, format: Format = mavlink): Found {
  const found = decode(format, bytes);
  expect(uncovered(found, bytes.length)).toBeUndefined();
  return found;
}

const names = (found: Found): string[] => found.ids.map((_, i) => found.name(i));
const faults = (found: Found): (string | number)[][] =>
  found.faults.map(({ code, offset, length }) => [code, offset, length]);

describe('frames', () => {
  it('of both versions are found in one stream', () => {
    const stream = new StreamWriter()
      .frame(HEARTBEAT)
      .frame({ ...ATTITUDE, version: 1 })
      .frame(ATTITUDE);
    const found = read(stream.frame({ ...HEARTBEAT, version: 1, system: 2, component: 3 }).bytes());
    expect(names(found)).toEqual(['HEARTBEAT', 'ATTITUDE', 'ATTITUDE', 'HEARTBEAT']);
    expect(found.sizes).toEqual([21, 36, 40, 17]);
    expect([...new Set(found.streams)]).toEqual(['1:1', '2:3']);
    expect(found.faults).toEqual([]);
  });

  it('hidden behind a false start cost one byte', () => {
    const start = Uint8Array.of(0xfd, 28, 0, 0, 9, 1, 1, 30, 0, 0);
    const found = read(concat(start, frameBytes(ATTITUDE), frameBytes(HEARTBEAT)));
    expect(names(found)).toEqual(['ATTITUDE', 'HEARTBEAT']);
    expect(faults(found)).toEqual([['cut-frame', 0, 10]]);
  });

  it('behind garbage at the very beginning are the same in any two chunks', () => {
    const cut = frameBytes(ATTITUDE).subarray(0, 20);
    for (const begin of [Uint8Array.of(9, 9, 9), Uint8Array.of(0xfd), cut, concat(Uint8Array.of(0xfe), cut)]) {
      const bytes = concat(begin, frameBytes(HEARTBEAT), frameBytes(ATTITUDE));
      const whole = read(bytes);
      expect([names(whole), faults(whole).length]).toEqual([['HEARTBEAT', 'ATTITUDE'], 1]);
      for (let at = 1; at < bytes.length; at++)
        expect(difference(whole, decode(mavlink, bytes, [at])), `cut at ${at}`).toBeUndefined();
    }
  });

  it('with a wrong checksum are named', () => {
    const wrong = frameBytes(ATTITUDE).map((byte, i) => (i === 20 ? byte ^ 8 : byte));
    const found = read(concat(frameBytes(HEARTBEAT), wrong, wrong, frameBytes(HEARTBEAT)));
    expect(names(found)).toEqual(['HEARTBEAT', 'HEARTBEAT']);
    expect(faults(found)).toEqual([
      ['bad-crc', 21, 40],
      ['bad-crc', 61, 40],
    ]);
    expect(found.faults[0].text).toMatch(/^frame ATTITUDE at offset 21 states checksum 0x[0-9a-f]{4}, its bytes/);
  });

  it('cut by the end or by another one are named', () => {
    const bytes = frameBytes(ATTITUDE);
    const found = read(concat(bytes.subarray(0, 30), bytes, bytes.subarray(0, 12)));
    expect(names(found)).toEqual(['ATTITUDE']);
    expect(faults(found)).toEqual([
      ['cut-frame', 0, 30],
      ['truncated', 70, 12],
    ]);
    expect(read(Uint8Array.of(0xfd, 3)).faults).toMatchObject([{ code: 'truncated', length: 2 }]);
  });

  it('with text, blanks and garbage between them are found', () => {
    const stream = new StreamWriter().text('Init ArduPilot\r\n').frame(HEARTBEAT).raw(new Uint8Array(40));
    const found = read(stream.frame(HEARTBEAT).raw([1, 2, 200]).frame(HEARTBEAT).raw(new Uint8Array(9)).bytes());
    expect(names(found)).toHaveLength(3);
    expect(found.faults.map(({ code, length, lost }) => [code, length, lost])).toEqual([
      ['text', 16, false],
      ['blank', 40, true],
      ['garbage', 3, true],
      ['padding', 9, false],
    ]);
  });

  it('with flags that are not known are passed over whole', () => {
    const found = read(
      new StreamWriter()
        .frame({ ...HEARTBEAT, flags: 4 })
        .frame(HEARTBEAT)
        .bytes(),
    );
    expect(names(found)).toEqual(['HEARTBEAT']);
    expect(faults(found)).toEqual([['incompatible', 0, 21]]);
  });

  it('with a longer payload than is known, of a newer definition, are accepted', () => {
    const longer = { ...ATTITUDE, payload: [...ATTITUDE.payload, 1, 2, 3] };
    const found = read(new StreamWriter().frame(HEARTBEAT).frame(longer).frame(longer).frame(HEARTBEAT).bytes());
    expect(names(found)).toEqual(['HEARTBEAT', 'ATTITUDE', 'ATTITUDE', 'HEARTBEAT']);
    expect(found.faults).toMatchObject([{ code: 'odd-length', offset: 21, length: 0, lost: false }]);
    expect(found.faults[0].text).toContain('2 frames ATTITUDE of 1:1');
  });

  it('with nothing but zeros may have no payload at all', () => {
    const found = read(frameBytes({ ...ATTITUDE, payload: [] }));
    expect(names(found)).toEqual(['ATTITUDE']);
  });
});

describe('a frame hidden by a header that claims its bytes', () => {
  const header = [0xfd, 50, 0, 0, 0, 1, 1, 253, 0, 0];
  const CLAIMED = 10 + 50 + 2;

  it('is found at the end of a datagram', () => {
    const found = new Found();
    const decoder = mavlink.decoder(found);
    decoder.push(concat(Uint8Array.from(header), frameBytes(HEARTBEAT)));
    expect(found.count).toBe(0);
    decoder.settle();
    expect(found.count).toBe(1);
  });

  it('of a stream once all that is claimed would have come at 9600 baud, ten bits a byte', () => {
    const decoder = mavlink.decoder(new Found());
    const received = (time: number): number => {
      decoder.settle(time);
      return decoder.streams()[0]?.received ?? 0;
    };
    decoder.push(concat(Uint8Array.from(header), frameBytes(HEARTBEAT)));
    const micros = (CLAIMED * 10 * 1e6) / 9600;
    expect([1000, 1000 + micros - 1, 1000 + micros].map(received)).toEqual([0, 0, 1]);
  });
});

describe('checksums made before zeros were cut off', () => {
  const early = { ...DISTANCE_SENSOR, summed: 39, component: 194 };

  it('are accepted and counted', () => {
    const stream = new StreamWriter()
      .frame(HEARTBEAT)
      .frame(early)
      .frame(early)
      .frame({ ...early, summed: 30 });
    const found = read(stream.frame(HEARTBEAT).bytes());
    expect(names(found)).toEqual(['HEARTBEAT', ...new Array(3).fill('DISTANCE_SENSOR'), 'HEARTBEAT']);
    expect(found.faults).toHaveLength(1);
    expect(found.faults[0]).toMatchObject({ code: 'early-crc', length: 0, subject: 'DISTANCE_SENSOR of 1:194' });
    expect(found.faults[0].text).toContain('3 frames');
  });

  it('are not believed of a sender that makes them of what is left', () => {
    const right = { ...ATTITUDE, payload: [1, 2], component: 194 };
    const found = read(new StreamWriter().frame(right).frame(early).frame(HEARTBEAT).bytes());
    expect(names(found)).toEqual(['ATTITUDE', 'HEARTBEAT']);
    expect(found.faults).toMatchObject([{ code: 'bad-crc' }]);
  });

  it('are not believed of a frame that stands alone', () => {
    const found = read(new StreamWriter().raw([1, 2, 3]).frame(early).raw([4, 5, 6, 7]).bytes());
    expect(names(found)).toEqual([]);
  });
});

describe('ids that no definition has', () => {
  const unknown = { id: 7_000_000, payload: [1, 2, 3], extra: 77 };

  it('are kept as they are, and verified once three agree', () => {
    const stream = new StreamWriter().frame(HEARTBEAT);
    for (let i = 0; i < 5; i++) stream.frame(unknown);
    const found = read(stream.frame(HEARTBEAT).bytes());
    expect(names(found)).toEqual(['HEARTBEAT', ...new Array(5).fill('UNKNOWN_7000000'), 'HEARTBEAT']);
    expect(found.faults.map(({ code, text }) => [code, /\d+ frames? /.exec(text)?.[0]])).toEqual([
      ['unverified', '2 frames '],
      ['learned-extra', '3 frames '],
    ]);
    expect(found.schemas[1].fields.map(({ name, type }) => [name, type])).toEqual([
      ['length', 'uint8'],
      ['payload', 'bytes'],
    ]);
  });

  it('are refused with another checksum once one is learned', () => {
    const stream = new StreamWriter().frame(HEARTBEAT);
    for (let i = 0; i < 3; i++) stream.frame(unknown);
    const wrong = frameBytes(unknown).map((byte, i) => (i === 12 ? byte ^ 1 : byte));
    const found = read(stream.raw(wrong).frame(HEARTBEAT).bytes());
    expect(names(found).filter((name) => name.startsWith('UNKNOWN'))).toHaveLength(3);
    expect(found.faults.filter(({ length }) => length > 0)).toMatchObject([{ code: 'bad-crc', length: 15 }]);
  });

  it('are not made of garbage', () => {
    const found = read(new StreamWriter().raw([9, 9]).raw(frameBytes(unknown)).raw([9, 9]).frame(HEARTBEAT).bytes());
    expect(names(found)).toEqual(['HEARTBEAT']);
  });
});

describe('ids that another dialect defines otherwise', () => {
  const foreign = { id: 30, payload: [5, 6, 7], extra: 113 };

  it('are named, and kept as they are once three agree', () => {
    const stream = new StreamWriter().frame(HEARTBEAT);
    for (let i = 0; i < 4; i++) stream.frame(foreign);
    const found = read(stream.frame(HEARTBEAT).bytes());
    expect(names(found)).toEqual(['HEARTBEAT', 'UNKNOWN_30', 'UNKNOWN_30', 'HEARTBEAT']);
    expect(faults(found)).toEqual([
      ['other-dialect', 21, 15],
      ['other-dialect', 36, 15],
      ['learned-extra', 51, 0],
    ]);
  });

  const definition = (name: string, crcExtra: number, length: number, id = 200_000): MessageDefinition => ({
    id,
    name,
    fields: [],
    baseLength: length,
    length,
    crcExtra,
  });
  const messages = new Map([
    [200_000, [definition('FIRST', 10, 4), definition('SECOND', 20, 8)]],
    [30, [definition('MINE', 1, 3, 30)]],
  ]);
  const dialect: Dialect = { name: 'mine', messages, enums: new Map() };

  it('are told apart by the checksum where both are known', () => {
    const parts = { id: 200_000, payload: [1, 2, 3, 4] };
    const stream = new StreamWriter().frame({ ...parts, extra: 20 }).frame({ ...parts, extra: 10 });
    const found = read(stream.frame({ ...parts, extra: 20 }).bytes(), withOptions({ dialect }));
    expect(names(found)).toEqual(['SECOND', 'FIRST', 'SECOND']);
    expect(found.faults).toEqual([]);
  });

  it('are those of the dialect that is given', () => {
    const stream = new StreamWriter().frame({ id: 30, payload: [1, 2, 3], extra: 1 });
    expect(names(read(stream.bytes(), withOptions({ dialect })))).toEqual(['MINE']);
  });
});

describe('senders', () => {
  it('are told apart up to a limit, and nothing is lost beyond it', () => {
    const stream = new StreamWriter();
    for (let n = 0; n < 2000; n++) stream.frame({ ...HEARTBEAT, system: n >> 8, component: n & 255 });
    const found = read(stream.bytes());
    expect(found.count).toBe(2000);
    expect(found.streams).toHaveLength(1025);
    expect(found.streams.at(-1)).toBe('others');
  });

  it('get one table for each message that they send', () => {
    const stream = new StreamWriter()
      .frame(HEARTBEAT)
      .frame(ATTITUDE)
      .frame({ ...HEARTBEAT, component: 2 });
    const found = read(stream.frame(HEARTBEAT).bytes());
    expect(found.schemas.map(({ name }, i) => `${name} ${found.streams[i]}`)).toEqual([
      'HEARTBEAT 1:1',
      'ATTITUDE 1:1',
      'HEARTBEAT 1:2',
    ]);
  });
});

describe('signed frames', () => {
  it('are longer, and counted where there is no key', () => {
    const bytes = new StreamWriter()
      .frame({ ...HEARTBEAT, flags: 1 })
      .frame(HEARTBEAT)
      .bytes();
    const sink = { table: () => {}, records: () => {}, fault: () => {} };
    const decoder = mavlink.decoder(sink);
    decoder.push(bytes);
    decoder.end();
    expect(read(bytes).sizes).toEqual([34, 21]);
    expect(decoder.streams?.()).toMatchObject([{ stream: '1:1', received: 2, signatures: { unchecked: 1 } }]);
  });
});

import { describe, expect, test } from 'vitest';
import { LogWriter } from '../../../test/formats/dataflash/log.ts';
import { decode, type Found } from '../../../test/suite/found.ts';
import type { Decoder } from '../../core/decoder.ts';
import { Indexer } from '../../core/indexer.ts';
import { bytesSource } from '../../core/source.ts';
import { dataflash } from './index.ts';

const FMTU = ['FMTU', 'QBNN', 'TimeUS,FmtType,UnitIds,MultIds'] as const;

const labels = (found: Found): string[] => found.ids.map((_, i) => found.label(i));
const faults = (found: Found): string[] =>
  found.faults.map(({ code, offset, length }) => `${code} ${offset}+${length}`);

/** A log of one type with a time and a byte. */
const timed = (): LogWriter => new LogWriter().define(9, 'A', 'QB', 'TimeUS,b').record(9, 'QB', 1e6, 1);

describe('a record that stands alone behind damage', () => {
  // what comes behind it is no header, so that only its time speaks for it
  const alone = (time: number): Found =>
    decode(dataflash, timed().raw([7]).record(9, 'QB', time, 2).raw([7, 7]).bytes());

  test.each([
    ['the same time', 1e6, true],
    ['an hour later', 3.6e9, true],
    ['ten seconds earlier, but not more', 1, true],
    ['more than an hour later', 3.7e9, false],
  ])('%s', (_, time, isTaken) => {
    expect(alone(time).count).toBe(isTaken ? 3 : 2);
  });

  test('is believed within thirty days of boot where no time is known', () => {
    const log = (time: number): Uint8Array =>
      new LogWriter().define(9, 'A', 'QB', 'TimeUS,b').raw([7]).record(9, 'QB', time, 2).raw([7, 7]).bytes();
    expect(decode(dataflash, log(29 * 86_400e6)).count).toBe(2);
    expect(decode(dataflash, log(31 * 86_400e6)).count).toBe(1);
  });

  test('is not believed without a time', () => {
    const log = new LogWriter()
      .define(9, 'A', 'BB', 'a,b')
      .record(9, 'BB', 1, 1)
      .raw([7])
      .record(9, 'BB', 1, 1)
      .raw([7, 7]);
    expect(labels(decode(dataflash, log.bytes()))).toEqual(['FMT at 0 of 89 bytes', 'A at 89 of 5 bytes']);
  });

  test('is believed by milliseconds as well', () => {
    const log = new LogWriter().define(9, 'A', 'IB', 'TimeMS,b').record(9, 'IB', 1000, 1).raw([7]);
    expect(decode(dataflash, log.record(9, 'IB', 2000, 1).raw([7, 7]).bytes()).count).toBe(3);
  });

  test('goes by the time of the records before it, not by what a later definition makes of them', () => {
    // read by the second definition, the first record would have been made in another month
    const log = new LogWriter().define(9, 'A', 'I', 'x').record(9, 'I', 0xdee6471b).define(9, 'B', 'Icc', 'TimeMS,r,p');
    log.raw([0]).record(9, 'Icc', 2000, 1, 2).raw([0]);
    // as much behind it as makes a decoder decide in one go
    for (let n = 0; n < 60; n++) log.record(9, 'Icc', 3000, 1, 2);
    expect(labels(decode(dataflash, log.bytes()))[3]).toBe('B at 186 of 11 bytes');
  });
});

describe('a definition behind damage', () => {
  test('is believed, though what follows is not defined yet', () => {
    const log = new LogWriter()
      .raw([1, 2, 3])
      .define(9, 'A', 'QB', 'TimeUS,b')
      .record(9, 'QB', 1, 1)
      .record(9, 'QB', 2, 2);
    expect(labels(decode(dataflash, log.bytes()))).toEqual([
      ...['FMT at 3 of 89 bytes', 'A at 92 of 12 bytes', 'A at 104 of 12 bytes'],
    ]);
  });
});

describe('in a record', () => {
  test('a header of a known type is passed over as long as a header follows the record', () => {
    const log = timed().define(10, 'B', 'QQ', 'TimeUS,q').record(10, 'QQ', 5, 0x0995a3n).record(9, 'QB', 6, 1);
    expect(decode(dataflash, log.bytes()).count).toBe(5);
  });

  test('a record that is followed by another shows that the outer one is none', () => {
    const log = timed().raw([0xa3, 0x95, 9]).record(9, 'QB', 2e6, 2).record(9, 'QB', 3e6, 3);
    const found = decode(dataflash, log.bytes());
    expect(faults(found)).toEqual(['damaged-record 101+3']);
    expect(found.count).toBe(4);
  });
});

describe('the end', () => {
  test.each([
    [[], []],
    [[0xa3], ['truncated 101+1']],
    [[0xa3, 0x95], ['truncated 101+2']],
    [[0xa3, 0x95, 9], ['truncated 101+3']],
    [[0xa3, 0x95, 200], ['unknown-type 101+3']],
    [[0, 0, 0], ['padding 101+3']],
    [[0xff], ['padding 101+1']],
    [[0, 0xff], ['garbage 101+2']],
    [[0x95, 0xa3], ['garbage 101+2']],
    [[7, 0xa3, 0x95, 9], ['garbage 101+4']],
  ])('in %j is %j', (tail, expected) => {
    const found = decode(dataflash, timed().raw(tail).bytes());
    expect(found.count).toBe(2);
    expect(faults(found)).toEqual(expected);
  });

  test('of nothing is nothing', () => {
    const found = decode(dataflash, new Uint8Array(0));
    expect([found.count, found.faults.length]).toEqual([0, 0]);
  });
});

describe('instances', () => {
  const instanceOf = (format: string, ...values: (number | bigint | string)[]): string[] => {
    const log = new LogWriter()
      .define(8, ...FMTU)
      .define(9, 'A', format, 'x')
      .record(8, 'QBNN', 0, 9, '#', '-');
    for (const value of values) log.record(9, format, value);
    const found = decode(dataflash, log.bytes());
    return found.ids.flatMap((id, i) => (found.name(i) === 'A' ? [found.streams[id]] : []));
  };

  test.each<[string, (number | bigint | string)[], string[]]>([
    ['B', [0, 1, 0, 255], ['0', '1', '0', '255']],
    ['b', [0, -1, 0], ['0', '-1', '0']],
    ['H', [0, 300, 0], ['0', '300', '0']],
    ['I', [4_294_967_295], ['4294967295']],
    ['q', [-(2n ** 63n), 5n], ['-9223372036854775808', '5']],
    ['c', [150], ['1.5']],
    ['n', ['GPS', 'abcd', ''], ['GPS', 'abcd', '']],
  ])('of character %s are told apart', (format, values, streams) => {
    expect(instanceOf(format, ...values)).toEqual(streams);
  });

  test('by a column that cannot be read are not told apart', () => {
    const log = new LogWriter()
      .define(8, ...FMTU)
      .define(9, 'A', '?B', 'x,y', 5)
      .record(8, 'QBNN', 0, 9, '#-', '--');
    const found = decode(dataflash, log.record(9, 'BB', 1, 2).record(9, 'BB', 3, 4).bytes());
    expect(labels(found).slice(3)).toEqual(['A at 222 of 5 bytes', 'A at 227 of 5 bytes']);
  });

  test('beyond the limit of tables are together, and no record is lost', () => {
    const log = new LogWriter()
      .define(8, ...FMTU)
      .define(9, 'A', 'H', 'i')
      .record(8, 'QBNN', 0, 9, '#', '-');
    for (let n = 0; n < 20_000; n++) log.record(9, 'H', n);
    const found = decode(dataflash, log.bytes());
    expect(found.count).toBe(20_003);
    expect(found.schemas).toHaveLength(16_385);
    expect(found.streams.at(-1)).toBe('');
  });
});

describe('a clock', () => {
  const isSteady = (...seconds: number[]): boolean[] =>
    (['Q', 'I'] as const).map((letter) => {
      const [name, scale] = letter === 'Q' ? ['TimeUS', 1e6] : ['TimeMS', 1e3];
      const log = new LogWriter().define(9, 'A', `${letter}Q`, `${name},x`);
      for (const time of [...seconds, ...seconds.slice(-1)]) log.record(9, `${letter}Q`, time * scale, 1);
      const bytes = log.bytes();
      const decoder = dataflash.decoder(new Indexer(bytesSource(bytes)));
      decoder.push(bytes);
      decoder.end();
      return decoder.isSteady?.() === true;
    });

  // 2 ** 32 µs are 4,295 s
  test.each([2, 1800, 2146, 2149, 2200, 3600, 4290])('that goes back by %i s is not steady', (back) => {
    for (const first of [4294, 4300, 8589])
      expect(isSteady(first, first + 0.5, first + 0.5 - back), `${first} s`).toEqual([false, false]);
  });

  test.each([0, -0.5, 2000, 2200, 3590])('whose next time is %f s away is steady', (step) => {
    for (const first of [2147, 4294, 4300, 8589])
      expect(isSteady(first, first + step), `${first} s`).toEqual([true, true]);
  });
});

describe('definitions that are repeated', () => {
  /** The tables of a log that comes in pieces, all in one buffer that is lent. */
  const tablesOf = (log: LogWriter): Indexer['tables'] => {
    const bytes = log.bytes();
    const indexer = new Indexer(bytesSource(bytes));
    const decoder = dataflash.decoder(indexer);
    const lent = Buffer.alloc(100);
    for (let at = 0; at < bytes.length; at += lent.length) {
      const piece = bytes.subarray(at, at + lent.length);
      lent.set(piece);
      decoder.push(lent.subarray(0, piece.length));
    }
    decoder.end();
    return indexer.tables;
  };

  test('after another one hold again', () => {
    const log = new LogWriter();
    for (const name of ['A', 'A', 'B', 'B', 'A', 'B']) log.define(9, name, 'QB', 'TimeUS,x').record(9, 'QB', 1e6, 1);
    const rows = tablesOf(log).map(({ name, rows }) => [name, rows]);
    expect(rows).toEqual([
      ['FMT', 6],
      ['A', 3],
      ['B', 3],
    ]);
  });

  test('and units after others, too, of whichever type they are', () => {
    const log = new LogWriter().define(8, ...FMTU);
    for (const type of [9, 10]) log.define(type, 'A', 'QB', 'TimeUS,x').record(type, 'QB', 1e6, 1);
    const unitAfter = (...assigned: [type: number, units: string][]): string | undefined => {
      for (const [type, units] of assigned) log.record(8, 'QBNN', log.length, type, units, '--');
      return tablesOf(log).find(({ name }) => name === 'A')?.schema.fields[1].unit;
    };
    expect(unitAfter([9, 'sm'])).toBe('m');
    expect(unitAfter([9, 'sv'])).toBe('V');
    expect(unitAfter([9, 'sm'], [9, 'sm'])).toBe('m');
    expect(unitAfter([10, 'sv'])).toBe('V');
    expect(unitAfter([9, 'sm'])).toBe('m');
  });

  test('and times in milliseconds are found among those in microseconds', () => {
    const log = new LogWriter().define(9, 'A', 'QB', 'TimeUS,x');
    for (let n = 0; n < 300; n++) log.record(9, 'QB', 1e6 + n, 1);
    log.define(10, 'B', 'IBI', 'TimeMS,x,y');
    for (let n = 0; n < 300; n++) log.record(10, 'IBI', 1001 + n, 1, 2).record(9, 'QB', 1.3e6 + n, 1);
    const tables = tablesOf(log);
    expect(tables.map(({ name, rows }) => [name, rows])).toEqual([
      ['FMT', 2],
      ['A', 600],
      ['B', 300],
    ]);
    const a = Array.from({ length: 600 }, (_, i) => tables[1].offsets.at(i));
    expect(a).toEqual(Array.from({ length: 600 }, (_, i) => (i < 300 ? 89 + 12 * i : 3778 + 24 * (i - 300) + 12)));
  });
});

describe('definitions without end', () => {
  test('are taken up to a limit, and named beyond it', () => {
    const log = new LogWriter();
    for (let n = 0; n < 4200; n++) log.define(n % 100, `D${n}`, 'B', `x${n}`);
    const found = decode(dataflash, log.bytes());
    expect(found.faults.filter((fault) => fault.text.includes('4096 are the limit')).length).toBeGreaterThan(90);
    expect(found.count).toBe(4200);
  });

  test('that their records contradict make no more tables than there are definitions', () => {
    const log = new LogWriter();
    for (let n = 0; n < 35_000; n++) {
      log.define(9, 'A', 'BB', 'a,b', 10).record(9, 'BB', 1, 2);
      log.define(9, 'B', 'BBB', 'a,b,c', 12).record(9, 'BBB', 1, 2, 3);
    }
    const indexer = new Indexer(bytesSource(log.bytes()));
    const decoder: Decoder = dataflash.decoder(indexer);
    decoder.push(log.bytes());
    decoder.end();
    expect(indexer.tables.length).toBeLessThan(20);
    expect(indexer.tables.reduce((sum, table) => sum + table.rows, 0)).toBe(140_000);
  });
});

test('offsets are the same whether the decoder writes them itself or hands over batches', () => {
  const log = timed().define(10, 'B', 'B', 'b');
  for (let n = 0; n < 5000; n++) {
    if (n % 3 === 0) log.record(10, 'B', 5);
    else log.record(9, 'QB', 1e6 + n * 1e3, n % 256);
  }
  const bytes = log.bytes();
  for (let at = 3000; at < bytes.length; at += 9001) bytes.fill(0, at, at + (at % 40));
  const found = decode(dataflash, bytes);
  const indexer = new Indexer(bytesSource(bytes));
  const decoder = dataflash.decoder(indexer);
  for (let from = 0; from < bytes.length; from += 7001) decoder.push(bytes.subarray(from, from + 7001));
  decoder.end();
  const direct = indexer.tables.flatMap(({ name, offsets }) =>
    Array.from({ length: offsets.length }, (_, row) => `${name} ${offsets.at(row)}`),
  );
  const batched = indexer.tables.flatMap((_, id) =>
    found.ids.flatMap((own, i) => (own === id ? [`${found.name(i)} ${found.offsets[i]}`] : [])),
  );
  expect(found.faults.length).toBeGreaterThan(0);
  expect(found.count).toBeGreaterThan(4000);
  expect(direct).toEqual(batched);
});

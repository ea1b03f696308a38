import type { Flood } from '../../suite/hostile.ts';
import { concat, Random, repeat } from '../../suite/random.ts';
import { LogWriter, recordBytes } from './log.ts';

/** Definitions first, then a pattern over and over. */
function after(definitions: LogWriter, pattern: ArrayLike<number>, length: number): Uint8Array {
  const head = definitions.bytes();
  return concat(head, repeat(pattern, Math.max(0, length - head.length)));
}

/** A definition of every type but FMT, all of one length. */
function allTypes(length: number): LogWriter {
  const log = new LogWriter();
  for (let type = 0; type < 256; type++) if (type !== 128) log.define(type, `T${type}`, 'I', 'TimeMS', length);
  return log;
}

/** What makes a DataFlash decoder work: headers in every place, types without end, definitions that change. */
export const dataflashFloods: readonly Flood[] = [
  { name: 'headers', make: (length) => repeat([0xa3, 0x95], length) },
  { name: 'FMT headers', make: (length) => repeat([0xa3, 0x95, 128], length) },
  { name: 'headers of an undefined type', make: (length) => repeat([0xa3, 0x95, 7], length) },
  {
    name: 'headers of all types, undefined',
    make: (length) => repeat(Array.from({ length: 256 }, (_, type) => [0xa3, 0x95, type]).flat(), length),
  },
  { name: 'headers of records of 254 bytes', make: (length) => after(allTypes(254), [0xa3, 0x95, 9], length) },
  { name: 'first header bytes', make: (length) => repeat([0xa3], length) },
  { name: 'records of three bytes', make: (length) => after(allTypes(3), [0xa3, 0x95, 9], length) },
  { name: 'records that stand alone', make: aloneFlood },
  { name: 'records in records', make: nestedFlood },
  { name: 'definitions', make: definitionFlood },
  { name: 'definitions that contradict each other', make: contradictionFlood },
  { name: 'records of two lengths in turn', make: restoreFlood },
  { name: 'instances', make: instanceFlood },
  { name: 'damage among many tables', make: manyTablesFlood },
];

/** Timely records with garbage between them: each is weighed by all rules. */
function aloneFlood(length: number): Uint8Array {
  const log = new LogWriter().define(9, 'A', 'Q', 'TimeUS', 250);
  return after(log, [...recordBytes(9, 'Q', [1e6]), ...new Uint8Array(239), 1, 2, 3], length);
}

/** Many timely headers before one record that is followed by another: each start is weighed against the later one. */
function nestedFlood(length: number): Uint8Array {
  const log = new LogWriter().define(9, 'A', 'I', 'TimeMS', 254).define(10, 'B', '', '', 3);
  // the first field of each header is the next header, so that is the time that must have been seen before
  const time = [0xa3, 0x95, 9, 0xa3];
  log.raw([0xa3, 0x95, 9, ...time, ...new Uint8Array(247)]).raw([0xa3, 0x95, 10]);
  const pattern = [1, ...repeat([0xa3, 0x95, 9], 249), 0xa3, 0x95, 10, 0xa3, 0x95, 10, 1, 1];
  return after(log, pattern, length);
}

/** Nothing but definitions, each of another shape. */
function definitionFlood(length: number): Uint8Array {
  const random = new Random(1);
  const log = new LogWriter();
  for (let n = 0; n < 6000; n++) log.define(random.below(256), `D${n}`, 'QBff', `TimeUS,I,x${n},y`);
  const bytes = log.bytes();
  return repeat(bytes, length);
}

/** The same type under two definitions that their records contradict, again and again. */
function contradictionFlood(length: number): Uint8Array {
  const log = new LogWriter();
  log.define(9, 'A', 'BB', 'a,b', 10).record(9, 'BB', 1, 2);
  log.define(9, 'B', 'BBB', 'a,b,c', 12).record(9, 'BBB', 1, 2, 3);
  return repeat(log.bytes(), length);
}

/** After two definitions of a type, records of the one and the other length. */
function restoreFlood(length: number): Uint8Array {
  const log = new LogWriter().define(9, 'A', 'B', 'a').define(9, 'B', 'BB', 'a,b');
  return after(log, [...recordBytes(9, 'B', [1]), ...recordBytes(9, 'BB', [1, 2])], length);
}

/** A type whose instances are all values of 32 bits. */
function instanceFlood(length: number): Uint8Array {
  const log = new LogWriter().define(8, 'FMTU', 'QBNN', 'TimeUS,FmtType,UnitIds,MultIds').define(9, 'A', 'I', 'i');
  log.record(8, 'QBNN', 0, 9, '#', '-');
  for (let n = 0; n < 100_000; n++) log.record(9, 'I', n);
  return repeat(log.bytes(), length);
}

/** Very many tables, then records that garbage parts: what is done for every table at every damage adds up. */
function manyTablesFlood(length: number): Uint8Array {
  const log = new LogWriter().define(8, 'FMTU', 'QBNN', 'TimeUS,FmtType,UnitIds,MultIds').define(9, 'A', 'H', 'i');
  log.record(8, 'QBNN', 0, 9, '#', '-');
  for (let n = 0; n < 4_000; n++) log.record(9, 'H', n);
  return after(log, [...recordBytes(9, 'H', [1]), ...recordBytes(9, 'H', [2]), 0], length);
}

const text = (content: string): Uint8Array => new TextEncoder().encode(content);

/** What makes a decoder of text logs work: lines without end or without content, definitions that change. */
export const dataflashTextFloods: readonly Flood[] = [
  { name: 'line breaks', make: (length) => new Uint8Array(length).fill(10) },
  { name: 'a line without an end', make: (length) => new Uint8Array(length).fill(0x41) },
  { name: 'commas', make: (length) => repeat(text(', '), length) },
  { name: 'FMT lines without cells', make: (length) => repeat(text('FMT\n'), length) },
  { name: 'records of one letter', make: (length) => repeat(text('FMT, 1, 3, A, , \nA\nA\nA\nA\n'), length) },
  {
    name: 'definitions that change',
    make: (length) => repeat(text('FMT, 1, 9, A, f, x\nA, 1\nFMT, 1, 9, A, ff, x,y\nA, 1, 2\n'), length),
  },
  {
    name: 'instances',
    make: (length) => {
      const head = 'FMT, 8, 44, FMTU, BNN, FmtType,UnitIds,MultIds\nFMT, 9, 7, A, I, i\nFMTU, 9, #, -\n';
      return repeat(text(head + Array.from({ length: 100_000 }, (_, n) => `A, ${n}\n`).join('')), length);
    },
  },
];

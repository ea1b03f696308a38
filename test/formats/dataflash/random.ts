import type { Random } from '../../suite/random.ts';
import { LogWriter } from './log.ts';
import { WIDTHS } from './record.ts';

/** Few numbers and names, so that definitions meet, change and contradict each other. */
const TYPES = [10, 11, 12, 13, 128, 200];
const NAMES = ['GPS', 'IMU', 'FMTU', 'UNIT', 'MULT', 'A', '__p_', '', 'FMT'];
const COLUMNS = ['TimeUS', 'TimeMS', 'I', 'FmtType', 'UnitIds', 'MultIds', 'Id', 'Label', 'Mult', 'X', 'X', 'Y', ''];
const CHARS = [...WIDTHS.keys()];
/** Definitions that a log has in this shape. */
const REAL: readonly (readonly [name: string, format: string, columns: string])[] = [
  ['FMTU', 'QBNN', 'TimeUS,FmtType,UnitIds,MultIds'],
  ['UNIT', 'QbZ', 'TimeUS,Id,Label'],
  ['MULT', 'Qbd', 'TimeUS,Id,Mult'],
  ['IMU', 'QBff', 'TimeUS,I,GyrX,GyrY'],
  ['GPS', 'QBIHLL', 'TimeUS,Status,GMS,GWk,Lat,Lng'],
  ['OLD', 'Icc', 'TimeMS,Roll,Pitch'],
  ['FILE', 'NIBZ', 'FileName,Offset,Length,Data'],
  ['STRT', '', ''],
];

interface Shape {
  readonly format: string;
  readonly length: number;
}

/** A DataFlash log that could be one: definitions and records of random content, with some damage between them. */
export function randomDataflash(random: Random): Uint8Array {
  const log = new LogWriter();
  const shapes = new Map<number, Shape>();
  let time = random.pick([0, 1e6, 5e9, 1e12]);
  for (let n = random.between(1, 60); n > 0; n--) {
    const kind = random.below(100);
    if (shapes.size === 0 || kind < 12) define(random, log, shapes);
    else if (kind < 16) log.raw(random.bytes(random.between(1, 40)));
    else if (kind < 19) log.raw(new Uint8Array(random.between(1, 300)).fill(random.pick([0, 0xff])));
    else if (kind < 23) log.raw([0xa3, 0x95, random.pick([...TYPES, random.below(256)])]);
    else record(random, log, shapes, time);
    time += random.pick([0, 1000, 2.5e6, -1e6, 3e9]);
  }
  const bytes = log.bytes();
  return random.chance(0.3) ? bytes.slice(0, bytes.length - random.below(60)) : bytes;
}

function define(random: Random, log: LogWriter, shapes: Map<number, Shape>): void {
  const type = random.pick(TYPES);
  const [name, format, columns] = random.chance(0.6) ? random.pick(REAL) : invented(random);
  const sum = [...format].reduce((width, char) => width + (WIDTHS.get(char) ?? 1), 3);
  const length = random.chance(0.9) ? Math.min(255, sum) : random.below(256);
  log.define(type, name, format, columns, length);
  // now and then records go on as they were before, as if the definition were a damaged one
  if (type !== 128 && !(shapes.has(type) && random.chance(0.3))) shapes.set(type, { format, length });
}

function invented(random: Random): [name: string, format: string, columns: string] {
  const count = random.below(6);
  const format = Array.from({ length: count }, () => (random.chance(0.95) ? random.pick(CHARS) : '?')).join('');
  const columns = Array.from({ length: random.between(count, count + 1) }, () => random.pick(COLUMNS)).join(',');
  return [random.pick(NAMES), format, columns];
}

function record(random: Random, log: LogWriter, shapes: ReadonlyMap<number, Shape>, time: number): void {
  const type = random.pick([...shapes.keys()]);
  const { format, length } = shapes.get(type) as Shape;
  const values = [...format].map((char, i) => {
    if (i === 0 && char === 'Q') return Math.max(0, time);
    if (i === 0 && char === 'I') return Math.max(0, Math.floor(time / 1000));
    if (char === 'N' || char === 'n') return random.pick(['-#--', 's#', '#', '', 'abc']);
    if (char === 'B') return random.pick([0, 1, 2, random.pick(TYPES), 0xa3]);
    return random.pick([0, 1, -1, random.bits(), 0x95a3, 0x80_95a3]);
  });
  const before = log.length;
  log.record(type, format, ...values);
  // what the definition states beyond its format, or cuts off
  if (random.chance(0.9)) log.fit(before + Math.max(3, length));
}

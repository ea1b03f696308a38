import type { Random } from '../../suite/random.ts';

const NAMES = ['GPS', 'IMU', 'FMTU', 'UNIT', 'MULT', 'A', '__proto', '', 'FMT', 'LONGNAME'];
const FORMATS = ['QBff', 'IHBcLLeeEe', 'qZ', 'M', '', 'BBnNZ', 'a?', 'QBNN', 'QbZ', 'Qbd', 'f'.repeat(20)];
const COLUMNS = ['TimeUS', 'TimeMS', 'I', 'FmtType', 'UnitIds', 'MultIds', 'Id', 'Label', 'Mult', 'X', 'X', ''];
const CELLS = [
  ...['0', '1', '-1', '3.25', '-0.0001', '1e5', 'nan', '-inf', 'Infinity', '.5', '5.', '', ' 7', '+2', '-', '.'],
  ...['18446744073709551615', '-9223372036854775808', '9007199254740993', '123456789012345678901', '0x10', '1,2'],
  ...['STABILIZE', 'Grüße', '\u00ff', 'a\0b', '=1+1', '#', '-#--', 's#', 'x'.repeat(300), '200', '11', '0.1234567'],
];
const ENDS = ['\n', '\n', '\n', '\r\n', ' \n', '\n\n'];

interface Line {
  readonly name: string;
  readonly cells: number;
}

/** A text log that could be one: definitions and lines of random cells, some of them damaged. */
export function randomDataflashText(random: Random): Uint8Array {
  const lines: Line[] = [];
  let text = '';
  for (let n = random.between(1, 50); n > 0; n--) {
    const kind = random.below(100);
    if (lines.length === 0 || kind < 15) text += define(random, lines);
    else if (kind < 18) text += `${random.pick(CELLS)}${random.pick(ENDS)}`;
    else if (kind < 19) text += 'y'.repeat(random.pick([4000, 4095, 4096, 4097, 9000]));
    else text += line(random, random.pick(lines));
  }
  const bytes = new TextEncoder().encode(text);
  return random.chance(0.3) ? bytes.slice(0, bytes.length - random.below(60)) : bytes;
}

function define(random: Random, lines: Line[]): string {
  const name = random.pick(NAMES);
  const format = random.pick(FORMATS);
  const columns = Array.from({ length: format.length }, () => random.pick(COLUMNS)).join(',');
  lines.push({ name, cells: format.length });
  return `FMT, ${random.pick([10, 11, 200])}, 40, ${name}, ${format}, ${columns}${random.pick(ENDS)}`;
}

function line(random: Random, { name, cells }: Line): string {
  const count = random.chance(0.9) ? cells : random.below(cells + 3);
  const values = Array.from({ length: count }, () => random.pick(random.chance(0.7) ? CELLS.slice(0, 4) : CELLS));
  return [name, ...values].join(', ') + random.pick(ENDS);
}

import { describe, expect, test } from 'vitest';
import { decode, type Found } from '../../../test/suite/found.ts';
import { openInput } from '../open.ts';
import { dataflashText } from './text.ts';

const FMTU = 'FMT, 8, 44, FMTU, QBNN, TimeUS,FmtType,UnitIds,MultIds\n';

const read = (text: string): Found => decode(dataflashText, new TextEncoder().encode(text));
const labels = (found: Found): string[] => found.ids.map((_, i) => found.label(i));

describe('lines', () => {
  test('that are no records are named, and lose nothing', () => {
    const found = read('ArduCopter V3.1\n\nFMT, 9, 7, A, f, x\nA, 1\n');
    expect(labels(found)).toEqual(['FMT at 17 of 19 bytes', 'A at 36 of 5 bytes']);
    expect(found.faults.map(({ code, lost }) => [code, lost])).toEqual([
      ['text', false],
      ['text', false],
    ]);
  });

  test('without their cells are damaged, the last one is cut', () => {
    const found = read('FMT, 9, 7, A, ff, x,y\nA, 1\nA, 1, 2\nA, 1');
    expect(found.faults.map(({ code, text }) => `${code}: ${text}`)).toEqual([
      'damaged-record: line A at offset 22 is damaged: 1 of 2 cells',
      'truncated: line A at offset 35 is cut by the end: 1 of 2 cells',
    ]);
  });

  test('of more bytes than any record has do not hide those behind them', () => {
    const found = read(`FMT, 9, 7, A, f, x\n${'z'.repeat(100_000)}\nA, 1\n`);
    expect(found.count).toBe(2);
    expect(Math.max(...found.faults.map((fault) => fault.text.length))).toBeLessThan(5000);
  });
});

describe('instances', () => {
  const log = (lines: string[]): string => `${FMTU}FMT, 9, 7, A, If, i,x\nFMTU, 1, 9, #m, -B\n${lines.join('\n')}\n`;

  test('are told apart by their cell', () => {
    const found = read(log(['A, 0, 1', 'A, 1, 1', 'A, 0, 2']));
    expect(found.ids.map((id) => found.streams[id]).slice(3)).toEqual(['0', '1', '0']);
  });

  test('beyond the limit of tables are together, and no record is lost', () => {
    const found = read(log(Array.from({ length: 20_000 }, (_, n) => `A, ${n}, 1`)));
    expect(found.count).toBe(20_003);
    expect(found.schemas).toHaveLength(16_385);
    expect(found.streams.at(-1)).toBe('');
  });
});

test('units are those of the log', async () => {
  const unit = 'FMT, 10, 76, UNIT, QbZ, TimeUS,Id,Label\nUNIT, 1, 109, fathom\n';
  const mult = 'FMT, 11, 20, MULT, Qbd, TimeUS,Id,Mult\nMULT, 1, 66, 0.01\n';
  const text = `${FMTU}${unit}${mult}FMT, 9, 7, A, fc, x,y\nA, 1, 2\nFMTU, 1, 9, mm, BB\n`;
  const opened = await openInput(new TextEncoder().encode(text));
  expect(opened.table('A')?.fields.map((field) => field.unit)).toEqual(['cfathom', 'fathom']);
});

import { describe, expect, test } from 'vitest';
import { LogWriter } from '../../../test/formats/dataflash/log.ts';
import { Random, repeat } from '../../../test/suite/random.ts';
import { dataflash } from './index.ts';
import { dataflashText } from './text.ts';

const text = (content: string): Uint8Array => new TextEncoder().encode(content);
const log = new LogWriter().define(9, 'A', 'QB', 'TimeUS,b').record(9, 'QB', 1, 1).bytes();

describe('a binary log is told', () => {
  test.each<[string, Uint8Array, number]>([
    ['by a definition that is followed by a header', log, 1],
    ['by a definition at the very end', log.subarray(0, 89), 1],
    ['by a definition behind garbage', new LogWriter().raw([1, 2, 3]).raw(log).bytes(), 0.75],
    ['by many headers', repeat([0xa3, 0x95, 9, ...new Uint8Array(40)], 5000), 0.7],
    ['not by one header', Uint8Array.of(0xa3, 0x95, 9, 0, 0), 0],
    [
      'not by a definition that nothing follows',
      new LogWriter().raw(log.subarray(0, 89)).raw(new Uint8Array(500)).bytes(),
      0,
    ],
    ['not by text', text('GPS, 1, 2\n'.repeat(1000)), 0],
    ['not by nothing', new Uint8Array(0), 0],
    ['not by noise', new Random(1).bytes(65_536), 0],
  ])('%s', (_, bytes, sure) => {
    expect(dataflash.detect(bytes)).toBe(sure);
  });
});

describe('a text log is told', () => {
  test.each<[string, string, number]>([
    ['by its first line', 'FMT, 128, 89, FMT, BBnNZ, Type,Length,Name,Format\n', 0.9],
    ['by a later line', '9\n\nArduCopter V3.1\nFMT, 128, 89, FMT, BBnNZ, Type\n', 0.9],
    ['not within a line', 'x FMT, 128, 89, FMT, BBnNZ, Type\n', 0],
    ['not by other text', 'GPS, 1, 2\n', 0],
  ])('%s', (_, content, sure) => {
    expect(dataflashText.detect(text(content))).toBe(sure);
  });
});

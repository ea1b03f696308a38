import { describe, expect, test } from 'vitest';
import { bytesSource, type Source } from '../../../src/core/source.ts';
import { dataflash } from '../../../src/formats/dataflash/index.ts';
import { dataflashText } from '../../../src/formats/dataflash/text.ts';
import { UnknownFormatError } from '../../../src/formats/index.ts';
import { openInput, openSource } from '../../../src/formats/open.ts';
import { Random } from '../../suite/random.ts';
import { LogWriter } from './log.ts';

const log = new LogWriter().define(9, 'A', 'QB', 'TimeUS,b').record(9, 'QB', 1, 1).bytes();
const text = (content: string): Uint8Array => new TextEncoder().encode(content);

describe('a log opens', () => {
  test.each<[string, () => Parameters<typeof openInput>[0]]>([
    ['bytes', () => log],
    ['a buffer', () => log.slice().buffer],
    ['a blob', () => new Blob([log.slice()])],
    ['a source', () => bytesSource(log)],
    ['a data URL', () => new URL(`data:application/octet-stream;base64,${Buffer.from(log).toString('base64')}`)],
  ])('from %s', async (_, input) => {
    const { format, records } = await openInput(input());
    expect([format, records]).toEqual(['dataflash', 2]);
  });

  test('as the format that is asked for', async () => {
    const opened = await openInput(log, { format: dataflashText });
    expect([opened.format, opened.records]).toEqual(['dataflash-text', 0]);
  });

  test('and tells how far it is', async () => {
    const bytes = new LogWriter()
      .raw(log)
      .raw(new Uint8Array(3 << 20))
      .bytes();
    const progress: [number, number][] = [];
    await openInput(bytes, { onProgress: (done, total) => progress.push([done, total]) });
    expect(progress.at(-1)).toEqual([bytes.length, bytes.length]);
    expect(progress.length).toBeGreaterThan(1);
  });

  test('and is given up when that is wanted', async () => {
    const signal = AbortSignal.abort(new Error('given up'));
    await expect(openInput(log, { signal })).rejects.toThrow('given up');
  });

  test('by what stands in its middle if its beginning is lost', async () => {
    const bytes = new LogWriter().raw(new Random(3).bytes(300_000).map((byte) => byte & 0x7f));
    bytes.define(128, 'FMT', 'BBnNZ', 'Type,Length,Name,Format,Columns').raw(log);
    for (let n = 0; n < 50_000; n++) bytes.record(9, 'QB', n, 1);
    expect((await openInput(bytes.bytes())).records).toBe(50_003);
  });

  test('though its source ends early', async () => {
    const source: Source = { size: 1e6, read: async (at, length) => log.subarray(at, Math.min(at + length, 95)) };
    const opened = await openSource(source, { format: dataflash });
    expect([opened.records, opened.faults.kept[0].code]).toEqual([1, 'truncated']);
  });
});

describe('what is no log', () => {
  test('is empty', async () => {
    const opened = await openInput(new Uint8Array(0));
    expect([opened.format, opened.records, opened.faults.count]).toEqual(['empty', 0, 0]);
  });

  test.each([0, 0xff])('is blank where all bytes are %i', async (byte) => {
    const opened = await openInput(new Uint8Array(5_000_000).fill(byte));
    expect([opened.format, opened.faults.kept[0].code, opened.faults.kept[0].length]).toEqual(['blank', 'blank', 5e6]);
    expect((await opened.clock.times(opened.tables[0], 0, 0)).length).toBe(0);
  });

  test('is not called blank for a byte in its middle, nor for two values in turn', async () => {
    const spotted = new Uint8Array(5_000_000);
    spotted[2_400_001] = 7;
    await expect(openInput(spotted)).rejects.toThrow(UnknownFormatError);
    const halves = new Uint8Array(8 << 20).fill(0xff, 4 << 20);
    await expect(openInput(halves)).rejects.toThrow(UnknownFormatError);
  });

  test('is unknown, and the error says what it is and how it begins', async () => {
    await expect(openInput(text('hello world'))).rejects.toThrow('text: not a log; it begins with "hello world"');
  });

  test('is no answer', async () => {
    await expect(openInput(new URL('data:,'))).resolves.toMatchObject({ format: 'empty' });
    await expect(openInput(new URL('unknown:x'))).rejects.toThrow();
  });
});

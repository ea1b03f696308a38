import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../test/helpers/folder.ts';
import { MadeLog, textLog } from '../../test/helpers/made-log.ts';
import type { Log } from '../core/log.ts';
import { readRecords } from '../core/records.ts';
import { dataflashText } from '../formats/dataflash/text.ts';
import { UnknownFormatError } from '../formats/index.ts';
import { type Input, openLog } from './open.ts';

const folder = temporaryFolder();
const sample = fileURLToPath(new URL('../../sample/copter-square.BIN', import.meta.url));
/** Enough of the sample to have units, instances and a cut at its end. */
const piece = new Uint8Array(readFileSync(sample)).slice(0, 400_001);
const path = join(folder, 'piece with blanks #1 ü.BIN');
writeFileSync(path, piece);

interface Summary {
  readonly format: string;
  readonly tables: readonly string[];
  readonly faults: unknown;
  readonly clock: string;
  readonly records: string;
}

async function summaryOf(log: Log): Promise<Summary> {
  let records = '';
  for await (const { table, time, offset, data } of readRecords(log)) {
    if (offset % 16 === 0) records += `${table.name} ${time} ${offset} ${Object.values(data).join()}\n`;
  }
  const tables = log.tables.map((table) => `${table.name}[${table.stream}] ${table.rows}`);
  return { format: log.format, tables, faults: log.faults.kept, clock: log.clock.source, records };
}

describe('the same log', () => {
  let server: Server;
  let address = '';

  beforeAll(async () => {
    server = createServer((request, answer) => {
      if (request.url === '/piece.BIN') answer.end(piece);
      else answer.writeHead(404, 'Not Found').end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });

  afterAll(() => {
    server.close();
  });

  test('comes out of everything that it can be opened from', async () => {
    const expected = await summaryOf(await openLog(path));
    expect(expected.records.length).toBeGreaterThan(1000);
    expect(expected.faults).toMatchObject([{ code: 'truncated' }]);
    // a view into a larger buffer, as a Buffer often is
    const larger = new Uint8Array(piece.length + 100);
    larger.set(piece, 50);
    const inputs: Input[] = [
      relative(process.cwd(), path),
      pathToFileURL(path),
      new Blob([piece]),
      piece,
      larger.subarray(50, 50 + piece.length),
      Buffer.from(piece),
      piece.buffer,
      new URL(`${address}/piece.BIN`),
    ];
    for (const input of inputs) expect(await summaryOf(await openLog(input))).toEqual(expected);
  });

  test('a server that does not have it says so', async () => {
    const missing = new URL(`${address}/other.BIN`);
    await expect(openLog(missing)).rejects.toThrow(`${missing.href} answered 404 Not Found`);
  });
});

describe('by content, not by name', () => {
  test.each([
    ['binary.log', new MadeLog().bytes(), 'dataflash'],
    ['text.BIN', textLog('FMT, 132, 67, MSG, Z, Message', 'MSG, hello'), 'dataflash-text'],
    ['no ending', new MadeLog().bytes(), 'dataflash'],
  ])('%s', async (name, bytes, format) => {
    const file = join(folder, name);
    writeFileSync(file, bytes);
    expect((await openLog(file)).format).toBe(format);
  });

  test('a format that is named is believed', async () => {
    expect((await openLog(new MadeLog().bytes(), { format: dataflashText })).format).toBe('dataflash-text');
  });
});

describe('what is no log', () => {
  test('gets a sentence that says what it is', async () => {
    const file = join(folder, 'letter.txt');
    writeFileSync(file, 'Dear reader, this is no log at all.');
    const error = await openLog(file).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(UnknownFormatError);
    const { message } = error as Error;
    expect(message).toBe('text: not a log; it begins with "Dear reader, this is no log at all."');
  });

  test('an empty file is an empty log', async () => {
    const file = join(folder, 'empty.BIN');
    writeFileSync(file, '');
    const log = await openLog(file);
    expect(log).toMatchObject({ format: 'empty', records: 0, tables: [] });
    expect(log.faults.count).toBe(0);
  });

  test.each([0, 0xff])('a file of %i throughout is blank, and that is a loss', async (byte) => {
    const file = join(folder, `blank-${byte}.BIN`);
    writeFileSync(file, new Uint8Array(3_000_000).fill(byte));
    const log = await openLog(file);
    expect(log).toMatchObject({ format: 'blank', records: 0 });
    expect(log.faults.kept).toMatchObject([{ code: 'blank', offset: 0, length: 3_000_000, lost: true }]);
  });

  test('a file of zeros but for one byte is not blank', async () => {
    const bytes = new Uint8Array(3_000_000);
    bytes[1_234_567] = 1;
    await expect(openLog(bytes)).rejects.toThrow(UnknownFormatError);
  });
});

describe('while it is read', () => {
  test('progress is told up to the end', async () => {
    const seen: [number, number][] = [];
    const { size } = (await openLog(sample, { onProgress: (done, total) => seen.push([done, total]) })).source;
    expect(seen.length).toBeGreaterThan(3);
    expect(seen.at(-1)).toEqual([size, size]);
    for (let i = 1; i < seen.length; i++) expect(seen[i][0]).toBeGreaterThan(seen[i - 1][0]);
  });

  test('it can be stopped', async () => {
    const stopper = new AbortController();
    const { signal } = stopper;
    const opening = openLog(sample, { signal, onProgress: () => stopper.abort(new Error('enough')) });
    await expect(opening).rejects.toThrow('enough');
  });
});

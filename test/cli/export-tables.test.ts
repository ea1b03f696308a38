import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import { SaxesParser } from 'saxes';
import { describe, expect, test } from 'vitest';
import { factsOf } from '../../src/facts/facts.ts';
import { openLog } from '../../src/node/open.ts';
import { recordsOf, SAMPLE, skein, skeinHere } from '../helpers/cli.ts';
import { readArrow, readCsv, readParquet } from '../helpers/exported.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { MadeLog } from '../helpers/made-log.ts';

const folder = temporaryFolder();
const at = (name: string): string => join(folder, name);

test('--json says what was written', async () => {
  const out = at('json-out');
  const run = await skeinHere('export', SAMPLE, '--to', 'csv', '--type', 'GPS,MODE', '-o', out, '--json');
  expect(run.code).toBe(0);
  const files = ['MODE.csv', 'GPS_0.csv'].map((name) => ({
    path: join(out, name),
    bytes: statSync(join(out, name)).size,
  }));
  expect(JSON.parse(run.stdout)).toEqual({ file: SAMPLE, format: 'dataflash', to: 'csv', output: out, files });
  const part = at('part.bin');
  const { stdout } = await skeinHere('export', SAMPLE, '--to', 'bin', '--type', 'MODE', '-o', part, '--json');
  expect(JSON.parse(stdout).files).toEqual([{ path: part, bytes: statSync(part).size }]);
  const refused = await skeinHere('export', SAMPLE, '--to', 'csv', '--type', 'GPS', '--json');
  expect([refused.code, refused.stdout, refused.stderr]).toEqual([
    2,
    '',
    'skein: --json needs -o: standard output carries the data\n',
  ]);
});

describe('names are hostile', () => {
  const tables = ['../a', '/etc', 'CON', 'con', 'a:b', 'a.', '..', '=1+1', '*?[]', 'A', 'a'];
  const columns = [
    '__proto__',
    'constructor',
    'toString',
    '',
    'same,same',
    'time',
    'Time,TIME',
    '=2+3',
    '"q"',
    "');--",
    'x',
  ];
  const made = new MadeLog();
  tables.forEach((name, i) => {
    made.define(name, columns[i] === '' ? 'B' : 'B'.repeat(columns[i].split(',').length), columns[i]);
    made.add(name, 7, 8);
  });
  const path = at('hostile.BIN');
  writeFileSync(path, made.bytes());

  test.each(['csv', 'parquet', 'arrow'])(
    'and %s files stay in their folder, each with all its columns',
    async (format) => {
      mkdirSync(at(`in-${format}`));
      const run = await skeinHere('export', path, '--to', format, '-o', at(`in-${format}/out`));
      expect(run.code, run.stderr).toBe(0);
      expect(readdirSync(at(`in-${format}`))).toEqual(['out']);
      const files = readdirSync(at(`in-${format}/out`));
      // the definitions are a table too
      expect(files.length).toBe(tables.length + 1);
      expect(new Set(files.map((name) => name.toLowerCase())).size).toBe(files.length);
      const log = await openLog(path);
      let total = 0;
      for (const name of files) {
        expect(name).not.toMatch(/^\.|[/\\:*?"<>|]|^con\./i);
        if (name.startsWith('FMT')) continue;
        const file = at(`in-${format}/out/${name}`);
        const names =
          format === 'csv'
            ? readCsv(readFileSync(file, 'utf8'))[0]
            : format === 'arrow'
              ? readArrow(file).names
              : (await readParquet(file)).names;
        expect(names[0]).toBe('time');
        total += names.length;
        expect(new Set(names.map((each) => each.toLowerCase())).size).toBe(names.length);
      }
      const wanted = log.tables.filter(({ name, rows }) => rows > 0 && name !== 'FMT');
      expect(wanted.length).toBe(tables.length);
      expect(total).toBe(wanted.reduce((sum, { fields }) => sum + fields.length + 1, 0));
    },
  );
});

describe('CSV', () => {
  const texts = ['=cmd()', '+1', '-2', '@x', ' =1', '\t=1', 'a\n=1', 'a,b', 'say "hi"', "'quoted", 'plain'];
  const made = new MadeLog().define('MSG', 'QZ', 'TimeUS,Message').define('NUM', 'Qdfq', 'TimeUS,D,F,Q');
  for (const [i, text] of texts.entries()) made.add('MSG', i, text);
  const numbers = [
    0.1,
    -0,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
    5e-324,
    1.7976931348623157e308,
    1e21,
  ];
  for (const [i, value] of numbers.entries()) made.add('NUM', i, value, value, -(2n ** 63n) + BigInt(i));
  const path = at('cells.BIN');
  writeFileSync(path, made.bytes());

  test('text that a spreadsheet would run is marked, unless it is wanted raw', async () => {
    const cells = async (...more: string[]): Promise<string[]> => {
      const { stdout } = await skeinHere('export', path, '--to', 'csv', '--type', 'MSG', ...more);
      return readCsv(stdout)
        .slice(1)
        .map(([, , text]) => text);
    };
    expect(await cells()).toEqual(texts.map((text, i) => (i < 7 ? `'${text}` : text)));
    expect(await cells('--raw')).toEqual(texts);
  });

  test('numbers read as the same numbers again', async () => {
    const { stdout } = await skeinHere('export', path, '--to', 'csv', '--type', 'NUM');
    const rows = readCsv(stdout).slice(1);
    expect(stdout).not.toMatch(/\de[+-]?\d/);
    expect(rows.map(([, , d]) => Number(d))).toEqual(numbers);
    expect(rows.map(([, , , f]) => Number(f))).toEqual(numbers.map(Math.fround));
    expect(rows.map(([, , , , q]) => BigInt(q))).toEqual(numbers.map((_, i) => -(2n ** 63n) + BigInt(i)));
  });

  test('64 bits are exact in Parquet and Arrow', async () => {
    for (const format of ['parquet', 'arrow'])
      expect((await skeinHere('export', path, '--to', format, '-o', at(format))).code).toBe(0);
    const wanted = numbers.map((_, i) => String(-(2n ** 63n) + BigInt(i)));
    expect((await readParquet(at('parquet/NUM.parquet'))).rows.map(({ values }) => values[3])).toEqual(wanted);
    expect(readArrow(at('arrow/NUM.arrow')).rows.map(({ values }) => values[3])).toEqual(wanted);
  });
});

describe('a choice', () => {
  test('of tables, fields and time is the same as that of `dump`', async () => {
    const range = ['--from', '+60s'];
    const { stdout } = await skeinHere(
      'export',
      SAMPLE,
      '--to',
      'csv',
      '--type',
      'GPS',
      '--fields',
      'Lat,GPS.Alt',
      ...range,
      '--until',
      '+70s',
    );
    const dumped = recordsOf((await skeinHere('dump', SAMPLE, '--type', 'GPS', ...range, '--until', '+70s')).stdout);
    const [head, ...rows] = readCsv(stdout);
    expect(head).toEqual(['time', 'Lat', 'Alt']);
    expect(rows.length).toBeGreaterThan(20);
    expect(rows.map((row) => row.map(Number))).toEqual(dumped.map(({ time, data }) => [time, data.Lat, data.Alt]));
  });

  test('of JSON lines is what `dump` prints, or what mavlogdump does', async () => {
    const dumped = await skeinHere('dump', SAMPLE, '--type', 'MODE,EV');
    expect((await skeinHere('export', SAMPLE, '--to', 'jsonl', '--type', 'MODE,EV')).stdout).toBe(dumped.stdout);
    const lines = (
      await skeinHere('export', SAMPLE, '--to', 'jsonl', '--pymavlink', '--type', 'MODE', '--fields', 'Mode')
    ).stdout;
    const modes = recordsOf(dumped.stdout).filter(({ type }) => type === 'MODE');
    expect(
      lines
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual(modes.map(({ type, time, data }) => ({ meta: { type, timestamp: time }, data: { Mode: data.Mode } })));
  });

  test.each([
    [['--to', 'csv', '--fields', 'Rol'], 'no field Rol in these tables: did you mean Roll?'],
    [['--to', 'csv', '--type', 'GSP'], 'no table GSP in this log: did you mean GPS?'],
    [['--to', 'csv'], 'give a folder with -o'],
    [['--to', 'csv', '--wide', 'x'], 'expected lines per second'],
    [['--to', 'mcap', '--wide', '1'], '--wide needs --to csv'],
    [['--to', 'csv', '--pymavlink'], '--pymavlink needs --to jsonl'],
  ])('%s that cannot be is explained', async (words, text) => {
    const run = await skeinHere('export', SAMPLE, ...words);
    expect(run.code).toBe(2);
    expect(run.stderr).toContain(text);
  });
});

test('a wide table has the last value before each line', async () => {
  const { stdout } = await skeinHere(
    'export',
    SAMPLE,
    '--to',
    'csv',
    '--wide',
    '4',
    '--type',
    'GPS,ATT',
    '--fields',
    'Alt,Roll',
  );
  const dumped = recordsOf((await skeinHere('dump', SAMPLE, '--type', 'GPS,ATT')).stdout);
  const [head, ...rows] = readCsv(stdout);
  expect(head).toEqual(['time', 'ATT.Roll', 'GPS[0].Alt']);
  expect(rows.length).toBeGreaterThan(400);
  const last = (type: string, time: number): string => {
    const found = dumped.findLast((each) => each.type === type && (each.time as number) <= time);
    return found ? String(type === 'ATT' ? found.data.Roll : found.data.Alt) : '';
  };
  for (const [time, roll, alt] of rows)
    expect([roll, alt]).toEqual([last('ATT', Number(time)), last('GPS', Number(time))]);
});

test('parameters are those of the log', async () => {
  const { stdout } = await skeinHere('export', SAMPLE, '--to', 'param');
  const wanted = await factsOf(await openLog(SAMPLE)).parameters();
  const found = new Map(
    stdout
      .trim()
      .split('\n')
      .map((line) => line.split(',') as [string, string]),
  );
  expect(found.size).toBe(wanted.size);
  for (const { name, value } of wanted.values()) expect(Math.fround(Number(found.get(name)))).toBe(value);
});

test.each(['gpx', 'geojson', 'wkt'])('a track as %s is that of the command `track`', async (format) => {
  const { stdout } = await skeinHere('export', SAMPLE, '--to', format);
  expect(stdout).toBe((await skeinHere('track', SAMPLE, '--to', format)).stdout);
  if (format === 'gpx') expect(elements(stdout).filter((name) => name === 'trkpt').length).toBeGreaterThan(500);
});

test('a track as KML is cut where the mode changes, each stretch in its colour', async () => {
  const { stdout } = await skeinHere('export', SAMPLE, '--to', 'kml');
  const whole = (await skeinHere('track', SAMPLE, '--to', 'kml')).stdout;
  const places = (text: string): string[] =>
    [...text.matchAll(/<gx:coord>(.*)<\/gx:coord>/g)].map(([, place]) => place);
  expect(elements(stdout).length).toBeGreaterThan(1000);
  const stretches = stdout.split('<Placemark>').slice(1);
  // the last point of a stretch is the first of the next
  const joined = stretches.map(places).flatMap((list, i) => (i === 0 ? list : list.slice(1)));
  expect(joined).toEqual(places(whole));
  const info = JSON.parse((await skeinHere('info', '--json', SAMPLE)).stdout);
  expect(info.modes.length).toBeGreaterThan(2);
  expect(stretches.length).toBe(info.modes.length);
  for (const [, mode] of stdout.matchAll(/<name>copter-square.BIN: (.*)<\/name>/g))
    expect(info.modes.map((each: { mode: string }) => each.mode)).toContain(mode);
  for (const [, id] of stdout.matchAll(/<styleUrl>#(.*)<\/styleUrl>/g)) expect(stdout).toContain(`<Style id="${id}">`);
});

/** Names of the elements of an XML document that is well formed. */
function elements(text: string): string[] {
  const names: string[] = [];
  const parser = new SaxesParser();
  parser.on('opentag', ({ name }) => names.push(name));
  parser.on('error', (error) => {
    throw error;
  });
  parser.write(text).close();
  return names;
}

describe('files', () => {
  test('are not replaced unless asked, and the log never', async () => {
    const before = readFileSync(SAMPLE);
    const words = ['export', SAMPLE, '--to', 'csv', '--type', 'MODE,EV', '-o', at('again')];
    expect((await skeinHere(...words)).code).toBe(0);
    const again = await skeinHere(...words);
    expect(again.code).toBe(1);
    expect(again.stderr).toContain('already exists: use --force to replace it');
    expect((await skeinHere(...words, '--force')).code).toBe(0);
    expect(readdirSync(at('again')).sort()).toEqual(['EV.csv', 'MODE.csv']);
    expect(readFileSync(SAMPLE).equals(before)).toBe(true);
  });

  test('are one with --zip, the same as in a folder', async () => {
    const words = ['export', SAMPLE, '--to', 'csv', '--type', 'MODE,GPS,MSG'];
    expect((await skeinHere(...words, '-o', at('plain'))).code).toBe(0);
    expect((await skeinHere(...words, '--zip', '-o', at('all.zip'))).code).toBe(0);
    const files = unzipped(readFileSync(at('all.zip')));
    expect([...files.keys()].sort()).toEqual(readdirSync(at('plain')).sort());
    for (const [name, bytes] of files) expect(bytes.equals(readFileSync(at(`plain/${name}`))), name).toBe(true);
    expect(readdirSync(folder).filter((name) => name.startsWith('.skein'))).toEqual([]);
  });

  test('have the same bytes wherever they are made', () => {
    const env = { TZ: 'Asia/Kathmandu', LANG: 'tr_TR.UTF-8', LC_ALL: 'tr_TR.UTF-8' };
    for (const format of ['csv', 'parquet', 'arrow']) {
      const words = ['export', SAMPLE, '--to', format, '--type', 'GPS,MODE,MSG', '-o'];
      expect(skein([...words, at(`here-${format}`)]).code).toBe(0);
      expect(skein([...words, at(`there-${format}`)], env).code).toBe(0);
      for (const name of readdirSync(at(`here-${format}`)))
        expect(
          readFileSync(at(`here-${format}/${name}`)).equals(readFileSync(at(`there-${format}/${name}`))),
          name,
        ).toBe(true);
    }
  });
});

/** Files of a zip file by its central directory. */
function unzipped(bytes: Buffer): Map<string, Buffer> {
  const files = new Map<string, Buffer>();
  const end = bytes.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'));
  let record = bytes.readUInt32LE(end + 16);
  for (let i = bytes.readUInt16LE(end + 10); i > 0; i--) {
    const [packed, size, nameLength, extra] = [
      bytes.readUInt32LE(record + 20),
      bytes.readUInt32LE(record + 24),
      bytes.readUInt16LE(record + 28),
      bytes.readUInt16LE(record + 30),
    ];
    const local = bytes.readUInt32LE(record + 42);
    const start = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28);
    const content = inflateRawSync(bytes.subarray(start, start + packed));
    expect(content.length).toBe(size);
    files.set(bytes.toString('utf8', record + 46, record + 46 + nameLength), content);
    record += 46 + nameLength + extra;
  }
  return files;
}

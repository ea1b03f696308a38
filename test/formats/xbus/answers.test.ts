// What is made of the tables of XBUS streams, damaged ones too: it is always there and never throws.
import { readdirSync, readFileSync } from 'node:fs';
import { join as joinPath } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Indexer } from '../../../src/core/indexer.ts';
import { bytesSource } from '../../../src/core/source.ts';
import { factsOf } from '../../../src/facts/facts.ts';
import { FORMATS } from '../../../src/formats/index.ts';
import { openInput } from '../../../src/formats/open.ts';
import { encodeXbusPacket } from '../../../src/formats/xbus/encode.ts';
import { xbus } from '../../../src/formats/xbus/index.ts';
import { parseXbusFrame } from '../../../src/formats/xbus/parse.ts';
import { findTracks, readTrack } from '../../../src/geo/track.ts';
import { derivedTables } from '../../../src/sensors/derived.ts';
import { readImuData } from '../../../src/sensors/imu.ts';
import { many } from '../../helpers/long.ts';
import { needShared, sharedData } from '../../helpers/need.ts';
import { Found } from '../../suite/found.ts';
import { corrupt } from '../../suite/mutate.ts';
import { join, Random } from '../../suite/random.ts';
import { randomXbus } from './random.ts';
import { xbusSamples } from './sample.ts';

const INPUTS = many(200, 50);
const LONGEST = 3000;
/** Bytes at the beginning of a file that its format is told by. */
const HEAD = 65_536;

test(`${INPUTS} damaged streams are answered about`, async () => {
  const samples = xbusSamples().map(({ bytes }) => bytes);
  for (let seed = 1; seed <= INPUTS; seed++) {
    const random = new Random(seed);
    const bytes = random.chance(0.5) ? randomXbus(random) : corrupt(random, samples, LONGEST);
    const log = await openInput(bytes, { format: xbus, keepInvalid: random.chance(0.5) });
    for (const table of log.tables) {
      expect((await table.times()).length).toBe(table.rows);
      for (const column of await table.columns()) expect(column.length).toBe(table.rows);
    }
    const imu = await readImuData(log);
    let rows = 0;
    for (const table of await derivedTables(log)) for await (const row of table.records()) rows += row.at >= 0 ? 1 : 0;
    expect(rows).toBe(imu.rows);
    const track = await readTrack(log);
    for (const { fixes } of await findTracks(log)) expect(fixes).toBeLessThanOrEqual(log.records);
    expect(track.points).toBeLessThanOrEqual(log.records);
    await factsOf(log).span();
    await factsOf(log).vehicle();
    const parsed = parseXbusFrame(bytes);
    if (!parsed.ok) expect(parsed.reason).toMatch(/^(frame|item) /);
  }
});

/** Where the records of each table are, as an index keeps them: packets that are alike reach it as groups. */
function indexed(bytes: Uint8Array, chunk: number): string[] {
  const indexer = new Indexer(bytesSource(bytes));
  const decoder = xbus.decoder(indexer);
  for (let at = 0; at < bytes.length; at += chunk) decoder.push(bytes.subarray(at, at + chunk));
  decoder.end();
  return indexer.tables.map(({ name, stream, offsets, rows }) =>
    [name, stream, ...Array.from({ length: rows }, (_, row) => offsets.at(row))].join(' '),
  );
}

/** The same from records that come one by one. */
function found(bytes: Uint8Array): string[] {
  const all = new Found();
  const decoder = xbus.decoder(all);
  decoder.push(bytes);
  decoder.end();
  const tables = all.schemas.map(({ name }, id) => [name, all.streams[id]] as (string | number)[]);
  all.ids.forEach((id, i) => {
    tables[id].push(all.offsets[i]);
  });
  return tables.map((table) => table.join(' '));
}

describe('packets that are alike are the same records in groups as one by one', () => {
  test.each(xbusSamples())('$name', ({ bytes }) => {
    for (const chunk of [1, 100, 1000, bytes.length]) expect(indexed(bytes, chunk)).toEqual(found(bytes));
  });

  test('whatever kinds of them follow each other', () => {
    for (let seed = 1; seed <= many(300, 60); seed++) {
      const random = new Random(seed);
      // few kinds of packets, of devices, and of lengths; some have an item twice
      const kinds = Array.from({ length: random.between(1, 4) }, () =>
        Array.from({ length: random.between(1, 5) }, () => {
          const item = random.pick(['Acceleration', 'RateOfTurn', 'PacketCounter', 'StatusWord', 'Temperature']);
          return { item, data: random.bytes(random.pick([4, 12])) };
        }),
      );
      const packets = Array.from({ length: random.pick([5, 50, 3000]) }, () =>
        encodeXbusPacket(random.chance(0.8) ? kinds[0] : random.pick(kinds), { bus: random.pick([255, 255, 1]) }),
      );
      const bytes = join(packets);
      if (random.chance(0.5)) bytes[random.below(bytes.length)]++;
      expect(indexed(bytes, random.pick([50, 5000, bytes.length]))).toEqual(found(bytes));
    }
  });
});

function filesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = joinPath(folder, entry.name);
    return entry.isDirectory() ? filesIn(path) : [path];
  });
}

needShared(describe, 'xbus')('files', () => {
  const files = filesIn(sharedData());
  const isStream = (path: string): boolean => /xbus.\d.output\.bin$/.test(path);

  test('of other formats are not taken, from wherever they are looked at', () => {
    const others = files.filter((path) => !isStream(path));
    expect(others.length).toBeGreaterThan(100);
    for (const path of others) {
      const bytes = new Uint8Array(readFileSync(path));
      for (const from of [0, 13, 40_000]) {
        expect(xbus.detect(bytes.subarray(from, from + HEAD)), `${path} from ${from}`).toBe(0);
      }
    }
  });

  test('of XBUS are told for sure, from any byte of a frame on', () => {
    for (const path of files.filter(isStream)) {
      const bytes = new Uint8Array(readFileSync(path));
      for (let from = 0; from < 300; from += 7) {
        const scores = FORMATS.map(({ detect }) => detect(bytes.subarray(from)));
        expect(scores[FORMATS.indexOf(xbus)]).toBeGreaterThan(0.9);
        expect(scores.filter((score) => score > 0.1).length).toBe(1);
      }
    }
  });
});

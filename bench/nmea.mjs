// NMEA 0183: 50 MB of sentences; framing, columns and objects beside nmea-simple and gps.
// npm ci --prefix bench && node bench/nmea.mjs [MB]
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Indexer } from '../dist/core/indexer.js';
import { readColumns } from '../dist/core/read.js';
import { bytesSource } from '../dist/core/source.js';
import { encodeSatellites, encodeSentence } from '../dist/formats/nmea/encode.js';
import { nmea } from '../dist/formats/nmea/index.js';
import { parseNmeaSentence } from '../dist/sensors/gnss-sentence.js';
import { bars, best, byteSum, filled, processorTime, repeated, rounds, table } from './bench.mjs';

const require = createRequire(import.meta.url);
const simple = require('nmea-simple');
const GPS = require('gps');

const ROUNDS = rounds(7);
/** The peers are given a part only, and so are our objects: they would take long for all of it. */
const SIZE = Number(process.argv[2] ?? 50) * 1e6;
const PART = SIZE / 5;

/**
 * GGA and RMC of the sample, and for each of its times the other sentences that receivers send and that both peers know,
 * so that none of them is slowed down by what it must refuse.
 */
function mixture() {
  const lines = [];
  const sample = readFileSync(new URL('../sample/copter-square.nmea', import.meta.url), 'latin1');
  for (const line of sample.split('\r\n')) {
    if (line.startsWith('$GPGGA')) lines.push(`${line}\r\n`);
    if (!line.startsWith('$GPRMC')) continue;
    const { time, lat, lon, status, speed_kn, course } = parseNmeaSentence(line).data;
    const satellites = Array.from({ length: 10 }, (_, k) => ({
      prn: 3 * k + 1,
      elevation: 8 * k + 5,
      azimuth: (37 * k + Math.floor(time)) % 360,
      snr: 30 + ((k + Math.floor(time)) % 18),
    }));
    const satellite_ids = satellites.map(({ prn }) => prn);
    lines.push(
      `${line}\r\n`,
      encodeSentence('VTG', { course, speed_kn, speed_kmh: speed_kn * 1.852 }, { decimals: { speed_kmh: 2 } }),
      encodeSentence('GSA', { mode: 'A', fix: 3, satellite_ids, pdop: 1.9, hdop: 1.2, vdop: 1.5 }),
      ...encodeSatellites(satellites),
      encodeSentence('GLL', { lat, lon, time, status }),
    );
  }
  return Buffer.from(lines.join(''), 'latin1');
}

/** Calls a peer's parser with each line; what it refuses or does not know is counted. */
function each(lines, parse) {
  let refused = 0;
  for (const line of lines) {
    try {
      if (!parse(line)) refused++;
    } catch {
      refused++;
    }
  }
  return refused;
}

async function measure(bytes) {
  const source = bytesSource(bytes);
  const index = () => {
    const indexer = new Indexer(source);
    const decoder = nmea.decoder(indexer);
    decoder.push(bytes);
    decoder.end();
    return indexer.tables;
  };
  const request = ({ schema, offsets, rows }) => ({ schema, offsets, fields: schema.fields, from: 0, to: rows });
  const tables = index();
  const sentences = tables.reduce((sum, { rows }) => sum + rows, 0);
  const part = Buffer.from(bytes.subarray(0, bytes.lastIndexOf(10, PART) + 1)).toString('latin1');
  const lines = part.split('\r\n').slice(0, -1);
  const refused = {};
  const times = await best(
    ROUNDS,
    {
      sum: () => byteSum(bytes),
      framing: () => index(),
      columns: () => readColumns(source, index().map(request)),
      objects: () => {
        refused.objects = each(lines, (line) => parseNmeaSentence(line).valid);
      },
      simple: () => {
        refused.simple = each(lines, (line) => simple.parseNmeaSentence(line));
      },
      gps: () => {
        refused.gps = each(lines, (line) => GPS.Parse(line));
      },
    },
    processorTime,
  );
  const speed = (name) => (name in refused ? part.length : bytes.length) / 1e3 / times[name];
  return { sentences, lines: lines.length, refused, speed };
}

async function report(title, bytes) {
  const { sentences, lines, refused, speed } = await measure(bytes);
  const line = (name, what) => [
    name,
    speed(what).toFixed(1),
    what in refused && refused[what] > 0 ? `${refused[what]} of ${lines} sentences not read` : '',
  ];
  console.log(`\n${title}: ${(bytes.length / 1e6).toFixed(0)} MB, ${sentences} sentences\n`);
  table(
    ['', 'MB/s', ''],
    [
      line('byte sum', 'sum'),
      line('skein: framing and checksum', 'framing'),
      line('skein: all fields to columns', 'columns'),
      line('skein: parseNmeaSentence', 'objects'),
      line('nmea-simple: parseNmeaSentence', 'simple'),
      line('gps: Parse', 'gps'),
    ],
  );
  console.log('');
  const peer = Math.max(speed('simple'), speed('gps'));
  bars([
    { name: 'all fields to columns, times the faster peer', value: speed('columns') / peer, bar: 6, atLeast: true },
    { name: 'objects, times the faster peer', value: speed('objects') / peer, bar: 2.5, atLeast: true },
  ]);
}

await report('sentences that all know', filled(mixture(), SIZE));
await report('the sample as it is', repeated('copter-square.nmea', SIZE));

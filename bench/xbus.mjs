// XBUS: a stream of 50 MB as a device sends it; index and all columns of all items beside a plain loop over its bytes.
// node bench/xbus.mjs [MB]
import { join } from 'node:path';
import { Indexer } from '../dist/core/indexer.js';
import { readColumns } from '../dist/core/read.js';
import { bytesSource } from '../dist/core/source.js';
import { encodeXbusPacket } from '../dist/entry/xbus.js';
import { xbus } from '../dist/formats/xbus/index.js';
import { bars, best, byteSum, processorTime, ROOT, rounds, run, table, withFile } from './bench.mjs';

const ROUNDS = rounds(9);
/** Packets until their counter begins again: a stream of whole turns has no jump in it. */
const TURN = 65536;
/** One packet of N is from the GNSS receiver. */
const GNSS_EVERY = 25;
/** Ticks of 0.1 ms from one packet to the next, at 400 Hz. */
const STEP = 25;

await main(Number(process.argv[2] ?? 50));

async function main(megabytes) {
  const bytes = stream(megabytes * 1e6);
  const source = bytesSource(bytes);
  const index = () => {
    const indexer = new Indexer(source);
    const decoder = xbus.decoder(indexer, {});
    decoder.push(bytes);
    decoder.end();
    return indexer;
  };
  const columns = ({ tables }) =>
    readColumns(
      source,
      tables.map(({ schema, offsets, fields, rows }) => ({ schema, offsets, fields, from: 0, to: rows })),
    );
  const { tables, faults } = index();
  if (faults.count > 0) throw new Error(`the stream has ${faults.count} faults`);

  const times = await best(
    ROUNDS,
    {
      sum: () => byteSum(bytes),
      copy: () => bytes.slice(),
      index,
      all: () => columns(index()),
    },
    processorTime,
  );
  const { sum } = times;
  const size = bytes.length / 1e6;
  const records = tables.reduce((total, { rows }) => total + rows, 0);
  const packets = tables.find(({ name }) => name === 'MTData2').rows;
  const line = (name, millis, note = '') => [
    name,
    millis.toFixed(0),
    (size / millis).toFixed(2),
    (sum / millis).toFixed(2),
    note,
  ];
  const pace = (count, millis) => `${(count / millis / 1000).toFixed(1)} M`;
  console.log(`${size.toFixed(0)} MB, ${packets} packets, ${records} records, ${tables.length} tables\n`);
  table(
    ['in memory', 'ms', 'GB/s', 'times byte sum', ''],
    [
      line('byte sum', sum),
      line('memory copy', times.copy),
      line('index', times.index, `${pace(packets, times.index)} packets/s, ${pace(records, times.index)} records/s`),
      line('index + all columns of all items', times.all, `${pace(packets, times.all)} packets/s`),
    ],
  );
  const whole = await withFile('stream.xbus', bytes, (path) => {
    const skein = join(ROOT, 'bin/skein.js');
    return best(3, {
      start: () => run(process.execPath, skein, '--version'),
      info: () => run(process.execPath, skein, 'info', path),
    });
  });
  console.log('');
  table(
    ['from a file', 'ms'],
    [
      ['start the command', whole.start.toFixed(0)],
      ['skein info', whole.info.toFixed(0)],
    ],
  );
  console.log('');
  bars([{ name: 'XBUS to columns, times the byte sum', value: sum / times.all, bar: 0.3, atLeast: true }]);
}

/** What a device sends at 400 Hz, all its counters going round, until there are at least N bytes. */
function stream(least) {
  const turn = [];
  for (let n = 0; n < TURN; n++) turn.push(packet(n));
  const length = turn.reduce((total, each) => total + each.length, 0);
  const times = Math.ceil(least / length);
  const all = new Uint8Array(length * times);
  let at = 0;
  for (const each of turn) {
    all.set(each, at);
    at += each.length;
  }
  while (at < all.length) {
    all.copyWithin(at, 0, length);
    at += length;
  }
  return all;
}

function packet(n) {
  const angle = n / 100;
  const [sin, cos] = [Math.sin(angle), Math.cos(angle)];
  const head = [
    { item: 'PacketCounter', data: { value: n } },
    { item: 'SampleTimeFine', data: { value: n * STEP } },
  ];
  if (n % GNSS_EVERY === 0) return encodeXbusPacket([...head, { item: 'GnssPvtData', data: fix(n, sin, cos) }]);
  return encodeXbusPacket([
    ...head,
    { item: 'Quaternion', frame: 'NED', data: { w: cos, x: 0, y: 0, z: sin } },
    { item: 'Acceleration', data: { x: sin, y: cos, z: 9.81 } },
    { item: 'RateOfTurn', data: { x: 0.01 * sin, y: 0.01 * cos, z: 0.1 } },
    { item: 'MagneticField', data: { x: 0.4 * cos, y: 0.4 * sin, z: -0.9 } },
    { item: 'StatusWord', data: { value: 0x01800007 } },
  ]);
}

function fix(n, sin, cos) {
  const still = { height: 500_000, hMSL: 452_000, hAcc: 900, vAcc: 1400, sAcc: 90, headAcc: 1, headVeh: 90, numSV: 14 };
  const dop = { gdop: 1.9, pdop: 1.6, tdop: 1, vdop: 1.4, hdop: 0.8, ndop: 0.6, edop: 0.5 };
  const date = { year: 2024, month: 5, day: 17, hour: 12, min: 30, sec: n % 60, nano: 0, tAcc: 25 };
  const motion = { velN: 1000, velE: 0, velD: 0, gSpeed: 1000, headMot: 0 };
  const place = { lat: 47 + sin / 1000, lon: 8 + cos / 1000 };
  return { itow: n * 100, valid: 7, fixType: 3, flags: 33, ...date, ...still, ...dop, ...motion, ...place };
}

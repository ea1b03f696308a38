// MAVLink: the sample's stream repeated to 100 MB; framing, columns and objects beside the C library,
// node-mavlink and a memory copy.
// npm ci --prefix bench && node bench/mavlink.mjs [MB]
import { createRequire } from 'node:module';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Indexer } from '../dist/core/indexer.js';
import { bytesSource } from '../dist/core/source.js';
import { mavlink } from '../dist/formats/mavlink/index.js';
import { bars, best, byteSum, filled, mavlinkInC, processorTime, rounds, sampleFrames, table } from './bench.mjs';
import { ColumnCollector } from './collector.mjs';

const require = createRequire(import.meta.url);
const { ardupilotmega, common, MavLinkPacketParser, MavLinkPacketSplitter, minimal } = require('node-mavlink');

const ROUNDS = rounds(5);
const SIZE = Number(process.argv[2] ?? 100) * 1e6;
/** node-mavlink is given a part only: it would take minutes for all of it. */
const PART = 0.08 * SIZE;
/** Bytes at a time, as a file is read. */
const CHUNK = 1 << 20;
const ATTITUDE = 30;
const GLOBAL_POSITION_INT = 33;

const REGISTRY = { ...minimal.REGISTRY, ...common.REGISTRY, ...ardupilotmega.REGISTRY };

async function nodeMavlink(bytes, wanted) {
  let packets = 0;
  let decoded = 0;
  const chunks = function* () {
    for (let at = 0; at < bytes.length; at += 65536)
      yield Buffer.from(bytes.buffer, bytes.byteOffset + at, Math.min(65536, bytes.length - at));
  };
  await pipeline(Readable.from(chunks()), new MavLinkPacketSplitter(), new MavLinkPacketParser(), async (stream) => {
    for await (const packet of stream) {
      packets++;
      if (!wanted(packet.header.msgid)) continue;
      const Message = REGISTRY[packet.header.msgid];
      if (Message && packet.protocol.data(packet.payload, Message)) decoded++;
    }
  });
  return { packets, decoded };
}

const bytes = filled(Buffer.concat(sampleFrames()), SIZE);
const part = bytes.subarray(0, PART);
const source = bytesSource(bytes);

function decode(sink) {
  const decoder = mavlink.decoder(sink);
  for (let at = 0; at < bytes.length; at += CHUNK) decoder.push(bytes.subarray(at, at + CHUNK));
  decoder.end();
  return sink;
}
const isOneOfTwo = ({ name }) => name === 'ATTITUDE' || name === 'GLOBAL_POSITION_INT';
const { tables } = decode(new Indexer(source));
const attitude = tables.find(({ name }) => name === 'ATTITUDE');
const records = tables.reduce((sum, each) => sum + each.rows, 0);

let rows = 0;
const times = await best(
  ROUNDS,
  {
    sum: () => byteSum(bytes),
    copy: () => bytes.slice(),
    framing: () => decode(new Indexer(source)),
    two: () => decode(new ColumnCollector(isOneOfTwo, bytes.length)).collected(),
    all: () => decode(new ColumnCollector(() => true, bytes.length)).collected(),
    objects: async () => {
      rows = 0;
      for await (const row of attitude.records()) rows += row === undefined ? 0 : 1;
    },
    theirTwo: () => nodeMavlink(part, (id) => id === ATTITUDE || id === GLOBAL_POSITION_INT),
    theirAll: () => nodeMavlink(part, () => true),
  },
  processorTime,
);

const inC = await mavlinkInC(bytes, ROUNDS, records);

const speed = (size, millis) => size / 1e3 / millis;
const oursTwo = speed(bytes.length, times.two);
const oursAll = speed(bytes.length, times.all);
const theirsTwo = speed(part.length, times.theirTwo);
const theirsAll = speed(part.length, times.theirAll);
const line = (name, value, note = '') => [name, value.toFixed(value < 100 ? 1 : 0), note];

console.log(`${(bytes.length / 1e6).toFixed(0)} MB, ${records} messages\n`);
table(
  ['', 'MB/s', ''],
  [
    line('memory copy', speed(bytes.length, times.copy)),
    line('byte sum', speed(bytes.length, times.sum)),
    line(
      'skein: framing and CRC',
      speed(bytes.length, times.framing),
      `${(records / times.framing / 1000).toFixed(1)} M messages/s`,
    ),
    line('skein: framing, ATTITUDE and GLOBAL_POSITION_INT', oursTwo),
    line('skein: all fields to columns', oursAll),
    ['skein: ATTITUDE as objects', '', `${(rows / times.objects / 1000).toFixed(2)} M rows/s`],
    ...(inC === undefined
      ? []
      : [
          line('C library: ATTITUDE and GLOBAL_POSITION_INT', speed(bytes.length, inC.two)),
          line('C library: all fields to columns', speed(bytes.length, inC.all)),
        ]),
    line('node-mavlink: ATTITUDE and GLOBAL_POSITION_INT', theirsTwo),
    line('node-mavlink: all messages', theirsAll),
  ],
);
if (inC === undefined)
  console.log('\nleft out: the C library, for its headers (pymavlink in .peers) or cc are missing');
console.log('');
bars([
  { name: 'framing with two messages decoded, times node-mavlink', value: oursTwo / theirsTwo, bar: 60, atLeast: true },
  { name: 'all fields to columns, times node-mavlink', value: oursAll / theirsAll, bar: 40, atLeast: true },
  ...(inC === undefined
    ? []
    : [
        { name: 'two messages decoded, times the C library', value: inC.two / times.two, bar: 2.1, atLeast: true },
        { name: 'all fields to columns, times the C library', value: inC.all / times.all, bar: 1.34, atLeast: true },
      ]),
]);

// Packet captures: the sample repeated to 80 MB; all messages to columns beside libpcap with the C
// library of MAVLink, and libraries that only split records.
// npm ci --prefix bench && node bench/pcap.mjs [MB]
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import Decoder from 'pcap-decoder';
import { Indexer } from '../dist/core/indexer.js';
import { bytesSource } from '../dist/core/source.js';
import { pcap } from '../dist/formats/pcap/index.js';
import { bars, best, filled, mavlinkInC, processorTime, ROOT, rounds, table, withFile } from './bench.mjs';
import { ColumnCollector } from './collector.mjs';

const require = createRequire(import.meta.url);
const pcapParser = require('pcap-parser');

const ROUNDS = rounds(7);
const FILE_HEADER = 24;
const CHUNK = 1 << 20;
/** tshark is given a part only: it would take minutes for all of it. */
const PART = 20;

const sample = readFileSync(join(ROOT, 'sample/copter-square.pcap'));
/** The sample's packets again and again, after one file header. */
const bytes = filled(
  sample.subarray(FILE_HEADER),
  Number(process.argv[2] ?? 80) * 1e6,
  sample.subarray(0, FILE_HEADER),
);
const source = bytesSource(bytes);

function* chunks() {
  for (let at = 0; at < bytes.length; at += CHUNK) yield bytes.subarray(at, at + CHUNK);
}

function index() {
  const indexer = new Indexer(source);
  const decoder = pcap.decoder(indexer);
  indexer.readFrom(decoder.source());
  for (const chunk of chunks()) decoder.push(chunk);
  decoder.end();
  return { tables: indexer.tables, decoder };
}

/** Every message with its checksum, every field of those that are asked for in a column; returns how many messages. */
function columns(isAsked) {
  const collector = new ColumnCollector(isAsked, bytes.length);
  const decoder = pcap.decoder(collector);
  for (const chunk of chunks()) decoder.push(chunk);
  decoder.end();
  return collector.collected().reduce((sum, { rows }) => sum + rows, 0);
}

/** pcap-decoder makes an object and two views of each record. */
function theirDecoder() {
  const decoder = new Decoder();
  let packets = 0;
  for (const chunk of chunks()) for (const packet of decoder.decode(chunk)) packets += packet.body ? 1 : 0;
  return packets;
}

/** pcap-parser makes three events of each record. */
async function theirParser() {
  let packets = 0;
  const buffers = function* () {
    for (const chunk of chunks()) yield Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
  };
  await new Promise((resolve, reject) => {
    const parser = pcapParser.parse(Readable.from(buffers()));
    parser.on('packet', () => packets++);
    parser.on('end', resolve);
    parser.on('error', reject);
  });
  return packets;
}

/** Seconds that tshark takes to say the length of each datagram, or undefined where it is not installed. */
async function tshark() {
  const part = bytes.subarray(0, FILE_HEADER + Math.floor((bytes.length - FILE_HEADER) / PART));
  const args = ['-Y', 'udp', '-T', 'fields', '-e', 'udp.length'];
  return withFile('part.pcap', part, async (path) => {
    const began = performance.now();
    const { status, error } = spawnSync('tshark', ['-r', path, ...args], { stdio: 'ignore' });
    return error || status === null ? undefined : (performance.now() - began) / 1000;
  });
}

const { tables, decoder } = index();
const { packets } = decoder.capture();
const messages = tables.reduce((sum, { rows }) => sum + rows, 0);
const all = () => columns(() => true);
const two = () => columns(({ name }) => name === 'ATTITUDE' || name === 'GLOBAL_POSITION_INT');
if (all() !== messages) throw new Error(`${all()} of ${messages} messages are in columns`);
const found = [theirDecoder(), await theirParser()];
if (found.some((count) => count !== packets)) throw new Error(`we find ${packets} packets, the others ${found}`);

const millis = await best(ROUNDS, { index, two, all, decoder: theirDecoder, parser: theirParser }, processorTime);
const inC = await mavlinkInC(bytes, ROUNDS, messages, ['-DCAPTURE', '-lpcap']);
const seconds = await tshark();

const size = bytes.length / 1e6;
const line = (name, time, note = '') => [name, time.toFixed(0), ((1e3 * size) / time).toFixed(0), note];
console.log(`${size.toFixed(0)} MB, ${packets} packets, ${messages} messages\n`);
table(
  ['processor time', 'ms', 'MB/s', ''],
  [
    line('skein: flows, messages, CRC', millis.index, `${(packets / millis.index / 1e3).toFixed(1)} M packets/s`),
    line('skein: the same, ATTITUDE and GLOBAL_POSITION_INT to columns', millis.two),
    line('skein: the same, all fields to columns', millis.all),
    ...(inC === undefined
      ? [['the C library or libpcap cannot be built here', '', '', '']]
      : [
          line('libpcap and the C library: two messages', inC.two),
          line('libpcap and the C library: all fields to columns', inC.all),
        ]),
    line('pcap-decoder: records only', millis.decoder),
    line('pcap-parser: records only', millis.parser),
    seconds === undefined
      ? ['tshark is not installed', '', '', '']
      : line('tshark: lengths of UDP only', 1e3 * PART * seconds, `a ${PART}th, times ${PART}`),
  ],
);
console.log('');
bars([
  {
    name: 'all fields to columns, times the faster one that splits records',
    value: Math.min(millis.decoder, millis.parser) / millis.all,
    bar: 1,
    atLeast: true,
  },
  ...(inC === undefined
    ? []
    : [
        { name: 'two messages to columns, times libpcap and C', value: inC.two / millis.two, bar: 1, atLeast: true },
        { name: 'all fields to columns, times libpcap and C', value: inC.all / millis.all, bar: 1, atLeast: true },
      ]),
]);

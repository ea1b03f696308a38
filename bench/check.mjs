// Strict validation: a stream of records that the grammar takes, beside a plain sum over the same bytes; and the levels
// that look at packets and messages.
// node bench/check.mjs [MB]
import { checkBytes, grammarNamed } from '../dist/entry/check.js';
import { bars, best, byteSum, processorTime, repeated, rounds, table } from './bench.mjs';

const ROUNDS = rounds(5);
const RECORD = 88;
const megabytes = Number(process.argv[2] ?? 200);
const grammar = grammarNamed('attitude-position');

/** Records of ATTITUDE in a loopback capture, without the file header; what may be anything is random. */
function records(bytes) {
  const count = Math.ceil(bytes / RECORD);
  const all = new Uint8Array(count * RECORD);
  let state = 1;
  for (let at = 0; at < all.length; at++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    all[at] = state >>> 24;
  }
  for (let at = 0; at < all.length; at += RECORD) {
    all.set([0x3d, 0x1c, 0x74, 0x66, 1, 0, 0, 0, 72, 0, 0, 0, 72, 0, 0, 0, 2, 0, 0, 0, 0x45, 0, 0, 68], at);
    all.set([0, 0, 0x40, 0x11, 0, 0, 127, 0, 0, 1, 127, 0, 0, 1], at + 26);
    all.set([0x38, 0xd6, 0x38, 0xf4, 0, 48, 0, 0, 0xfd, 0x1c, 0, 0], at + 40);
    all.set([1, 1, 0x1e, 0, 0], at + 53);
  }
  return all;
}

const stream = records(megabytes * 1e6);
const tlog = repeated('copter-square.tlog', (megabytes / 2) * 1e6);
const names = ['ATTITUDE', 'GLOBAL_POSITION_INT', 'HEARTBEAT'];

function need(result, verdict) {
  if (result.verdict !== verdict) throw new Error(`verdict is ${result.verdict}, not ${verdict}`);
}

const spent = await best(
  ROUNDS,
  {
    sum: () => byteSum(stream),
    grammar: () => need(checkBytes(stream, { grammar }), 'pass'),
    structure: () => need(checkBytes(stream, { levels: ['structure'] }), 'pass'),
    crc: () => need(checkBytes(tlog, { levels: ['structure', 'crc'] }), 'pass'),
    messages: () => need(checkBytes(tlog, { only: names, all: true }), 'fail'),
  },
  processorTime,
);

const speed = (bytes, millis) => bytes.length / 1e3 / millis;
const sum = speed(stream, spent.sum);
const row = (name, bytes, millis) => {
  const value = speed(bytes, millis);
  return [name, value.toFixed(0), (value / sum).toFixed(2)];
};
console.log(
  `${(stream.length / 1e6).toFixed(0)} MB of records, ${(tlog.length / 1e6).toFixed(0)} MB of a telemetry log\n`,
);
table(
  ['', 'MB/s', 'of the byte sum'],
  [
    row('byte sum', stream, spent.sum),
    row('grammar attitude-position', stream, spent.grammar),
    row('structure of the packets', stream, spent.structure),
    row('structure and crc of the log', tlog, spent.crc),
    row('three messages allowed, all others listed', tlog, spent.messages),
  ],
);
console.log('');
const grammarSpeed = speed(stream, spent.grammar);
bars([
  { name: 'grammar, MB/s', value: grammarSpeed, bar: 200, atLeast: true },
  { name: 'grammar, part of the byte sum', value: grammarSpeed / sum, bar: 0.4, atLeast: true },
]);

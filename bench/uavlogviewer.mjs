// What UAVLogViewer's parser does before it shows a log, and the same by the code of our page: all records found, all
// fields of the messages that it shows at first. A log of 200 MB made from the sample, in memory, one after the other.
// git clone https://github.com/Williangalvani/JsDataflashParser .peers/JsDataflashParser
// node bench/uavlogviewer.mjs [MB]
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { bytesSource, openLog } from '../dist/entry/browser.js';
import { bars, best, processorTime, ROOT, repeated, rounds } from './bench.mjs';

const ROUNDS = rounds(3);
const BAR = 2;
const PARSER = join(ROOT, '.peers', 'JsDataflashParser', 'parser.js');

if (existsSync(PARSER)) await main(repeated('copter-square.BIN', Number(process.argv[2] ?? 200) * 1e6));
else console.log(`left out: there is no parser of UAVLogViewer at ${PARSER}`);

async function main(bytes) {
  // it is written for a worker, and tells the console what it does
  globalThis.self = { addEventListener() {} };
  const { default: DataflashParser } = await import(PARSER);
  const { log } = console;
  console.log = () => {};
  const parse = () => new DataflashParser().processData(bytes.buffer).messages;
  const names = new Set(Object.keys(parse()).map((name) => name.replace(/\[.*/, '')));
  const { theirs } = await best(ROUNDS, { theirs: parse }, processorTime);
  console.log = log;
  const { ours } = await best(ROUNDS, { ours: () => read(bytes, names) }, processorTime);
  console.log(`${(bytes.length / 1e6).toFixed(0)} MB, all fields of ${[...names].join(', ')}`);
  console.log(`UAVLogViewer's parser ${theirs.toFixed(0)} ms, ours ${ours.toFixed(0)} ms\n`);
  bars([{ name: "times UAVLogViewer's parser", value: theirs / ours, bar: BAR, atLeast: true }]);
}

async function read(bytes, names) {
  const log = await openLog(bytesSource(bytes));
  for (const table of log.tables) if (names.has(table.name)) await table.columns();
}

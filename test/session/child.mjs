// Several recordings of numbered frames at once; says of each how many frames it was promised. It is made to be killed.
import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { builtinDialect } from '../../dist/formats/mavlink/dialect/builtin.js';
import { Encoder } from '../../dist/formats/mavlink/encode.js';
import { writeFile } from '../../dist/node/atomic.js';
import { Recorder } from '../../dist/session/recorder.js';

const [folder, recordings] = process.argv.slice(2);
const encoder = new Encoder(builtinDialect(), { system: 1, component: 1 });
const start = Date.now() * 1000;
/** Every other one in small files, so that some are killed between two files. */
const all = Array.from({ length: Number(recordings) }, (_, i) => ({
  recorder: new Recorder(join(folder, String(i)), { segmentBytes: i % 2 === 0 ? 1 << 30 : 3_000 }),
  count: 0,
  told: 0,
}));

function write() {
  for (const each of all) {
    // each at a pace of its own, so that they are killed at different moments of what they do
    for (let i = Math.random() * 20; i > 0; i--) {
      const custom_mode = each.count;
      const frame = encoder.message('HEARTBEAT', { type: 2, autopilot: 3, custom_mode, system_status: 4 });
      each.recorder.write('test', frame, start + each.count);
      each.count++;
    }
  }
  setTimeout(write, 1);
}

/** A status file as the collector has one, written over and over. */
async function report() {
  const status = { messages: all.map(({ count }) => count), end: true };
  await writeFile(join(folder, 'status.json'), [`${JSON.stringify(status, null, 2)}\n`], { force: true });
  setTimeout(report, 1);
}

setInterval(() => {
  let text = '';
  all.forEach((each, i) => {
    const { acknowledged } = each.recorder.state;
    if (acknowledged === each.told) return;
    each.told = acknowledged;
    text += `${i} ${acknowledged}\n`;
  });
  if (text !== '') writeSync(1, text);
}, 3);
write();
await report();

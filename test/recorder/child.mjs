// Records numbered frames as fast as it can, and says how many of them it was promised. It is made to be killed.
import { writeSync } from 'node:fs';
import { builtinDialect } from '../../dist/formats/mavlink/builtin.js';
import { Encoder } from '../../dist/formats/mavlink/encode.js';
import { Recorder } from '../../dist/node/recorder.js';

const [folder, segmentBytes] = process.argv.slice(2);
const encoder = new Encoder(builtinDialect(), { system: 1, component: 1 });
const recorder = new Recorder(folder, { segmentBytes: Number(segmentBytes) });
const start = Date.now() * 1000;
let count = 0;

function write() {
  for (let i = 0; i < 50; i++) {
    const frame = encoder.message('HEARTBEAT', { type: 2, autopilot: 3, custom_mode: count, system_status: 4 });
    recorder.write('test', frame, start + count);
    count++;
  }
  setTimeout(write, 1);
}

let told = 0;
setInterval(() => {
  const { acknowledged } = recorder.state;
  if (acknowledged === told) return;
  told = acknowledged;
  writeSync(1, `${told}\n`);
}, 3);
write();

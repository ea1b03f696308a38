// Sends the sample's stream as many vehicles over UDP, at a steady rate, or garbage beside one vehicle. Started by live.mjs and live-page.mjs.
import { createSocket } from 'node:dgram';
import { x25, x25Byte } from '../dist/core/checksum.js';
import { catalogOf } from '../dist/formats/mavlink/options.js';
import { sampleFrames } from './bench.mjs';

const { port, vehicles, rate, seconds, sockets, garbage, spread = 0, ids } = JSON.parse(process.argv[2]);
const STEP = 4;
const SEED = 0xffff;

/** The frame as another system sends it. */
function asSystem(frame, system, sequence) {
  const copy = Buffer.from(frame);
  copy[4] = sequence;
  copy[5] = system;
  const catalog = catalogOf();
  const id = copy[7] | (copy[8] << 8) | (copy[9] << 16);
  const end = 10 + copy[1];
  const sum = x25Byte(x25(copy, 1, end, SEED), catalog.extra(catalog.find(id)));
  copy[end] = sum & 0xff;
  copy[end + 1] = sum >>> 8;
  return copy;
}

/** In flight: a vehicle that has just been started has no position yet. */
const IN_FLIGHT = 9000;
const sample = sampleFrames()
  // those of the autopilot
  .filter((frame) => frame[5] === 1)
  .slice(IN_FLIGHT)
  .filter((frame) => !ids || ids.includes(frame[7] | (frame[8] << 8) | (frame[9] << 16)));
const sending = Array.from({ length: sockets }, () => createSocket('udp4'));
for (const socket of sending) await new Promise((done) => socket.bind(0, '127.0.0.1', done));
for (const socket of sending) socket.setSendBufferSize(4 << 20);
/** Numbers of the next frame of each vehicle. */
const sequences = new Uint8Array(256);
const noise = Array.from({ length: 64 }, (_, i) =>
  Buffer.from(Array.from({ length: 46 }, (_, k) => (i * 131 + k * 29 + ((k * k) % 251)) & 0xff)),
);

let sent = 0;
let thrown = 0;
const total = rate * seconds;
const began = performance.now();
const wanted = () => Math.min(total, Math.floor(((performance.now() - began) / 1000) * rate));
const thrownWanted = () => Math.min(garbage * seconds, Math.floor(((performance.now() - began) / 1000) * garbage));

function step() {
  // never more than the receiver's buffer can hold at once, even if this process was held up
  const until = Math.min(wanted(), sent + 2000);
  for (; sent < until; sent++) {
    const system = 1 + (sent % vehicles);
    // vehicles may be at different moments of the flight
    const frame = sample[(Math.floor(sent / vehicles) + spread * system) % sample.length];
    sending[system % sockets].send(asSystem(frame, system, sequences[system]++), port, '127.0.0.1');
  }
  const until2 = Math.min(thrownWanted(), thrown + 4000);
  for (; thrown < until2; thrown++) sending[0].send(noise[thrown % noise.length], port, '127.0.0.1');
  if (sent < total || thrown < garbage * seconds) setTimeout(step, STEP);
  else
    setTimeout(
      () => process.send({ sent, thrown, seconds: (performance.now() - began) / 1000 }, () => process.exit()),
      200,
    );
}
step();

// One receiver of datagrams, of the kind that is asked for; says at the end what it got and what that cost. Started by
// live.mjs.
import { createSocket } from 'node:dgram';
import { createRequire } from 'node:module';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { PassThrough } from 'node:stream';
import { LiveCollector } from '../dist/live/collector.js';
import { parseLink } from '../dist/live/link-name.js';
import { systemMicros } from '../dist/node/wall-clock.js';
import { makeLink } from '../dist/session/links.js';

const [kind] = process.argv.slice(2);
const BUFFER = 8 << 20;

/** A socket and nothing else. */
async function bare() {
  const socket = createSocket({ type: 'udp4' });
  let datagrams = 0;
  socket.on('message', () => {
    datagrams++;
  });
  await new Promise((done) => socket.bind(0, '127.0.0.1', done));
  socket.setRecvBufferSize(BUFFER);
  return { port: socket.address().port, count: () => datagrams, result: () => ({ messages: datagrams, vehicles: 0 }) };
}

/** node-mavlink's splitter and parser, every message decoded, as its own examples do. */
async function theirs() {
  const require = createRequire(import.meta.url);
  const { ardupilotmega, common, MavLinkPacketParser, MavLinkPacketSplitter, minimal } = require('node-mavlink');
  const registry = { ...minimal.REGISTRY, ...common.REGISTRY, ...ardupilotmega.REGISTRY };
  const socket = createSocket({ type: 'udp4' });
  const input = new PassThrough();
  const systems = new Set();
  let messages = 0;
  input
    .pipe(new MavLinkPacketSplitter())
    .pipe(new MavLinkPacketParser())
    .on('data', (packet) => {
      const Message = registry[packet.header.msgid];
      if (Message && packet.protocol.data(packet.payload, Message)) messages++;
      systems.add(packet.header.sysid);
    });
  socket.on('message', (bytes) => input.write(bytes));
  await new Promise((done) => socket.bind(0, '127.0.0.1', done));
  socket.setRecvBufferSize(BUFFER);
  return { port: socket.address().port, count: () => messages, result: () => ({ messages, vehicles: systems.size }) };
}

/** A link and a collector, as `skein live` has them. */
async function ours() {
  const collector = new LiveCollector({ send: (_link, frame) => link.send(frame) });
  const link = makeLink(parseLink('udpin:127.0.0.1:0'), {
    bytes: (_link, bytes, time, from) => collector.receive('udp', bytes, time, from),
    state: () => undefined,
  });
  link.open();
  setInterval(() => collector.tick(systemMicros()), 100);
  while (link.local === null) await new Promise((done) => setTimeout(done, 10));
  const port = Number(link.local.split(':').at(-1));
  return {
    port,
    count: () => collector.statistics().messages,
    result: () => {
      const { links, messages } = collector.statistics();
      const streams = Object.entries(links[0]?.streams ?? {});
      const states = [...collector.vehicles.values()];
      return {
        messages,
        vehicles: states.filter(({ position, battery }) => position !== null && battery.voltage !== null).length,
        lost: streams.reduce((sum, [, { lost }]) => sum + lost, 0),
        one: streams.find(([name]) => name === '1:1')?.[1].received ?? 0,
        dropped: link.state.dropped,
        buffer: link.state.receiveBuffer,
      };
    },
  };
}

/** Milliseconds until the hot code is compiled: what comes later is reported too. */
const WARM = 3000;

const { port, count, result } = await { bare, theirs, ours }[kind]();
const delay = monitorEventLoopDelay({ resolution: 5 });
let before;
let warm;
process.on('message', (order) => {
  if (order === 'begin') {
    before = process.cpuUsage();
    setTimeout(() => {
      warm = { cpu: process.cpuUsage(), messages: count() };
    }, WARM);
    delay.enable();
    return;
  }
  const later = process.cpuUsage(warm.cpu);
  const steady = (later.user + later.system) / (count() - warm.messages);
  const { user, system } = process.cpuUsage(before);
  const lag = delay.percentile(99) / 1e6;
  process.send({ ...result(), cpu: (user + system) / 1e6, steady, lag, rss: process.memoryUsage().rss / 1048576 }, () =>
    process.exit(),
  );
});
process.send({ port });

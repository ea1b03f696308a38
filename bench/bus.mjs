// Live telemetry over a bus: `skein live` alone, with --bus, and with a subject for each message, in turns, as 200 vehicles
// send to it; then the stream of the second into an archive. It needs nats-server.
// node bench/bus.mjs [SECONDS] [MESSAGES A SECOND]
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Archive } from '../dist/bus/archive.js';
import { openBus } from '../dist/bus/connection.js';
import { BusReader } from '../dist/bus/reader.js';
import { Lake } from '../dist/lake/lake.js';
import { bars, freePort, ROOT, table } from './bench.mjs';

const SECONDS = Number(process.argv[2] ?? 10);
const RATE = Number(process.argv[3] ?? 10_000);
const VEHICLES = 200;
/** Milliseconds between two moments at which an archive brings all to the disk. */
const COMMIT = 1000;
/** Ticks of the system's clock a second. */
const TICKS = 100;
const skein = join(ROOT, 'bin', 'skein.js');
const folder = mkdtempSync(join(tmpdir(), 'skein-bench-'));

/** Seconds of CPU of a process, from the words behind its name in /proc/PID/stat. */
function cpuOf(pid) {
  const words = readFileSync(`/proc/${pid}/stat`, 'latin1')
    .replace(/^.*\) /, '')
    .split(' ');
  return (Number(words[11]) + Number(words[12])) / TICKS;
}

async function startServer(name) {
  const port = await freePort();
  const args = ['-a', '127.0.0.1', '-p', String(port), '-js', '-sd', join(folder, name)];
  const server = spawn('nats-server', args, { stdio: 'ignore' });
  await sleep(500);
  return { url: `nats://127.0.0.1:${port}`, pid: server.pid, end: () => server.kill() };
}

/** One collector under one load. */
async function measure(name, ...args) {
  const server = await startServer(name);
  const [udp, http] = [await freePort(), await freePort()];
  const bus =
    args[0] === undefined ? [] : ['--bus', server.url, '--bus-spool', join(folder, `spool-${name}`), ...args[0]];
  const words = [skein, 'live', `udpin:127.0.0.1:${udp}`, '--http', String(http), '--no-request', ...bus];
  const live = spawn(process.execPath, words, { stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = once(live, 'exit');
  await once(live.stderr, 'data');
  live.stderr.resume();
  await sleep(1500);
  const before = [cpuOf(live.pid), cpuOf(server.pid)];
  const load = { port: udp, vehicles: VEHICLES, rate: RATE, seconds: SECONDS, sockets: VEHICLES, garbage: 0 };
  const sender = fork(fileURLToPath(new URL('live-sender.mjs', import.meta.url)), [JSON.stringify(load)]);
  const [{ sent }] = await once(sender, 'message');
  await sleep(1000);
  const cpu = [cpuOf(live.pid) - before[0], cpuOf(server.pid) - before[1]];
  const read = async () => (await fetch(`http://127.0.0.1:${http}/v1/statistics`)).json();
  let statistics = await read();
  for (let i = 0; i < 100 && statistics.bus?.spooled > 0; i++, statistics = await read()) await sleep(100);
  live.kill('SIGINT');
  await ended;
  let stored = 0;
  if (bus.length > 0) {
    const there = await openBus(server.url, { name: 'skein bench' });
    stored = (await there.manager.streams.info('SKEIN_LIVE')).state.bytes;
    await there.close();
  }
  return { sent, messages: statistics.messages, bus: statistics.bus, cpu, stored, server };
}

/** All frames of a stream into recordings of a lake, as `skein archive` writes them. */
async function archived(url) {
  const archive = await Archive.open(new Lake(join(folder, 'lake')), () => undefined);
  const reader = new BusReader({
    ...{ address: url, bus: { name: 'skein bench' } },
    begin: ({ created, state }) => ({ after: archive.position(created, state.last_seq) }),
  });
  let due = performance.now() + COMMIT;
  let began = Number.NaN;
  let cpu;
  for await (const message of reader.messages()) {
    if (Number.isNaN(began)) [began, cpu] = [performance.now(), process.cpuUsage()];
    if (message) archive.add(message);
    const isDone = message !== null && reader.pending === 0;
    if (isDone || performance.now() >= due) {
      await archive.commit();
      due = performance.now() + COMMIT;
    }
    if (isDone) reader.close();
  }
  const { user, system } = process.cpuUsage(cpu);
  const seconds = (performance.now() - began) / 1000;
  await archive.close();
  return { frames: archive.frames, seconds, cpu: (user + system) / 1e6 };
}

try {
  const plain = await measure('plain');
  plain.server.end();
  const split = await measure('split', ['--bus-by-message']);
  split.server.end();
  const bus = await measure('bus', []);
  const archive = await archived(bus.server.url);
  bus.server.end();
  console.log(`${VEHICLES} vehicles, ${RATE} messages/s for ${SECONDS} s\n`);
  const row = (name, { sent, messages, bus: state, cpu, stored }) => [
    name,
    sent,
    messages,
    state ? state.acknowledged : '',
    state ? (state.frames / state.batches).toFixed(1) : '',
    state ? (state.batches / SECONDS).toFixed(0) : '',
    ((1e6 * cpu[0]) / messages).toFixed(1),
    state ? ((1e6 * cpu[1]) / messages).toFixed(1) : '',
    state ? (stored / messages).toFixed(0) : '',
  ];
  table(
    [
      '',
      'sent',
      'received',
      'on the bus',
      'frames/batch',
      'batches/s',
      'µs/message',
      'µs of nats-server',
      'bytes stored',
    ],
    [row('skein live', plain), row('--bus', bus), row('--bus --bus-by-message', split)],
  );
  const rate = archive.frames / archive.seconds;
  console.log(
    `\narchive: ${archive.frames} frames in ${archive.seconds.toFixed(1)} s, ${rate.toFixed(0)} a second, ` +
      `${((1e6 * archive.cpu) / archive.frames).toFixed(1)} µs of CPU for each\n`,
  );
  const cost = (each) => each.cpu[0] / each.messages;
  bars([
    { name: 'frames received that are not on the bus', value: bus.bus.frames - bus.bus.acknowledged, bar: 0 },
    { name: 'frames on the bus that are not archived', value: bus.bus.acknowledged - archive.frames, bar: 0 },
    { name: 'CPU with a bus, times that without', value: cost(bus) / cost(plain), bar: 2 },
    { name: 'archive, times the rate of the vehicles', value: rate / RATE, bar: 1, atLeast: true },
  ]);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

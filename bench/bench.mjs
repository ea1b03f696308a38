// What the bench scripts share: making large inputs from the sample, timing, and one table at the end.
import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** The bytes of a sample file, repeated until there are at least N. */
export function repeated(name, bytes) {
  return filled(readFileSync(join(ROOT, 'sample', name)), bytes);
}

/** Some bytes, repeated until there are at least N. @param head bytes before them */
export function filled(one, bytes, head = new Uint8Array(0)) {
  const times = Math.ceil(bytes / one.length);
  const all = new Uint8Array(head.length + one.length * times);
  all.set(head);
  for (let i = 0; i < times; i++) all.set(one, head.length + i * one.length);
  return all;
}

/** The frames of the sample's telemetry log without their time stamps. */
export function sampleFrames() {
  const tlog = readFileSync(join(ROOT, 'sample', 'copter-square.tlog'));
  const frames = [];
  for (let at = 0; at + 8 < tlog.length; ) {
    const isSecond = tlog[at + 8] === 0xfd;
    const size = isSecond ? 12 + tlog[at + 9] + (tlog[at + 10] & 1) * 13 : 8 + tlog[at + 9];
    frames.push(tlog.subarray(at + 8, at + 8 + size));
    at += 8 + size;
  }
  return frames;
}

export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

/** A DataFlash log of one boot: the flight of a log again and again, each round later than the one before, by GPS too. */
export function repeatedDataflash(size, path = join(ROOT, 'sample', 'copter-square.BIN')) {
  const one = readFileSync(path);
  const types = new Map([[0x80, { length: 89 }]]);
  const records = [];
  let [first, last] = [0, 0];
  for (let at = 0; at + 3 <= one.length; at += types.get(one[at + 2]).length) {
    const type = one[at + 2];
    if (type === 0x80) types.set(one[at + 3], formOf(one, at));
    const { name, time, length } = types.get(type);
    if (at + length > one.length) break;
    if (time) {
      last = Number(one.readBigUInt64LE(at + 3));
      if (first === 0) first = last;
    }
    // defined once
    records.push({
      at,
      end: at + length,
      time,
      gps: name === 'GPS',
      again: !['FMT', 'FMTU', 'UNIT', 'MULT'].includes(name),
    });
  }
  const later = records.filter(({ again }) => again);
  const round = later.reduce((sum, { at, end }) => sum + end - at, 0);
  const times = Math.max(1, Math.ceil(size / round));
  const all = Buffer.alloc(one.length + (times - 1) * round);
  const millis = Math.ceil((last - first + 1000) / 1000);
  let at = 0;
  for (let k = 0; k < times; k++) {
    for (const record of k === 0 ? records : later) {
      one.copy(all, at, record.at, record.end);
      if (record.time && k > 0) all.writeBigUInt64LE(all.readBigUInt64LE(at + 3) + BigInt(k * millis * 1000), at + 3);
      // TimeUS, instance, status, then milliseconds of the GPS week
      if (record.gps && k > 0) all.writeUInt32LE(all.readUInt32LE(at + 13) + k * millis, at + 13);
      at += record.end - record.at;
    }
  }
  return new Uint8Array(all.buffer, all.byteOffset, all.length);
}

function formOf(bytes, at) {
  const text = (from, length) => bytes.toString('latin1', from, from + length).replace(/\0.*/s, '');
  return { length: bytes[at + 4], name: text(at + 5, 4), time: text(at + 9, 16)[0] === 'Q' };
}

/** A log of PX4, which is not in the project. */
export const ULOG = join(process.env.SKEIN_DATA ?? join(ROOT, '..', 'shared', 'data'), 'flight', 'px4-quad.ulg');

/** A log whose data are those of another again and again, each round later than the one before it. */
export function repeatedUlog(size) {
  const one = new Uint8Array(readFileSync(ULOG));
  const view = new DataView(one.buffer);
  const letter = (at) => String.fromCharCode(one[at + 2]);
  const next = (at) => at + 3 + view.getUint16(at, true);
  let head = 16;
  while (letter(head) !== 'D') head = next(head);
  // topics are subscribed when they are first there: all of them before the first round
  const later = [];
  const messages = [];
  let [length, first, last] = [0, Number.POSITIVE_INFINITY, 0];
  for (let at = head; at + 3 <= one.length && next(at) <= one.length; at = next(at)) {
    if (letter(at) === 'A') later.push(one.subarray(at, next(at)));
    if (!'DLS'.includes(letter(at))) continue;
    const timeAt = letter(at) === 'D' ? at + 5 : letter(at) === 'L' ? at + 4 : 0;
    const time = timeAt > 0 ? Number(view.getBigUint64(timeAt, true)) : 0;
    if (time > 0) [first, last] = [Math.min(first, time), Math.max(last, time)];
    messages.push({ at, end: next(at), timeAt: time > 0 ? timeAt - at : 0 });
    length += next(at) - at;
  }
  const times = Math.max(1, Math.ceil((size - head) / length));
  const start = Buffer.concat([one.subarray(0, head), ...later]);
  const all = new Uint8Array(start.length + times * length);
  all.set(start);
  const out = new DataView(all.buffer);
  let at = start.length;
  for (let round = 0; round < times; round++) {
    const shift = BigInt(round * (last - first + 1000));
    for (const { at: from, end, timeAt } of messages) {
      all.set(one.subarray(from, end), at);
      if (timeAt > 0 && round > 0) out.setBigUint64(at + timeAt, out.getBigUint64(at + timeAt, true) + shift, true);
      at += end - from;
    }
  }
  return all;
}

/** Runs with a folder that is removed afterwards. */
export async function withFolder(work) {
  const folder = mkdtempSync(join(tmpdir(), 'skein-bench-'));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs with a file of these bytes. */
export async function withFile(name, bytes, work) {
  return withFolder((folder) => {
    const path = join(folder, name);
    writeFileSync(path, bytes);
    return work(path);
  });
}

/** How often each piece of work is measured. */
export function rounds(usual) {
  return Number(process.env.SKEIN_BENCH_ROUNDS ?? usual);
}

/**
 * The best of several rounds of each piece of work, in milliseconds. The pieces take turns, so that whatever else the
 * machine does meets all of them alike.
 */
export async function best(rounds, works, clock = () => performance.now()) {
  const least = Object.fromEntries(Object.keys(works).map((name) => [name, Number.POSITIVE_INFINITY]));
  for (let round = 0; round < rounds; round++) {
    for (const [name, work] of Object.entries(works)) {
      const began = clock();
      await work();
      least[name] = Math.min(least[name], clock() - began);
    }
  }
  return least;
}

/** The same by both clocks: the least time that passed, and the least processor time. */
export async function bestOfBoth(rounds, works) {
  const least = Object.fromEntries(Object.keys(works).map((name) => [name, { wall: Infinity, processor: Infinity }]));
  for (let round = 0; round < rounds; round++) {
    for (const [name, work] of Object.entries(works)) {
      const began = { wall: performance.now(), processor: processorTime() };
      await work();
      least[name].wall = Math.min(least[name].wall, performance.now() - began.wall);
      least[name].processor = Math.min(least[name].processor, processorTime() - began.processor);
    }
  }
  return least;
}

/** Milliseconds of processor time of this process, all threads: what else the machine does counts less. */
export function processorTime() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Runs a command; its exit code may say that damage was found. */
export function run(command, ...args) {
  try {
    execFileSync(command, args, { stdio: 'ignore' });
  } catch (error) {
    if (error.status !== 3) throw error;
  }
}

/** Builds a peer in C and hands its path on; undefined where it cannot be built. */
export async function withBuilt(name, flags, work) {
  return withFolder((folder) => {
    const program = join(folder, name);
    const args = ['-O2', '-w', '-o', program, join(ROOT, 'bench', `${name}.c`), ...flags];
    return spawnSync('cc', args).status === 0 ? work(program) : undefined;
  });
}

/**
 * Milliseconds of processor time that the C library of MAVLink takes for two messages and for all; undefined where it cannot
 * be built. Its headers are made by the generator of pymavlink, which is looked for in .peers.
 */
export async function mavlinkInC(bytes, rounds, messages, flags = []) {
  return withFolder((folder) => {
    const script =
      'import os, sys, pymavlink.dialects.v20 as d; from pymavlink.generator import mavgen as g; g.mavgen(g.Opts(sys.argv[1], "2.0", "C"), [os.path.join(os.path.dirname(d.__file__), "ardupilotmega.xml")])';
    const python = join(ROOT, '.peers', 'bin', 'python');
    if (spawnSync(python, ['-c', script, folder], { stdio: 'ignore' }).status !== 0) return undefined;
    return withBuilt('mavlink', [`-I${folder}`, ...flags], (program) =>
      withFile('messages.bin', bytes, (path) => {
        const [two, all] = ['two', 'all'].map((which) => {
          const [millis, found] = printedNumbers(program, path, which, String(rounds));
          if (found !== messages) throw new Error(`the C library finds ${found} of ${messages} messages`);
          return millis;
        });
        return { two, all };
      }),
    );
  });
}

/** What a program prints as numbers. */
export function printedNumbers(program, ...args) {
  return execFileSync(program, args, { encoding: 'utf8' }).split(' ').map(Number);
}

/** Adds up all bytes: what the simplest loop over the input costs on this machine, now. */
export function byteSum(bytes) {
  let sum = 0;
  for (let i = 0; i < bytes.length; i++) sum += bytes[i];
  return sum;
}

/** Prints rows of cells under a head. */
export function table(head, rows) {
  const all = [head, ...rows].map((row) => row.map(String));
  const widths = head.map((_, i) => Math.max(...all.map((row) => row[i].length)));
  for (const row of all)
    console.log(row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i]))).join('  '));
}

/** The row of an ingest: seconds, logs a second, megabytes a second. */
export function ingestLine(name, millis, logs, megabytes) {
  const seconds = millis / 1000;
  return [name, seconds.toFixed(1), (logs / seconds).toFixed(2), (megabytes / seconds).toFixed(1)];
}

/** Whether a bar is reached, or missed by less than a margin. */
export function isReached({ value, bar, atLeast }, margin = 1) {
  return atLeast ? value >= bar / margin : value <= bar * margin;
}

/** Says whether each bar was reached; a bench that misses one ends with 1, unless bars.mjs started it, which judges itself. */
export function bars(list) {
  for (const each of list) {
    const { name, value, bar, atLeast } = each;
    const ok = isReached(each);
    console.log(`${ok ? 'ok  ' : 'MISS'}  ${name}: ${value.toFixed(2)}, bar ${atLeast ? '>=' : '<='} ${bar}`);
    if (!ok && !process.send) process.exitCode = 1;
  }
  process.send?.(list);
}

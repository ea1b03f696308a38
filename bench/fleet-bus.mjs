// The same logs into a lake by two processes of one command, and through a bus by two workers of one process each.
// Needs nats-server on the PATH. node bench/fleet-bus.mjs [LOGS]
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bars, best, freePort, ingestLine, ROOT, rounds, run, table } from './bench.mjs';

const COUNT = Number(process.argv[2] ?? 24);
const ROUNDS = rounds(2);
const MACHINE = '3d1219c7c4c5404aaa1f6d2a48adfda4';
const skein = join(ROOT, 'bin', 'skein.js');

/** Starts a program and waits until it says so. */
async function start(words, ready) {
  const child = spawn(words[0], words.slice(1), { stdio: ['ignore', 'ignore', 'pipe'] });
  await new Promise((resolve, reject) => {
    let printed = '';
    child.on('error', reject);
    child.on('exit', () => reject(new Error(`${words[0]} ended: ${printed}`)));
    child.stderr.on('data', (bytes) => {
      printed += bytes;
      if (printed.includes(ready)) resolve();
    });
  });
  return child;
}

async function end(child) {
  child.removeAllListeners('exit');
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}

const folder = mkdtempSync(join(tmpdir(), 'skein-bench-'));
const running = [];
try {
  const logs = join(folder, 'logs');
  mkdirSync(logs);
  const sample = readFileSync(join(ROOT, 'sample', 'copter-square.BIN'));
  const at = sample.indexOf(MACHINE);
  for (let i = 0; i < COUNT; i++) {
    sample.write(i.toString(16).padStart(8, 'f'), at, 'latin1');
    writeFileSync(join(logs, `${i}.BIN`), sample);
  }
  const port = await freePort();
  const server = ['nats-server', '-a', '127.0.0.1', '-p', String(port), '-js', '-sd', join(folder, 'store')];
  running.push(await start(server, 'Server is ready'));
  const bus = ['--bus', `nats://127.0.0.1:${port}`];

  let rounds = 0;
  const check = (lake) => {
    const found = readdirSync(join(lake, '_catalogue', 'logs')).length;
    if (found !== COUNT) throw new Error(`${found} logs are in the lake and not ${COUNT}`);
  };
  const local = () => {
    const lake = join(folder, `local-${rounds++}`);
    run(process.execPath, skein, 'ingest', logs, '--lake', lake, '--workers', '2');
    check(lake);
  };
  // workers are there before the logs, as they are on a fleet's machines
  const words = (lake) => [
    process.execPath,
    skein,
    'worker',
    '--lake',
    lake,
    ...bus,
    '--allow',
    logs,
    '--workers',
    '1',
  ];
  const through = async (lake) => {
    const workers = [await start(words(lake), 'taking jobs'), await start(words(lake), 'taking jobs')];
    running.push(...workers);
    const began = performance.now();
    run(process.execPath, skein, 'ingest', logs, '--lake', lake, ...bus);
    const took = performance.now() - began;
    await Promise.all(workers.map(end));
    check(lake);
    return took;
  };
  const times = { local: Infinity, bus: Infinity };
  for (let round = 0; round < ROUNDS; round++) {
    times.local = Math.min(times.local, (await best(1, { local })).local);
    times.bus = Math.min(times.bus, await through(join(folder, `bus-${round}`)));
  }
  const megabytes = (COUNT * sample.length) / 1e6;
  console.log(`${COUNT} logs, ${megabytes.toFixed(0)} MB\n`);
  const line = (name, millis) => ingestLine(name, millis, COUNT, megabytes);
  table(
    ['', 's', 'logs/s', 'MB/s'],
    [line('two processes of one command', times.local), line('two workers over a bus', times.bus)],
  );
  bars([{ name: 'over a bus, times the speed without', value: times.local / times.bus, bar: 0.8, atLeast: true }]);
} finally {
  for (const child of running) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
}

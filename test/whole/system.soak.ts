// The whole system for an hour: two collectors, a bus that is cut, an archive that is killed, links that come and go, and
// both pages open in a browser. It ends with a sum that must fit, and with a table in docs/soak.md.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { afterAll, expect, test } from 'vitest';
import { Lake } from '../../src/lake/lake.ts';
import { LakeDatabase } from '../../src/lake/lake-database.ts';
import { Running } from '../bus/jobs.ts';
import { SAMPLE } from '../helpers/cli.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { startNats } from '../helpers/nats-server.ts';
import {
  freeUdpPort,
  type RunningLive,
  type RunningReplay,
  startLive,
  startLiveOn,
  startReplay,
} from '../live/command.ts';
import { NumberedVehicle } from '../vehicle/sockets.ts';
import { openPage, startBrowser, startView, type WatchedPage, withoutMaps } from '../web/browser.ts';

/** SKEIN_SOAK_MINUTES for a shorter look, which leaves docs/soak.md alone unless SKEIN_SOAK_REPORT is set. */
const WHOLE = 60;
const MINUTES = Number(process.env.SKEIN_SOAK_MINUTES ?? WHOLE);
/** One thing happens in each round, in turn. */
const ROUND = 60_000;
const ROWS = 12;
const RATE = 250;
const SPEED = 5;
const MEBI = 2 ** 20;
const TLOG = fileURLToPath(new URL('../../sample/copter-square.tlog', import.meta.url));
const REPORT = fileURLToPath(new URL('../../docs/soak.md', import.meta.url));
const folder = temporaryFolder();

/** What was measured at the end of a round. */
interface Sample {
  readonly minute: number;
  readonly sent: number;
  readonly collector: number;
  readonly viewer: number;
  readonly archive: number;
  readonly page: number;
  readonly descriptors: number;
  readonly files: number;
  readonly spooled: number;
  /** Of answers of the API, milliseconds. */
  readonly median: number;
  readonly p99: number;
  /** Of the machine, also by what runs beside us. */
  readonly load: number;
}

const memoryOf = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? Number.NaN) * 1024;
const descriptorsOf = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length;

/** Folders come and go while they are counted. */
function filesIn(place: string): number {
  for (;;) {
    try {
      return readdirSync(place, { recursive: true }).length;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
}

function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
}

async function metric(port: number, name: string): Promise<number> {
  // a connection of its own: one that is kept may be closed by the server just when it is used again
  const answer = await fetch(`http://127.0.0.1:${port}/metrics`, { headers: { connection: 'close' } });
  const text = await answer.text();
  return Number(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'm').exec(text)?.[1] ?? Number.NaN);
}

/** What a page's script holds once its garbage is gone. */
async function heapOf({ page, context }: WatchedPage): Promise<number> {
  const devtools = await context.newCDPSession(page);
  await devtools.send('HeapProfiler.collectGarbage');
  const { usedSize } = await devtools.send('Runtime.getHeapUsage');
  await devtools.detach();
  return usedSize;
}

/** Lowest, highest, how many, how many different ones. */
async function numbersIn(lake: string): Promise<number[]> {
  const database = await LakeDatabase.open(new Lake(lake));
  try {
    const sql =
      "SELECT min(value), max(value), count(*), count(DISTINCT value) FROM NAMED_VALUE_INT WHERE vehicle = 'field-system-7'";
    for await (const row of (await database.query(sql)).rows()) return row.map(Number);
    return [];
  } finally {
    database.close();
  }
}

const closing: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const close of closing.reverse()) await close().catch(() => undefined);
});

test(`${MINUTES} minutes of everything: nothing is lost or stored twice, and nothing grows`, async () => {
  const [lake, record, spool] = ['lake', 'record', 'spool'].map((name) => join(folder, name));
  mkdirSync(record);
  const server = await startNats();
  closing.push(() => server.close());
  const [numbered, played] = [await freeUdpPort(), await freeUdpPort()];

  const collect = (http: number): Promise<RunningLive> =>
    startLive(
      ...[numbered, http, `udpin:127.0.0.1:${played}`, '--no-request'],
      ...['--record', record, '--log-file', join(folder, 'status.json')],
      ...['--bus', server.url, '--bus-name', 'field', '--bus-spool', spool],
    );
  const archiving = (): Running => new Running('archive', '--bus', server.url, '--lake', lake);

  let collector = await collect(0);
  const http = collector.port;
  const viewer = await startLiveOn(server.url, 0, '--no-request');
  let archive = archiving();
  const vehicle = new NumberedVehicle(numbered, 7);
  let replay: RunningReplay | undefined = startReplay(TLOG, played, SPEED);
  const log = await startView(SAMPLE);
  const browser: Browser = await startBrowser();
  for (const close of [
    ...[() => collector.close(), () => viewer.close(), () => archive.end('SIGKILL'), () => vehicle.close()],
    ...[async () => replay?.close(), () => log.close(), () => browser.close()],
  ])
    closing.push(close);
  const open = async (address: string): Promise<WatchedPage> => {
    const watched = await openPage(browser, 'about:blank');
    await watched.context.addInitScript(withoutMaps);
    await watched.page.goto(address);
    return watched;
  };
  const [live, logPage] = [await open(viewer.address), await open(log.address)];

  const times: number[] = [];
  const asking = setInterval(async () => {
    const begun = performance.now();
    const answer = await fetch(`http://127.0.0.1:${viewer.port}/v1/vehicles`, {
      headers: { connection: 'close' },
    }).catch(() => undefined);
    await answer?.arrayBuffer();
    times.push(performance.now() - begun);
  }, 1000);
  closing.push(async () => clearInterval(asking));

  /** All that was sent has been taken; frames then wait for 200 ms before they go to the disk. */
  let earlier = 0;
  const settle = async (): Promise<void> => {
    vehicle.pause();
    await replay?.close();
    for (let same = 0, before = -1; same < 3; await sleep(500)) {
      const taken = await metric(http, 'skein_bus_frames_total');
      same = taken === before ? same + 1 : 0;
      before = taken;
    }
  };
  const turns: Record<string, () => Promise<void>> = {
    'the bus was away for 20 s': async () => {
      await server.stop();
      await sleep(20_000);
      await server.start();
    },
    'the bus was killed': async () => {
      await server.kill();
      await sleep(2000);
      await server.start();
    },
    'the archive was killed': async () => {
      await archive.end('SIGKILL');
      archive = archiving();
    },
    'a link went away for 20 s': async () => {
      await replay?.close();
      await sleep(20_000);
      replay = startReplay(TLOG, played, SPEED);
    },
    'the collector was killed': async () => {
      await settle();
      earlier += await metric(http, 'skein_bus_dropped_frames_total');
      await collector.kill();
      collector = await collect(http);
      replay = startReplay(TLOG, played, SPEED);
      vehicle.start(RATE);
    },
    'the Log page was loaded again': async () => {
      await logPage.page.reload();
      await logPage.page
        .getByRole('button', { name: /problem|check|warning|failure/i })
        .first()
        .waitFor();
    },
  };
  const happened = new Map<string, number>();
  const samples: Sample[] = [];
  vehicle.start(RATE);
  const names = Object.keys(turns);
  for (let minute = 1; minute <= MINUTES; minute++) {
    const until = Date.now() + ROUND;
    const name = names[(minute - 1) % names.length];
    await turns[name]();
    happened.set(name, (happened.get(name) ?? 0) + 1);
    await sleep(Math.max(0, until - Date.now()));
    const asked = times.splice(0);
    samples.push({
      minute,
      sent: vehicle.number,
      collector: await metric(http, 'process_resident_memory_bytes'),
      viewer: await metric(viewer.port, 'process_resident_memory_bytes'),
      archive: memoryOf(archive.pid),
      page: await heapOf(live),
      descriptors: descriptorsOf(viewer.pid) + descriptorsOf(collector.pid) + descriptorsOf(archive.pid),
      files: filesIn(record) + filesIn(spool) + filesIn(lake),
      spooled: await metric(http, 'skein_bus_spooled_bytes'),
      median: quantile(asked, 0.5),
      p99: quantile(asked, 0.99),
      load: loadavg()[0],
    });
    process.stderr.write(`${JSON.stringify(samples.at(-1))}\n`);
  }
  await settle();
  replay = undefined;
  await expect.poll(() => metric(http, 'skein_bus_spooled_bytes'), { timeout: 60_000 }).toBe(0);
  const dropped = earlier + (await metric(http, 'skein_bus_dropped_frames_total'));
  await archive.end('SIGTERM');
  const last = new Running('archive', '--bus', server.url, '--lake', lake, '--drain');
  expect((await last.end()).code, last.stderr).toBe(0);
  const [, , stored, different] = await numbersIn(lake);
  const report = reportOf(samples, happened, { sent: vehicle.number, stored, different, dropped });
  process.stdout.write(report);
  if (MINUTES >= WHOLE || process.env.SKEIN_SOAK_REPORT) writeFileSync(REPORT, report);

  expect({ stored, different, dropped }).toEqual({ stored: vehicle.number, different: vehicle.number, dropped: 0 });
  expect([...live.troubles, ...logPage.troubles]).toEqual([]);
  // the last third beside the second: what fills once has filled before
  const third = Math.floor(samples.length / 3);
  for (const of of ['viewer', 'page', 'descriptors'] as const) {
    const middle = samples.slice(third, 2 * third).map((sample) => sample[of]);
    const end = samples.slice(2 * third).map((sample) => sample[of]);
    expect(quantile(end, 0.5), of).toBeLessThan(1.15 * quantile(middle, 0.5) + (of === 'descriptors' ? 4 : 0));
  }
});

function reportOf(
  samples: readonly Sample[],
  happened: ReadonlyMap<string, number>,
  { sent, stored, different, dropped }: Record<'sent' | 'stored' | 'different' | 'dropped', number>,
): string {
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  const every = Math.max(1, Math.floor(samples.length / ROWS));
  const rows = samples
    .filter((_, i) => (i + 1) % every === 0)
    .map(
      ({ minute, sent: numbers, collector, viewer, archive, page, descriptors, files, spooled, median, p99, load }) => {
        const sizes = [collector, viewer, archive, page].map((bytes) => (bytes / MEBI).toFixed(0));
        const cells = [minute, numbers, ...sizes, descriptors, files, (spooled / 1024).toFixed(0)];
        return `| ${[...cells, median.toFixed(1), p99.toFixed(1), load.toFixed(0)].join(' | ')} |`;
      },
    );
  return `# Soak

Written by \`npm run soak\`: ${samples.length} minutes${samples.length < WHOLE ? ` (not the ${WHOLE} of a release)` : ''}, ${new Date().toISOString().slice(0, 10)}, commit ${commit}.

A vehicle sends ${RATE} numbered messages a second over UDP, and a second one is a flight played at ${SPEED} times its
speed. A collector records both and sends them to a bus; an archive writes them to a lake; a second collector, which is
never restarted, shows them on the Live page; the Log page is open beside it. Each minute something fails:

${[...happened].map(([name, count]) => `- ${name}: ${count} times`).join('\n')}

| numbered messages | count |
|---|--:|
| sent | ${sent} |
| in the lake | ${stored} |
| missing | ${sent - different} |
| stored twice | ${stored - different} |
| dropped by the spool | ${dropped} |

Memory of the collector, of the viewing collector, of the archive and of the Live page's script is in MiB; what waits in
the spool is in KiB; the answer times of the viewing collector's API are in ms; the load is that of the machine with its
${availableParallelism()} cores, other programs included.

| minute | sent | collector | viewer | archive | page | open files | files on disk | spool | answer, median | answer, p99 | load |
|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|
${rows.join('\n')}
`;
}

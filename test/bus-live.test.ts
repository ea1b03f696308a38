// Live telemetry over a real bus, with collectors and archives as processes of their own that are killed.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test, vi } from 'vitest';
import { Lake } from '../src/fleet/lake.ts';
import { LakeDatabase } from '../src/fleet/lake-database.ts';
import { openBus } from '../src/node/bus.ts';
import { SKEIN } from './cli.ts';
import { temporaryFolder } from './folder.ts';
import { freeUdpPort, type RunningLive, startLive, startLiveOn } from './live-command.ts';
import { type NatsServer, startNats, startNatsCluster } from './nats-server.ts';
import { needCommand } from './need.ts';
import { NumberedVehicle } from './numbered-vehicle.ts';

const folder = temporaryFolder();
const TIMEOUT = 120_000;
const RATE = 250;

/** `skein archive` as a process; it says what it printed. */
class RunningArchive {
  printed = '';
  private readonly child: ChildProcess;
  private readonly exit: Promise<unknown[]>;

  constructor(bus: string, lake: string, ...args: string[]) {
    this.child = spawn(process.execPath, [SKEIN, 'archive', '--bus', bus, '--lake', lake, ...args], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.exit = once(this.child, 'exit');
    this.child.stderr?.on('data', (bytes: Buffer) => {
      this.printed += bytes.toString();
    });
  }

  async end(signal?: NodeJS.Signals): Promise<number | null> {
    if (signal) this.child.kill(signal);
    return (await this.exit)[0] as number | null;
  }
}

/** A number among the metrics of a collector. */
async function metric({ port }: RunningLive, name: string): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  return Number(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'm').exec(text)?.[1] ?? Number.NaN);
}

/** Waits for a metric. Tests run beside each other here, and `expect.poll` may not know of which it is a part. */
async function becomes(live: RunningLive, name: string, value: number, timeout: number): Promise<void> {
  await vi.waitFor(async () => expect(await metric(live, name)).toBe(value), { timeout, interval: 100 });
}

/** All that a vehicle sent has been taken. */
async function allTaken(live: RunningLive, frames: number, name: string): Promise<void> {
  await becomes(live, name, frames, 30_000);
}

/** Frames are gathered for 200 ms before they go to the disk, on a machine that has nothing else to do. */
async function settled(live: RunningLive): Promise<void> {
  for (let before = -1, same = 0; same < 3; ) {
    await sleep(300);
    const bytes = await metric(live, 'skein_bus_spooled_bytes');
    same = bytes === before ? same + 1 : 0;
    before = bytes;
  }
}

/** How often each number is in a lake: lowest, highest, how many, how many different ones. */
async function numbersIn(lake: string, vehicle: string): Promise<unknown[]> {
  const database = await LakeDatabase.open(new Lake(lake));
  try {
    const sql = `SELECT min(value), max(value), count(*), count(DISTINCT value) FROM NAMED_VALUE_INT WHERE vehicle = '${vehicle}'`;
    for await (const row of (await database.query(sql)).rows()) return row.map(Number);
    return [];
  } finally {
    database.close();
  }
}

needCommand('nats-server')('frames on a bus', () => {
  const servers: NatsServer[] = [];
  afterAll(() => Promise.all(servers.map((server) => server.close())));

  test.concurrent(
    'are all archived, each once, over a bus that is away for 10 s and kills of collector and archive',
    async () => {
      const server = await startNats();
      servers.push(server);
      const lake = join(folder, 'cut');
      const port = await freeUdpPort();
      const bus = ['--bus', server.url, '--bus-name', 'base', '--bus-spool', join(folder, 'spool'), '--no-request'];
      const vehicle = new NumberedVehicle(port, 1);
      let live = await startLive(port, 0, ...bus);
      await becomes(live, 'skein_bus_up', 1, 10_000);
      const view = await startLiveOn(server.url, 0, '--no-request');
      let archive = new RunningArchive(server.url, lake);
      try {
        vehicle.start(RATE);
        await sleep(2000);
        // the bus is away for ten seconds, and the collector is killed while it spools
        await server.stop();
        const cut = Date.now();
        await sleep(2000);
        vehicle.pause();
        await allTaken(live, vehicle.frames, 'skein_bus_frames_total');
        expect(await metric(live, 'skein_bus_up')).toBe(0);
        await settled(live);
        await live.kill();
        const before = vehicle.frames;
        live = await startLive(port, 0, ...bus);
        expect(await metric(live, 'skein_bus_spooled_bytes')).toBeGreaterThan(1000);
        vehicle.start(RATE);
        await sleep(Math.max(0, 10_000 - (Date.now() - cut)));
        await server.start();
        await becomes(live, 'skein_bus_up', 1, 20_000);
        // while the archive fetches what was missed
        await sleep(700);
        await archive.end('SIGKILL');
        archive = new RunningArchive(server.url, lake);
        await sleep(1500);
        vehicle.pause();
        await allTaken(live, vehicle.frames - before, 'skein_bus_frames_total');
        await becomes(live, 'skein_bus_spooled_bytes', 0, 20_000);
        expect(await metric(live, 'skein_bus_dropped_frames_total')).toBe(0);
        const shown = 'skein_messages_total\\{vehicle="1",component="1",message="NAMED_VALUE_INT"\\}';
        await becomes(view, shown, vehicle.number, 20_000);
        expect(await metric(view, 'skein_link_dropped_total')).toBe(0);
        await archive.end('SIGKILL');
        const last = new RunningArchive(server.url, lake, '--drain');
        expect(await last.end(), last.printed).toBe(0);
        expect(await numbersIn(lake, 'base-system-1')).toEqual([1, vehicle.number, vehicle.number, vehicle.number]);
        // once more changes nothing
        const again = new RunningArchive(server.url, lake, '--drain');
        expect(await again.end(), again.printed).toBe(0);
        expect(again.printed).toContain('0 frames archived, 0 recordings');
      } finally {
        await Promise.all([vehicle.close(), live.kill(), view.kill(), archive.end('SIGKILL')]);
      }
    },
    TIMEOUT,
  );

  test.concurrent(
    'of two collectors are all archived when a server of three is killed',
    async () => {
      const cluster = await startNatsCluster(3);
      servers.push(...cluster);
      const urls = cluster.map(({ url }) => url).join(',');
      const lake = join(folder, 'cluster');
      const names = ['north', 'south'];
      const ports = await Promise.all(names.map(() => freeUdpPort()));
      const lives = await Promise.all(
        names.map((name, i) => {
          const spool = join(folder, `spool-${name}`);
          const bus = ['--bus', urls, '--bus-replicas', '3', '--bus-name', name, '--bus-spool', spool, '--no-request'];
          return startLive(ports[i], 0, ...bus);
        }),
      );
      const vehicles = ports.map((port) => new NumberedVehicle(port, 1));
      const archive = new RunningArchive(urls, lake);
      try {
        for (const live of lives) await becomes(live, 'skein_bus_up', 1, 40_000);
        for (const vehicle of vehicles) vehicle.start(RATE);
        await sleep(2000);
        const bus = await openBus(urls, { name: 'test' });
        const leader = (await bus.manager.streams.info('SKEIN_LIVE')).cluster?.leader ?? '';
        await bus.close();
        await cluster[Number(leader.replace('server-', ''))].kill();
        await sleep(3000);
        for (const vehicle of vehicles) vehicle.pause();
        for (const [i, live] of lives.entries())
          await allTaken(live, vehicles[i].frames, 'skein_bus_acknowledged_frames_total');
        expect(await archive.end('SIGTERM'), archive.printed).toBe(0);
        const last = new RunningArchive(urls, lake, '--drain');
        expect(await last.end(), last.printed).toBe(0);
        // the same system id, but two vehicles
        for (const [i, name] of names.entries()) {
          const { number } = vehicles[i];
          expect(await numbersIn(lake, `${name}-system-1`)).toEqual([1, number, number, number]);
        }
      } finally {
        await Promise.all([
          ...vehicles.map((each) => each.close()),
          ...lives.map((live) => live.kill()),
          archive.end('SIGKILL'),
        ]);
      }
    },
    TIMEOUT,
  );
});

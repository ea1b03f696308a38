// Live telemetry over a real bus, with collectors and archives as processes of their own that are killed.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test, vi } from 'vitest';
import { openBus } from '../../src/bus/connection.ts';
import { SKEIN } from '../helpers/cli.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { long, many } from '../helpers/long.ts';
import { type NatsServer, startNats, startNatsCluster } from '../helpers/nats-server.ts';
import { needCommand } from '../helpers/need.ts';
import { freeUdpPort, type RunningLive, startLive, startLiveOn } from '../live/command.ts';
import { Random } from '../suite/random.ts';
import { NumberedVehicle } from '../vehicle/sockets.ts';
import { numbersInLake, upTo } from './numbered.ts';

const folder = temporaryFolder();
const TIMEOUT = 300_000;
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
async function becomes(live: RunningLive, name: string, value: number): Promise<void> {
  await vi.waitFor(async () => expect(await metric(live, name), name).toBe(value), {
    timeout: TIMEOUT / 4,
    interval: 100,
  });
}

/** All that a vehicle sent has been taken. */
async function allTaken(live: RunningLive, frames: number, name: string): Promise<void> {
  await becomes(live, name, frames);
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
      await becomes(live, 'skein_bus_up', 1);
      // it is on the bus when it has started: what came before that it would not have
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
        await becomes(live, 'skein_bus_up', 1);
        // while the archive fetches what was missed
        await sleep(700);
        await archive.end('SIGKILL');
        archive = new RunningArchive(server.url, lake);
        await sleep(1500);
        vehicle.pause();
        await allTaken(live, vehicle.frames - before, 'skein_bus_frames_total');
        await becomes(live, 'skein_bus_spooled_bytes', 0);
        expect(await metric(live, 'skein_bus_dropped_frames_total')).toBe(0);
        const shown = 'skein_messages_total\\{vehicle="1",component="1",message="NAMED_VALUE_INT"\\}';
        await becomes(view, shown, vehicle.number);
        expect(await metric(view, 'skein_link_dropped_total')).toBe(0);
        await archive.end('SIGKILL');
        const last = new RunningArchive(server.url, lake, '--drain');
        expect(await last.end(), last.printed).toBe(0);
        expect(await numbersInLake(lake, 'base-system-1')).toEqual(upTo(vehicle.number));
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
    'of three collectors are all archived, each once, while collectors, bus and archive are killed',
    async () => {
      const server = await startNats();
      servers.push(server);
      const lake = join(folder, 'three');
      const random = new Random(5);
      const stations = await Promise.all(
        ['a', 'b', 'c'].map(async (name) => {
          const port = await freeUdpPort();
          const spool = join(folder, `spool-three-${name}`);
          const start = (): Promise<RunningLive> =>
            startLive(port, 0, '--bus', server.url, '--bus-name', name, '--bus-spool', spool, '--no-request');
          return { name, start, vehicle: new NumberedVehicle(port, 1), live: await start(), before: 0 };
        }),
      );
      let archive = new RunningArchive(server.url, lake);
      try {
        for (const { live } of stations) await becomes(live, 'skein_bus_up', 1);
        for (let round = 0; round < many(5, 1); round++) {
          const killed = stations[round % stations.length];
          for (const { vehicle } of stations) vehicle.start(RATE);
          await sleep(200 + random.below(500));
          await server.kill();
          await sleep(random.below(400));
          await archive.end('SIGKILL');
          archive = new RunningArchive(server.url, lake);
          for (const { vehicle } of stations) vehicle.pause();
          await allTaken(killed.live, killed.vehicle.frames - killed.before, 'skein_bus_frames_total');
          await settled(killed.live);
          // once while all waits in its spool, and once while that is on its way
          for (let kill = 0; kill < 2; kill++) {
            await killed.live.kill();
            killed.before = killed.vehicle.frames;
            killed.live = await killed.start();
            if (kill === 0) await server.start();
            await sleep(random.below(600));
          }
        }
        for (const { live, vehicle, before } of stations) {
          await allTaken(live, vehicle.frames - before, 'skein_bus_frames_total');
          await becomes(live, 'skein_bus_spooled_bytes', 0);
          expect(await metric(live, 'skein_bus_dropped_frames_total')).toBe(0);
        }
        await archive.end('SIGKILL');
        const last = new RunningArchive(server.url, lake, '--drain');
        expect(await last.end(), last.printed).toBe(0);
        for (const { name, vehicle } of stations)
          expect(await numbersInLake(lake, `${name}-system-1`)).toEqual(upTo(vehicle.number));
      } finally {
        await Promise.all([
          ...stations.flatMap(({ vehicle, live }) => [vehicle.close(), live.kill()]),
          archive.end('SIGKILL'),
        ]);
      }
    },
    TIMEOUT,
  );

  long((title, body) => test.concurrent(title, body, TIMEOUT))(
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
        for (const live of lives) await becomes(live, 'skein_bus_up', 1);
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
        for (const [i, name] of names.entries())
          expect(await numbersInLake(lake, `${name}-system-1`)).toEqual(upTo(vehicles[i].number));
      } finally {
        await Promise.all([
          ...vehicles.map((each) => each.close()),
          ...lives.map((live) => live.kill()),
          archive.end('SIGKILL'),
        ]);
      }
    },
  );
});

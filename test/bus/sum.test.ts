// What was sent is archived or counted as lost, by seed: sizes around each batch, cut connections, kills, a full spool.
import { cpSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Archive } from '../../src/bus/archive.ts';
import { type Bus, openBus } from '../../src/bus/connection.ts';
import { BUS_LIMITS, BUS_LIVE_LIMITS } from '../../src/bus/limits.ts';
import { BusPublisher } from '../../src/bus/publisher.ts';
import { BusReader } from '../../src/bus/reader.ts';
import type { Spool } from '../../src/bus/spool.ts';
import { Lake } from '../../src/lake/lake.ts';
import { skein } from '../helpers/cli.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { many } from '../helpers/long.ts';
import { type NatsServer, startNats } from '../helpers/nats-server.ts';
import { needCommand } from '../helpers/need.ts';
import { Random } from '../suite/random.ts';
import { CutProxy } from './cut-proxy.ts';
import { numbered, numbersIn, timeOfNumber, upTo } from './numbered.ts';

/** Small ones, so that a run of a second goes over all of them. */
const SMALL = {
  ...{ batchMilliseconds: 10, batchBytes: 400, window: 8, segmentBytes: 4096, readBytes: 8192, fetchMessages: 8 },
  ...{ overlap: 20, retryMilliseconds: 20, fetchMilliseconds: 1000, commitMilliseconds: 20 },
  // a collector that is killed does not wait for the bus
  ...{ acknowledgeMilliseconds: 500, lastMilliseconds: 50 },
};
/** A request or an answer that went with a connection is not waited for. */
const IMPATIENT = { connectMilliseconds: 500, retryMilliseconds: 20, answerMilliseconds: 500, drainMilliseconds: 500 };
/** Frames of a batch of `batchBytes`, of `fetchMessages` and `overlap` of them, and of a file of the spool. */
const FRAME = numbered(1).length + 8;
const PER_BATCH = Math.ceil(SMALL.batchBytes / FRAME);
const SIZES = [
  ...[PER_BATCH, PER_BATCH * SMALL.fetchMessages, PER_BATCH * SMALL.overlap, Math.ceil(SMALL.segmentBytes / FRAME)],
].flatMap((n) => [n - 1, n, n + 1]);
const RUNS = Number(process.env.SKEIN_SUMS ?? many(30, 6));

/** Copies a folder that is written to: a file of it may be gone when its turn comes. */
function copyFolder(from: string, to: string): void {
  for (let left = 10; ; left--) {
    try {
      cpSync(from, to, { recursive: true });
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || left === 0) throw error;
      rmSync(to, { recursive: true, force: true });
    }
  }
}

needCommand('nats-server')('frames on their way to an archive', () => {
  const folder = temporaryFolder();
  const usual = { ...BUS_LIVE_LIMITS };
  const usualBus = { ...BUS_LIMITS };
  let server: NatsServer;
  let bus: Bus;
  beforeAll(async () => {
    server = await startNats();
    bus = await openBus(server.url, { name: 'test' });
    Object.assign(BUS_LIVE_LIMITS, SMALL);
    Object.assign(BUS_LIMITS, IMPATIENT);
  });
  afterAll(async () => {
    Object.assign(BUS_LIVE_LIMITS, usual);
    Object.assign(BUS_LIMITS, usualBus);
    await bus.close();
    await server.close();
  });

  /** A collector as a process that can be killed: the disk is as it was at that moment, and nothing more leaves. */
  class Collector {
    dropped = 0;
    private readonly spoolBytes: number;
    private path: string;
    proxy: CutProxy | undefined;
    private publisher: BusPublisher | undefined;
    starts = 0;

    constructor(path: string, spoolBytes: number) {
      this.path = path;
      this.spoolBytes = spoolBytes;
    }

    /** @param piece where its connection is cut, once */
    async start(piece = 0): Promise<void> {
      this.proxy = await CutProxy.to(server.port);
      this.proxy.cutAtPiece(piece);
      const { spoolBytes } = this;
      const options = { address: this.proxy.url, bus: {}, collector: 'base', spool: this.path, spoolBytes };
      this.publisher = await BusPublisher.open(options, () => undefined);
    }

    get state() {
      return (this.publisher as BusPublisher).state;
    }

    cutAfter(bytes: number): void {
      this.proxy?.cutAfter(bytes);
    }

    send(value: number): void {
      this.publisher?.take('l', '', numbered(value), 0, timeOfNumber(value));
    }

    /** What was sent is on the disk. */
    async settle(): Promise<void> {
      const { spool, flush } = this.publisher as unknown as { spool: Spool; flush: () => void };
      flush.call(this.publisher);
      await spool.flush();
    }

    async kill(): Promise<void> {
      const next = `${this.path.replace(/\.\d+$/, '')}.${++this.starts}`;
      this.dropped += this.state.dropped;
      copyFolder(this.path, next);
      writeFileSync(join(next, 'lock'), '999999999 1\n');
      await this.proxy?.close();
      await this.publisher?.close();
      this.path = next;
      await this.start();
    }

    /** All is on the bus, or was dropped. */
    async end(): Promise<void> {
      await this.settle();
      await expect.poll(() => this.state.spooled, { timeout: 20_000, interval: 20 }).toBe(0);
      this.dropped += this.state.dropped;
      await this.publisher?.close();
      await this.proxy?.close();
    }
  }

  /** Archives what the stream has. @param breaks how often it is killed: what it did not commit is gone */
  async function archiveAll(lake: string, random: Random, breaks: number): Promise<Archive> {
    for (let left = breaks; ; left--) {
      const archive = await Archive.open(new Lake(lake), () => undefined);
      const reader = new BusReader({
        ...{ address: server.url, bus: { name: 'test' } },
        begin: ({ created, state }) => ({ after: archive.position(created, state.last_seq) }),
      });
      for await (const message of reader.messages()) {
        if (message) archive.add(message);
        if (random.chance(0.2)) await archive.commit();
        if (reader.pending === 0 || (left > 0 && random.chance(0.05))) reader.close();
      }
      const isEnd = left === 0;
      if (isEnd) await archive.commit();
      await archive.close();
      if (isEnd) return archive;
    }
  }

  test.each(upTo(RUNS))('run %i', { timeout: 60_000 }, async (seed) => {
    const random = new Random(seed);
    const isFull = seed % 3 === 0;
    const collector = new Collector(join(folder, `spool-${seed}`), isFull ? 4096 : 1 << 30);
    const lake = join(folder, `lake-${seed}`);
    let sent = 0;
    await collector.start();
    try {
      for (let round = 0; round < 3; round++) {
        const count = SIZES[(seed * 3 + round) % SIZES.length] + (round === 2 ? PER_BATCH : 0);
        if (random.chance(0.6)) collector.cutAfter(random.below(6000));
        for (let i = 0; i < count; i++) {
          collector.send(++sent);
          if (random.chance(0.02)) await sleep(random.below(20));
        }
        if (random.chance(0.4)) {
          await collector.settle();
          await collector.kill();
        }
        if (random.chance(0.3)) await archiveAll(lake, random, 1).catch(() => undefined);
      }
      await collector.end();
      const archive = await archiveAll(lake, random, random.below(2));
      const values = numbersIn(join(lake, '_archive', 'recordings'));
      const sums = {
        sent,
        archived: values.length,
        dropped: collector.dropped,
        told: archive.counts.lost,
        missing: archive.counts.missing,
      };
      expect(new Set(values).size, JSON.stringify(sums)).toBe(values.length);
      const sum = values.length + collector.dropped;
      expect(sum, JSON.stringify(sums)).toBe(sent);
      if (!isFull) expect(values).toEqual(upTo(sent));
      // a reader is told of a loss with the next batch, so of one at the very end it is not
      if (!isFull) expect(archive.counts.missing + archive.counts.lost, JSON.stringify(sums)).toBe(0);
    } finally {
      await bus.manager.streams.delete('SKEIN_LIVE');
      for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true, force: true });
    }
  });

  test('arrive once, at whichever piece the connection is cut', { timeout: 120_000 }, async () => {
    const lake = join(folder, 'pieces');
    let sent = 0;
    try {
      for (let n = 1; ; n++) {
        const collector = new Collector(join(folder, `pieces-${n}`), 1 << 30);
        await collector.start(n);
        for (let i = 0; i < 3 * PER_BATCH; i++) collector.send(++sent);
        await collector.end();
        expect(collector.dropped).toBe(0);
        if (!collector.proxy?.hasCut) {
          expect(n).toBeGreaterThan(10);
          break;
        }
      }
      const { lost, missing } = (await archiveAll(lake, new Random(1), 0)).counts;
      expect([lost, missing]).toEqual([0, 0]);
      const values = numbersIn(join(lake, '_archive', 'recordings'));
      expect(values.sort((a, b) => a - b)).toEqual(upTo(sent));
    } finally {
      await bus.manager.streams.delete('SKEIN_LIVE');
    }
  });

  test('that the bus took and lost again are missed by the archive', { timeout: 60_000 }, async () => {
    const store = join(folder, 'store');
    const losing = await startNats('-sd', store);
    const options = { address: losing.url, bus: {}, collector: 'base', spool: join(folder, 'lost') };
    const publisher = await BusPublisher.open(options, () => undefined);
    const publish = async (values: readonly number[]): Promise<void> => {
      for (const value of values) publisher.take('l', '', numbered(value), 0, timeOfNumber(value));
      await expect.poll(() => publisher.state.acknowledged, { timeout: 20_000, interval: 20 }).toBe(values.at(-1));
    };
    try {
      await publish(upTo(100));
      await losing.kill();
      // a power cut: what was acknowledged had not been brought to the disk
      const blocks = readdirSync(store, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.blk'));
      expect(blocks).toHaveLength(1);
      truncateSync(join(store, blocks[0]), statSync(join(store, blocks[0])).size >> 1);
      await losing.start();
      await publish([101]);
      const lake = join(folder, 'cut');
      const { code, stderr } = skein(['archive', '--bus', losing.url, '--lake', lake, '--drain']);
      const values = numbersIn(join(lake, '_archive', 'recordings'));
      expect(values).toEqual([...upTo(values.length - 1), 101]);
      expect(values.length).toBeLessThan(101);
      expect([code, stderr]).toEqual([3, expect.stringMatching(/\d+ messages? missing/)]);
    } finally {
      await publisher.close();
      await losing.close();
    }
  });
});

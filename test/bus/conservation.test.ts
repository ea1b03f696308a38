// What was sent is archived or counted as lost: real servers, collectors and archives.
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { BatchBuilder, newRun, withFloor } from '../../src/bus/batch.ts';
import { type Bus, openBus } from '../../src/bus/connection.ts';
import { BUS_LIVE_LIMITS } from '../../src/bus/limits.ts';
import { BusPublisher, type PublisherState } from '../../src/bus/publisher.ts';
import { Spool } from '../../src/bus/spool.ts';
import { builtinDialect } from '../../src/formats/mavlink/dialect/builtin.ts';
import { Encoder } from '../../src/formats/mavlink/encode.ts';
import { skein } from '../helpers/cli.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { type NatsServer, startNats } from '../helpers/nats-server.ts';
import { needCommand } from '../helpers/need.ts';

const dialect = builtinDialect();
const encoder = new Encoder(dialect, { system: 1, component: 1 });
const FRAMES = 3;

/** The n-th batch of a collector's run. */
function batch(number: number): Uint8Array {
  const builder = new BatchBuilder(newRun(new Uint8Array(8).fill(1), 1, 0), 'l', 1, '');
  for (let i = 0; i < FRAMES; i++) {
    const frame = encoder.message('NAMED_VALUE_INT', { name: 'n', value: number * FRAMES + i });
    builder.add(1.79e15 + number, frame, 0, frame.length);
  }
  return withFloor(builder.take(number), number);
}

needCommand('nats-server')('what is on the bus', () => {
  const folder = temporaryFolder();
  let server: NatsServer;
  let bus: Bus;
  beforeAll(async () => {
    server = await startNats();
    bus = await openBus(server.url, { name: 'test' });
  });
  afterAll(async () => {
    await bus.close();
    await server.close();
  });

  const { fetchMessages: fetch, overlap } = BUS_LIVE_LIMITS;
  test.each([0, 1, fetch - 1, fetch, fetch + 1, overlap - 1, overlap, overlap + 1, 3 * fetch, 5 * fetch + 1])(
    'is all archived by --drain: %i messages',
    { timeout: 60_000 },
    async (count) => {
      await bus.manager.streams.add({ name: 'SKEIN_LIVE', subjects: ['skein.live.>'] });
      try {
        const sent = Array.from({ length: count }, (_, i) => bus.client.publish('skein.live.a.1.all', batch(i + 1)));
        await Promise.all(sent);
        const drain = ['archive', '--bus', server.url, '--lake', join(folder, `${count}`), '--drain'];
        const first = skein(drain);
        const frames = (count * FRAMES).toLocaleString('en');
        expect([first.code, first.stderr]).toEqual([0, expect.stringContaining(`${frames} frames archived`)]);
        expect(skein(drain)).toMatchObject({ code: 0, stderr: expect.stringContaining('0 frames archived') });
      } finally {
        await bus.manager.streams.delete('SKEIN_LIVE');
      }
    },
  );

  /** Publishes numbered frames, each call as batches of its own, and ends when the bus has all that is left. */
  async function publish(spool: string, values: readonly number[][]): Promise<PublisherState> {
    const publisher = await BusPublisher.open(
      { address: server.url, bus: {}, collector: 'base', spool },
      () => undefined,
    );
    for (const some of values) {
      for (const value of some) {
        const frame = encoder.message('NAMED_VALUE_INT', { name: 'n', value });
        publisher.take('l', '', frame, 0, 1.79e15 + value);
      }
      await sleep(BUS_LIVE_LIMITS.batchMilliseconds * 1.5);
    }
    await expect.poll(() => publisher.state.spooled, { timeout: 20_000 }).toBe(0);
    // what was lost is said in one more batch
    await sleep(BUS_LIVE_LIMITS.batchMilliseconds * 2);
    await publisher.close();
    return publisher.state;
  }

  /** A spool as a collector leaves it that never reached its bus: batches of 4 frames. */
  async function leftSpool(path: string, batches: number): Promise<string> {
    const spool = await Spool.open(path, {
      ...{ most: 1e9, more: () => undefined, dropped: () => undefined, failed: () => undefined },
    });
    const builder = new BatchBuilder(spool.run, 'l', 1, '');
    for (let number = 1; number <= batches; number++) {
      for (let i = 0; i < 4; i++) {
        const frame = encoder.message('NAMED_VALUE_INT', { name: 'n', value: number * 4 + i });
        builder.add(1.79e15 + number, frame, 0, frame.length);
      }
      spool.append(builder.take(number), 4);
    }
    await spool.close();
    return join(path, '00000001.spool');
  }

  test.each([
    ['the first batch', 0.01],
    ['one in the middle', 0.5],
    ['the last', 0.99],
  ])(
    'without one byte of %s in the spool is archived but for that, which is counted',
    { timeout: 60_000 },
    async (_, at) => {
      const spool = join(folder, `flipped-${at}`);
      const file = await leftSpool(spool, 20);
      const bytes = readFileSync(file);
      bytes[Math.floor(bytes.length * at)] ^= 4;
      writeFileSync(file, bytes);
      try {
        expect(await publish(spool, [])).toMatchObject({ acknowledged: 76, dropped: 4 });
        const { code, stderr } = skein(['archive', '--bus', server.url, '--lake', `${spool}-lake`, '--drain']);
        expect([code, stderr]).toEqual([3, expect.stringMatching(/76 frames archived.* 4 frames lost by collectors/)]);
      } finally {
        await bus.manager.streams.delete('SKEIN_LIVE');
      }
    },
  );

  test('of two collectors with one name is two recordings, and that is said', { timeout: 60_000 }, async () => {
    try {
      const spools = ['a', 'b'].map((name) => join(folder, `twin-${name}`));
      await Promise.all(spools.map((spool, i) => publish(spool, [[1, 2].map((n) => n + 10 * i), [3 + 10 * i]])));
      const lake = join(folder, 'twins');
      const { code, stderr } = skein(['archive', '--bus', server.url, '--lake', lake, '--drain']);
      expect([code, stderr]).toEqual([0, expect.stringContaining('6 frames archived, 2 recordings in the tables')]);
      expect(stderr).toContain('two collectors are called base');
      const { stdout } = skein([
        'sql',
        '--lake',
        lake,
        '--json',
        'SELECT vehicle, min(value) a, max(value) b FROM NAMED_VALUE_INT GROUP BY 1',
      ]);
      const rows = stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as { vehicle: string; a: number; b: number });
      expect(rows.map(({ a, b }) => [a, b]).sort((one, other) => one[0] - other[0])).toEqual([
        [1, 3],
        [11, 13],
      ]);
      expect(new Set(rows.map(({ vehicle }) => vehicle)).size).toBe(2);
    } finally {
      await bus.manager.streams.delete('SKEIN_LIVE');
    }
  });

  test('of a spool of an earlier version is archived', { timeout: 60_000 }, async () => {
    const spool = join(folder, 'old');
    cpSync(new URL('../fixtures/spool-skb1', import.meta.url), spool, { recursive: true });
    try {
      expect(await publish(spool, [[1, 2]])).toMatchObject({ acknowledged: 22, dropped: 0 });
      const { code, stderr } = skein(['archive', '--bus', server.url, '--lake', `${spool}-lake`, '--drain']);
      expect([code, stderr]).toEqual([0, expect.stringContaining('22 frames archived')]);
    } finally {
      await bus.manager.streams.delete('SKEIN_LIVE');
    }
  });
});

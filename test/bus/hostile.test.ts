// What anybody may put on a bus, and vehicles with the same number from several collectors.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BatchBuilder, type BusBatch, eachFrame, newRun, readBatch, withFloor } from '../../src/bus/batch.ts';
import { type Bus, openBus } from '../../src/bus/connection.ts';
import { BUS_LIVE_LIMITS } from '../../src/bus/limits.ts';
import { BusPublisher } from '../../src/bus/publisher.ts';
import { BusReader } from '../../src/bus/reader.ts';
import { Sequence } from '../../src/bus/sequence.ts';
import { builtinDialect } from '../../src/formats/mavlink/dialect/builtin.ts';
import { Encoder } from '../../src/formats/mavlink/encode.ts';
import { Lake } from '../../src/lake/lake.ts';
import { LakeDatabase } from '../../src/lake/lake-database.ts';
import { parseLink } from '../../src/live/link-name.ts';
import { systemMicros } from '../../src/node/wall-clock.ts';
import { LiveSession } from '../../src/session/session.ts';
import { skein, skeinHere } from '../helpers/cli.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { type NatsServer, startNats } from '../helpers/nats-server.ts';
import { needCommand } from '../helpers/need.ts';
import { Random } from '../suite/random.ts';

const dialect = builtinDialect();

interface Head {
  readonly system?: number;
  readonly link?: string;
  readonly number?: number;
  readonly floor?: number;
  readonly time?: number;
  readonly run?: number;
}

/** A batch with one frame that has a number, and the head that is wanted. */
function batch(value: number, head: Head = {}): Uint8Array {
  const { system = 1, link = 'l', number = value, time = 1.79e15, run = 1 } = head;
  const builder = new BatchBuilder(newRun(new Uint8Array(8).fill(1), run, 0), link, system, '');
  const frame = new Encoder(dialect, { system, component: 1 }).message('NAMED_VALUE_INT', { name: 'n', value });
  builder.add(time, frame, 0, frame.length);
  return withFloor(builder.take(number), head.floor ?? number);
}

needCommand('nats-server')('a bus that anybody may write to', () => {
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

  function viewer(): { session: LiveSession; events: string[] } {
    const session = new LiveSession({ links: [parseLink(server.url)], requests: false });
    const events: string[] = [];
    session.subscribe((event) => events.push(`${event.type} ${event.vehicle ?? ''}`));
    session.start();
    return { session, events };
  }

  test('gives what is telemetry, and counts the rest', { timeout: 60_000 }, async () => {
    // no limit of its own, so that all of it comes through
    await bus.manager.streams.add({ name: 'SKEIN_LIVE', subjects: ['skein.live.>'] });
    const { session } = viewer();
    await expect.poll(() => session.links[0].state.peer, { timeout: 10_000 }).not.toBeNull();
    const good = 'skein.live.good.1.all';
    let faults = 0;
    const bad = async (subject: string, data: Uint8Array): Promise<void> => {
      await bus.client.publish(subject, data);
      faults++;
    };
    const random = new Random(3);
    const noise = (length: number): Uint8Array => Uint8Array.from({ length }, () => random.below(256));
    let sent = 0;
    for (let i = 0; i < 30; i++) {
      await bus.client.publish(good, batch(++sent));
      const begun = noise(200);
      begun.set([0x53, 0x4b, 0x42, i % 4 ? 0x31 : 0x32]);
      await bad(good, i % 2 ? noise(random.below(300)) : begun);
    }
    await bad(good, new Uint8Array(BUS_LIVE_LIMITS.messageBytes + 1));
    await bad('skein.live.good.2.all', batch(1));
    await bad('skein.live.good.all', batch(1));
    await bad('skein.live.a/b.1.all', batch(1));
    await bad('skein.live.a\u001b[2J.1.all', batch(1));
    await bad(`skein.live.${'x'.repeat(65)}.1.all`, batch(1));
    await bad(good, batch(1, { number: 2 ** 55, floor: 2 ** 55 }));
    await bad(good, batch(1, { number: 9, floor: 10 }));
    // twice, and of an old number: not delivered, and no fault
    await bus.client.publish(good, batch(sent));
    await bus.client.publish(good, batch(1));
    // a number that is far ahead makes none of the others old
    await bus.client.publish('skein.live.liar.1.all', batch(1, { number: 1 }));
    await bus.client.publish('skein.live.liar.1.all', batch(2, { number: 2 ** 50, floor: 2 ** 50 }));
    await bus.client.publish('skein.live.liar.1.all', batch(3, { number: 2 }));
    for (const [i, time] of [0, 2 ** 62, 1].entries())
      await bus.client.publish('skein.live.clock.1.all', batch(i, { number: i + 1, time }));
    for (const [i, link] of ['../../../evil', 'a\u001b[2J', '', '/etc/passwd'].entries())
      await bus.client.publish('skein.live.__proto__.1.all', batch(100 + i, { number: i + 1, link }));
    await bus.client.publish(good, batch(++sent));

    const lake = join(folder, 'lake');
    const { code, stderr } = skein(['archive', '--bus', server.url, '--lake', lake, '--drain']);
    expect(stderr).toContain(`${faults} messages not telemetry`);
    expect(stderr).toContain(`${2 ** 50 - 3}`.replace(/\B(?=(\d{3})+$)/g, ','));
    expect(stderr).not.toContain('\u001b');
    expect(code).toBe(3);
    expect(readdirSync(folder)).toEqual(['lake']);
    expect(existsSync(join(lake, '..', 'evil'))).toBe(false);
    expect(readdirSync(join(lake, '_archive', 'recordings')).sort()).toEqual(['__proto__', 'clock', 'good', 'liar']);
    const database = await LakeDatabase.open(new Lake(lake));
    const rows: unknown[][] = [];
    const sql =
      'SELECT vehicle, count(*), count(DISTINCT value), max(value) FROM NAMED_VALUE_INT GROUP BY 1 ORDER BY 1';
    for await (const row of (await database.query(sql)).rows()) rows.push([row[0], ...row.slice(1).map(Number)]);
    database.close();
    expect(rows.find(([vehicle]) => vehicle === 'good-system-1')).toEqual(['good-system-1', sent, sent, sent]);
    expect(rows.find(([vehicle]) => vehicle === 'liar-system-1')).toEqual(['liar-system-1', 3, 3, 3]);
    expect(rows.find(([vehicle]) => vehicle === 'clock-system-1')?.[1]).toBe(3);
    expect(rows.find(([vehicle]) => `${vehicle}`.includes('proto'))?.[1]).toBe(4);

    // the same of who looks on
    const links = session.collector.statistics().links;
    const heard = links.find(({ link }) => link.endsWith('/good/l'))?.messages;
    expect(heard).toBe(sent);
    expect(session.links[0].state.dropped).toBeGreaterThanOrEqual(faults);
    expect(links.length).toBeLessThanOrEqual(BUS_LIVE_LIMITS.shownLinks + 1);
    await session.stop();
  });

  test('has vehicles of several collectors: twins apart, and one that two of them hear once', {
    timeout: 40_000,
  }, async () => {
    const { session, events } = viewer();
    const collectors = await Promise.all(
      ['north', 'south', 'east'].map((collector) =>
        BusPublisher.open(
          { address: server.url, bus: {}, collector, spool: join(folder, `spool-${collector}`) },
          () => undefined,
        ),
      ),
    );
    await expect.poll(() => collectors.every(({ state }) => state.state === 'sending'), { timeout: 10_000 }).toBe(true);
    // north and east hear the same vehicle; south has another one with the same number
    const vehicles = [7, 9, 7].map((uid) => ({ uid, encoder: new Encoder(dialect, { system: 1, component: 1 }) }));
    const began = systemMicros();
    const timer = setInterval(() => {
      const time = systemMicros();
      for (const [i, { uid, encoder }] of vehicles.entries()) {
        const time_boot_ms = Math.round((time - began) / 1000) + uid * 100_000;
        for (const frame of [
          encoder.message('HEARTBEAT', { type: 2, autopilot: 3, base_mode: 1, system_status: 4 }),
          encoder.message('AUTOPILOT_VERSION', { uid, flight_sw_version: 0x040601ff }),
          encoder.message('ATTITUDE', { time_boot_ms, roll: uid }),
        ])
          collectors[i].take('radio', '', frame, 0, time);
      }
    }, 100);
    try {
      const south = `1@${server.url}/south/radio`;
      const north = (): string[] => [...session.collector.vehicles.keys()];
      await expect.poll(() => north().length, { timeout: 15_000 }).toBe(2);
      await expect
        .poll(() => [...session.collector.vehicles.values()].map(({ links }) => links.length).sort(), {
          timeout: 15_000,
        })
        .toEqual([1, 2]);
      const states = [...session.collector.vehicles.values()];
      const twin = states.find(({ links }) => links.length === 1);
      const both = states.find(({ links }) => links.length === 2);
      expect(twin?.link).toContain('/south/radio');
      expect([...(both?.links ?? [])].sort().map((link) => link.split('/').at(-2))).toEqual(['east', 'north']);
      expect([south, '1', `1@${server.url}/north/radio`, `1@${server.url}/east/radio`]).toEqual(
        expect.arrayContaining(north()),
      );
      expect(events.some((event) => event.startsWith('vehicle'))).toBe(true);
    } finally {
      clearInterval(timer);
      await Promise.all([...collectors.map((each) => each.close()), session.stop()]);
    }
    // all of it was taken at the end
    expect(collectors.map(({ state }) => [state.spooled, state.frames - state.acknowledged])).toEqual([
      [0, 0],
      [0, 0],
      [0, 0],
    ]);
  });

  test('that was away for too long gets the newest, and readers know what is missing', {
    timeout: 40_000,
  }, async () => {
    const away = await startNats();
    await away.kill();
    const told: string[] = [];
    const spool = join(folder, 'spool-full');
    const publisher = await BusPublisher.open(
      { address: away.url, bus: {}, collector: 'full', spool, spoolBytes: 64 << 10 },
      (sentence) => told.push(sentence),
    );
    const encoder = new Encoder(dialect, { system: 1, component: 1 });
    let sent = 0;
    const add = (count: number): void => {
      for (let i = 0; i < count; i++)
        publisher.take('l', '', encoder.message('NAMED_VALUE_INT', { value: ++sent, name: 'n' }), 0, systemMicros());
    };
    try {
      for (let i = 0; i < 20; i++) {
        add(200);
        await sleep(50);
      }
      await expect.poll(() => publisher.state.dropped, { timeout: 5000 }).toBeGreaterThan(0);
      expect(told.join('\n')).toContain('the spool is full');
      expect(publisher.state.spooled).toBeLessThanOrEqual(64 << 10);
      await away.start();
      // more comes than fits while what was there is on its way
      while (publisher.state.acknowledged === 0) {
        add(400);
        expect(publisher.state.spooled).toBeLessThanOrEqual(64 << 10);
        await sleep(2);
      }
      add(10);
      const known = (): number => publisher.state.acknowledged + publisher.state.dropped;
      await expect.poll(known, { timeout: 30_000 }).toBeGreaterThanOrEqual(sent);
      await expect.poll(() => publisher.state.spooled, { timeout: 30_000 }).toBe(0);
      const { frames, acknowledged, dropped, batches } = publisher.state;
      expect([frames, acknowledged + dropped]).toEqual([sent, sent]);

      const values: number[] = [];
      const sequence = new Sequence<BusBatch>(
        (_, { records }) => {
          const view = new DataView(records.buffer, records.byteOffset, records.length);
          eachFrame(records, (_start, { payload }) => values.push(view.getInt32(payload + 4, true)));
        },
        {},
        true,
      );
      const reader = new BusReader({ address: away.url, bus: { name: 'test' }, begin: () => ({ after: 0 }) });
      let got = 0;
      for await (const message of reader.messages()) {
        const read = message ? readBatch(message.data) : 'none';
        if (typeof read !== 'string') sequence.take('full', read);
        if (message) got++;
        if (reader.pending === 0) reader.close();
      }
      expect(values).toHaveLength(acknowledged);
      expect(values.at(-1)).toBe(sent);
      expect(values).toEqual([...values].sort((a, b) => a - b));
      expect(sequence).toMatchObject({ missing: batches - got, duplicates: 0, isWaiting: false });
    } finally {
      await publisher.close();
      await away.close();
    }
  });

  test('lets a collector send and a viewer read, and neither do more', { timeout: 40_000 }, async () => {
    const credentials = (user: string): string => {
      const path = join(folder, `${user}.creds`);
      process.env[`SKEIN_${user.toUpperCase()}`] = `secret-of-${user}`;
      writeFileSync(path, `${user}:secret-of-${user}\n`, { mode: 0o600 });
      return path;
    };
    for (const user of ['ingester', 'worker', 'operator']) credentials(user);
    const [collector, viewing] = [credentials('collector'), credentials('viewer')];
    const text = readFileSync(new URL('../../docs/nats-server.conf', import.meta.url), 'utf8');
    // the store is that of the test
    writeFileSync(join(folder, 'nats-server.conf'), text.replace(/^ *store_dir: .*$/m, ''));
    const guarded = await startNats('-c', join(folder, 'nats-server.conf'));
    const told: string[] = [];
    const publisherAs = (name: string, creds: string): Promise<BusPublisher> =>
      BusPublisher.open(
        { address: guarded.url, bus: { credentials: creds }, collector: name, spool: join(folder, `spool-${name}`) },
        (sentence) => told.push(sentence),
      );
    const publisher = await publisherAs('base-1', collector);
    const intruder = await publisherAs('intruder', viewing);
    const forger = await publisherAs('base-2', collector);
    const encoder = new Encoder(dialect, { system: 1, component: 1 });
    try {
      for (const each of [publisher, intruder, forger])
        each.take('l', '', encoder.message('NAMED_VALUE_INT', { value: 1 }), 0, systemMicros());
      await expect.poll(() => publisher.state.acknowledged, { timeout: 10_000 }).toBe(1);
      await expect.poll(() => told.join('\n'), { timeout: 10_000 }).toMatch(/[Pp]ermissions [Vv]iolation/);
      await expect.poll(() => told.join('\n'), { timeout: 10_000 }).toContain('skein.live.base-2.1.all');
      for (const { state } of [intruder, forger]) expect(state).toMatchObject({ acknowledged: 0, frames: 1 });
      const lake = join(folder, 'guarded');
      const args = ['--bus', guarded.url, '--lake', lake, '--drain'];
      const read = skein(['archive', ...args, '--bus-creds', viewing]);
      expect([read.code, read.stderr]).toEqual([0, expect.stringContaining('1 frame archived, 1 recording')]);
    } finally {
      await Promise.all([publisher.close(), intruder.close(), forger.close()]);
      await guarded.close();
    }
  });
});

describe('wrong usage', () => {
  test.each([
    ['live', '--bus', 'nats://a', '--bus-name', 'a.b'],
    ['live', '--bus', 'nats://a', '--bus-name', ''],
    ['live', '--bus', 'http://a'],
    ['live', '--bus', 'nats://a', '--bus-keep', '10'],
    ['live', '--bus', 'nats://a', '--bus-keep-size', '0G'],
    ['live', '--bus', 'nats://a', '--bus-spool-size', 'much'],
    ['live', 'nats://ann:secret@a'],
    ['archive', '--lake', 'x'],
    ['archive', '--bus', 'nats://a'],
  ])('skein %s %s %s %s %s', async (...words) => {
    const { code, stderr } = await skeinHere(...words.filter((word) => word !== undefined));
    expect([code, stderr]).toEqual([2, expect.stringMatching(/^skein: (?!.*secret)/)]);
  });
});

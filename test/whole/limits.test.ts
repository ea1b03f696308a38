// Every limit is in docs/limits.md, and those that fill empty again: each is filled, and then a newcomer comes.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { Archive } from '../../src/bus/archive.ts';
import { BatchBuilder, newRun, withFloor } from '../../src/bus/batch.ts';
import { openBus } from '../../src/bus/connection.ts';
import { DEAD_STREAM, makeJobStreams, RESULT_STREAM } from '../../src/bus/job-streams.ts';
import { BUS_LIVE_LIMITS } from '../../src/bus/limits.ts';
import { BusPublisher } from '../../src/bus/publisher.ts';
import type { BusMessage } from '../../src/bus/reader.ts';
import { Spool } from '../../src/bus/spool.ts';
import { liveStream } from '../../src/bus/stream.ts';
import { liveSubject } from '../../src/bus/subject.ts';
import { builtinDialect } from '../../src/formats/mavlink/dialect/builtin.ts';
import { Encoder } from '../../src/formats/mavlink/encode.ts';
import { Lake } from '../../src/lake/lake.ts';
import { LiveCollector } from '../../src/live/collector.ts';
import { LINK_LIMITS, LIVE_LIMITS, ROUTER_LIMITS } from '../../src/live/limits.ts';
import { parseLink } from '../../src/live/link-name.ts';
import { TextJoiner } from '../../src/live/texts.ts';
import { CommandBudget } from '../../src/live/vehicle/commands.ts';
import { EventTexts } from '../../src/live/vehicle/event-texts.ts';
import { RECORD_LIMITS } from '../../src/session/limits.ts';
import { type Link, makeLink } from '../../src/session/links.ts';
import { Recorder } from '../../src/session/recorder.ts';
import type { RecordFile } from '../../src/session/recorder-segment.ts';
import { LiveSession } from '../../src/session/session.ts';
import { numbered, upTo } from '../bus/numbered.ts';
import { FailingFiles } from '../helpers/failing-files.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { startNats } from '../helpers/nats-server.ts';
import { needCommand } from '../helpers/need.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = temporaryFolder();
const dialect = builtinDialect();
const SECOND = 1e6;
const NOW = 1.79e15;

interface Row {
  readonly value: string;
  readonly at: string;
  readonly empties: string;
  readonly file: string;
  readonly title: string;
}

/** The tables of docs/limits.md, by `GROUP.name`. */
function rowsOfPage(): Map<string, Row> {
  const rows = new Map<string, Row>();
  let group = '';
  for (const line of readFileSync(join(root, 'docs', 'limits.md'), 'utf8').split('\n')) {
    group = /^## (\w+)$/.exec(line)?.[1] ?? group;
    const cells = line.split('|').map((cell) => cell.trim());
    const name = /^`(\w+)`$/.exec(cells[1] ?? '')?.[1];
    if (name === undefined) continue;
    const [, file = '', title = ''] = /^`(\S+)`: (.*)$/.exec(cells[5]) ?? [];
    rows.set(`${group}.${name}`, { value: cells[2], at: cells[3], empties: cells[4], file, title });
  }
  return rows;
}

/** Every entry of every exported object whose name ends with LIMITS, by `GROUP.name`. */
async function limitsOfCode(): Promise<Map<string, number>> {
  const limits = new Map<string, number>();
  const source = join(root, 'src');
  for (const name of readdirSync(source, { recursive: true, encoding: 'utf8' })) {
    if (!/\.ts$/.test(name) || name.endsWith('.test.ts')) continue;
    if (!/export const \w*LIMITS\b/.test(readFileSync(join(source, name), 'utf8'))) continue;
    const made = (await import(join(root, 'dist', name.replace(/\.ts$/, '.js')))) as Record<string, object>;
    for (const [group, entries] of Object.entries(made))
      if (/LIMITS$/.test(group))
        for (const [entry, value] of Object.entries(entries)) limits.set(`${group}.${entry}`, value as number);
  }
  return limits;
}

describe('docs/limits.md', () => {
  const rows = rowsOfPage();

  test('has every limit of the code with its value, and no other', async () => {
    const limits = await limitsOfCode();
    expect(limits.size).toBeGreaterThan(150);
    const shown = Object.fromEntries([...rows].map(([name, { value }]) => [name, Number(value.replaceAll(',', ''))]));
    expect(shown).toEqual(Object.fromEntries(limits));
  });

  test('says what happens at each, how it empties, and which test shows that', () => {
    for (const [name, { at, empties, file, title }] of rows) {
      expect(at, name).not.toBe('');
      if (/^(of one |a time$)/.test(empties)) continue;
      expect(empties, name).not.toBe('');
      expect(readFileSync(join(root, file), 'utf8'), `${name}: ${file}`).toContain(title);
    }
  });
});

/** A file that keeps nothing, and waits with each write until it may. */
const nowhere = (gate: () => Promise<void> = async () => undefined): (() => Promise<RecordFile>) => {
  const file: RecordFile = {
    append: async (bytes) => {
      await gate();
      return bytes.length;
    },
    sync: async () => undefined,
    isGone: async () => false,
    close: async () => undefined,
    discard: async () => undefined,
  };
  return async () => file;
};

/** Something that is closed until it is opened. */
function gate(): { readonly wait: () => Promise<void>; readonly open: () => void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((done) => {
    open = done;
  });
  return { wait: () => opened, open };
}

afterEach(() => vi.useRealTimers());

describe('a newcomer is served after', () => {
  test('LIVE_LIMITS.texts', () => {
    const collector = new LiveCollector({ send: () => undefined });
    const encoder = new Encoder(dialect, { system: 1, component: 1 });
    collector.addLink('l', true);
    collector.receive('l', encoder.message('HEARTBEAT', { type: 2, autopilot: 3, system_status: 4 }), NOW, 'a');
    for (let i = 0; i <= 2 * LIVE_LIMITS.texts; i++)
      collector.receive('l', encoder.message('STATUSTEXT', { severity: 6, text: `text ${i}` }), NOW + i, 'a');
    const texts = collector.vehicles.get('1')?.texts ?? [];
    expect([texts.length, texts.at(-1)?.text]).toEqual([LIVE_LIMITS.texts, `text ${2 * LIVE_LIMITS.texts}`]);
  });

  test('LIVE_LIMITS.openTexts', () => {
    const joiner = new TextJoiner(1);
    const full = new Uint8Array(50).fill(65);
    for (let id = 1; id <= 3 * LIVE_LIMITS.openTexts; id++) joiner.push(6, full, id, 0, NOW);
    joiner.push(6, full, 999, 0, NOW);
    expect(joiner.push(6, Uint8Array.of(66), 999, 1, NOW)?.text).toBe(`${'A'.repeat(50)}B`);
  });

  test('LIVE_LIMITS.commandsPerSecond', () => {
    const budget = new CommandBudget();
    budget.refill(NOW);
    while (budget.use()) expect(budget.isLeft).toBe(false);
    budget.refill(NOW + SECOND / LIVE_LIMITS.commandsPerSecond);
    expect(budget.use()).toBe(true);
  });

  test('LIVE_LIMITS.definitions', () => {
    const cache = new Map<number, never>();
    const texts = new EventTexts({ send: () => undefined, unpack: async () => new Uint8Array(0), cache } as never);
    const { learn } = texts as unknown as { learn: (definitions: unknown, checksum: number) => void };
    for (let i = 0; i <= 3 * LIVE_LIMITS.definitions; i++) learn.call(texts, { textOf: () => undefined }, i);
    expect([cache.size, cache.has(3 * LIVE_LIMITS.definitions)]).toEqual([LIVE_LIMITS.definitions, true]);
  });

  test('ROUTER_LIMITS.senders', async () => {
    const session = new LiveSession({
      links: [parseLink('udpin:127.0.0.1:0')],
      forward: [parseLink('udpin:127.0.0.1:0')],
      record: join(folder, 'stations'),
    });
    const { fromStation } = session as unknown as { fromStation: (link: Link, ...given: unknown[]) => void };
    const [station] = session.stations;
    const frame = numbered(1);
    for (let i = 0; i < 3 * ROUTER_LIMITS.senders; i++)
      fromStation.call(session, station, frame.subarray(0, 9), NOW, `evil:${i}`);
    const before = session.recorder?.state.frames ?? 0;
    fromStation.call(session, station, frame.subarray(0, 9), NOW, 'honest:1');
    fromStation.call(session, station, frame.subarray(9), NOW, 'honest:1');
    expect(session.recorder?.state.frames).toBe(before + 1);
    await session.stop();
  });

  test('RECORD_LIMITS.queueBytes', async () => {
    const disk = gate();
    const recorder = new Recorder(join(folder, 'queue'), { createFile: nowhere(disk.wait) });
    const noise = new Uint8Array(1 << 20);
    for (let i = 0; i < 20; i++) recorder.write('gps', noise, NOW);
    expect(recorder.state.dropped).toBeGreaterThan(0);
    disk.open();
    await recorder.flush();
    const { dropped, acknowledgedBytes } = recorder.state;
    recorder.write('gps', noise, NOW + SECOND);
    await recorder.close();
    expect([recorder.state.dropped, recorder.state.acknowledgedBytes > acknowledgedBytes]).toEqual([dropped, true]);
  });

  test('RECORD_LIMITS.senders', async () => {
    const recorder = new Recorder(join(folder, 'senders'), { createFile: nowhere() });
    const frame = numbered(1);
    for (let i = 0; i < 3 * RECORD_LIMITS.senders; i++) recorder.write('l', frame.subarray(0, 9), NOW, `evil:${i}`);
    recorder.write('l', frame.subarray(0, 9), NOW, 'honest:1');
    recorder.write('l', frame.subarray(9), NOW, 'honest:1');
    expect(recorder.state.frames).toBe(1);
    await recorder.close();
  });

  test('RECORD_LIMITS.restBytes', async () => {
    const recorder = new Recorder(join(folder, 'rest'), { createFile: nowhere() });
    recorder.write('l', numbered(1), NOW);
    const noise = new Uint8Array(1 << 20);
    for (let i = 0; i < 20; i++) recorder.write('l', noise, NOW);
    const { skippedBytes, bytes } = recorder.state;
    expect(skippedBytes).toBeGreaterThan(0);
    recorder.write('l', Buffer.from('Init ArduCopter V4.6.3\n'), NOW + 10 * SECOND);
    recorder.write('l', numbered(2), NOW + 10 * SECOND);
    expect(recorder.state).toMatchObject({ skippedBytes, frames: 2 });
    expect(recorder.state.bytes).toBeGreaterThan(bytes + numbered(2).length + 8);
    await recorder.close();
  });

  test('RECORD_LIMITS.filesListed', async () => {
    const recorder = new Recorder(join(folder, 'files'), { createFile: nowhere(), segmentBytes: 1 });
    for (let i = 0; i <= RECORD_LIMITS.filesListed + 20; i++) {
      recorder.write('l', numbered(i), NOW + i * SECOND);
      await recorder.flush();
    }
    const { files } = recorder.state;
    expect([files.length, files.at(-1)?.started]).toEqual([
      RECORD_LIMITS.filesListed,
      NOW + (RECORD_LIMITS.filesListed + 20) * SECOND,
    ]);
    await recorder.close();
  });

  test('BUS_LIVE_LIMITS.builders', async () => {
    const options = { address: 'nats://127.0.0.1:1', bus: {}, collector: 'a', spool: join(folder, 'builders') };
    const publisher = await BusPublisher.open(options, () => undefined);
    const frame = numbered(1);
    for (let i = 0; i < BUS_LIVE_LIMITS.builders; i++) publisher.take(`evil ${i}`, '', frame, 0, NOW);
    publisher.take('honest', '', frame, 0, NOW);
    expect(publisher.state.batches).toBeGreaterThanOrEqual(BUS_LIVE_LIMITS.builders);
    await expect
      .poll(() => publisher.state.batches, { timeout: 10_000 })
      .toBeGreaterThanOrEqual(BUS_LIVE_LIMITS.builders + 1);
    expect(publisher.state.dropped).toBe(0);
    await publisher.close();
  });

  test('BUS_LIVE_LIMITS.queueBytes', async () => {
    const path = join(folder, 'queued');
    let dropped = 0;
    const spool = await Spool.open(path, {
      ...{ most: 1e9, more: () => undefined, failed: () => undefined },
      dropped: (frames) => {
        dropped += frames;
      },
    });
    const files = await FailingFiles.below(path);
    try {
      const disk = gate();
      files.delay = disk.wait;
      files.begin();
      const batch = (number: number): Uint8Array => {
        const builder = new BatchBuilder(spool.run, 'l', 1, '');
        for (let i = 0; i < 1000; i++) builder.add(NOW, new Uint8Array(200), 0, 200);
        return builder.take(number);
      };
      for (const number of upTo(100)) spool.append(batch(number), 1000);
      expect(dropped).toBeGreaterThan(0);
      const before = dropped;
      disk.open();
      await spool.flush();
      spool.append(batch(101), 1000);
      await spool.flush();
      expect([dropped, spool.bytes > BUS_LIVE_LIMITS.queueBytes]).toEqual([before, true]);
    } finally {
      files.restore();
      await spool.close();
    }
  });

  /** A message of a bus, of a link and a collector. */
  function message(seq: number, link: string, collector = 'a', system = 1): BusMessage {
    const builder = new BatchBuilder(newRun(new Uint8Array(8).fill(1), 1, 0), link, system, '');
    const encoder = new Encoder(dialect, { system, component: 1 });
    const frame = encoder.message('AUTOPILOT_VERSION', { uid: seq });
    builder.add(NOW + seq, frame, 0, frame.length);
    return { seq, subject: liveSubject(collector, system, ''), data: withFloor(builder.take(seq), seq) };
  }

  test('BUS_LIVE_LIMITS.links', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const archive = await Archive.open(new Lake(join(folder, 'links')), () => undefined);
    let seq = 0;
    for (let i = 0; i < BUS_LIVE_LIMITS.links; i++) archive.add(message(++seq, `evil ${i}`));
    archive.add(message(++seq, 'honest'));
    expect([archive.faults, archive.frames]).toEqual([1, BUS_LIVE_LIMITS.links]);
    vi.setSystemTime(Date.now() + 6000);
    archive.add(message(++seq, 'honest'));
    expect([archive.faults, archive.frames]).toEqual([1, BUS_LIVE_LIMITS.links + 1]);
    await archive.close();
  });

  test('BUS_LIVE_LIMITS.boards', async () => {
    const archive = await Archive.open(new Lake(join(folder, 'boards')), () => undefined);
    const { hardware } = archive as unknown as { hardware: Map<string, string> };
    for (let i = 0; i < BUS_LIVE_LIMITS.boards; i++) hardware.set(`evil/${i}`, 'x');
    archive.add(message(7, 'l', 'honest'));
    expect([hardware.size, hardware.get('honest/1/l')]).toEqual([BUS_LIVE_LIMITS.boards, '0000000000000007']);
    await archive.close();
  });

  test('BUS_LIVE_LIMITS.shownLinks', async () => {
    let now = NOW;
    const heard: string[] = [];
    const listener = { bytes: (...given: unknown[]) => heard.push(String(given[3])), state: () => undefined };
    const link = makeLink(parseLink('nats://127.0.0.1:1'), listener, { now: () => now });
    const { take } = link as unknown as { take: (message: BusMessage) => void };
    link.open();
    for (let i = 1; i <= BUS_LIVE_LIMITS.shownLinks; i++) take.call(link, message(i, `evil ${i}`));
    take.call(link, message(BUS_LIVE_LIMITS.shownLinks + 1, 'honest'));
    expect(heard).toHaveLength(BUS_LIVE_LIMITS.shownLinks);
    now += LINK_LIMITS.silence;
    take.call(link, message(BUS_LIVE_LIMITS.shownLinks + 2, 'honest'));
    expect(heard.at(-1)).toContain('honest');
    await link.close();
  });
});

needCommand('nats-server')('a bus has room for a newcomer after', () => {
  test('BUS_LIVE_LIMITS.keepBytes, JOB_LIMITS.resultBytes and JOB_LIMITS.deadBytes', { timeout: 60_000 }, async () => {
    const server = await startNats();
    const bus = await openBus(server.url, { name: 'test' });
    try {
      await liveStream(bus, { bytes: 64 << 10 });
      await makeJobStreams(bus);
      for (const [stream, subject] of [
        ['SKEIN_LIVE', 'skein.live.a.1.all'],
        [RESULT_STREAM, ''],
        [DEAD_STREAM, ''],
      ]) {
        const { config } = await bus.manager.streams.info(stream);
        // small, so that it is full soon
        await bus.manager.streams.update(stream, { max_bytes: 64 << 10 });
        expect([stream, config.discard]).toEqual([stream, 'old']);
        for (let i = 0; i < 40; i++) {
          const to = subject || config.subjects[0].replaceAll('*', `x${i}`);
          await bus.client.publish(to, new Uint8Array(4 << 10).fill(i));
        }
        const { state } = await bus.manager.streams.info(stream);
        expect([stream, state.last_seq, state.messages < 40]).toEqual([stream, 40, true]);
      }
    } finally {
      await bus.close();
      await server.close();
    }
  });
});

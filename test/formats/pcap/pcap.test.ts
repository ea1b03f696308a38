import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Log } from '../../../src/core/log.ts';
import { type LogRecord, readRecords } from '../../../src/core/records.ts';
import { builtinDialect } from '../../../src/formats/mavlink/dialect/builtin.ts';
import { SigningKey } from '../../../src/formats/mavlink/key.ts';
import { openInput } from '../../../src/formats/open.ts';
import { needShared, sharedData } from '../../helpers/need.ts';
import { readBytes, sampleFile } from '../../suite/sample.ts';
import { isSame, type Written } from '../mavlink/pymavlink.ts';

const folder = sharedData('pcap');

async function recordsOf(log: Log): Promise<LogRecord[]> {
  const records: LogRecord[] = [];
  for await (const record of readRecords(log)) records.push(record);
  return records;
}

/** A record as a text: its message, who sent it, and every value. */
function said({ table, data }: LogRecord): string {
  const values = JSON.stringify(Object.values(data), (_, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  );
  return `${table.name} ${table.stream} ${values}`;
}

function rowsOf(log: Log): Map<string, number> {
  const rows = new Map<string, number>();
  for (const table of log.tables) rows.set(table.name, (rows.get(table.name) ?? 0) + table.rows);
  return rows;
}

/** What each byte of the file is must add up to all of them. */
function expectAccounted(log: Log): void {
  const bytes = log.capture?.bytes;
  expect(Object.values(bytes ?? {}).reduce((sum, count) => sum + count, 0)).toBe(log.source.size);
}

interface Message {
  readonly frame: number;
  readonly ts: string;
  readonly sysid: number;
  readonly compid: number;
  readonly msg: string;
  readonly fields: Readonly<Record<string, Written>>;
}

needShared(describe, 'pcap')('captures of many senders, as pymavlink reads them', () => {
  const names = readdirSync(folder).filter((name) => existsSync(join(folder, 'ref', `${name}.pymavlink.json`)));
  const counts = JSON.parse(readFileSync(join(folder, 'ref/counts.json'), 'utf8')) as Record<
    string,
    Record<string, number>
  >;
  const dialect = builtinDialect();

  it('are all there', () => {
    expect(names.length).toBeGreaterThanOrEqual(20);
  });

  it.each(names)('%s has every ATTITUDE and GLOBAL_POSITION_INT with every value', async (name) => {
    const bytes = readBytes(join(folder, name));
    const log = await openInput(bytes, { keepInvalid: true });
    expect(log.format).toBe('pcap');
    expectAccounted(log);
    const { records: expected } = JSON.parse(readFileSync(join(folder, 'ref', `${name}.pymavlink.json`), 'utf8')) as {
      records: readonly Message[];
    };
    const ours = new Map<string, LogRecord[]>();
    for (const record of await recordsOf(log)) {
      if (record.table.name !== 'ATTITUDE' && record.table.name !== 'GLOBAL_POSITION_INT') continue;
      const key = `${record.table.name} ${record.table.stream} ${record.data.time_boot_ms}`;
      ours.set(key, [...(ours.get(key) ?? []), record]);
    }
    for (const message of expected) {
      const key = `${message.msg} ${message.sysid}:${message.compid} ${message.fields.time_boot_ms}`;
      const found = (ours.get(key) ?? []).some(({ data }) =>
        Object.entries(message.fields).every(([field, written]) => isSame(data[field], written)),
      );
      expect(found, `${key} in packet ${message.frame}`).toBe(true);
    }
    // a checksum-checking parser for each flow that looks again after each false start finds so many
    const rows = rowsOf(log);
    for (const [id, count] of Object.entries(counts[name] ?? {})) {
      const type = dialect.messages.get(Number(id))?.[0].name ?? id;
      expect(rows.get(type) ?? 0, type).toBeGreaterThanOrEqual(count);
    }
  });

  it('have times and places of the packets', async () => {
    const bytes = readBytes(join(folder, 'thayer_rural.041a4a17.pcap'));
    const log = await openInput(bytes);
    const [first] = await recordsOf(log);
    expect(log.clock).toMatchObject({ kind: 'pcap', utc: true });
    // NULL, IPv4 and UDP before the first frame, and its record header before these
    expect(first.offset).toBe(24 + 16 + 32);
    const view = new DataView(bytes.buffer);
    expect(first.time).toBe(view.getUint32(24, true) * 1e6 + view.getUint32(28, true));
  });

  it('hold the same messages as the telemetry log of the same flight', async () => {
    const capture = await recordsOf(await openInput(readBytes(join(folder, 'thayer_rural.041a4a17.pcap'))));
    const tlog = await recordsOf(await openInput(readBytes(join(folder, 'thayer_rural.tlog'))));
    expect(capture.length).toBe(33_261);
    expect(capture.map(said)).toEqual(tlog.map(said));
  });

  it('verify the signed frame of an attack', async () => {
    const bytes = readBytes(join(folder, 'jatin_attack1.pcap'));
    const log = await openInput(bytes, { keys: [SigningKey.fromPassphrase('key')], unsigned: 'accept' });
    const signed = log.streams.filter(({ signatures }) => signatures?.valid !== undefined);
    expect(signed).toMatchObject([{ stream: '255:230', signatures: { valid: 1 } }]);
    const wrong = await openInput(bytes, { keys: [SigningKey.fromPassphrase('other')], unsigned: 'accept' });
    expect(wrong.faults.byCode.get('bad-signature')?.count).toBe(1);
  });
});

/** How many of the 261 messages come out where not all can. */
const WRAPPED: Readonly<Record<string, number>> = {
  snaplen60: 0,
  cut_mid_record: 260,
  ng_cut: 260,
  bad_caplen: 3,
  empty: 0,
  header_only: 0,
  cut_mid_header: 0,
};

needShared(
  describe,
  'pcap',
  'wrapped',
)('the same messages in every wrapping', () => {
  const names = readdirSync(join(folder, 'wrapped'));

  it.each(names)('%s', async (name) => {
    const log = await openInput(readBytes(join(folder, 'wrapped', name)));
    const kind = name.split('.')[0];
    const rows = rowsOf(log);
    const found = (rows.get('ATTITUDE') ?? 0) + (rows.get('GLOBAL_POSITION_INT') ?? 0);
    expect(found).toBe(WRAPPED[kind] ?? 261);
    if (kind !== 'empty') expectAccounted(log);
    if (kind === 'snaplen60') expect(log.faults.byCode.get('cut')?.count).toBe(261);
    if (WRAPPED[kind] === undefined) expect(log.faults.count).toBe(0);
  });
});

interface Odd {
  readonly file: string;
  readonly packets: string;
  readonly error: string;
}

needShared(
  describe,
  'pcap',
  'odd',
)('odd captures', () => {
  const odd = JSON.parse(readFileSync(join(folder, 'ref/odd_capinfos.json'), 'utf8')) as readonly Odd[];
  const here = odd.filter(({ file }) => existsSync(join(folder, 'odd', file)));

  it(`have as many packets as capinfos counts, all ${here.length} of them`, async () => {
    expect(here.length).toBeGreaterThan(400);
    for (const { file, packets, error } of here) {
      const log = await openInput(readBytes(join(folder, 'odd', file)));
      expectAccounted(log);
      if (error === '') expect(String(log.capture?.packets), file).toBe(packets);
    }
  });
});

needShared(describe, 'flight')('our flights as captures', () => {
  it.each([
    ['copter-square', 0],
    // its recorder was stopped before the last two
    ['copter-signed', 2],
  ])('%s has the messages of its telemetry log but for %i at the end', async (name, later) => {
    const capture = await openInput(readBytes(sharedData('flight', `${name}.pcap`)));
    const tlog = await recordsOf(await openInput(readBytes(sharedData('flight', `${name}.tlog`))));
    const records = await recordsOf(capture);
    expect(records.length).toBe(tlog.length - later);
    for (const stream of ['1:1', '255:190']) {
      const ours = records.filter(({ table }) => table.stream === stream).map(said);
      const theirs = tlog.filter(({ table }) => table.stream === stream).map(said);
      expect(ours).toEqual(theirs.slice(0, ours.length));
    }
    for (const { lost, duplicated } of capture.streams) expect([lost, duplicated]).toEqual([0, 0]);
  });

  it('the signed flight verifies with its key', async () => {
    const keys = [SigningKey.fromPassphrase('correct horse battery staple')];
    const log = await openInput(readBytes(sharedData('flight', 'copter-signed.pcap')), { keys });
    const valid = log.streams.map(({ stream, signatures }) => [stream, signatures?.valid]);
    expect(valid).toEqual([
      ['1:1', 2_052],
      ['255:190', 25],
    ]);
  });
});

describe('the sample', () => {
  const { bytes } = sampleFile('copter-square.pcap');

  it('begins with text, is told by content, and has every message', async () => {
    const log = await openInput(bytes);
    expect([log.format, log.records]).toEqual(['pcap', 20_174]);
    expect(log.capture).toMatchObject({ kind: 'pcap', packets: 20_183 });
    expect(
      log.capture?.flows.map(({ source, destination, carries, records }) => [source, destination, carries, records]),
    ).toEqual([
      ['127.0.0.1:59622', '127.0.0.1:14650', 'mavlink', 20_033],
      ['127.0.0.1:14650', '127.0.0.1:59622', 'mavlink', 141],
    ]);
    expectAccounted(log);
  });

  it('is the same when it was compressed, and says so', async () => {
    const packed = gzipSync(bytes);
    const log = await openInput(new Uint8Array(packed));
    expect([log.records, log.packedBytes, log.source.size, log.faults.byCode.has('bad-gzip')]).toEqual([
      20_174,
      packed.length,
      bytes.length,
      false,
    ]);
  });

  it('gives what can be unpacked of damaged gzip', async () => {
    const packed = new Uint8Array(gzipSync(bytes));
    const cut = await openInput(packed.slice(0, packed.length >> 1));
    expect(cut.records).toBeGreaterThan(8_000);
    expect(cut.faults.byCode.get('bad-gzip')?.count).toBe(1);
    const damaged = packed.slice();
    damaged.fill(0xff, packed.length >> 1, (packed.length >> 1) + 100);
    const log = await openInput(damaged);
    expect(log.records).toBeGreaterThan(8_000);
    expect(log.faults.byCode.get('bad-gzip')?.count).toBe(1);
  });

  it('any other format may be compressed too', async () => {
    const log = await openInput(new Uint8Array(gzipSync(sampleFile('copter-square.tlog').bytes)));
    expect([log.format, log.records]).toEqual(['tlog', 20_174]);
  });

  it('refuses to become too much', async () => {
    const log = await openInput(new Uint8Array(gzipSync(new Uint8Array(64 << 20)))).catch(
      (error: unknown) => error as Error,
    );
    expect(log).toMatchObject({ format: 'blank' });
    expect((log as Log).source.size).toBeLessThan(40 << 20);
    expect((log as Log).faults.byCode.get('bad-gzip')?.count).toBe(1);
  });
});

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Format } from '../../../src/core/format.ts';
import type { Log } from '../../../src/core/log.ts';
import { type LogRecord, readRecords } from '../../../src/core/records.ts';
import { hexOf } from '../../../src/core/text.ts';
import { mavlink } from '../../../src/formats/mavlink/index.ts';
import { SigningKey } from '../../../src/formats/mavlink/key.ts';
import { openInput } from '../../../src/formats/open.ts';
import { needShared, sharedData } from '../../helpers/need.ts';
import { decode } from '../../suite/found.ts';
import { readBytes, sampleFile } from '../../suite/sample.ts';
import { isSame, type Written } from './pymavlink.ts';

/** A message as pymavlink gave it, with its bytes. */
interface Sample {
  readonly t: number | null;
  readonly sysid: number;
  readonly compid: number;
  readonly hex: string;
  readonly fields: Readonly<Record<string, Written>>;
}

interface Reference {
  readonly mode: 'tlog' | 'raw';
  readonly counts: Readonly<Record<string, number>>;
  readonly total: number;
  readonly samples: Readonly<Record<string, readonly Sample[]>>;
}

/** How many frames there are: where pymavlink has fewer, it lost some behind a false start or to a checksum. */
const RECORDS: Readonly<Record<string, number>> = {
  'EAICS_flight.tlog': 8_164,
  'EAICS_flight.tlog.raw': 7_284,
  'MACS_uav-cyber-sim_mav.tlog': 38_900,
  'ardusub_2023-04-18.tlog': 50_136 + 1_967,
  'ardusub_small.tlog': 35_912 + 4,
  'node-mavlink_GH-5.bin': 138,
  'node-mavlink_data.mavlink': 1_476,
  'node-mavlink_vtol.tlog': 23_894,
  'pymavlink_capture.mav2.battery_status.tlog': 1,
  'pymavlink_capture.mavlink': 0,
};

async function recordsOf(log: Log): Promise<LogRecord[]> {
  const records: LogRecord[] = [];
  for await (const record of readRecords(log)) records.push(record);
  return records;
}

/** How many records a remark counts. */
function remarked(log: Log, code: string): number {
  const texts = log.faults.kept.filter((fault) => fault.code === code).map(({ text }) => text);
  return texts.reduce((sum, text) => sum + Number(/: (\d+) frame/.exec(text)?.[1]), 0);
}

needShared(describe, 'mavlink')('streams and logs of many senders, as pymavlink reads them', () => {
  const folder = sharedData('mavlink');
  const names = readdirSync(folder).filter((name) => name in RECORDS);

  it('are all there', () => {
    expect(names.sort()).toEqual(Object.keys(RECORDS).sort());
  });

  it.each(names)('%s', async (name) => {
    const bytes = readBytes(`${folder}/${name}`);
    const reference = JSON.parse(readFileSync(`${folder}/ref/${name}.json`, 'utf8')) as Reference;
    const log = await openInput(bytes, { keepInvalid: true });
    expect(log.format).toBe(reference.mode === 'tlog' ? 'tlog' : 'mavlink');
    expect(log.records).toBe(RECORDS[name]);
    const rows = new Map<string, number>();
    for (const table of log.tables) rows.set(table.name, (rows.get(table.name) ?? 0) + table.rows);
    for (const [type, count] of Object.entries(reference.counts)) {
      // pymavlink takes frames of unknown ids without a check, and all of these are false
      if (!type.startsWith('UNKNOWN_')) expect(rows.get(type), type).toBeGreaterThanOrEqual(count);
    }
    expect([...rows.keys()].filter((type) => type.startsWith('UNKNOWN_'))).toEqual([]);

    const byHex = new Map<string, LogRecord[]>();
    const lead = reference.mode === 'tlog' ? 8 : 0;
    for (const record of await recordsOf(log)) {
      const start = record.offset + lead;
      const size = bytes[start] === 0xfd ? 12 + bytes[start + 1] + 13 * (bytes[start + 2] & 1) : 8 + bytes[start + 1];
      const hex = hexOf(bytes.subarray(start, start + size));
      byHex.set(hex, [...(byHex.get(hex) ?? []), record]);
    }
    for (const [type, samples] of Object.entries(reference.samples)) {
      if (type.startsWith('UNKNOWN_')) continue;
      for (const sample of samples)
        expect(matches(byHex.get(sample.hex) ?? [], type, sample), JSON.stringify(sample)).toBe(true);
    }
  });

  it('have 1,967 and 4 frames whose checksum was made before zeros were cut off', async () => {
    for (const [name, count] of [
      ['ardusub_2023-04-18.tlog', 1967],
      ['ardusub_small.tlog', 4],
      ['MACS_uav-cyber-sim_mav.tlog', 0],
      ['EAICS_flight.tlog.raw', 0],
    ] as const) {
      const log = await openInput(readBytes(`${folder}/${name}`));
      expect(remarked(log, 'early-crc'), name).toBe(count);
    }
  });
});

/** Whether one of the records that have a sample's bytes is it. */
function matches(records: readonly LogRecord[], type: string, { t, sysid, compid, fields }: Sample): boolean {
  return records.some(({ table, time, data }) => {
    if (table.name !== type || table.stream !== `${sysid}:${compid}`) return false;
    if (t !== null && Math.abs(time / 1e6 - t) > 1e-6) return false;
    return Object.entries(fields).every(([field, written]) => isSame(data[field], written));
  });
}

interface FlightReference {
  readonly messages: number;
  readonly counts: Readonly<Record<string, number>>;
}

needShared(describe, 'flight')('our flights', () => {
  const folder = sharedData('flight');

  it.each(['copter-square', 'copter-signed', 'px4-quad', 'rover'])('%s.tlog has every message', async (name) => {
    const reference = JSON.parse(readFileSync(`${folder}/ref/${name}.tlog.json`, 'utf8')) as FlightReference;
    const log = await openInput(readBytes(`${folder}/${name}.tlog`));
    expect(log.records).toBe(reference.messages);
    expect(log.faults.count).toBe(0);
    for (const table of log.tables) {
      const key = `${table.stream.replace(':', '/')} ${table.name}`;
      // what pymavlink had no definition of, it gives to nobody
      if (key in reference.counts) expect(table.rows, key).toBe(reference.counts[key]);
    }
    const known = Object.keys(reference.counts).filter((key) => !key.includes('UNKNOWN_'));
    const ours = log.tables.map((table) => `${table.stream.replace(':', '/')} ${table.name}`);
    expect(known.filter((key) => !ours.includes(key))).toEqual([]);
    for (const stream of log.streams)
      expect(stream).toMatchObject({ lost: 0, duplicated: 0, reordered: 0, restarted: 0 });
  });

  it('the raw streams have every frame', async () => {
    const earlier = await openInput(readBytes(`${folder}/copter-mavlink1.raw`));
    expect([earlier.format, earlier.records, earlier.faults.count]).toEqual(['mavlink', 25_086, 0]);
    const boot = await openInput(readBytes(`${folder}/copter-serial-boot.raw`));
    expect([boot.format, boot.records, [...boot.faults.byCode.keys()]]).toEqual(['mavlink', 1_358, ['text']]);
    expect(boot.faults.lost).toBe(false);
  });

  it('the signed flight verifies with its key', async () => {
    const bytes = readBytes(`${folder}/copter-signed.tlog`);
    const keys = [SigningKey.fromPassphrase('correct horse battery staple')];
    const log = await openInput(bytes, { keys });
    const outcomes = Object.fromEntries(log.streams.map(({ stream, signatures }) => [stream, signatures]));
    expect(outcomes).toEqual({ '1:1': { unsigned: 573, valid: 2_052 }, '255:190': { unsigned: 5, valid: 25 } });
    expect(log.records).toBe(2_077);
    const tolerant = await openInput(bytes, { keys, unsigned: 'accept' });
    expect(tolerant.records).toBe(2_655);
    const wrong = await openInput(bytes, { keys: [SigningKey.fromPassphrase('wrong horse')], unsigned: 'accept' });
    expect(wrong.faults.byCode.get('bad-signature')?.count).toBe(2_077);
  });

  it('the key in SETUP_SIGNING goes no further', async () => {
    const log = await openInput(readBytes(`${folder}/copter-signed.tlog`));
    const records = await recordsOf(log);
    const rows = records.filter(({ table }) => table.name === 'SETUP_SIGNING').map(({ data }) => data.secret_key);
    expect(rows).toEqual([new Array(32).fill(255), new Array(32).fill(255)]);
    const key = [...createHash('sha256').update('correct horse battery staple').digest()];
    expect(records.some(({ data }) => JSON.stringify(Object.values(data), plain).includes(key.join(',')))).toBe(false);
  });
});

function plain(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}

needShared(
  describe,
  'mavlink',
  'synthetic_signed_pymavlink.bin',
)('a signed stream', () => {
  interface SignedReference {
    readonly key_hex: string;
    readonly frames: readonly { readonly accepted: boolean; readonly kind: string; readonly len: number }[];
  }

  it('gets the verdict of pymavlink, frame by frame', () => {
    const bytes = readBytes(sharedData('mavlink', 'synthetic_signed_pymavlink.bin'));
    const path = sharedData('mavlink', 'ref', 'synthetic_signed_pymavlink.bin.json');
    const { key_hex, frames } = JSON.parse(readFileSync(path, 'utf8')) as SignedReference;
    const keys = [SigningKey.parse(key_hex)];
    const format: Format = { ...mavlink, decoder: (sink) => mavlink.decoder(sink, { keys }) };
    const found = decode(format, bytes);
    let offset = 0;
    const verdicts = frames.map(({ len }) => {
      const at = offset;
      offset += len;
      return (
        found.faults.find((fault) => fault.offset === at)?.code ?? (found.offsets.includes(at) ? 'valid' : 'missing')
      );
    });
    expect(offset).toBe(bytes.length);
    const expected = frames.map(({ kind }) =>
      kind.startsWith('replay')
        ? 'replayed'
        : kind === 'good'
          ? 'valid'
          : kind === 'unsigned frame'
            ? 'unsigned'
            : 'bad-signature',
    );
    expect(verdicts).toEqual(expected);
    expect(verdicts.map((verdict) => verdict === 'valid')).toEqual(frames.map(({ accepted }) => accepted));
  });
});

describe('the sample', () => {
  it('is read without loss, on the time of its recorder', async () => {
    const log = await openInput(sampleFile('copter-square.tlog').bytes);
    expect([log.format, log.records, log.faults.count]).toEqual(['tlog', 20_174, 0]);
    expect(log.clock).toMatchObject({ kind: 'tlog', utc: true });
    expect(log.streams.map(({ stream, received, lost }) => [stream, received, lost])).toEqual([
      ['1:1', 20_033, 0],
      ['255:190', 141, 0],
    ]);
    const [first] = (await log.table('HEARTBEAT')?.times()) ?? [];
    expect(first).toBe(1_794_766_352_645_514);
  });
});

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Value } from '../../../src/core/column.ts';
import type { Log } from '../../../src/core/log.ts';
import { readRecords } from '../../../src/core/records.ts';
import { openInput } from '../../../src/formats/open.ts';
import { encodeXbusFrame, encodeXbusPacket } from '../../../src/formats/xbus/encode.ts';
import { xbus } from '../../../src/formats/xbus/index.ts';
import { parseXbusFrame } from '../../../src/formats/xbus/parse.ts';
import { needShared, sharedData } from '../../helpers/need.ts';
import { readBytes } from '../../suite/sample.ts';

/** One item as the reference script gives it: a number, several reals, or fields. */
interface ReferenceItem {
  readonly xdi: string;
  readonly name: string;
  readonly len: number;
  readonly coord?: string;
  readonly fmt?: string;
  readonly value: number | readonly number[] | Readonly<Record<string, number>>;
}

interface ReferenceFrame {
  readonly offset: number;
  readonly bid: number;
  readonly items: readonly ReferenceItem[];
}

interface Vector {
  readonly name: string;
  readonly hex: string;
  readonly mid?: number;
  readonly payload?: string;
  readonly decode?: readonly ReferenceItem[];
}

const lines = (...parts: string[]): string[] =>
  readFileSync(sharedData('xbus', ...parts), 'utf8')
    .split('\n')
    .filter((line) => line !== '');

const fileOf = (name: string): Uint8Array => readBytes(sharedData('xbus', name, 'output.bin'));

/** Fields of GnssPvtData that the script leaves as they are stored, and how many make one. */
const STORED: Readonly<Record<string, number>> = { lon: 1e7, lat: 1e7, headMot: 1e5, headAcc: 1e5, headVeh: 1e5 };
/** Fields that the script spells otherwise. */
const SPELLED: Readonly<Record<string, string>> = { numSv: 'numSV', hMsl: 'hMSL' };

/** What a record must hold, by the reference. */
function expected({ name, value }: ReferenceItem): Record<string, number> {
  if (typeof value === 'number') return { value };
  if (!Array.isArray(value)) {
    const entries = Object.entries(value).map(([key, stored]): [string, number] => {
      const divisor = key.endsWith('dop') ? 100 : (STORED[key] ?? 1);
      return [SPELLED[key] ?? key, stored / divisor];
    });
    return Object.fromEntries(entries);
  }
  const fields: Readonly<Record<string, string>> = {
    Quaternion: 'w x y z',
    DeltaQ: 'w x y z',
    EulerAngles: 'roll pitch yaw',
    RotationMatrix: 'a b c d e f g h i',
    LatLon: 'lat lon',
    AltitudeEllipsoid: 'value',
    Temperature: 'value',
  };
  const names = (fields[name] ?? 'x y z').split(' ');
  return Object.fromEntries(names.map((each, k) => [each, (value as readonly number[])[k]]));
}

/** The records of each packet by the offset of its header. */
async function packetsOf(
  log: Log,
): Promise<Map<number, { name: string; stream: string; data: Record<string, Value> }[]>> {
  const packets = new Map<number, { name: string; stream: string; data: Record<string, Value> }[]>();
  let packet: { name: string; stream: string; data: Record<string, Value> }[] = [];
  for await (const { table, offset, data } of readRecords(log)) {
    if (table.name === 'MTData2') {
      packet = [];
      packets.set(offset, packet);
    } else {
      packet.push({ name: table.name, stream: table.stream, data });
    }
  }
  return packets;
}

needShared(describe, 'xbus')('recordings', () => {
  describe.each(['1', '2', '4'])('%s', (name) => {
    test('every value is that of the independent script', async () => {
      const log = await openInput(fileOf(name), { keepInvalid: true });
      expect(log.format).toBe('xbus');
      expect(log.faults.count).toBe(0);
      const packets = await packetsOf(log);
      const frames = lines(name, 'output.bin.ref.jsonl').map((line) => JSON.parse(line) as ReferenceFrame);
      expect([...packets.keys()]).toEqual(frames.map(({ offset }) => offset));
      for (const { offset, bid, items } of frames) {
        const found = packets.get(offset) ?? [];
        expect(found.map((each) => each.name)).toEqual(items.map((each) => each.name));
        items.forEach((item, k) => {
          expect(found[k].data).toMatchObject(expected(item));
          const framed = ['Quaternion', 'EulerAngles', 'VelocityXYZ'].includes(item.name) ? `:${item.coord}` : '';
          expect(found[k].stream).toBe(`${bid}${framed}`);
        });
      }
    });

    test('every value is that of the maker', async () => {
      const log = await openInput(fileOf(name));
      const packets = await packetsOf(log);
      const fields: Readonly<Record<string, readonly [item: string, names: string]>> = {
        packetCounter: ['PacketCounter', 'value'],
        sampleTimeFine: ['SampleTimeFine', 'value'],
        utc: ['UtcTime', 'ns year month day hour minute second flags'],
        eulerDeg: ['EulerAngles', 'roll pitch yaw'],
        acc: ['Acceleration', 'x y z'],
        gyr: ['RateOfTurn', 'x y z'],
        dv: ['DeltaV', 'x y z'],
        dq: ['DeltaQ', 'w x y z'],
        velocity: ['VelocityXYZ', 'x y z'],
      };
      let values = 0;
      for (const line of lines(name, 'output.bin.xspublic.jsonl')) {
        const frame = JSON.parse(line) as Record<string, number | number[]>;
        const packet = packets.get(frame.offset as number) ?? [];
        for (const [key, [item, names]] of Object.entries(fields)) {
          if (frame[key] === undefined) continue;
          const data = packet.find((each) => each.name === item)?.data ?? {};
          names.split(' ').forEach((field, k) => {
            values++;
            // it prints seventeen digits of numbers that it has rounded on the way
            expect(data[field], `${item} at ${frame.offset}`).toBeCloseTo([frame[key]].flat()[k], 9);
          });
        }
      }
      expect(values).toBeGreaterThan(2000);
    });

    test('every value is that of the golden text', async () => {
      const packets = [...(await packetsOf(await openInput(fileOf(name), { keepInvalid: true }))).values()];
      const texts = readFileSync(sharedData('xbus', name, 'output.golden'), 'utf8')
        .trim()
        .split('\n\n');
      expect(packets.length).toBe(texts.length);
      packets.forEach((packet, k) => {
        expect(packet.map((each) => [each.name, goldenNumbers(each)])).toEqual(goldenItems(texts[k]));
      });
    });

    test('each frame is made again from what was read of it', () => {
      const bytes = fileOf(name);
      for (const line of lines(name, 'output.bin.ref.jsonl')) {
        const { offset } = JSON.parse(line) as ReferenceFrame;
        const parsed = parseXbusFrame(bytes.subarray(offset), { keepInvalid: true });
        if (!parsed.ok) expect.fail(parsed.reason);
        const items = parsed.frame.items.map(({ xdi, data }) => ({ item: xdi as number, data }));
        expect(encodeXbusPacket(items)).toEqual(bytes.slice(offset, offset + parsed.frame.length));
      }
    });

    test('no packet is lost', async () => {
      const [stream, ...others] = (await openInput(fileOf(name))).streams;
      expect(others).toEqual([]);
      expect(stream).toMatchObject({
        stream: '255',
        received: 100,
        lost: 0,
        duplicated: 0,
        reordered: 0,
        restarted: 0,
      });
    });

    test('the configuration of the output is that of the golden text', () => {
      const frame = parseXbusFrame(encodeXbusFrame(0xc1, readBytes(sharedData('xbus', name, 'outputconfig.bin'))));
      if (!frame.ok) expect.fail(frame.reason);
      const { xdi, frequency } = frame.frame.data as Record<string, number[]>;
      const rates = frequency.map((each) => (each === 0xffff ? 'Max' : `${each} Hz`));
      const golden = readFileSync(sharedData('xbus', name, 'outputconfig.golden'), 'utf8');
      expect(rates).toEqual([...golden.matchAll(/^ {2}(.+)$/gm)].map(([, rate]) => rate));
      expect(xdi.length).toBe(golden.match(/:$/gm)?.length);
    });
  });
});

const GOLDEN_NAMES: Readonly<Record<string, string>> = { UTCTime: 'UtcTime', GNSSPVTData: 'GnssPvtData' };

/** Items of a packet of the golden text, each with its numbers. */
function goldenItems(text: string): [name: string, numbers: number[]][] {
  return text.split(/^(?=\S)/m).map((item) => {
    const [title, ...rest] = item.trimEnd().split('\n');
    const name = title.replace(/[(:].*$/, '');
    const values = rest.map((line) => line.trim()).filter((line) => !line.startsWith('Reserved'));
    if (name === 'UTCTime') return ['UtcTime', [Date.parse(values[0].replace(/(\.\d{3})\d*Z/, '$1Z'))]];
    const isBits = name.startsWith('Status');
    const numbers = values.map((value) => (isBits ? Number.parseInt(value, 2) : Number(value.replace(/^\w+:/, ''))));
    return [GOLDEN_NAMES[name] ?? name, numbers];
  });
}

/** The same numbers of a record: all that it holds, in the units of the golden text. */
function goldenNumbers({ name, data }: { name: string; data: Record<string, Value> }): number[] {
  if (name === 'UtcTime') {
    const { year, month, day, hour, minute, second, ns } = data as Record<string, number>;
    return [Date.UTC(year, month - 1, day, hour, minute, second, Math.floor(ns / 1e6))];
  }
  if (name.startsWith('Status')) return [data.value as number];
  return Object.entries(data).map(([field, value]) => {
    const factor = name !== 'GnssPvtData' ? 1 : field.endsWith('dop') ? 100 : (STORED[field] ?? 1);
    return factor === 1 ? (value as number) : Math.round((value as number) * factor);
  });
}

needShared(describe, 'xbus')('vectors', () => {
  const vectors = JSON.parse(readFileSync(sharedData('xbus', 'vectors.json'), 'utf8')) as Vector[];

  test.each(vectors)('$name', ({ hex, mid, payload, decode }) => {
    const bytes = Uint8Array.from(Buffer.from(hex, 'hex'));
    const parsed = parseXbusFrame(bytes);
    if (!parsed.ok) expect.fail(parsed.reason);
    const { frame } = parsed;
    expect(frame).toMatchObject({ bus: 0xff, checksum: 'protocol', length: bytes.length });
    if (mid !== undefined) expect(frame.message).toBe(mid);
    if (payload !== undefined) {
      expect(Buffer.from(encodeXbusFrame(frame.message, Buffer.from(payload, 'hex'))).toString('hex')).toBe(hex);
    }
    if (decode) {
      expect(frame.items.map(({ name, xdi }) => [name, xdi])).toEqual(
        decode.map((item) => [item.name, Number.parseInt(item.xdi, 16)]),
      );
      decode.forEach((item, k) => {
        expect(frame.items[k].data).toMatchObject(expected(item));
      });
      const items = frame.items.map(({ xdi, data }) => ({ item: xdi as number, data }));
      expect(Buffer.from(encodeXbusPacket(items)).toString('hex')).toBe(hex);
    }
  });

  test.each(vectors)('$name is a stream of one frame', async ({ hex }) => {
    const bytes = Uint8Array.from(Buffer.from(hex, 'hex'));
    const log = await openInput(bytes, { format: xbus });
    expect(log.faults.lostBytes).toBe(0);
    expect(log.records).toBeGreaterThan(0);
    expect(xbus.detect(bytes)).toBeGreaterThan(0.9);
  });
});

import { concat, join, Random } from '../../suite/random.ts';
import type { Sample } from '../../suite/sample.ts';
import { frameBytes } from './random.ts';

const MASTER = 0xff;

function bigEndian(bytes: number, write: (view: DataView) => void): number[] {
  const data = new Uint8Array(bytes);
  write(new DataView(data.buffer));
  return [...data];
}

const u16 = (value: number): number[] => bigEndian(2, (view) => view.setUint16(0, value));
const u32 = (value: number): number[] => bigEndian(4, (view) => view.setUint32(0, value));
const f32 = (...values: number[]): number[] =>
  values.flatMap((value) => bigEndian(4, (view) => view.setFloat32(0, value)));
const f64 = (...values: number[]): number[] =>
  values.flatMap((value) => bigEndian(8, (view) => view.setFloat64(0, value)));
const item = (xdi: number, data: readonly number[]): number[] => [...u16(xdi), data.length, ...data];

function utc(second: number, flags: number): number[] {
  return [...u32(250_000_000), ...u16(2024), 5, 17, 12, 34, second, flags];
}

/** What a device answers while it is set up. */
function setUp(total: number): Uint8Array {
  const frame = (id: number, data: readonly number[]): Uint8Array => frameBytes(MASTER, id, data, total);
  const outputs = [0x1020, 0x1060, 0x2010, 0x4020, 0x8020, 0xc020, 0xe020].flatMap((xdi) => [...u16(xdi), ...u16(100)]);
  return join([
    frame(0x3e, []),
    frame(0x31, []),
    frame(0x01, u32(0x037003f8)),
    frame(0x13, [1, 8, 0, ...u32(72), ...u32(86_937)]),
    frame(0x1d, [...Buffer.from('MTi-680-8A1G6       ')]),
    frame(0x1f, [2, 0]),
    frame(0x19, [2]),
    frame(0xc1, outputs),
    frame(0x2d, [11, 4, 1, 0, ...u16(0), ...u16(9), ...u16(100), ...u16(0)]),
    frame(0x63, [1, 4, ...Buffer.from('General             '), 2, 4, ...Buffer.from('High_mag_dep        ')]),
    frame(0x43, [...u32(402), ...Buffer.from('GNSS receiver does not answer'.padEnd(128, '\0'))]),
    frame(0x42, [0x29]),
    frame(0x11, []),
  ]);
}

/** Packets with every number format, both kinds of headers, and items that come now and then. */
function packets(random: Random, count: number, total: number): Uint8Array {
  const real = (): number => (random.bits() / 2 ** 32) * 20 - 10;
  const frames: Uint8Array[] = [];
  for (let n = 0; n < count; n++) {
    const data = [
      ...item(0x1020, u16((65_530 + n) % 65_536)),
      ...item(0x1060, u32((863_999_000 + 100 * n) % 864_000_000)),
    ];
    if (n % 3 === 0) data.push(...item(0x1010, utc(n % 60, n < 6 ? 1 : 0x37)));
    data.push(...item(n % 2 ? 0x2010 : 0x2014, f32(real(), real(), real(), real())));
    data.push(...item(0x4020, f32(real(), real(), real())), ...item(0x8023, f64(real(), real(), real())));
    data.push(...item(0xc021, [...random.bytes(12)]), ...item(0xe020, u32(random.bits())));
    if (n % 4 === 1) data.push(...item(0x5042, [...random.bytes(12)]), ...item(0x0810, f32(31.5)));
    if (n % 7 === 2) data.push(...item(0x3013, u32(101_325)), ...item(0x2030, f64(1, 2, 3)));
    if (n % 9 === 5) data.push(...item(0xfab0, [0xfa, 0xff, 0x36, 4]), ...item(0xc810, [...random.bytes(9)]));
    if (n % 11 === 3)
      data.push(...item(0x7010, [...random.bytes(94)]), ...item(0x7020, [...u32(5), 3, 0, 0, 0, ...random.bytes(12)]));
    frames.push(frameBytes(n % 5 === 4 ? 1 : MASTER, 0x36, data, total, n % 13 === 12));
  }
  return join(frames);
}

/** An old device: its configuration, and data that only this explains. */
function legacy(random: Random): Uint8Array {
  const head = [...u32(0x00300100), ...u16(1152), ...u16(0), ...new Array(84).fill(0), ...u16(0), ...u16(0), ...u16(1)];
  const device = [...u32(0x00300100), ...u16(54), ...u16(0x0006), ...u32(0x00000001), ...new Array(8).fill(0)];
  const data = Array.from({ length: 12 }, (_, n) =>
    frameBytes(MASTER, 0x32, [...f32(...Array.from({ length: 13 }, () => random.below(100))), ...u16(n)]),
  );
  return concat(frameBytes(MASTER, 0x0d, [...head.slice(0, 98), ...device]), ...data);
}

/** Streams as devices send them, a few kilobytes each. */
export function xbusSamples(): Sample[] {
  return [
    { name: 'a device', bytes: concat(setUp(0), packets(new Random(1), 40, 0)) },
    { name: 'an old device', bytes: legacy(new Random(2)) },
    { name: 'a device with inverted checksums', bytes: concat(packets(new Random(3), 12, 0xff), setUp(0xff)) },
  ];
}

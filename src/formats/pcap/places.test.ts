import { describe, expect, it } from 'vitest';
import { Random } from '../../../test/suite/random.ts';
import { Places } from './places.ts';
import { Room } from './room.ts';
import { Segments } from './segments.ts';

/** Where each byte is: in the file, of which packet, of what time. */
type Place = readonly [file: number, packet: number, time: number];

describe('places', () => {
  it('of each byte of records are found in any order', () => {
    const random = new Random(3);
    const places = new Places();
    const all: Place[] = [];
    let [file, packet] = [0, 0];
    for (let batch = 0; batch < 120; batch++) {
      const rows = random.between(1, 20);
      const lists = {
        sizes: new Uint32Array(rows),
        files: new Float64Array(rows),
        packets: new Uint32Array(rows),
        times: new Float64Array(rows),
      };
      const [from, to] = [random.below(rows), rows];
      const begin = all.length;
      for (let i = from; i < to; i++) {
        // some go on where the last one ended, in the same packet or in another
        if (random.chance(0.6)) file += random.between(1, 50);
        if (random.chance(0.7)) packet++;
        const size = random.between(1, 9);
        lists.sizes[i] = size;
        lists.files[i] = file;
        lists.packets[i] = packet;
        lists.times[i] = packet / 2;
        for (let k = 0; k < size; k++) all.push([file + k, packet, packet / 2]);
        file += size;
      }
      places.add(begin, from, to, lists.sizes, lists.files, lists.packets, lists.times);
    }
    const at = (offset: number): Place => [places.fileAt(offset), places.packetAt(offset), places.timeAt(offset)];
    for (const [offset, expected] of all.entries()) expect(at(offset), `${offset}`).toEqual(expected);
    for (let i = 0; i < 3000; i++) {
      const offset = random.below(all.length);
      expect(at(offset), `${offset}`).toEqual(all[offset]);
      if (offset + 1 < all.length) expect(at(offset + 1)).toEqual(all[offset + 1]);
    }
  });

  it('of more than 2 GiB of records are found too', () => {
    const places = new Places();
    const add = (offset: number, file: number, packet: number): void =>
      places.add(offset, 0, 1, Uint32Array.of(10), Float64Array.of(file), Uint32Array.of(packet), Float64Array.of(0));
    const offsets = [0, 2 ** 31, 2 ** 31 + 1, 2 ** 32, 2 ** 33];
    for (const [i, offset] of offsets.entries()) add(offset, offset + 7 * i, i);
    for (const [i, offset] of offsets.entries())
      expect([places.fileAt(offset), places.packetAt(offset)]).toEqual([offset + 7 * i, i]);
  });

  it('of a stream are found until they are forgotten', () => {
    const random = new Random(4);
    const segments = new Segments();
    const all: Place[] = [];
    let [kept, recent] = [0, 0];
    for (let packet = 1; packet < 4000; packet++) {
      const length = random.between(1, 40);
      const file = packet * 100;
      segments.add(length, file, packet, packet / 2);
      for (let k = 0; k < length; k++) all.push([file + k, packet, packet / 2]);
      expect(segments.end).toBe(all.length);
      if (random.chance(0.02)) {
        kept = Math.max(kept, all.length - random.pick([20, 300, 20_000]));
        segments.keepFrom(kept);
        // beside the piece at the offset those of the last 8 KiB
        recent = Math.max(kept, all.length - 8192);
      }
      const from = random.chance(0.2) ? kept : recent + random.below(all.length - recent);
      const index = segments.indexOf(from);
      expect([segments.fileAt(from), segments.packets[index], segments.times[index]]).toEqual(all[from]);
      const [first, end] = [Math.max(from, recent), Math.min(all.length, from + random.below(100))];
      const pieces = [...segments.within(first, end)].flatMap(([start, stop, i]) =>
        Array.from({ length: stop - start }, (_, k) => [
          segments.files[i] + start + k - segments.starts[i],
          segments.packets[i],
        ]),
      );
      expect(pieces).toEqual(all.slice(first, end).map(([place, own]) => [place, own]));
    }
    segments.keepFrom(all.length - 1);
    expect([segments.count, segments.fileAt(all.length - 1)]).toEqual([1, all[all.length - 1][0]]);
  });

  it('of nothing are nothing', () => {
    const segments = new Segments();
    segments.keepFrom(0);
    expect([segments.count, [...segments.within(0, 10)]]).toEqual([0, []]);
  });
});

it('memory is lent in sizes from 256 bytes on, and what is given back is lent again', () => {
  const room = new Room();
  for (const [least, size] of [
    [0, 256],
    [256, 256],
    [257, 512],
    [1 << 20, 1 << 20],
    [(1 << 20) + 1, 2 << 20],
  ]) {
    const piece = room.borrow(least);
    expect(piece.length).toBe(size);
    room.release(piece);
    // the longest are not kept
    expect(room.borrow(size) === piece).toBe(size <= 1 << 20);
  }
  const pieces = Array.from({ length: 5 }, () => room.borrow(300));
  for (const piece of pieces) room.release(piece);
  const again = Array.from({ length: 5 }, () => room.borrow(300));
  expect(again.map((piece) => pieces.includes(piece))).toEqual([true, true, true, true, false]);
});

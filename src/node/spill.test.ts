import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { fileSpill } from './spill.ts';

describe('a file for what is too much', () => {
  it('keeps bytes at their places and leaves nothing behind', () => {
    const before = readdirSync(tmpdir()).filter((name) => /^skein-[A-Za-z0-9]{6}$/.test(name));
    const spill = fileSpill();
    spill.write(0, Uint8Array.of(1, 2, 3));
    spill.write(3, Uint8Array.of(4, 5));
    expect([...spill.read(1, 3)]).toEqual([2, 3, 4]);
    expect([...spill.read(4, 9)]).toEqual([5]);
    expect(readdirSync(tmpdir()).filter((name) => /^skein-[A-Za-z0-9]{6}$/.test(name))).toEqual(before);
  });
});

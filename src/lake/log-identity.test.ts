import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { bytesSource } from '../core/source.ts';
import { beginsWith, mayBegin, readIdentity } from './log-identity.ts';

const bytes = Uint8Array.from({ length: 3_000_000 }, (_, i) => (i * i) >> 7);
const head = (length: number): Uint8Array => bytes.subarray(0, length);
const hash = (data: Uint8Array): string => createHash('sha256').update(data).digest('hex');

test('a log is told by the hash of all its bytes', async () => {
  for (const length of [1, 4095, 4096, 4097, 1 << 20, bytes.length]) {
    const { id, marks, bytes: size } = await readIdentity(bytesSource(head(length)));
    expect(id).toBe(hash(head(length)).slice(0, 32));
    expect(size).toBe(length);
    const sizes = [4096, 16384, 65536, 262144, 1048576].filter((each) => each <= length);
    expect(marks).toBe(sizes.map((each) => hash(head(each)).slice(0, 16)).join(''));
  }
});

test('the beginning of a log is known as such, and nothing else is', async () => {
  const whole = bytesSource(bytes);
  const identity = await readIdentity(whole);
  const part = await readIdentity(bytesSource(head(70_000)));
  const other = head(70_000).slice();
  other[69_999] ^= 1;
  const changed = await readIdentity(bytesSource(other));
  expect(mayBegin(part, identity)).toBe(true);
  expect(await beginsWith(whole, part)).toBe(true);
  expect(mayBegin(changed, identity)).toBe(true);
  expect(await beginsWith(whole, changed)).toBe(false);
  expect(mayBegin(identity, part)).toBe(false);
  expect(mayBegin(identity, identity)).toBe(false);
  expect(await beginsWith(bytesSource(head(100)), part)).toBe(false);
});

import { Writable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { terminalText } from '../core/names.ts';
import { guardStream, jsonPieces, Output } from './output.ts';

/** A stream that keeps what is written, or fails with an error from some piece on. */
function stream(options: { isTTY?: boolean; fails?: NodeJS.ErrnoException; after?: number } = {}): {
  stream: NodeJS.WriteStream;
  written: () => string;
} {
  const pieces: Buffer[] = [];
  const made = new Writable({
    write(piece: Buffer, _encoding, done) {
      if (options.fails && pieces.length >= (options.after ?? 0)) {
        done(options.fails);
        return;
      }
      pieces.push(piece);
      setImmediate(done);
    },
  });
  Object.assign(made, { isTTY: options.isTTY ?? false });
  return { stream: made as unknown as NodeJS.WriteStream, written: () => Buffer.concat(pieces).toString() };
}

function failure(code: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`it failed: ${code}`), { code });
}

describe('text', () => {
  test('is gathered until there is enough of it or it is flushed', async () => {
    const { stream: out, written } = stream();
    const output = new Output(out);
    expect(output.write('a')).toBe(false);
    expect(output.write('b'.repeat(100_000))).toBe(true);
    expect(written()).toBe('');
    await output.flush();
    expect(written()).toBe(`a${'b'.repeat(100_000)}`);
    await output.flush();
    expect(written()).toHaveLength(100_001);
  });

  const hostile = 'a\u001b[31mred\u001b]52;c;x\u0007\rb\u009b5m\u202eevil\u2066\u200f\u0000\tend\n';

  test('goes to a file as it is if it is data', async () => {
    const { stream: out, written } = stream();
    const output = new Output(out);
    output.data(hostile);
    output.json({ hostile });
    await output.flush();
    expect(written().slice(0, hostile.length)).toBe(hostile);
    expect(JSON.parse(written().slice(hostile.length))).toEqual({ hostile });
  });

  test.each([true, false])(
    'goes out without anything that a terminal obeys, but with our own colours: terminal %s',
    async (isTTY) => {
      const { stream: out, written } = stream({ isTTY });
      const output = new Output(out);
      output.write(hostile);
      output.writeSafe(`\u001b[1m${terminalText(hostile)}\u001b[22m`);
      await output.flush();
      const [first, second] = written().split('\u001b[1m');
      // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it is about
      const obeyed = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;
      expect(first).not.toMatch(obeyed);
      expect(first).toContain('\\x1b[31mred');
      expect(first).toMatch(/\tend\n$/);
      expect(second).toBe(`${first}\u001b[22m`);
    },
  );
});

test('bytes go out as they are, also to a terminal', async () => {
  const { stream: out, written } = stream({ isTTY: true });
  await new Output(out).bytes(Uint8Array.of(27, 91, 65));
  expect(written()).toBe('\u001b[A');
});

describe('what goes wrong', () => {
  test('a reader that went away is no error, and nothing more is written', async () => {
    const { stream: out, written } = stream({ fails: failure('EPIPE'), after: 1 });
    const output = new Output(out);
    output.write('one');
    await output.flush();
    expect(output.closed).toBe(false);
    output.write('two');
    await output.flush();
    expect(output.closed).toBe(true);
    output.write('three');
    await output.flush();
    await output.bytes(Uint8Array.of(1));
    expect(written()).toBe('one');
  });

  test('a disk that is full is one', async () => {
    const { stream: out } = stream({ fails: failure('ENOSPC') });
    const output = new Output(out);
    output.write('one');
    await expect(output.flush()).rejects.toMatchObject({ code: 'ENOSPC' });
    expect(output.closed).toBe(true);
  });

  test('a stream is listened to once, however many outputs it has', () => {
    const { stream: out } = stream();
    for (let i = 0; i < 20; i++) new Output(out);
    guardStream(out);
    expect(out.listenerCount('error')).toBe(1);
  });
});

test('JSON in pieces is the JSON of the whole', () => {
  const deep = { a: [[[{ b: 'line\nbreak' }]], []], none: undefined, list: [undefined, null, Number.NaN, {}, [{}]] };
  for (const value of [deep, [deep, deep], {}, [], null, 'text', 7, { '"': { x: { y: { z: [1, [2]] } } } }])
    expect([...jsonPieces(value)].join('')).toBe(JSON.stringify(value, null, 2));
});

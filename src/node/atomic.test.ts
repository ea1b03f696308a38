import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../test/helpers/folder.ts';
import { FileExistsError, removeDrafts, writeFile } from './atomic.ts';

const root = temporaryFolder();
let count = 0;
let folder = '';

beforeEach(() => {
  folder = join(root, String(count++));
  mkdirSync(folder);
});

const at = (name: string): string => join(folder, name);

/** A file that is there before. */
function present(name: string, content: string): string {
  writeFileSync(at(name), content);
  return at(name);
}

async function* later(...pieces: (string | Uint8Array)[]): AsyncGenerator<string | Uint8Array> {
  for (const piece of pieces) {
    await Promise.resolve();
    yield piece;
  }
}

describe('writing', () => {
  test('puts text and bytes together and says how many bytes there are', async () => {
    const pieces = ['ü', Uint8Array.of(0, 255), 'end'];
    expect(await writeFile(at('a'), pieces)).toBe(7);
    expect(await writeFile(at('b'), later(...pieces))).toBe(7);
    for (const name of ['a', 'b']) expect(readFileSync(at(name)).toString('hex')).toBe('c3bc00ff656e64');
    expect(readdirSync(folder)).toEqual(['a', 'b']);
  });

  test('nothing at all is an empty file', async () => {
    expect(await writeFile(at('a'), [])).toBe(0);
    expect(statSync(at('a')).size).toBe(0);
  });

  test('a name may be as long as names can be', async () => {
    const name = `${'n'.repeat(251)}.csv`;
    await writeFile(at(name), ['x']);
    expect(readdirSync(folder)).toEqual([name]);
  });

  test('in a folder that is not there says which one', async () => {
    await expect(writeFile(at('no/a'), ['x'])).rejects.toThrow(`folder ${at('no')} not found`);
  });
});

describe('until all is written', () => {
  test('there is no file of that name', async () => {
    const seen: boolean[] = [];
    await writeFile(
      at('a'),
      (function* () {
        for (const piece of ['one', 'two']) {
          seen.push(existsSync(at('a')));
          yield piece;
        }
      })(),
    );
    expect(seen).toEqual([false, false]);
    expect(readFileSync(at('a'), 'utf8')).toBe('onetwo');
  });

  test.each([false, true])('what goes wrong leaves everything as it was (force: %s)', async (force) => {
    if (force) present('a', 'before');
    const failing = (async function* () {
      yield* later('half of it');
      throw new Error('something broke');
    })();
    await expect(writeFile(at('a'), failing, { force })).rejects.toThrow('something broke');
    expect(readdirSync(folder)).toEqual(force ? ['a'] : []);
    if (force) expect(readFileSync(at('a'), 'utf8')).toBe('before');
  });
});

describe('what is there already', () => {
  test('is kept', async () => {
    const path = present('a', 'before');
    const writing = writeFile(path, ['after']);
    await expect(writing).rejects.toBeInstanceOf(FileExistsError);
    await expect(writing).rejects.toThrow(`${path} already exists: use --force to replace it`);
    expect(readFileSync(path, 'utf8')).toBe('before');
    expect(readdirSync(folder)).toEqual(['a']);
  });

  test('is kept also if it came while the other was written', async () => {
    const path = at('a');
    const pieces = (function* () {
      yield 'mine';
      writeFileSync(path, 'of someone who was quicker');
    })();
    await expect(writeFile(path, pieces)).rejects.toBeInstanceOf(FileExistsError);
    expect(readFileSync(path, 'utf8')).toBe('of someone who was quicker');
    expect(readdirSync(folder)).toEqual(['a']);
  });

  test('is kept where it is a link that leads nowhere', async () => {
    symlinkSync(at('nowhere'), at('a'));
    await expect(writeFile(at('a'), ['x'])).rejects.toBeInstanceOf(FileExistsError);
    expect(existsSync(at('nowhere'))).toBe(false);
  });

  test('is replaced by force', async () => {
    const path = present('a', 'before');
    await writeFile(path, ['after'], { force: true });
    expect(readFileSync(path, 'utf8')).toBe('after');
    expect(readdirSync(folder)).toEqual(['a']);
  });

  test.each([false, true])('a folder is never replaced (force: %s)', async (force) => {
    await expect(writeFile(folder, ['x'], { force })).rejects.toThrow(`${folder} is a folder`);
    expect(readdirSync(folder)).toEqual([]);
  });

  test.each([false, true])(
    'nor is anything else that is not a regular file, as a device is none (force: %s)',
    async (force) => {
      // a socket: a real device would be lost if this went wrong
      const path = at('socket');
      const server = createServer();
      await new Promise<void>((resolve) => server.listen(path, resolve));
      await expect(writeFile(path, ['x'], { force })).rejects.toThrow(`${path} is not a regular file`);
      expect(statSync(path).isSocket()).toBe(true);
      server.close();
    },
  );
});

describe('an input', () => {
  test.each(['its own name', 'another way to it', 'a symbolic link', 'a hard link'])(
    'is never replaced, by %s',
    async (way) => {
      const input = present('input.BIN', 'precious');
      const names: Readonly<Record<string, () => string>> = {
        'its own name': () => input,
        'another way to it': () => `${folder}/../${folder.split('/').at(-1)}/input.BIN`,
        'a symbolic link': () => {
          symlinkSync(input, at('soft'));
          return at('soft');
        },
        'a hard link': () => {
          linkSync(input, at('hard'));
          return at('hard');
        },
      };
      const path = names[way]();
      for (const force of [false, true]) {
        const writing = writeFile(path, ['gone'], { force, inputs: [input] });
        await expect(writing).rejects.toThrow(`${path} is an input and is never overwritten`);
      }
      expect(readFileSync(input, 'utf8')).toBe('precious');
      expect(readFileSync(path, 'utf8')).toBe('precious');
    },
  );
});

test('drafts that were left behind are removed, and nothing else', async () => {
  const old = (name: string): void => utimesSync(present(name, '{'), 0, 0);
  for (const name of ['.a.json.0123456789ab.part', '.b.json.0123456789ab.part', '.a.json.x.part', 'a.json']) old(name);
  present('.a.json.ba9876543210.part', '{');
  await removeDrafts(at('a.json'));
  expect(readdirSync(folder).sort()).toEqual(
    ['.a.json.ba9876543210.part', '.a.json.x.part', '.b.json.0123456789ab.part', 'a.json'].sort(),
  );
});

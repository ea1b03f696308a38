import { randomBytes } from 'node:crypto';
import { type FileHandle, link, open, readdir, rename, stat, unlink } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';

export interface WriteOptions {
  /** Replace a file that is there already. */
  readonly force?: boolean | undefined;
  /** Files that must never be replaced, because they are being read. */
  readonly inputs?: readonly string[] | undefined;
}

/** Characters that are written at once: a call for each line took longer than the lines. */
const GATHERED = 1 << 18;

export class FileExistsError extends Error {
  override readonly name = 'FileExistsError';
}

/** Writes a file as a whole or not at all. Replaces an existing one only with `force`, an input never. */
export async function writeFile(
  path: string,
  pieces: AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>,
  options: WriteOptions = {},
): Promise<number> {
  let written = 0;
  await writeDraft(
    path,
    async (_, handle) => {
      let text = '';
      const put = async (bytes: Uint8Array): Promise<void> => {
        await handle.writeFile(bytes);
        written += bytes.length;
      };
      for await (const piece of pieces) {
        if (typeof piece === 'string') text += piece;
        if (text && (typeof piece !== 'string' || text.length >= GATHERED)) {
          await put(Buffer.from(text));
          text = '';
        }
        if (typeof piece !== 'string') await put(piece);
      }
      if (text) await put(Buffer.from(text));
    },
    options,
  );
  return written;
}

/** The same for writers that take a path: they get that of the draft, which exists and is empty. */
export async function writeDraft(
  path: string,
  write: (draft: string, handle: FileHandle) => Promise<void>,
  options: WriteOptions = {},
): Promise<void> {
  await refuse(path, options);
  const folder = dirname(resolve(path));
  // the name may be as long as a name can be, so that nothing fits beside it
  const draft = join(folder, `.${basename(path).slice(0, 50)}.${randomBytes(6).toString('hex')}.part`);
  const handle = await open(draft, 'wx+').catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT' ? new Error(`folder ${folder} not found`) : error;
  });
  try {
    try {
      await write(draft, handle);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await publish(draft, path, options);
  } catch (error) {
    await unlink(draft).catch(() => undefined);
    throw error;
  }
}

/** Milliseconds after which a draft was left behind by a program that was killed. */
const LEFT_BEHIND = 60_000;

/** Removes drafts of a file that programs left behind when they were killed. */
export async function removeDrafts(path: string): Promise<void> {
  const folder = dirname(resolve(path));
  const start = `.${basename(path).slice(0, 50)}.`;
  for (const name of await readdir(folder).catch(() => [])) {
    if (!name.startsWith(start) || !/^[0-9a-f]{12}\.part$/.test(name.slice(start.length))) continue;
    const found = await stat(join(folder, name)).catch(() => undefined);
    if (found && Date.now() - found.mtimeMs > LEFT_BEHIND) await unlink(join(folder, name)).catch(() => undefined);
  }
}

async function refuse(path: string, { force, inputs = [] }: WriteOptions): Promise<void> {
  const there = await stat(path).catch(() => undefined);
  if (!there) return;
  for (const input of inputs) {
    const read = await stat(input).catch(() => undefined);
    if (read && read.dev === there.dev && read.ino === there.ino)
      throw new FileExistsError(`${path} is an input and is never overwritten`);
  }
  // what is not a regular file is not replaced either: such as a device
  if (!there.isFile()) throw new Error(`${path} is ${there.isDirectory() ? 'a folder' : 'not a regular file'}`);
  if (!force) throw new FileExistsError(`${path} already exists: use --force to replace it`);
}

/** A link fails if the name is taken, also by another program a moment ago; not every file system has links. */
async function publish(draft: string, path: string, { force }: WriteOptions): Promise<void> {
  if (force) return rename(draft, path);
  try {
    await link(draft, path);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'EEXIST') throw new FileExistsError(`${path} already exists: use --force to replace it`);
    return rename(draft, path);
  }
  await unlink(draft);
}

/** Brings a file or folder to the disk. Not every system can do that with a folder. */
export async function syncPath(path: string): Promise<void> {
  try {
    const handle = await open(path, 'r');
    await handle.sync().finally(() => handle.close());
  } catch (error) {
    if (!['EPERM', 'EISDIR', 'EINVAL', 'ENOTSUP', 'EBADF'].includes((error as NodeJS.ErrnoException).code ?? ''))
      throw error;
  }
}

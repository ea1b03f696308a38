import { lstat, mkdir, readdir, realpath, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Lake } from '../lake/lake.ts';
import { writeFile } from '../node/atomic.ts';
import { readRegular } from '../node/text-file.ts';
import type { Places, RunPlace } from './sequence.ts';
import { list, number, object, optional, record, type Shape, ShapeError, text, whole } from './shape.ts';

/*
 * What an archive keeps in its lake:
 *
 *     _archive/state.json                                          how far it is, and how long each open file is
 *     _archive/recordings/<collector>/<time>-<count>-<system>.tlog frames as they came, one file a recording
 *
 * A frame counts as archived from the moment when the state is written: what files have beyond their length there is cut
 * off at the next start. So neither a kill nor a power cut leads to a frame that is missing or there twice.
 */

export interface OpenRecording {
  /** Within the folder of recordings. */
  readonly path: string;
  readonly collector: string;
  readonly link: string;
  readonly system: number;
  /** Bytes of the file that count. */
  readonly bytes: number;
  /** Microseconds UTC of the first and the latest frame, and of the one that disarmed it; 0 for none. */
  readonly started: number;
  readonly latest: number;
  readonly disarmed: number;
  readonly isArmed: boolean;
}

/** A recording that is complete and has to go into the tables of the lake. */
export interface ClosedRecording {
  readonly path: string;
  readonly bytes: number;
  readonly vehicle: string;
}

export interface StateOfArchive {
  /** The process that writes it, and its machine. */
  readonly owner: string;
  readonly host: string;
  /** When the stream was made, and the number in it up to which all is archived. */
  readonly stream: string;
  readonly position: number;
  readonly places: Places;
  /** Files that were begun so far. */
  readonly files: number;
  readonly open: readonly OpenRecording[];
  readonly closed: readonly ClosedRecording[];
  /** The id of the collector that had each name first; earlier versions have none. */
  readonly names?: Readonly<Record<string, string>> | undefined;
  /** Hardware ids of vehicles, by collector, link and system. */
  readonly hardware: Readonly<Record<string, string>>;
}

const EMPTY: StateOfArchive = {
  ...{ owner: '', host: '', stream: '', position: 0, places: {}, files: 0 },
  ...{ open: [], closed: [], hardware: {} },
};

export class ArchiveFolder {
  readonly root: string;

  constructor(lake: Lake) {
    this.root = join(lake.root, '_archive');
  }

  get recordings(): string {
    return join(this.root, 'recordings');
  }

  private get stateFile(): string {
    return join(this.root, 'state.json');
  }

  recording(path: string): string {
    return join(this.recordings, path);
  }

  async read(): Promise<StateOfArchive> {
    const text = await readRegular(this.stateFile).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    });
    if (text === null) return EMPTY;
    try {
      return STATE(JSON.parse(text), 'state');
    } catch {
      throw new BrokenStateError(`${this.stateFile} is not the state of an archive`);
    }
  }

  /** Renames a state that cannot be read, and begins a new one that leaves all recordings as they are. */
  async putAside(): Promise<StateOfArchive> {
    await rename(this.stateFile, `${this.stateFile}.broken-${Date.now()}`);
    const paths = await this.paths();
    return { ...EMPTY, files: paths.reduce((most, path) => Math.max(most, countOf(path) + 1), 0) };
  }

  /** The recordings that are there, each in the folder of its collector: nothing that a link leads to. */
  async paths(): Promise<string[]> {
    const found: string[] = [];
    const list = (folder: string) => readdir(folder, { withFileTypes: true }).catch(() => []);
    for (const collector of await list(this.recordings))
      if (collector.isDirectory())
        for (const file of await list(join(this.recordings, collector.name)))
          if (file.isFile()) found.push(join(collector.name, file.name));
    return found;
  }

  /** Whether a recording is a file in its folder, reached without a symbolic link. */
  async isConfined(path: string): Promise<boolean> {
    const file = this.recording(path);
    const [folder, root] = await Promise.all([realpath(dirname(file)), realpath(this.recordings)]);
    return folder === join(root, dirname(path)) && (await lstat(file)).isFile();
  }

  async write(state: StateOfArchive): Promise<void> {
    await mkdir(this.root, { recursive: true });
    await writeFile(this.stateFile, [JSON.stringify(state)], { force: true });
  }
}

export class BrokenStateError extends Error {
  override readonly name = 'BrokenStateError';
}

/** A recording has a folder of its collector and the name that `newPath` of the archive gives it. */
const PATH = /^[A-Za-z0-9_-]{1,64}(\.[\da-f]{8})?\/[+\dT-]{1,40}\.tlog$/;

/** The counter in the name of a recording, of at most nine digits; -1 in another name. */
export function countOf(name: string): number {
  return Number(/-(\d{1,9})-\d+\.tlog$/.exec(name)?.[1] ?? -1);
}

const MOST_FILES = 1e9;

const ANY_TEXT = text(Number.POSITIVE_INFINITY);
const COUNT = whole(0, Number.MAX_SAFE_INTEGER);

const recordingPath: Shape<string> = (value, name) => {
  const path = ANY_TEXT(value, name);
  if (PATH.test(path)) return path;
  throw new ShapeError(`${name} is not the path of a recording`);
};

/** What was delivered of one run: pairs, each above the one before; or one number. */
const place: Shape<RunPlace> = (value, name) => {
  if (typeof value === 'number') return COUNT(value, name);
  const found = object<Exclude<RunPlace, number>>({ delivered: list(COUNT), lost: COUNT })(value, name);
  const { delivered } = found;
  if (delivered.length % 2 === 0 && delivered.every((each, i) => i === 0 || each > delivered[i - 1])) return found;
  throw new ShapeError(`${name} does not rise by pairs`);
};

const STATE: Shape<StateOfArchive> = object<StateOfArchive>({
  owner: ANY_TEXT,
  host: ANY_TEXT,
  stream: ANY_TEXT,
  position: COUNT,
  places: record(record(place)),
  files: whole(0, MOST_FILES),
  open: list(
    object<OpenRecording>({
      path: recordingPath,
      collector: ANY_TEXT,
      link: ANY_TEXT,
      system: number,
      bytes: COUNT,
      started: number,
      latest: number,
      disarmed: number,
      isArmed: (value) => value === true,
    }),
  ),
  closed: list(object<ClosedRecording>({ path: recordingPath, bytes: COUNT, vehicle: ANY_TEXT })),
  names: optional(record(ANY_TEXT)),
  hardware: record(ANY_TEXT),
});

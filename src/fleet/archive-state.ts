import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Places } from '../live/bus-sequence.ts';
import { writeFile } from '../node/atomic.ts';
import type { Lake } from './lake.ts';

/*
 * What an archive keeps in its lake:
 *
 *     _archive/state.json                                          how far it is, and how long each open file is
 *     _archive/recordings/<collector>/<time>-<count>-<system>.tlog frames as they came, one file a recording
 *
 * A frame counts as archived from the moment when the state is written: what files have beyond their length there is cut
 * off at the next start. So neither a kill nor a power cut leads to a frame that is missing or there twice.
 */

/** A recording that is being written. */
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
  /** Who writes it, and on which machine. */
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
  /** Hardware ids of vehicles, by collector, link and system. */
  readonly hardware: Readonly<Record<string, string>>;
}

const EMPTY: StateOfArchive = {
  ...{ owner: '', host: '', stream: '', position: 0, places: {}, files: 0 },
  ...{ open: [], closed: [], hardware: {} },
};

/** The files of an archive. */
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
    let text: string;
    try {
      text = await readFile(this.stateFile, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return EMPTY;
      throw error;
    }
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      value = undefined;
    }
    if (!isState(value)) throw new Error(`${this.stateFile} is not the state of an archive`);
    return value;
  }

  async write(state: StateOfArchive): Promise<void> {
    await mkdir(this.root, { recursive: true });
    await writeFile(this.stateFile, [JSON.stringify(state)], { force: true });
  }
}

function isState(value: unknown): value is StateOfArchive {
  if (typeof value !== 'object' || value === null) return false;
  const { owner, position, files, open, closed, places, hardware } = value as Partial<StateOfArchive>;
  const areThere = [places, hardware].every((each) => typeof each === 'object' && each !== null);
  return (
    areThere &&
    typeof owner === 'string' &&
    Number.isSafeInteger(position) &&
    Number.isSafeInteger(files) &&
    Array.isArray(open) &&
    Array.isArray(closed)
  );
}

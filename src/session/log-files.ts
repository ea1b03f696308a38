import { readSync, writeSync } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { errorText } from '../core/text.ts';
import { PX4 } from '../facts/heartbeat.ts';
import type { LiveCollector } from '../live/collector.ts';
import type { LogStore } from '../live/vehicle/log-download.ts';
import { removeDrafts, writeDraft } from '../node/atomic.ts';
import { systemMicros } from '../node/wall-clock.ts';

/** Milliseconds that vehicles have to take their sessions back when the program ends, and between two looks. */
const GOODBYE = 1200;
const LOOK = 50;
const MOST_NAMES = 1000;

/** The name of a log from a vehicle in a folder of recordings. */
export const LOG_FILE: RegExp = /^vehicle-.+\.(?:bin|ulg)$/i;

/** A download, by its vehicle: the file that it will be, or is. */
export interface SavedLog {
  readonly path: string;
  readonly state: 'running' | 'saved' | 'failed';
  /** Why there is no file. */
  readonly error: string;
}

/** Logs that are downloaded from vehicles into a folder: each is there as a whole or not at all. */
export class LogFiles {
  /** The latest of each vehicle. */
  readonly latest: Map<string, SavedLog> = new Map();
  private readonly writing: Set<Promise<void>> = new Set();
  private readonly collector: LiveCollector;
  private readonly folder: string | undefined;

  constructor(collector: LiveCollector, folder: string | undefined) {
    this.collector = collector;
    this.folder = folder;
  }

  /** Begins to download a log; resolves once the vehicle is asked. Rejects with a sentence if that cannot be. */
  async download(vehicle: string, key: string): Promise<void> {
    const { collector, folder } = this;
    if (folder === undefined) throw new RangeError('no folder to save logs to: start with --record DIR');
    const logs = collector.logs(vehicle);
    const log = logs.logs.find((each) => each.key === key);
    if (!log) throw new RangeError(`no log ${JSON.stringify(key)} in the list`);
    await mkdir(folder, { recursive: true });
    const ending = collector.vehicles.get(vehicle)?.autopilot === PX4 ? 'ulg' : 'bin';
    const path = await freePath(folder, `vehicle-${vehicle}-${log.path === null ? `${log.name}.${ending}` : log.name}`);
    await removeDrafts(path);
    let isBegun = false;
    await new Promise<void>((resolve, reject) => {
      const whole = writeDraft(path, async (_, { fd }) => {
        await new Promise<void>((done, fail) => {
          logs.start(key, storeAt(fd), (error) => (error === '' ? done() : fail(new Error(error))));
          isBegun = true;
          this.latest.set(vehicle, { path, state: 'running', error: '' });
          resolve();
        });
      });
      const ended = whole
        .then(() => this.ended(vehicle, path, ''))
        .catch((error: unknown) => (isBegun ? this.ended(vehicle, path, errorText(error)) : reject(error)))
        .finally(() => this.writing.delete(ended));
      this.writing.add(ended);
    });
  }

  private ended(vehicle: string, path: string, error: string): void {
    this.latest.set(vehicle, { path, state: error === '' ? 'saved' : 'failed', error });
    const link = this.collector.vehicles.get(vehicle)?.link ?? '';
    this.collector.emit({ type: 'log', vehicle, link, time: systemMicros(), path, error });
  }

  /** Stops all downloads, and gives the vehicles time to hear it. */
  async stop(): Promise<void> {
    const busy = (): boolean => [...this.collector.vehicles.values()].some(({ logs }) => logs?.isBusy);
    for (const { logs } of this.collector.vehicles.values()) logs?.stop('the program ended');
    for (let waited = 0; busy() && waited < GOODBYE; waited += LOOK)
      await new Promise((done) => setTimeout(done, LOOK));
    // those that go on would leave their drafts behind
    for (const { logs } of this.collector.vehicles.values()) logs?.drop('the program ended');
    await Promise.all(this.writing);
  }
}

/** Reads and writes at once: what the vehicle sends twice is compared with what came before. */
function storeAt(fd: number): LogStore {
  return {
    write(at, bytes) {
      for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done, bytes.length - done, at + done);
    },
    read(at, length) {
      const bytes = new Uint8Array(length);
      return bytes.subarray(0, readSync(fd, bytes, 0, length, at));
    },
  };
}

/** A name that is not taken yet: logs of different days may have one name. */
async function freePath(folder: string, name: string): Promise<string> {
  const plain = name.replace(/[^\w.-]+/g, '_');
  const dot = plain.lastIndexOf('.');
  for (let count = 1; count < MOST_NAMES; count++) {
    const path = join(folder, count === 1 ? plain : `${plain.slice(0, dot)}-${count}${plain.slice(dot)}`);
    if (!(await stat(path).catch(() => undefined))) return path;
  }
  throw new Error(`${MOST_NAMES} logs are called ${plain}`);
}

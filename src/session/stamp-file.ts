import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';

/*
 * The times of signatures, tens of microseconds since 2015, kept over restarts: otherwise old frames could be sent again,
 * and vehicles would refuse ours after our clock was set back. First the latest of all; then one line for each stream
 * that was accepted: system, component and link, or * for all that are not listed, and a time that is not yet reached.
 *
 *     37462187260128
 *     1:1:0 37462187455102
 */
const LATEST = /^\d{1,15}$/;
const STREAM = /^(?:(\d{1,3}):(\d{1,3}):(\d{1,3})|\*) (\d{1,15})$/;
const ALL_OTHERS = -1;

/** Times of signatures in a file. */
export class StampFile {
  private readonly path: string;
  private latest = 0;
  private streams: ReadonlyMap<number, number> = new Map();

  /** Throws if the file is another kind. */
  constructor(path: string) {
    this.path = path;
    this.read();
  }

  get stored(): number | undefined {
    return this.latest > 0 ? this.latest : undefined;
  }

  /** The time of each stream. */
  get stamps(): ReadonlyMap<number, number> {
    return this.streams;
  }

  /** Stores a later time, or those of streams. It is done when it returns: the program may be killed then. */
  store(latest: number, streams: ReadonlyMap<number, number> = this.streams): void {
    if (!(latest > this.latest) && streams === this.streams) return;
    const later = Math.max(latest, this.latest);
    const lines = [...streams].map(([stream, time]) => `${nameOf(stream)} ${time}`);
    const draft = `${this.path}.part`;
    try {
      writeFileSync(draft, `${[later, ...lines].join('\n')}\n`);
      renameSync(draft, this.path);
    } catch (error) {
      rmSync(draft, { force: true });
      throw error;
    }
    this.latest = later;
    this.streams = streams;
  }

  private read(): void {
    let text: string;
    try {
      text = readFileSync(this.path, 'latin1').trim();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
      throw error;
    }
    const [first, ...lines] = text.split('\n');
    const streams = lines.map((line) => STREAM.exec(line));
    if (!LATEST.test(first) || streams.includes(null))
      throw new Error(`${this.path} is not a file of signature times: delete it to start again`);
    this.latest = Number(first);
    this.streams = new Map(streams.map((found) => [streamOf(found ?? []), Number(found?.[4])]));
  }
}

function streamOf([, system, component, link]: readonly string[]): number {
  return system === undefined ? ALL_OTHERS : (Number(system) << 16) | (Number(component) << 8) | Number(link);
}

function nameOf(stream: number): string {
  return stream === ALL_OTHERS ? '*' : `${stream >>> 16}:${(stream >>> 8) & 0xff}:${stream & 0xff}`;
}

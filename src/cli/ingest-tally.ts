import type { Found } from '../lake/find-logs.ts';
import type { IngestResult } from '../lake/ingest.ts';
import { EXIT } from './failure.ts';
import { Output, tell } from './output.ts';
import { Progress } from './progress.ts';
import { counted, grouped } from './words.ts';

/** Milliseconds between two lines about how far it is, where there is no terminal for a bar. */
const LINES = 10_000;

interface TallyOptions {
  readonly isJson: boolean;
  /** Whether a cut last record is damage. */
  readonly isStrict: boolean;
  /** Whether a file was named itself, and not found in a folder. */
  readonly isNamed: (path: string) => boolean;
  /** Who works on it, where that is worth a word; lines tell how far it is then, where there is no terminal. */
  readonly who?: () => string;
}

/** What became of all files, as it is told. */
export class IngestTally {
  private readonly output = new Output();
  private readonly progress = new Progress('ingesting');
  private readonly began = performance.now();
  private readonly found: Found;
  private readonly options: TallyOptions;
  private told = this.began;
  private readonly counts = new Map<string, number>();
  private readonly total: number;
  private bytes = 0;
  private done = 0;
  private ingestedBytes = 0;
  private rows = 0;
  private lost = 0;
  private replaced = 0;

  constructor(found: Found, options: TallyOptions) {
    this.found = found;
    this.options = options;
    this.total = found.files.reduce((sum, { bytes }) => sum + bytes, 0);
    for (const { path, reason } of found.failures) this.fail(path, reason);
  }

  async add(result: IngestResult): Promise<void> {
    const { path, status, reason } = result;
    this.bytes += result.bytes;
    this.done++;
    this.tellProgress();
    if (this.options.isJson) {
      this.output.json(result);
      await this.output.flush();
    }
    if (status === 'failed' || (status === 'unknown' && this.options.isNamed(path))) {
      this.fail(path, reason ?? 'failed', false);
      return;
    }
    this.count(status);
    if (status === 'empty' && this.options.isNamed(path)) tell(`${path}: ${reason}`);
    if (status !== 'ingested') return;
    this.ingestedBytes += result.bytes;
    this.rows += result.rows;
    this.replaced += result.replaced.length;
    if (result.lost || (result.cut && this.options.isStrict)) this.lost++;
    if (reason !== null) tell(`${path}: ${reason}`);
  }

  private tellProgress(): void {
    const now = performance.now();
    const seconds = (now - this.began) / 1000;
    const rate = `${(this.done / seconds).toFixed(1)} logs/s, ${(this.bytes / 1e6 / seconds).toFixed(1)} MB/s`;
    const far = `${grouped(this.done)} of ${counted(this.found.files.length, 'file')}, ${rate}`;
    const who = this.options.who?.();
    const text = who === undefined ? far : `${far} by ${who}`;
    this.progress.update(this.bytes, this.total, ` | ${text}`);
    if (who === undefined || process.stderr.isTTY || now - this.told < LINES) return;
    this.told = now;
    tell(text);
  }

  private fail(path: string, reason: string, isNew = true): void {
    this.count('failed');
    tell(`${path}: ${reason}`);
    if (this.options.isJson && isNew) this.output.json({ path, status: 'failed', reason });
  }

  private count(status: string): void {
    this.counts.set(status, (this.counts.get(status) ?? 0) + 1);
  }

  /** Ends the waiting for results that are still to come. */
  async leave(left: number): Promise<number> {
    const code = this.counts.size > 0 ? await this.end() : EXIT.well;
    this.progress.stop();
    tell(`${counted(left, 'log')} on the bus: workers go on with them; the same command again follows them`);
    return code;
  }

  async end(): Promise<number> {
    this.progress.stop();
    await this.output.flush();
    const of = (status: string): number => this.counts.get(status) ?? 0;
    const seconds = (performance.now() - this.began) / 1000;
    const megabytes = this.ingestedBytes / 1e6;
    const words = [
      `${counted(of('ingested'), 'log')} ingested (${grouped(this.rows)} rows, ${megabytes.toFixed(1)} MB)`,
    ];
    if (this.replaced > 0) words.push(`${grouped(this.replaced)} replaced`);
    if (this.lost > 0) words.push(`${grouped(this.lost)} of them damaged`);
    words.push(`${grouped(of('present'))} there already`);
    if (of('outdated') > 0) words.push(`${grouped(of('outdated'))} of which a later state is there`);
    if (of('empty') > 0) words.push(`${grouped(of('empty'))} empty`);
    if (of('unknown') > 0)
      words.push(`${counted(of('unknown'), 'file')} that ${of('unknown') === 1 ? 'is' : 'are'} no log`);
    if (of('failed') > 0) words.push(`${grouped(of('failed'))} failed`);
    tell(`${words.join(', ')}, in ${seconds.toFixed(1)} s`);
    if (this.found.files.length === 0 && of('failed') === 0) tell('no files there');
    if (of('failed') > 0) return EXIT.failed;
    return this.lost > 0 ? EXIT.damage : EXIT.well;
  }
}

import { errorText } from '../../../src/entry/pages.ts';
import { newestOnly } from '../../shared/newest.ts';
import type { RowBlock } from '../worker/answers.ts';

/** Rows that are fetched at a time, and how many such blocks are kept. */
const BLOCK = 128;
const KEPT = 24;

interface StoredRow {
  /** Microseconds of the log's clock. */
  readonly time: number;
  readonly texts: readonly string[];
}

/** The rows of a table that were shown last. While an answer is awaited, only the newest request is kept. */
export class RowStore {
  private readonly fetch: (from: number, count: number) => Promise<RowBlock>;
  private readonly blocks = new Map<number, RowBlock>();
  private wanted: readonly [from: number, to: number] = [0, 0];
  /** Counts the answers, so that the rows are shown again. */
  came: number = $state(0);
  problem: string = $state('');
  private readonly ask = newestOnly(() => this.askNow());

  constructor(fetch: (from: number, count: number) => Promise<RowBlock>) {
    this.fetch = fetch;
  }

  /** A row, if it is there. */
  row(row: number): StoredRow | undefined {
    const block = this.blocks.get(Math.floor(row / BLOCK));
    const at = row % BLOCK;
    return block && at < block.times.length ? { time: block.times[at], texts: block.texts[at] } : undefined;
  }

  async timeOf(row: number): Promise<number> {
    return this.row(row)?.time ?? (await this.fetch(row, 1)).times[0] ?? Number.NaN;
  }

  /** Fetches rows [from, to) unless they are there. */
  want(from: number, to: number): void {
    this.wanted = [from, to];
    void this.ask();
  }

  private async askNow(): Promise<void> {
    for (let next = this.missing(); next !== undefined; next = this.missing()) {
      try {
        this.keep(next, await this.fetch(next * BLOCK, BLOCK));
        this.problem = '';
      } catch (error) {
        this.problem = errorText(error);
        return;
      }
    }
  }

  private missing(): number | undefined {
    const [from, to] = this.wanted;
    for (let block = Math.floor(from / BLOCK); block * BLOCK < to; block++) if (!this.blocks.has(block)) return block;
    return undefined;
  }

  private keep(number: number, block: RowBlock): void {
    this.blocks.set(number, block);
    for (const [first] of this.blocks) if (this.blocks.size > KEPT) this.blocks.delete(first);
    this.came++;
  }
}

import { terminalText } from '../core/names.ts';
import { type ClockOffset, findOffsets, type MotionSamples, readMotion } from '../report/alignment.ts';
import type { Summary } from './summary.ts';
import { dateOf, lasting } from './words.ts';

/** How a log's clock differs from that of one before it. */
interface Offset extends ClockOffset {
  readonly file: string;
  /** Whether that one's clock is UTC. */
  readonly utc: boolean;
}

interface Member {
  readonly file: string;
  readonly utc: boolean;
  readonly start: number | null;
  readonly end: number | null;
  readonly motion: MotionSamples;
  readonly offsets: readonly Offset[];
}

/** Width of the names in the list, unless they are longer. */
const SHORTEST = 8;

/** Several logs side by side: when each begins and ends, how they overlap, and how far their clocks are apart. */
export class Together {
  private readonly members: Member[] = [];

  get files(): number {
    return this.members.length;
  }

  async add(file: string, { log, span }: Summary): Promise<void> {
    const motion = await readMotion(log);
    const offsets = this.members.flatMap((other) =>
      findOffsets(other.motion, motion).map((each) => ({ ...each, file: other.file, utc: other.utc })),
    );
    this.members.push({ file, utc: log.clock.utc, ...span, motion, offsets });
  }

  /** What there is to say of the log that was added last, and those before it. */
  data(): Record<string, unknown> {
    const last = this.members[this.members.length - 1];
    const overlaps = this.members.slice(0, -1).flatMap((other) => {
      const common = overlapOf(other, last);
      return common ? [{ file: other.file, start: common[0] / 1e6, end: common[1] / 1e6 }] : [];
    });
    const offsets = last.offsets.map(({ file, lag, by, tables, correlation, overlap }) => ({
      file,
      seconds: Math.round(lag * 1e3) / 1e3,
      by,
      tables,
      correlation: Math.round(correlation * 1e4) / 1e4,
      overlap: Math.round(overlap * 10) / 10,
    }));
    return { overlaps, offsets };
  }

  lines(): string[] {
    const width = Math.max(SHORTEST, ...this.members.map(({ file }) => terminalText(file).length));
    const lines = ['together'];
    for (const member of this.members) {
      const { file, start, end, utc } = member;
      const when =
        utc && start !== null && end !== null ? `${dateOf(start)}  for ${lasting(end - start)}` : 'UTC not known';
      lines.push(`  ${terminalText(file).padEnd(width)}  ${when}${this.overlapWords(member)}`);
      for (const offset of member.offsets)
        lines.push(`  ${' '.repeat(width)}  ${terminalText(offsetWords(offset, utc))}`);
    }
    return lines;
  }

  private overlapWords(member: Member): string {
    const [first] = this.members;
    if (member === first || !member.utc || !first.utc) return '';
    const common = overlapOf(first, member);
    return common ? `, ${lasting(common[1] - common[0])} of it with the first` : ', not at the time of the first';
  }
}

function overlapOf(a: Member, b: Member): [start: number, end: number] | undefined {
  if (!a.utc || !b.utc || a.start === null || b.start === null || a.end === null || b.end === null) return undefined;
  const [start, end] = [Math.max(a.start, b.start), Math.min(a.end, b.end)];
  return start <= end ? [start, end] : undefined;
}

function offsetWords({ file, lag, by, correlation, overlap, utc: otherUtc }: Offset, utc: boolean): string {
  const what = `the ${by === 'position' ? 'path' : 'turns'} of ${file}`;
  const proof = `correlation ${correlation.toFixed(4)} over ${overlap.toFixed(0)} s`;
  if (otherUtc && !utc) return `its clock was 0 at ${dateOf(-lag * 1e6)}, by ${what}: ${proof}`;
  return `has ${what} ${Math.abs(lag).toFixed(3)} s ${lag < 0 ? 'earlier' : 'later'}: ${proof}`;
}

import { LIMITS } from './limits.ts';
import type { Log } from './log.ts';
import { getOrAdd } from './maps.ts';

/**
 * Damage found in the input. It is data, never an exception.
 *
 * `length` counts the bytes that are not part of a record because of it: records and faults together cover the input
 * once, without gap or overlap. A fault of length 0 is a remark on bytes that a record covers.
 */
export interface Fault {
  /** What kind of damage, in kebab case: 'garbage', 'truncated', 'unknown-type' ... */
  readonly code: string;
  /** Where it begins in the source. */
  readonly offset: number;
  readonly length: number;
  /** Whether something that the writer had to say is gone. Padding is not. */
  readonly lost: boolean;
  /** A sentence in lower case: subject, both numbers, cause. */
  readonly text: string;
  /** What it is about where several are counted apart: 'type 249'. */
  readonly subject?: string;
}

/** A fault whose sentence is made when it is read: of millions in a hostile file only the first are. */
export class LazyFault implements Fault {
  readonly code: string;
  readonly offset: number;
  readonly length: number;
  readonly lost: boolean;
  readonly subject?: string;
  private readonly sentence: () => string;

  constructor(
    code: string,
    offset: number,
    length: number,
    lost: boolean,
    subject: string | undefined,
    sentence: () => string,
  ) {
    this.code = code;
    this.offset = offset;
    this.length = length;
    this.lost = lost;
    if (subject !== undefined) this.subject = subject;
    this.sentence = sentence;
  }

  get text(): string {
    return this.sentence();
  }
}

/** How many faults of one kind there were, and what they cost. */
export interface FaultCount {
  count: number;
  bytes: number;
}

/** The faults of a log: the first ones with their text, all of them counted. */
export class FaultList {
  /** The first faults, in the order in which they were found. */
  readonly kept: Fault[] = [];
  readonly byCode: Map<string, FaultCount> = new Map();
  /** Faults that have a subject, counted by 'code subject'. */
  readonly bySubject: Map<string, FaultCount & { readonly code: string; readonly subject: string }> = new Map();
  private readonly subjects: Map<string, Map<string, FaultCount>> = new Map();
  count = 0;
  /** Bytes in no record whose content is lost. */
  lostBytes = 0;
  /** Whether anything was lost at all, a remark on a record that could not be read included. */
  lost = false;
  /** Where the first loss is, and the first record that the end of the input cuts. */
  lostFrom: number = Number.POSITIVE_INFINITY;
  cut: Fault | undefined;

  add(fault: Fault): void {
    this.count++;
    if (fault.lost) {
      this.lost = true;
      this.lostBytes += fault.length;
      this.lostFrom = Math.min(this.lostFrom, fault.offset);
      if (fault.code === 'truncated' && !(fault.offset >= (this.cut?.offset ?? Number.POSITIVE_INFINITY)))
        this.cut = plain(fault);
    }
    if (this.kept.length < LIMITS.faultsKept) this.kept.push(plain(fault));
    const code = this.countOf(fault.code);
    code.count++;
    code.bytes += fault.length;
    if (fault.subject !== undefined) this.addSubject(fault.code, fault.subject, fault.length);
  }

  /** Faults that are only counted. They cost nothing. */
  addUnlisted(code: string, count: number): void {
    if (!(count > 0)) return;
    this.count += count;
    this.countOf(code).count += count;
  }

  private countOf(code: string): FaultCount {
    return getOrAdd(this.byCode, code, () => ({ count: 0, bytes: 0 }));
  }

  private addSubject(code: string, subject: string, bytes: number): void {
    const subjects = getOrAdd(this.subjects, code, () => new Map());
    const known = subjects.get(subject);
    if (known) {
      known.count++;
      known.bytes += bytes;
    } else if (this.bySubject.size < LIMITS.faultSubjects) {
      const first = { code, subject, count: 1, bytes };
      subjects.set(subject, first);
      this.bySubject.set(`${code} ${subject}`, first);
    }
  }
}

/** What was lost of a log: nothing; its last record, as in any log that was not closed; or more. */
export type Damage = 'none' | 'cut' | 'lost';

/** What the damage of a log means for its reader. A log of which nothing is left is more than cut. */
export function damageOf({ faults, source, records }: Pick<Log, 'faults' | 'source' | 'records'>): Damage {
  if (!faults.lost) return 'none';
  const { cut, lostFrom } = faults;
  if (!cut || lostFrom < cut.offset || records === 0) return 'lost';
  // of a packet that is cut some bytes may be read, so that the fault covers none
  return cut.length === 0 || cut.offset + cut.length >= source.size ? 'cut' : 'lost';
}

/** The fault as plain data, its sentence made. */
function plain({ code, offset, length, lost, text, subject }: Fault): Fault {
  return { code, offset, length, lost, text, ...(subject === undefined ? {} : { subject }) };
}

import { ChunkBuffer } from '../core/chunk-buffer.ts';
import { LIMITS } from '../core/limits.ts';
import { hexOf } from '../core/text.ts';
import type { Dialect } from '../formats/mavlink/dialect/definition.ts';
import { mavlink } from '../formats/mavlink/index.ts';
import type { SigningKey } from '../formats/mavlink/key.ts';
import { catalogOf } from '../formats/mavlink/options.ts';
import { RunningSum } from '../formats/mavlink/running-sum.ts';
import { Verifier } from '../formats/mavlink/signing.ts';
import { sectionOrder } from '../formats/pcap/blocks.ts';
import { readClassicHeader } from '../formats/pcap/classic-header.ts';
import { tlog } from '../formats/tlog/index.ts';
import { isGzip } from '../formats/unpack.ts';
import { CaptureExaminer } from './capture-examiner.ts';
import type { Grammar } from './grammar.ts';
import { GrammarExaminer } from './grammar-examiner.ts';
import { type MessageJudgement, MessageLevels } from './message-levels.ts';
import { MessageWalker } from './message-walker.ts';
import { PacketStructure } from './packet-structure.ts';
import { type CheckLevel, type Examiner, LEVELS, type Violation } from './violation.ts';

export interface CheckOptions {
  /** What is checked. By default the grammar and the messages if they are named, else structure, crc and signature. */
  readonly levels?: readonly CheckLevel[] | undefined;
  readonly grammar?: Grammar | undefined;
  /** Names of the messages that may occur, for level `messages`. */
  readonly only?: readonly string[] | undefined;
  /** The messages that are known; all that are built in by default. */
  readonly dialect?: Dialect | undefined;
  /** Keys that messages must be signed with, for level `signature`. */
  readonly keys?: readonly SigningKey[] | undefined;
  /** Whether checksums that a sender left to its network card are accepted; they are by default. */
  readonly offload?: boolean | undefined;
  /** Whether to go on after the first violation of each level. */
  readonly all?: boolean | undefined;
  /** Called for each violation, in the order in which they are found. */
  readonly onViolation?: ((violation: Violation) => void) | undefined;
}

export type CheckVerdict = 'pass' | 'fail';

/** What a verdict is about. */
interface Checked {
  /** How many records or messages were looked at, up to where the verdict was known. */
  readonly checked: number;
  /** What should be known of it. */
  readonly remark: string | undefined;
}

export interface LevelResult extends Checked {
  readonly level: CheckLevel;
  readonly verdict: CheckVerdict;
  /** How many were found: without `all`, at most 1. */
  readonly violations: number;
  readonly first: Violation | undefined;
}

/** What was found on a level, and what it was found in once nothing more is looked at. */
interface Count {
  count: number;
  first: Violation | undefined;
  settled: Checked | undefined;
}

export interface CheckResult {
  readonly verdict: CheckVerdict;
  readonly levels: readonly LevelResult[];
  /** The first of them, of all levels, in the order in which they were found. */
  readonly violations: readonly Violation[];
}

/** Bytes shown of a file that is none of those that can be looked at. */
const SHOWN = 8;

/** Levels that need to know what kind of file it is. */
const BY_CONTENT: readonly CheckLevel[] = ['structure', 'crc', 'signature', 'messages'];

/** Checks a file strictly, piece by piece, in bounded memory and without I/O. */
export class Checker {
  readonly levels: readonly CheckLevel[];
  private readonly options: CheckOptions;
  private readonly judgement: MessageJudgement;
  private readonly structure: PacketStructure;
  private readonly counts: Map<CheckLevel, Count> = new Map();
  private readonly kept: Violation[] = [];
  private readonly grammar: GrammarExaminer | undefined;
  private content: Examiner | undefined;
  /** The beginning of the file, until it is known what it is. */
  private head: Uint8Array | undefined;
  private headBytes = 0;
  private capture: CaptureExaminer | undefined;

  constructor(options: CheckOptions = {}) {
    const { grammar, dialect, keys = [], offload = true, all = false } = options;
    this.options = options;
    this.levels = levelsOf(options);
    for (const level of this.levels) this.counts.set(level, { count: 0, first: undefined, settled: undefined });
    const report = (violation: Violation): void => this.report(violation);
    const catalog = catalogOf(dialect);
    this.judgement = {
      catalog,
      report,
      wants: (level) => this.wants(level),
      verifierOf: Verifier.perReceiver({ keys }),
      only: options.only && new Set(options.only.map((name) => idOf(name, catalog.definitions))),
      rules: new Map(),
      sums: new RunningSum(),
      messages: 0,
    };
    this.structure = new PacketStructure(report, offload);
    if (grammar && this.levels.includes('grammar')) this.grammar = new GrammarExaminer(grammar, report, all);
    if (BY_CONTENT.some((level) => this.levels.includes(level))) this.head = new Uint8Array(LOOK);
  }

  /** Whether nothing that follows can change a verdict: the rest need not be read. */
  get isDecided(): boolean {
    return this.levels.every((level) => !this.wants(level));
  }

  /** Takes the next bytes of the file; returns whether to push more. */
  push(bytes: Uint8Array): boolean {
    if (this.wants('grammar')) this.grammar?.push(bytes);
    const rest = this.head ? this.look(bytes, this.head) : bytes;
    if (BY_CONTENT.some((level) => this.wants(level))) this.content?.push(rest);
    return !this.isDecided;
  }

  /** There are no more bytes, or none that matter: the verdicts. */
  end(): CheckResult {
    if (this.wants('grammar')) this.grammar?.end();
    if (this.head) this.decide(this.head.subarray(0, this.headBytes));
    if (BY_CONTENT.some((level) => this.wants(level))) this.content?.end();
    const levels = this.levels.map((level) => this.resultOf(level));
    const verdict = levels.some((each) => each.verdict === 'fail') ? 'fail' : 'pass';
    return { verdict, levels, violations: this.kept };
  }

  private wants(level: CheckLevel): boolean {
    const found = this.counts.get(level);
    return found !== undefined && (found.count === 0 || this.options.all === true);
  }

  private report(given: Violation): void {
    const { level } = given;
    const found = this.counts.get(level);
    if (!found || !this.wants(level)) return;
    // the first one in the file need not be the first that is known to its end
    const isOpen = !this.options.all && (level === 'structure' || level === 'messages');
    const violation = (isOpen ? this.capture?.openViolation(level, given.offset) : undefined) ?? given;
    found.count++;
    found.first ??= violation;
    if (!this.wants(level)) found.settled = this.checkedBy(level);
    if (this.kept.length < LIMITS.faultsKept) this.kept.push(violation);
    this.options.onViolation?.(violation);
  }

  /** Gathers the beginning of the file; returns what is behind it. */
  private look(bytes: Uint8Array, head: Uint8Array): Uint8Array {
    const part = bytes.subarray(0, LOOK - this.headBytes);
    head.set(part, this.headBytes);
    this.headBytes += part.length;
    if (this.headBytes === LOOK) this.decide(head);
    return bytes.subarray(part.length);
  }

  /** Finds out what the file is by its beginning, and chooses its examiners. */
  private decide(head: Uint8Array): void {
    this.head = undefined;
    if (head.length === 0) return;
    const { judgement } = this;
    const content = contentOf(head);
    if (content === 'tlog' || content === 'mavlink') this.content = new StreamExaminer(judgement, content === 'tlog');
    else if (content) {
      this.capture = new CaptureExaminer(judgement, this.structure);
      if (content === 'records') this.capture.begin(RECORDS_HEADER);
      this.content = this.capture;
    } else this.refuse(head);
    this.content?.push(head);
  }

  private refuse(head: Uint8Array): void {
    const expected = 'a capture, a telemetry log or a MAVLink stream';
    const found = isGzip(head)
      ? 'gzip data: unpack it first'
      : `${hexOf(head.subarray(0, SHOWN))}: not the start of any of these`;
    for (const level of BY_CONTENT)
      this.report({ level, offset: 0, record: null, layer: 'file', field: '', expected, found });
  }

  private resultOf(level: CheckLevel): LevelResult {
    const { count = 0, first, settled } = this.counts.get(level) ?? {};
    const verdict = count > 0 ? 'fail' : 'pass';
    return { level, verdict, violations: count, first, ...(settled ?? this.checkedBy(level)) };
  }

  private checkedBy(level: CheckLevel): Checked {
    const { capture, grammar, structure, judgement } = this;
    if (level === 'grammar') return { checked: grammar?.checked ?? 0, remark: undefined };
    if (level !== 'structure' || !capture) return { checked: judgement.messages, remark: undefined };
    const { uncomputed } = structure;
    const remark = `checksums or lengths left to the network card: ${uncomputed}`;
    return { checked: capture.packets, remark: uncomputed > 0 ? remark : undefined };
  }
}

export function checkBytes(bytes: Uint8Array, options: CheckOptions = {}): CheckResult {
  const checker = new Checker(options);
  for (let at = 0; at < bytes.length; at += LIMITS.chunkBytes) {
    if (!checker.push(bytes.subarray(at, at + LIMITS.chunkBytes))) break;
  }
  return checker.end();
}

/** The levels that are asked for: those that are named, and those whose grammar, messages or key is given. */
function levelsOf({ levels, grammar, only, keys = [] }: CheckOptions): CheckLevel[] {
  const named = new Set<CheckLevel>(levels);
  if (grammar) named.add('grammar');
  if (only) named.add('messages');
  if (named.size === 0) {
    named.add('structure').add('crc');
    if (keys.length > 0) named.add('signature');
  }
  if (named.has('grammar') && !grammar) throw new RangeError('level grammar: missing grammar');
  if (named.has('messages') && !only) throw new RangeError('level messages needs the names of those that may occur');
  if (named.has('signature') && keys.length === 0) throw new RangeError('level signature needs a key');
  return LEVELS.filter((level) => named.has(level));
}

function idOf(
  name: string,
  definitions: readonly ({ readonly id: number; readonly name: string } | undefined)[],
): number {
  const found = definitions.find((definition) => definition?.name === name);
  if (!found) throw new RangeError(`no definition has the name ${name}`);
  return found.id;
}

/** What a file holds, as far as it matters to the checks. */
type Content = 'capture' | 'records' | 'tlog' | 'mavlink' | undefined;

/** Bytes that are enough to recognize a file. */
const LOOK: number = LIMITS.detectBytes;

/*
 * Records of a capture without its file header, as parsers are tested with: times, two lengths, then the family of
 * addresses, and an IP header.
 */
const LENGTHS = 8;
const FAMILY = 16;
const LEAST = 40;

/** The header that such a file lacks: of a capture by a little-endian machine, on its loopback device. */
const RECORDS_HEADER: Uint8Array = Uint8Array.from([
  ...[0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0],
  ...[0, 0, 0, 0, 0, 0, 0, 0],
  ...[0, 0, 4, 0, 0, 0, 0, 0],
]);

/** What the beginning of a file says of the rest. */
function contentOf(head: Uint8Array): Content {
  if (readClassicHeader(head, 0) || sectionOrder(head, 0)) return 'capture';
  if (areRecords(head)) return 'records';
  if (tlog.detect(head) > 0) return 'tlog';
  return mavlink.detect(head) > 0 ? 'mavlink' : undefined;
}

function areRecords(head: Uint8Array): boolean {
  if (head.length < LEAST) return false;
  const view = new DataView(head.buffer, head.byteOffset, head.length);
  const captured = view.getUint32(LENGTHS, true);
  if (captured !== view.getUint32(LENGTHS + 4, true) || captured > LIMITS.detectBytes) return false;
  return view.getUint32(FAMILY, true) === 2 && head[FAMILY + 4] >> 4 === 4;
}

/** Looks at a file that is a stream of messages, in a telemetry log with the time before each. */
class StreamExaminer implements Examiner {
  private readonly chunks: ChunkBuffer;

  constructor(judgement: MessageJudgement, isStamped: boolean) {
    const levels = new MessageLevels(judgement, { isStamped });
    const walker = new MessageWalker(judgement, levels, isStamped, false);
    this.chunks = new ChunkBuffer((bytes, from, base, final) => walker.scan(bytes, from, base, final));
  }

  push(bytes: Uint8Array): void {
    this.chunks.push(bytes);
  }

  end(): void {
    this.chunks.end();
  }
}

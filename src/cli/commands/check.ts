import type { Command } from 'commander';
import { Checker, type CheckOptions, type CheckResult, type LevelResult } from '../../check/checker.ts';
import { type Grammar, GrammarError } from '../../check/grammar.ts';
import { GRAMMARS, grammarNamed } from '../../check/grammars.ts';
import { type CheckLevel, LEVELS, sentenceOf, type Violation } from '../../check/violation.ts';
import { LIMITS } from '../../core/limits.ts';
import { terminalText } from '../../core/names.ts';
import { didYouMean } from '../../core/search.ts';
import type { Source } from '../../core/source.ts';
import { catalogOf } from '../../formats/mavlink/options.ts';
import { unpack } from '../../formats/unpack.ts';
import { FileSource } from '../../node/file.ts';
import { readGrammar } from '../../node/grammar.ts';
import { placeOf } from '../../node/open.ts';
import { fileSpill } from '../../node/spill.ts';
import { EXIT, sentence, UsageError } from '../failure.ts';
import { addMavlinkOptions, openOptions, type ReadingOptions } from '../load.ts';
import { namesOf } from '../options.ts';
import { colored, notice, Output } from '../output.ts';
import { Progress } from '../progress.ts';
import { counted } from '../words.ts';

interface CommandOptions extends ReadingOptions {
  readonly grammar?: string;
  readonly level?: readonly CheckLevel[];
  readonly only?: string;
  readonly all?: boolean;
  readonly json?: boolean;
  /** False with `--no-offload`. */
  readonly offload: boolean;
  readonly printGrammar?: string;
}

export const EXAMPLES = `
Levels, each with its own verdict:
  grammar     every byte is allowed by a grammar (--grammar)
  structure   lengths and checksums of packets; in streams, every byte belongs to a message
  crc         the checksum of every MAVLink message
  signature   its signature (--key-file)
  messages    only these messages, with lengths and values as defined (--only)
Without --level: grammar and messages if given, else structure and crc; signature with a key.
Exit codes: 0 pass, 1 fail, 2 wrong usage.

Examples:
  skein check capture.pcap
  skein check --grammar attitude-position records.bin
  skein check --grammar attitude-position --level structure,crc --all capture.pcap
  skein check --only ATTITUDE,GLOBAL_POSITION_INT flight.tlog
  skein check --print-grammar attitude-position > own.json`;

/** Width of the names of levels. */
const NAME = 11;
/** Bytes read at a time if every violation is listed: those found in a chunk wait to be written. */
const SMALL_CHUNK = 64 << 10;

export function build(command: Command): void {
  command
    .argument('[file]', 'a packet capture, a telemetry log or a MAVLink stream')
    .option('--grammar <name>', 'a built-in grammar, or a JSON file')
    .option('--level <names>', `levels to check: ${LEVELS.join(',')}`, namesOf('--level', LEVELS))
    .option('--only <names>', 'allow only these messages, such as ATTITUDE,GLOBAL_POSITION_INT')
    .option('--all', 'list every violation, not only the first of each level')
    .option('--no-offload', 'count checksums left to the network card as violations')
    .option('--json', 'as JSON')
    .option('--print-grammar <name>', 'print a built-in grammar, as an example');
  addMavlinkOptions(command);
}

export async function run(file: string | undefined, options: CommandOptions): Promise<number> {
  const output = new Output();
  if (options.printGrammar !== undefined) {
    output.json(builtin(options.printGrammar), 2);
    await output.flush();
    return EXIT.well;
  }
  if (file === undefined) throw new UsageError('no file: skein check FILE');
  const printer = options.json ? jsonPrinter(output, file) : textPrinter(output, options.all === true);
  const checker = await checkerOf(options, (violation) => printer.violation(violation));
  const result = await read(file, checker, options.all === true, () => output.flush());
  printer.result(result);
  await output.flush();
  return result.verdict === 'pass' ? EXIT.well : EXIT.failed;
}

/** Pushes a file into the checker until its verdict is known. */
async function read(path: string, checker: Checker, all: boolean, flush: () => Promise<void>): Promise<CheckResult> {
  const source = await unpacked(path);
  const size = all ? SMALL_CHUNK : LIMITS.chunkBytes;
  const scratch = new Uint8Array(Math.min(source.size, size));
  const progress = new Progress('checking');
  try {
    for (let at = 0; at < source.size; ) {
      const chunk = await source.read(at, size, scratch);
      if (chunk.length === 0 || !checker.push(chunk)) break;
      await flush();
      at += chunk.length;
      progress.update(at, source.size);
    }
    return checker.end();
  } finally {
    progress.stop();
  }
}

/** The content of a packed file, which must be complete; else the file itself. */
async function unpacked(path: string): Promise<Source> {
  const { file, entry: named } = await placeOf(path);
  const { source, fault, layers, entry } = await unpack(await FileSource.open(file), {
    spill: fileSpill,
    entry: named,
  });
  if (layers.length === 0) return source;
  if (fault) throw new Error(fault.text);
  notice(
    `unpacked from ${[...layers, ...(entry === undefined ? [] : [entry])].join(', ')}: offsets are in the ${source.size} unpacked bytes`,
  );
  return source;
}

async function checkerOf(options: CommandOptions, onViolation: (violation: Violation) => void): Promise<Checker> {
  const { grammar, level: levels, only, all, offload } = options;
  const { dialect, keys } = await openOptions(options);
  const names = only === undefined ? undefined : messagesOf(only, dialect);
  const loaded = grammar === undefined ? undefined : await load(grammar);
  const chosen: CheckOptions = { levels, grammar: loaded, only: names, dialect, keys, all, offload, onViolation };
  try {
    return new Checker(chosen);
  } catch (error) {
    if (error instanceof GrammarError) throw new UsageError(`--grammar ${grammar}: ${error.message}`);
    if (error instanceof RangeError) throw new UsageError(error.message);
    throw error;
  }
}

function messagesOf(list: string, dialect: CheckOptions['dialect']): string[] {
  const known = new Set(catalogOf(dialect).definitions.flatMap((definition) => definition?.name ?? []));
  return list.split(',').map((word) => {
    const name = word.trim();
    if (known.has(name)) return name;
    throw new UsageError(`--only ${name}: unknown message${didYouMean(name, [...known])}`);
  });
}

function builtin(name: string): Grammar {
  const found = grammarNamed(name);
  if (!found) throw new UsageError(`unknown grammar ${name}: built in are ${builtinNames()}`);
  return found;
}

function builtinNames(): string {
  return GRAMMARS.map(({ name }) => name).join(', ');
}

async function load(name: string): Promise<Grammar> {
  const found = grammarNamed(name);
  if (found) return found;
  return readGrammar(name).catch((error: unknown) => {
    const isAbsent = (error as NodeJS.ErrnoException).code === 'ENOENT';
    const hint = isAbsent ? `; built in are ${builtinNames()}` : '';
    throw new UsageError(`--grammar ${name}: ${sentence(error)}${hint}`);
  });
}

interface Printer {
  violation(violation: Violation): void;
  result(result: CheckResult): void;
}

/** One line a level with its first violation below; with --all, violations come first, as they are found. */
function textPrinter(output: Output, all: boolean): Printer {
  return {
    violation(violation) {
      if (all) output.write(`${violation.level}: ${sentenceOf(violation)}\n`);
    },
    result({ levels }) {
      for (const level of levels) {
        const { verdict, first } = level;
        const color = verdict === 'pass' ? 'green' : 'red';
        const words = verdict === 'fail' && !all ? '' : `  ${colored('dim', terminalText(wordsOf(level)))}`;
        output.writeSafe(`${level.level.padEnd(NAME)}${colored(color, verdict)}${words}\n`);
        if (first && !all) output.write(`  ${sentenceOf(first)}\n`);
      }
    },
  };
}

function wordsOf({ level, verdict, violations, checked, remark }: LevelResult): string {
  const noun = level === 'grammar' || level === 'structure' ? 'record' : 'message';
  const looked = counted(checked, noun);
  const words = verdict === 'pass' ? looked : `${counted(violations, 'violation')} in ${looked}`;
  return remark === undefined ? words : `${words}, ${remark}`;
}

/** Violations as they are found, one a line, then the verdicts. */
function jsonPrinter(output: Output, file: string): Printer {
  let count = 0;
  output.data(`{\n  "file": ${JSON.stringify(file)},\n  "violations": [`);
  return {
    violation(violation) {
      const data = { ...violation, text: sentenceOf(violation) };
      output.data(`${count++ === 0 ? '' : ','}\n    ${JSON.stringify(data)}`);
    },
    result({ verdict, levels }) {
      const data = levels.map(({ first: _, remark = null, ...rest }) => `\n    ${JSON.stringify({ ...rest, remark })}`);
      const end = count === 0 ? '' : '\n  ';
      output.data(`${end}],\n  "levels": [${data.join()}\n  ],\n  "verdict": "${verdict}"\n}\n`);
    },
  };
}

import { basename } from 'node:path';
import { type Command, Option } from 'commander';
import { terminalText } from '../../core/names.ts';
import { openInMemory } from '../../node/open.ts';
import { type Alignment, CompareError, compareLogs } from '../../report/compare.ts';
import { comparePage } from '../../report/compare-page.ts';
import { compareData, compareText } from '../compare-text.ts';
import { UsageError } from '../failure.ts';
import { addReadingOptions, codeOf, load, type ReadingOptions } from '../load.ts';
import { addWritingOptions, type WritingOptions, writeOut } from '../write.ts';

interface CompareCommandOptions extends ReadingOptions, WritingOptions {
  readonly to: 'text' | 'json' | 'html';
  readonly json?: boolean;
  readonly align: string;
  readonly flightA?: string;
  readonly flightB?: string;
  readonly limit: string;
  readonly all?: boolean;
}

/** Fields that are drawn on a page. */
const PLOTS = 12;

const EXAMPLES = `
Compared is the longest flight of each log unless others are named, over the time that both have behind the moment at
which they are aligned: the take-off, the arming, the same UTC, or seconds that the second log is later than the first.

Examples:
  skein compare before.BIN after.BIN
  skein compare flight.BIN flight.BIN --flight-a 1 --flight-b 3
  skein compare flight.BIN flight.tlog --align utc --json
  skein compare before.BIN after.BIN --to html -o compare.html`;

export function buildCompare(command: Command, done: (code: number) => void): void {
  command
    .argument('<a>', 'a log')
    .argument('<b>', 'another log')
    .addOption(new Option('--to <format>', 'how to write it').choices(['text', 'json', 'html']).default('text'))
    .option('--json', 'as JSON')
    .option('--align <moment>', 'takeoff, arm, utc, or seconds that the second log is later', 'takeoff')
    .option('--flight-a <n>', 'the flight of the first log')
    .option('--flight-b <n>', 'the flight of the second log')
    .option('--limit <n>', 'fields that are shown as text', '20')
    .option('--all', 'also parameters of calibration and counting');
  addWritingOptions(addReadingOptions(command))
    .addHelpText('after', EXAMPLES)
    .action(async (a: string, b: string, options: CompareCommandOptions) => done(await compare(a, b, options)));
}

async function compare(a: string, b: string, options: CompareCommandOptions): Promise<number> {
  const align = alignmentOf(options.align);
  const [flightA, flightB] = [wholeNumber(options.flightA, '--flight-a'), wholeNumber(options.flightB, '--flight-b')];
  const limit = wholeNumber(options.limit, '--limit') ?? 0;
  const to = options.json ? 'json' : options.to;
  const logs = [await load(a, options, openInMemory), await load(b, options, openInMemory)];
  const plots = to === 'html' ? PLOTS : 0;
  const comparison = await compareLogs(logs[0], logs[1], { align, flightA, flightB, plots }).catch((error: unknown) => {
    throw error instanceof CompareError ? new UsageError(error.message) : error;
  });
  const names = [a, b] as const;
  const text =
    to === 'json'
      ? `${JSON.stringify(compareData(names, comparison), null, 2)}\n`
      : to === 'html'
        ? comparePage([basename(a), basename(b)], comparison)
        : terminalText(compareText(names, comparison, { limit, all: options.all === true }));
  await writeOut([text], options, a);
  return codeOf(logs, options);
}

function alignmentOf(text: string): Alignment {
  if (text === 'takeoff' || text === 'arm' || text === 'utc') return text;
  const seconds = /^[-+]?\d+(\.\d+)?s?$/.test(text) ? Number.parseFloat(text) : Number.NaN;
  if (Number.isNaN(seconds)) throw new UsageError(`--align ${text}: use takeoff, arm, utc, or seconds such as 12.5`);
  return seconds;
}

function wholeNumber(text: string | undefined, option: string): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,6}$/.test(text)) throw new UsageError(`${option} ${text}: expected a whole number`);
  return Number(text);
}

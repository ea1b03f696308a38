import { type Command, Option } from 'commander';
import { damageOf } from '../core/fault.ts';
import { Log } from '../core/log.ts';
import { leftOut } from '../facts/limits.ts';
import type { OpenOptions } from '../formats/open.ts';
import { openLog } from '../node/open.ts';
import { EXIT, sentence, UsageError } from './failure.ts';
import { tell } from './output.ts';
import { Progress } from './progress.ts';
import { counted, grouped } from './words.ts';

/** Options of every command that reads a log. */
export interface ReadingOptions {
  readonly leapSeconds?: string;
  readonly dialect?: string;
  readonly keyFile?: string;
  readonly keepInvalid?: boolean;
  readonly checksum?: 'required' | 'optional';
  readonly weekRollovers?: string;
  readonly strict?: boolean;
}

export function addReadingOptions(command: Command): Command {
  return addDecodingOptions(command).option('--strict', 'exit with 3 for a cut last record too');
}

/** How what is read is decoded. */
export function addDecodingOptions(command: Command): Command {
  const dated = command.option(
    '--leap-seconds <n>',
    'seconds that GPS is ahead of UTC, instead of the count of the date (18 for the times of pymavlink)',
  );
  return addMavlinkOptions(dated)
    .option('--keep-invalid', 'keep numbers that the protocol marks as invalid')
    .addOption(
      new Option('--checksum <policy>', 'whether NMEA sentences without a checksum are taken (and marked) or refused')
        .choices(['required', 'optional'])
        .default('optional'),
    )
    .option('--week-rollovers <n>', 'add N x 1024 weeks to the dates of NMEA (GPS week rollover)');
}

/** Definitions and keys. */
export function addMavlinkOptions(command: Command): Command {
  return command
    .option('--dialect <xml>', 'MAVLink definitions of your own, beside those that are built in')
    .option(
      '--key-file <file>',
      'verify MAVLink signatures with the key in this file; or set SKEIN_SIGNING_KEY or SKEIN_SIGNING_PASSPHRASE',
    );
}

export function leapSecondsOf({ leapSeconds }: ReadingOptions): number | undefined {
  if (leapSeconds === undefined) return undefined;
  if (!/^\d{1,3}$/.test(leapSeconds))
    throw new UsageError(`--leap-seconds ${leapSeconds}: expected a whole number of seconds`);
  return Number(leapSeconds);
}

function weekRolloversOf({ weekRollovers }: ReadingOptions): number | undefined {
  if (weekRollovers === undefined) return undefined;
  if (!/^-?\d$/.test(weekRollovers))
    throw new UsageError(`--week-rollovers ${weekRollovers}: expected a whole number from -9 to 9`);
  return Number(weekRollovers);
}

/** What the options say to the library. Definitions and keys are loaded only if they are asked for. */
export async function openOptions(options: ReadingOptions): Promise<OpenOptions> {
  const { dialect: path, keyFile, keepInvalid, checksum } = options;
  return {
    leapSeconds: leapSecondsOf(options),
    keepInvalid,
    checksum,
    weekRollovers: weekRolloversOf(options),
    ...(path === undefined ? {} : { dialect: await mergedDialect(path) }),
    ...(await keysOf(keyFile)),
  };
}

async function mergedDialect(path: string): Promise<OpenOptions['dialect']> {
  const { readDialect } = await import('../node/dialect.ts');
  const { builtinDialect } = await import('../formats/mavlink/dialect/builtin.ts');
  const { mergeDialects } = await import('../formats/mavlink/dialect/merge.ts');
  const own = await readDialect(path).catch((error: unknown) => {
    throw new UsageError(`--dialect ${path}: ${sentence(error)}`);
  });
  const { dialect, conflicts } = mergeDialects(builtinDialect(), own);
  for (const { text } of conflicts) tell(text);
  return dialect;
}

async function keysOf(keyFile: string | undefined): Promise<Pick<OpenOptions, 'keys'>> {
  const isSet = Object.keys(process.env).some((name) => name.startsWith('SKEIN_SIGNING_'));
  if (keyFile === undefined && !isSet) return {};
  const { environmentKey, readKey } = await import('../node/key.ts');
  const key = keyFile === undefined ? environmentKey() : readKey(keyFile);
  return key ? { keys: [key] } : {};
}

/** What a command that has read these logs ends with. Logs that were not closed end in a cut record: that is well. */
export function codeOf(logs: Log | readonly Log[], { strict = false }: Pick<ReadingOptions, 'strict'>): number {
  const all = logs instanceof Log ? [logs] : logs;
  const isDamaged = all.some((log) => (strict ? log.faults.lost : damageOf(log) === 'lost'));
  return isDamaged ? EXIT.damage : EXIT.well;
}

/** Says what there was too much of to be told. */
export function tellLeftOut(path: string, log: Log): void {
  const words = leftOutWords(log);
  if (words !== '') tell(`${path}: ${words}`);
}

export function leftOutWords(log: Log): string {
  const words = Object.entries(leftOut(log)).map(([what, count]) => `${grouped(count)} ${what}`);
  return words.length === 0 ? '' : `${words.join(', ')} left out: there are too many to tell`;
}

type Open = (path: string, options: OpenOptions) => Promise<Log>;

/** Opens a log with a progress bar, and says so where its times are guessed. */
export async function load(path: string, options: ReadingOptions, open: Open = openLog): Promise<Log> {
  const opening = await openOptions(options);
  const progress = new Progress('reading');
  try {
    const log = await open(path, { ...opening, onProgress: progress.update });
    progress.stop();
    if (log.clock.guessed) tell(`${path}: no record has a time, so all times are guessed from message rates`);
    if (codeOf(log, options) === EXIT.damage)
      tell(`${path}: ${counted(log.faults.lostBytes, 'byte')} lost to damage: skein info --faults shows where`);
    return log;
  } finally {
    progress.stop();
  }
}

import { type Command, Option } from 'commander';
import { damageOf } from '../core/fault.ts';
import { UnknownFormatError } from '../core/format.ts';
import { Log } from '../core/log.ts';
import { leftOut } from '../facts/limits.ts';
import type { OpenOptions } from '../formats/open.ts';
import { openInMemory, openLog } from '../node/open.ts';
import { EXIT, sentence, UsageError } from './failure.ts';
import { notice } from './output.ts';
import { Progress } from './progress.ts';
import { counted, grouped } from './words.ts';

/** Options of every command that reads a log. */
export interface ReadingOptions {
  readonly leapSeconds?: number;
  readonly dialect?: string;
  readonly keyFile?: string;
  readonly key?: string;
  readonly keepInvalid?: boolean;
  readonly checksum?: 'required' | 'optional';
  readonly weekRollovers?: number;
  readonly strict?: boolean;
}

export function addReadingOptions(command: Command): Command {
  return addDecodingOptions(command).option('--strict', 'also exit with 3 if only the last record is truncated');
}

export function addDecodingOptions(command: Command): Command {
  const dated = command.option(
    '--leap-seconds <n>',
    'GPS minus UTC in seconds, instead of the value for the date (18 matches pymavlink)',
    leapSecondsOf,
  );
  return addMavlinkOptions(dated)
    .option('--keep-invalid', 'keep values that the protocol marks as invalid')
    .addOption(
      new Option('--checksum <policy>', 'NMEA sentences without a checksum: accept and mark them, or refuse them')
        .choices(['required', 'optional'])
        .default('optional'),
    )
    .option('--key <pem>', 'private key of encrypted PX4 logs (.ulge)')
    .option('--week-rollovers <n>', 'add N x 1024 weeks to the dates of NMEA (GPS week rollover)', weekRolloversOf);
}

export function addMavlinkOptions(command: Command): Command {
  return command
    .option('--dialect <xml>', 'extra MAVLink dialect (XML)')
    .option(
      '--key-file <file>',
      'verify MAVLink signatures with this key (or SKEIN_SIGNING_KEY, SKEIN_SIGNING_PASSPHRASE)',
    );
}

function leapSecondsOf(text: string): number {
  if (/^\d{1,3}$/.test(text)) return Number(text);
  throw new UsageError(`--leap-seconds ${text}: expected a whole number of seconds`);
}

function weekRolloversOf(text: string): number {
  if (/^-?\d$/.test(text)) return Number(text);
  throw new UsageError(`--week-rollovers ${text}: expected a whole number from -9 to 9`);
}

/** The options as the library takes them. Dialects and keys are loaded only if asked for. */
export async function openOptions(options: ReadingOptions): Promise<OpenOptions> {
  const { dialect: path, keyFile, key, leapSeconds, keepInvalid, checksum, weekRollovers } = options;
  if (key !== undefined)
    throw new UsageError(
      '--key: not for this command; decrypt the log first: skein export FILE --key PEM --to ulg -o NEW',
    );
  return {
    ...{ leapSeconds, keepInvalid, checksum, weekRollovers },
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
  for (const { text } of conflicts) notice(text);
  return dialect;
}

async function keysOf(keyFile: string | undefined): Promise<Pick<OpenOptions, 'keys'>> {
  const isSet = Object.keys(process.env).some((name) => name.startsWith('SKEIN_SIGNING_'));
  if (keyFile === undefined && !isSet) return {};
  const { environmentKey, readKey } = await import('../node/key.ts');
  const key = keyFile === undefined ? environmentKey() : readKey(keyFile);
  return key ? { keys: [key] } : {};
}

/** The exit code after these logs were read. A cut last record is normal: it is how a log ends that was not closed. */
export function codeOf(logs: Log | readonly Log[], { strict = false }: Pick<ReadingOptions, 'strict'>): number {
  const all = logs instanceof Log ? [logs] : logs;
  const isDamaged = all.some((log) => (strict ? log.faults.lost : damageOf(log) === 'lost'));
  return isDamaged ? EXIT.damage : EXIT.well;
}

/** Says what was left out because there was too much of it. */
export function noticeLeftOut(path: string, log: Log): void {
  const words = leftOutWords(log);
  if (words !== '') notice(`${path}: ${words}`);
}

export function leftOutWords(log: Log): string {
  const words = Object.entries(leftOut(log)).map(([what, count]) => `${grouped(count)} ${what}`);
  return words.length === 0 ? '' : `${words.join(', ')} left out: too many to list`;
}

/**
 * Opens logs one after the other. One bad file does not hide the others; alone, it is the error.
 * @param meanwhile loads what `use` needs, while the first bytes are read
 */
export async function eachLog(
  files: readonly string[],
  options: ReadingOptions,
  use: (file: string, log: Log) => Promise<void>,
  meanwhile?: () => Promise<unknown>,
): Promise<number> {
  let code: number = EXIT.well;
  for (const file of files) {
    try {
      const log = await load(file, options, (path, opening) => openInMemory(path, opening, meanwhile));
      await use(file, log);
      if (code === EXIT.well) code = codeOf(log, options);
    } catch (error) {
      if (files.length === 1) throw error;
      const text = sentence(error);
      notice(text.startsWith(file) ? text : `${file}: ${text}`);
      code = EXIT.failed;
    }
  }
  return code;
}

type Open = (path: string, options: OpenOptions) => Promise<Log>;

/** Opens a log with a progress bar, and says if its times are guessed. */
export async function load(path: string, options: ReadingOptions, open: Open = openLog): Promise<Log> {
  const { key, ...others } = options;
  const opening = await openOptions(others);
  const logKey = key === undefined ? undefined : (await import('../node/key.ts')).secretText(key);
  const progress = new Progress('reading');
  try {
    const log = await open(path, { ...opening, logKey, onProgress: progress.update });
    progress.stop();
    if (log.clock.guessed) notice(`${path}: no record has a time; times are guessed from message rates`);
    if (codeOf(log, options) === EXIT.damage)
      notice(`${path}: ${counted(log.faults.lostBytes, 'byte')} lost to damage: skein info --faults shows where`);
    return log;
  } catch (error) {
    throw error instanceof UnknownFormatError ? new Error(`${path}: ${error.message}`) : error;
  } finally {
    progress.stop();
  }
}

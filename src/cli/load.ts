import { type Command, Option } from 'commander';
import type { Log } from '../core/log.ts';
import { openLog } from '../node/open.ts';
import type { OpenOptions } from '../open.ts';
import { sentence, UsageError } from './failure.ts';
import { tell } from './output.ts';
import { Progress } from './progress.ts';

/** Options of every command that reads a log. */
export interface ReadingOptions {
  readonly leapSeconds?: string;
  readonly dialect?: string;
  readonly keyFile?: string;
  readonly keepInvalid?: boolean;
  readonly checksum?: 'required' | 'optional';
  readonly weekRollovers?: string;
}

export function addReadingOptions(command: Command): Command {
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
    .option(
      '--week-rollovers <n>',
      'add so many times 1,024 weeks to the dates of NMEA sentences, for receivers that missed a rollover of GPS weeks',
    );
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
    throw new UsageError(`--leap-seconds ${leapSeconds}: a whole number of seconds is wanted`);
  return Number(leapSeconds);
}

function weekRolloversOf({ weekRollovers }: ReadingOptions): number | undefined {
  if (weekRollovers === undefined) return undefined;
  if (!/^-?\d$/.test(weekRollovers))
    throw new UsageError(`--week-rollovers ${weekRollovers}: a whole number from -9 to 9 is wanted`);
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
  const { builtinDialect } = await import('../formats/mavlink/builtin.ts');
  const { mergeDialects } = await import('../formats/mavlink/merge.ts');
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

type Open = (path: string, options: OpenOptions) => Promise<Log>;

/** Opens a log with a progress bar. */
export async function load(path: string, options: ReadingOptions, open: Open = openLog): Promise<Log> {
  const opening = await openOptions(options);
  const progress = new Progress('reading');
  try {
    return await open(path, { ...opening, onProgress: progress.update });
  } finally {
    progress.stop();
  }
}

import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import type { Log } from '../../core/log.ts';
import { NoStreamError, type Played, type PlayOptions, play, playback } from '../../links/playback.ts';
import { LinkError, linkText, parseLink } from '../../live/link-name.ts';
import { VehicleAnswers } from '../../live/vehicle/answers.ts';
import { type Link, makeLink } from '../../session/links.ts';
import { UsageError } from '../failure.ts';
import { addReadingOptions, codeOf, load, openOptions, type ReadingOptions } from '../load.ts';
import { Output, tell } from '../output.ts';
import { counted, grouped, lasting } from '../words.ts';

interface ReplayOptions extends ReadingOptions {
  readonly to: string;
  readonly speed?: string;
  readonly rate?: string;
  readonly vehicle?: boolean;
  readonly loop?: boolean;
  readonly json?: boolean;
}

const EXAMPLES = `
On a link that listens (tcpin, udpin) it starts when the other side connects or sends.

Examples:
  skein replay flight.tlog --to udpout:127.0.0.1:14550
  skein replay flight.tlog --to 127.0.0.1:14550 --speed 20
  skein replay flight.tlog --to tcpin:5760 --vehicle --loop
  skein replay gps.nmea --to serial:/dev/ttyUSB0:9600`;

export function buildReplay(command: Command, done: (code: number) => void): void {
  command
    .argument('<file>', 'a recording of a link: telemetry log, raw stream, capture, NMEA, XBUS')
    .requiredOption('--to <link>', 'where it is sent')
    .option('--speed <x>', 'how much faster than it was recorded, or max', '1')
    .option('--rate <n>', 'records a second, where they have no times')
    .option('--vehicle', 'answer requests for messages and parameters, as the recorded vehicle would')
    .option('--loop', 'repeat until interrupted')
    .option('--json', 'summary as JSON');
  addReadingOptions(command)
    .addHelpText('after', EXAMPLES)
    .action(async (file: string, options: ReplayOptions) => done(await replay(file, options)));
}

async function replay(file: string, options: ReplayOptions): Promise<number> {
  const interrupted = new AbortController();
  const playing: PlayOptions = {
    ...(await openOptions(options)),
    speed: speedOf(options.speed ?? '1'),
    rate: options.rate === undefined ? undefined : positive('--rate', options.rate),
    signal: interrupted.signal,
  };
  const address = addressOf(options.to);
  const log = await load(file, options);
  const stop = (): void => interrupted.abort();
  process.once('SIGINT', stop).once('SIGTERM', stop);
  let answers: VehicleAnswers | undefined;
  let told = '';
  const listener = {
    bytes: (_: Link, bytes: Uint8Array) => answers?.receive(bytes),
    state: ({ state }: Link) => {
      if (state.error !== '' && state.error !== told) tell(`${linkText(address)}: ${state.error}`);
      told = state.error;
    },
  };
  const link = makeLink(address, listener, { hears: 'all' });
  if (options.vehicle) answers = await answersFor(log, link, playing);
  link.open();
  if (address.kind === 'tcpin' || address.kind === 'udpin') tell(`${linkText(address)}: waiting for a connection`);
  const pace = answers && setInterval(() => answers?.sendWaiting(ANSWER_BURST), ANSWER_INTERVAL);
  const begun = Date.now();
  const sum: Played = { records: 0, bytes: 0, secrets: 0, shortened: 0, steps: 0 };
  try {
    do {
      add(sum, await play(log, (bytes) => sendTo(link, bytes, answers), playing));
    } while (options.loop && !interrupted.signal.aborted && sum.records > 0);
    for (let i = 0; i < LAST_BURSTS && answers?.sendWaiting(0); i++) await sleep(ANSWER_INTERVAL);
  } catch (error) {
    if (error instanceof NoStreamError) throw new UsageError(`${file}: ${error.message}`);
    throw error;
  } finally {
    clearInterval(pace);
    await link.close();
    process.off('SIGINT', stop).off('SIGTERM', stop);
  }
  await report(sum, (Date.now() - begun) * 1000, link, answers, options);
  return codeOf(log, options);
}

/** Milliseconds between parts of a list of parameters, and frames in each: about as fast as real vehicles. */
const ANSWER_INTERVAL = 10;
const ANSWER_BURST = 20;
/** Intervals to wait at the end of a recording for what was asked for. */
const LAST_BURSTS = 200;

/** A link that is gone for good takes nothing ever: only then it is an error. */
function sendTo(link: Link, bytes: Uint8Array, answers: VehicleAnswers | undefined): boolean {
  if (link.state.state === 'failed') throw new Error(link.state.error);
  if (!link.send(bytes)) return false;
  answers?.played(bytes);
  return true;
}

async function answersFor(log: Log, link: Link, options: PlayOptions): Promise<VehicleAnswers> {
  const answers = new VehicleAnswers((frame) => link.send(frame), options.dialect);
  for await (const records of playback(log, options)) for (const { bytes } of records) answers.learn(bytes);
  return answers;
}

function add(sum: Played, more: Played): void {
  for (const key of ['records', 'bytes', 'secrets', 'shortened', 'steps'] as const) sum[key] += more[key];
}

async function report(
  sum: Played,
  took: number,
  link: Link,
  answers: VehicleAnswers | undefined,
  { json }: ReplayOptions,
): Promise<void> {
  const { records, bytes, secrets, shortened, steps } = sum;
  const { dropped } = link.state;
  if (json) {
    const output = new Output();
    const answered = answers?.answered ?? 0;
    output.json({ records, bytes, seconds: took / 1e6, secrets, dropped, answered });
    await output.flush();
  }
  tell(`sent ${counted(records, 'record')}, ${grouped(bytes)} bytes, in ${lasting(took)}`);
  if (secrets > 0) tell(`${counted(secrets, 'frame')} that set up signing not sent: they carry a key`);
  if (shortened > 0) tell(`${counted(shortened, 'pause')} shortened to a minute`);
  if (steps > 0) tell(`the time of the recording steps back ${counted(steps, 'time')}`);
  if (answers) tell(`${counted(answers.answered, 'request')} answered`);
}

function addressOf(text: string): ReturnType<typeof parseLink> {
  let address: ReturnType<typeof parseLink>;
  try {
    address = parseLink(text, { udp: 'udpout' });
  } catch (error) {
    if (error instanceof LinkError) throw new UsageError(`--to: ${error.message}`);
    throw error;
  }
  if (address.kind === 'file') throw new UsageError(`--to ${text} is a file: skein export --to tlog writes one`);
  return address;
}

function speedOf(text: string): number {
  return text === 'max' ? Number.POSITIVE_INFINITY : positive('--speed', text);
}

function positive(option: string, text: string): number {
  const value = /^\d*\.?\d+$/.test(text) ? Number(text) : 0;
  if (value > 0) return value;
  throw new UsageError(`${option} ${text}: expected a number above 0`);
}

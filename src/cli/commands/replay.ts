import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import type { Log } from '../../core/log.ts';
import { NoStreamError, type Played, type PlayOptions, play, playback } from '../../links/playback.ts';
import { type LinkAddress, LinkError, linkText, parseLink } from '../../live/link-name.ts';
import { VehicleAnswers } from '../../live/vehicle/answers.ts';
import { type Link, makeLink } from '../../session/links.ts';
import { stopSignal, UsageError } from '../failure.ts';
import { addReadingOptions, codeOf, load, openOptions, type ReadingOptions } from '../load.ts';
import { addFormer, positiveNumber } from '../options.ts';
import { notice, Output } from '../output.ts';
import { counted, grouped, lasting } from '../words.ts';

interface ReplayOptions extends ReadingOptions {
  readonly link?: string;
  readonly speed: number;
  readonly pace?: number;
  readonly answer?: boolean;
  readonly loop?: boolean;
  readonly json?: boolean;
}

export const EXAMPLES = `
On a link that listens (tcpin, udpin), sending starts when the other side connects or sends.

Examples:
  skein replay flight.tlog udpout:127.0.0.1:14550
  skein replay flight.tlog 127.0.0.1:14550 --speed 20
  skein replay flight.tlog tcpin:5760 --answer --loop
  skein replay gps.nmea serial:/dev/ttyUSB0:9600`;

export function build(command: Command): void {
  command
    .argument('<file>', 'a recording of a link: telemetry log, raw stream, capture, NMEA, XBUS')
    .argument('[link]', 'where to send it, such as udpout:127.0.0.1:14550')
    .option('--link <link>', 'same as the argument')
    .option('--speed <x>', 'times the recorded speed, or max', speedOf, 1)
    .option('--pace <n>', 'records per second, if they have no times', positiveNumber('--pace'))
    .option('--answer', 'answer requests for messages and parameters as the recorded vehicle would')
    .option('--loop', 'repeat until interrupted')
    .option('--json', 'summary as JSON');
  addFormer(command, '--to <link>', 'link', 'replay --to LINK is now replay FILE LINK');
  addFormer(command, '--vehicle', 'answer', 'replay --vehicle is now --answer');
  addFormer(command, '--rate <n>', 'pace', 'replay --rate N is now --pace N', positiveNumber('--pace'));
  addReadingOptions(command);
}

export async function run(file: string, given: string | undefined, options: ReplayOptions): Promise<number> {
  const to = given ?? options.link;
  if (to === undefined) throw new UsageError('missing link: skein replay FILE LINK');
  const { signal, release } = stopSignal();
  const playing: PlayOptions = {
    ...(await openOptions(options)),
    ...{ speed: options.speed, rate: options.pace, signal },
  };
  const address = addressOf(to);
  const log = await load(file, options);
  let answers: VehicleAnswers | undefined;
  let reported = '';
  const listener = {
    bytes: (_: Link, bytes: Uint8Array) => answers?.receive(bytes),
    state: ({ state }: Link) => {
      if (state.error !== '' && state.error !== reported) notice(`${linkText(address)}: ${state.error}`);
      reported = state.error;
    },
  };
  const link = makeLink(address, listener, { hears: 'all' });
  if (options.answer) answers = await answersFor(log, link, playing);
  link.open();
  if (address.kind === 'tcpin' || address.kind === 'udpin') notice(`${linkText(address)}: waiting for a connection`);
  const pace = answers && setInterval(() => answers?.sendWaiting(ANSWER_BURST), ANSWER_INTERVAL);
  const begun = Date.now();
  const sum: Played = { records: 0, bytes: 0, secrets: 0, shortened: 0, steps: 0 };
  try {
    do {
      add(sum, await play(log, (bytes) => sendTo(link, bytes, answers), playing));
    } while (options.loop && !signal.aborted && sum.records > 0);
    for (let i = 0; i < LAST_BURSTS && answers?.sendWaiting(0); i++) await sleep(ANSWER_INTERVAL);
  } catch (error) {
    if (error instanceof NoStreamError) throw new UsageError(`${file}: ${error.message}`);
    throw error;
  } finally {
    clearInterval(pace);
    await link.close();
    release();
  }
  await report(sum, (Date.now() - begun) * 1000, link, answers, options);
  return codeOf(log, options);
}

function speedOf(text: string): number {
  return text === 'max' ? Number.POSITIVE_INFINITY : positiveNumber('--speed')(text);
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
  notice(`sent ${counted(records, 'record')}, ${grouped(bytes)} bytes, in ${lasting(took)}`);
  if (secrets > 0) notice(`${counted(secrets, 'frame')} that set up signing not sent: they carry a key`);
  if (shortened > 0) notice(`${counted(shortened, 'pause')} shortened to a minute`);
  if (steps > 0) notice(`time steps back ${counted(steps, 'time')} in the recording`);
  if (answers) notice(`${counted(answers.answered, 'request')} answered`);
}

function addressOf(text: string): LinkAddress {
  let address: LinkAddress;
  try {
    address = parseLink(text, { udp: 'udpout' });
  } catch (error) {
    if (error instanceof LinkError) throw new UsageError(error.message);
    throw error;
  }
  if (address.kind === 'file') throw new UsageError(`${text} is a file: skein export --to tlog writes one`);
  return address;
}

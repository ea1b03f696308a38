import type { Command } from 'commander';
import type { RunningServer } from '../../server/server.ts';
import { LiveSession } from '../../session/session.ts';
import { allowedBy, sessionOptions } from '../../session/session-options.ts';
import { type Settings, SettingsError } from '../../session/settings.ts';
import { EXIT, UsageError } from '../failure.ts';
import { addLiveOptions, type LiveFlags, readSettings } from '../live-options.ts';
import { lineScreen, tableScreen } from '../live-screen.ts';
import { openOptions } from '../load.ts';
import { notice } from '../output.ts';
import { pagesFolder } from '../pages.ts';
import { counted } from '../words.ts';

export const EXAMPLES = `
LINK is udpin:HOST:PORT, udpout:HOST:PORT, udpbcast:HOST:PORT, tcp:HOST:PORT, tcpin:HOST:PORT, serial:DEVICE:BAUD,
DEVICE,BAUD, ws://HOST:PORT, nats://HOST:PORT or a file. Without one: udpin:0.0.0.0:14550, the port of ground stations.
Sends only heartbeats and requests for messages.

Examples:
  skein live
  skein live udpin:0.0.0.0:14550 /dev/ttyACM0,115200 --record flights
  skein live tcp:127.0.0.1:5760 --log-file status.json --rate ATTITUDE=20
  skein live --bus nats://bus:4222 --bus-name base-2      # all frames go to a bus too
  skein live nats://bus:4222?since=10m                    # vehicles of all collectors there
  skein live --config collector_config.json --json`;

/** Default address of the API. */
const HTTP_HOST = '127.0.0.1';
const HTTP_PORT = 8088;
const PILOT = 255;
const LIVE_PAGE = 'live.html';

export function build(command: Command): void {
  command.argument('[link...]', 'where vehicles are');
  addLiveOptions(command)
    .option('--duration <seconds>', 'stop after N seconds', Number)
    .option('--json', 'events as JSON lines');
}

export async function run(words: readonly string[], flags: LiveFlags, command: Command): Promise<number> {
  const settings = readSettings(flags);
  const { duration } = flags as { duration?: number };
  if (duration !== undefined && !(duration > 0)) throw new UsageError('--duration: expected a number of seconds');
  const notes: string[] = [];
  const hasTable = flags.json !== true && process.stdout.isTTY === true;
  const note = (text: string): void => {
    // the table shows it; a separate line would break the table
    if (hasTable) notes.push(text);
    else notice(text);
  };
  let lastOfBus = '';
  // a bus comes and goes: only its latest note is kept
  const noteBus = (text: string): void => {
    if (hasTable && lastOfBus !== '') notes.splice(notes.indexOf(lastOfBus), 1);
    lastOfBus = text;
    note(text);
  };
  const address = apiAddress(settings);
  const session = await sessionOf(words, settings, note, noteBus);
  const end = ended(session);
  // everything subscribes before the first event
  const screen = hasTable
    ? tableScreen(session, notes)
    : lineScreen(session, flags.json === true, () => end.stop('standard output was closed'));
  let api: RunningServer | undefined;
  let why: Ending | undefined;
  try {
    api = address && (await startApi(session, address, settings, command.parent?.version(), note));
    session.start();
    if (duration !== undefined) end.after(duration);
    why = await end.reached;
  } finally {
    end.cancel();
    screen.close();
    await api?.close();
    await session.stop();
    if (why) notice(`ended: ${why.reason}`);
  }
  // losses are known only when all is closed
  const lost = session.unrecorded;
  const unsent = session.published?.dropped ?? 0;
  if (lost > 0) notice(`${counted(lost, 'record')} lost: not written to the disk`);
  const waiting = session.published?.spooled ?? 0;
  if (waiting > 0) notice(`${counted(waiting, 'byte')} wait in the spool: the next run with it sends them to the bus`);
  if (unsent > 0) notice(`${counted(unsent, 'frame')} lost on the way to the bus`);
  return why.code === EXIT.well && lost + unsent > 0 ? EXIT.damage : why.code;
}

async function sessionOf(
  links: readonly string[],
  settings: Settings,
  onError: (text: string) => void,
  onBus: (text: string) => void,
): Promise<LiveSession> {
  const { dialect, keys } = await openOptions({
    ...(settings.dialect === undefined ? {} : { dialect: settings.dialect }),
    ...(settings.key_file === undefined ? {} : { keyFile: settings.key_file }),
  });
  if (settings.request_sysid === PILOT) {
    onError(
      "system id 255 is that of the pilot's ground station: a vehicle may count our heartbeats as the pilot's, and start " +
        'its failsafe when they end; --request-sysid 254 does neither',
    );
  }
  try {
    return new LiveSession(await sessionOptions(settings, { links, dialect, keys, onError, onBus }));
  } catch (error) {
    if (error instanceof SettingsError) throw new UsageError(error.message);
    throw error;
  }
}

interface ApiAddress {
  readonly host: string;
  readonly port: number;
  /** Whether the user gave it. */
  readonly isGiven: boolean;
}

function apiAddress({ http }: Settings): ApiAddress | undefined {
  if (http === false) return undefined;
  if (typeof http !== 'string') return { host: HTTP_HOST, port: HTTP_PORT, isGiven: false };
  const [, host, port] = /^(?:(.+):)?(\d{1,5})$/.exec(http) ?? [];
  if (port === undefined || Number(port) > 65535) throw new UsageError(`--http ${http}: expected HOST:PORT or a port`);
  return { host: (host ?? HTTP_HOST).replace(/^\[(.*)\]$/, '$1'), port: Number(port), isGiven: true };
}

/** The API, loaded only if it runs. */
async function startApi(
  session: LiveSession,
  { host, port, isGiven }: ApiAddress,
  settings: Settings,
  version: string | undefined,
  note: (text: string) => void,
): Promise<RunningServer> {
  const { serve } = await import('../../server/server.ts');
  const { SessionView } = await import('../../server/session-view.ts');
  const view = new SessionView(session, settings.allow_commands === true);
  const options = { host, allow: settings.allow && allowedBy(settings.allow), pages: pagesFolder(), version };
  const running = await serve(view, { ...options, port }).catch((error: unknown) => {
    // a given address must work; the default one may be in use
    if (isGiven) throw error;
    return serve(view, { ...options, port: 0 });
  });
  // the address of the page carries the token
  if (options.pages !== undefined) note(`page at ${running.page.replace('/?', `/${LIVE_PAGE}?`)}`);
  note(`API at ${running.url}/v1/vehicles, to change something with the token ${running.token}`);
  return running;
}

/** Exit code and reason. */
interface Ending {
  readonly code: number;
  readonly reason: string;
}

interface End {
  readonly reached: Promise<Ending>;
  readonly stop: (reason: string) => void;
  /** Ends N seconds from now. */
  readonly after: (seconds: number) => void;
  /** Removes the listeners. */
  readonly cancel: () => void;
}

/** The end: an interruption, --duration, or all links failed or closed. */
function ended(session: LiveSession): End {
  let finish: (ending: Ending) => void = () => undefined;
  const reached = new Promise<Ending>((resolve) => {
    finish = resolve;
  });
  const stop = (reason: string): void => finish({ code: EXIT.well, reason });
  let timer: NodeJS.Timeout | undefined;
  const after = (seconds: number): void => {
    timer = setTimeout(() => stop(`--duration ${seconds} s is over`), seconds * 1000);
  };
  const unsubscribe = session.subscribe(() => {
    const ends = session.links.map(({ state }) => state);
    if (!ends.every(({ state }) => state === 'failed' || state === 'closed')) return;
    const isFailed = ends.every(({ state }) => state === 'failed');
    const reasons = ends.map(({ name, state, error }) => (state === 'failed' ? error : `${name} ended`));
    finish({ code: isFailed ? EXIT.failed : EXIT.well, reason: reasons.join('; ') });
  }, ['link']);
  const interrupt = (signal: NodeJS.Signals): void => stop(`interrupted by ${signal}`);
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  const cancel = (): void => {
    clearTimeout(timer);
    unsubscribe();
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  };
  return { reached, stop, after, cancel };
}

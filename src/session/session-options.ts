import { homedir, hostname } from 'node:os';
import { join } from 'node:path';
import { type BusOptions, checkBus } from '../bus/connection.ts';
import type { BusPublisher } from '../bus/publisher.ts';
import { collectorName } from '../bus/subject.ts';
import { type LinkAddress, parseLink } from '../live/link-name.ts';
import { PROFILES, type Profile } from '../live/vehicle/profile.ts';
import { allowed, type IsAllowed } from '../node/allow.ts';
import type { SessionOptions } from './session.ts';
import { amountOf, type Settings, SettingsError } from './settings.ts';

/** The port of ground stations, and every address of this machine. */
const PORT = 14550;
const ANY_HOST = '0.0.0.0';

export interface SettingsContext extends Pick<SessionOptions, 'dialect' | 'keys'> {
  /** Links in place of those of the settings, as `parseLink` reads them. */
  readonly links?: readonly string[] | undefined;
  /** Called with a sentence when a file cannot be written, or when the bus comes or goes. */
  readonly onError?: ((sentence: string) => void) | undefined;
  readonly onBus?: ((sentence: string) => void) | undefined;
}

/**
 * The step from settings to a session: reads the key and the dialect, and opens the spool of the bus. Throws a
 * `SettingsError` if a setting cannot be used.
 *
 *     const session = new LiveSession(await sessionOptions(parseSettings(text)));
 *     session.start();
 */
export async function sessionOptions(settings: Settings, context: SettingsContext = {}): Promise<SessionOptions> {
  const { udp_address: host, udp_port: port = PORT, key_file, allow } = settings;
  const links = linksOf(settings, context.links);
  const bus = busOf(settings, links);
  const publisher = await publisherOf(settings, bus, context.onBus ?? (() => undefined));
  const { dialect = await dialectOf(settings), keys = await keysOf(settings), onError } = context;
  return {
    ...{ links, publisher, bus, dialect, keys, key: keys[0], onError },
    forward: (settings.forward ?? []).map((text) => setting('', () => parseLink(text, { udp: 'udpout' }))),
    target: host === undefined ? undefined : { host, port },
    system: settings.request_sysid,
    component: settings.request_compid,
    stampFile: key_file === undefined ? undefined : `${key_file}.stamp`,
    unsigned: settings.unsigned,
    profile: profileOf(settings),
    requests: settings.request,
    heartbeats: settings.heartbeat,
    streamRequests: settings.stream_request,
    heartbeatInterval: settings.request_interval_ms,
    heartbeatTimeout: settings.heartbeat_timeout_ms,
    allowCommands: settings.allow_commands,
    statusFile: settings.log_file,
    historyFile: settings.history_file,
    record: settings.record,
    recorder: { armedOnly: settings.record_armed, sync: settings.sync },
    allow: allow && allowedBy(allow),
  };
}

/** Which senders and clients are allowed. */
export function allowedBy(networks: readonly string[]): IsAllowed {
  return setting('--allow', () => allowed(networks));
}

/** The links that are named, and the address and port if there are none. */
function linksOf(settings: Settings, words: readonly string[] = []): LinkAddress[] {
  const named = [...(words.length > 0 ? words : (settings.links ?? []))];
  if (named.length === 0 || settings.udp_port !== undefined) {
    named.push(`udpin:${ANY_HOST}:${settings.udp_port ?? PORT}`);
  }
  return named.map((text) => setting('', () => parseLink(text)));
}

/** A profile with other rates, also if the vehicle sends more; 0 leaves a message out. */
function profileOf({ profile = 'default', rates = {} }: Settings): Profile {
  const chosen = PROFILES[profile];
  const all = Object.entries({ ...chosen.rates, ...rates }).filter(([, rate]) => rate > 0);
  return { rates: Object.fromEntries(all), once: chosen.once, exact: Object.keys(rates) };
}

async function dialectOf({ dialect }: Settings): Promise<SessionOptions['dialect']> {
  if (dialect === undefined) return undefined;
  // few need it: starting must cost nothing that is not used
  const { readDialect } = await import('../node/dialect.ts');
  const { builtinDialect } = await import('../formats/mavlink/dialect/builtin.ts');
  const { mergeDialects } = await import('../formats/mavlink/dialect/merge.ts');
  return mergeDialects(builtinDialect(), await readDialect(dialect)).dialect;
}

async function keysOf({ key_file }: Settings): Promise<NonNullable<SessionOptions['keys']>> {
  if (key_file === undefined) return [];
  const { readKey } = await import('../node/key.ts');
  return [readKey(key_file)];
}

/** How to connect to the bus, for publishing and for links; undefined without a bus. */
function busOf(settings: Settings, links: readonly LinkAddress[]): Omit<BusOptions, 'name'> | undefined {
  const { bus_creds: credentials, bus_ca: authority, bus_cert: certificate, bus_key: certificateKey } = settings;
  const address = settings.bus ?? links.find((link) => link.kind === 'nats')?.servers;
  const options = { credentials, authority, certificate, certificateKey };
  return setting('', () => checkBus(address, options, settings.bus_replicas));
}

async function publisherOf(
  settings: Settings,
  bus: Omit<BusOptions, 'name'> | undefined,
  onBus: (sentence: string) => void,
): Promise<BusPublisher | undefined> {
  const { bus: address, bus_name: collector = collectorName(hostname()), bus_replicas: replicas } = settings;
  if (address === undefined || bus === undefined) return undefined;
  const { BusPublisher } = await import('../bus/publisher.ts');
  const { FolderTakenError } = await import('../node/folder-lock.ts');
  const amount = (text: string | undefined): number | undefined => (text === undefined ? undefined : amountOf(text));
  const options = {
    ...{ address, bus, collector, byMessage: settings.bus_by_message },
    replicas: replicas === undefined ? undefined : Number(replicas),
    spool: settings.bus_spool ?? join(stateFolder(), 'skein', 'spool', collector),
    spoolBytes: amount(settings.bus_spool_size),
    seconds: amount(settings.bus_keep),
    bytes: amount(settings.bus_keep_size),
  };
  return BusPublisher.open(options, onBus).catch((error: unknown) => {
    if (!(error instanceof FolderTakenError)) throw error;
    throw new SettingsError(`${error.message}: give a second collector on this machine another --bus-name`);
  });
}

/** Where programs keep what must outlive them. */
function stateFolder(): string {
  return process.env.XDG_STATE_HOME || join(homedir(), '.local', 'state');
}

/** Makes something of a setting; a sentence that says why it cannot be used is of the settings. */
function setting<T>(name: string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    const { message } = error as Error;
    throw new SettingsError(name === '' ? message : `${name} ${message}`);
  }
}

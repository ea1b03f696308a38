import { closeSync, fstatSync, openSync } from 'node:fs';
import type { JetStreamClient, JetStreamManager } from '@nats-io/jetstream';
import type { Authenticator, ConnectionOptions, NatsConnection, TlsOptions } from '@nats-io/transport-node';
import { errorText } from '../core/text.ts';
import { isOpenToOthers, KEY_BYTES } from '../node/key.ts';
import { textOf } from '../node/text-file.ts';
import { BUS_LIMITS } from './limits.ts';

export type { Consumer, JsMsg } from '@nats-io/jetstream';

type Nats = typeof import('@nats-io/transport-node');
type JetStream = typeof import('@nats-io/jetstream');

/** How to come onto the bus. */
export interface BusOptions {
  /** Who we are, for the server's own lists. */
  readonly name: string;
  /** A file with what we may come in by: NATS credentials, the seed of an nkey, or `user:password`. */
  readonly credentials?: string | undefined;
  /** Certificates that the server's must be signed by, and our own for servers that ask for it. */
  readonly authority?: string | undefined;
  readonly certificate?: string | undefined;
  readonly certificateKey?: string | undefined;
  /** Stay away rather than wait when no server answers. Without it the first connection is tried for ever. */
  readonly giveUp?: boolean | undefined;
}

/** The message bus: NATS with JetStream. */
export interface Bus {
  readonly nats: Nats;
  readonly jetstream: JetStream;
  readonly connection: NatsConnection;
  readonly client: JetStreamClient;
  readonly manager: JetStreamManager;
  /** A subject that answers can come to, another one each time. */
  inbox(): string;
  /** Sends what is still to be sent, and leaves. */
  close(): Promise<void>;
}

/** The bus cannot be used as it was asked for. */
export class BusError extends Error {
  override readonly name = 'BusError';
  /** Whether it may be mended by waiting: servers that are not there, or not yet. */
  readonly mayPass: boolean;

  constructor(message: string, options: ErrorOptions & { readonly mayPass?: boolean } = {}) {
    super(message, options);
    this.mayPass = options.mayPass === true;
  }
}

/** What was asked for; undefined if the bus has no such stream or consumer. */
export async function ifThere<T>({ jetstream }: Bus, asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof jetstream.JetStreamApiError && error.apiError().code === 404) return undefined;
    throw error;
  }
}

const SCHEMES: ReadonlySet<string> = new Set(['nats:', 'tls:']);

/** What a text such as `nats://a:4222,nats://b` says. */
export interface BusServers {
  /** `host:port`, one or more of a cluster. */
  readonly servers: readonly string[];
  /** Whether it must be TLS. */
  readonly isSecure: boolean;
}

/** Reads the address of a bus. Passwords do not belong into it, since the list of processes shows it to everybody. */
export function parseBus(text: string): BusServers {
  const servers: string[] = [];
  let isSecure = false;
  for (const part of text.split(',')) {
    let url: URL;
    try {
      url = new URL(part.trim());
    } catch {
      throw new BusError(`bus ${text}: ${part.trim() || 'an empty part'} is not an address such as nats://host:4222`);
    }
    if (!SCHEMES.has(url.protocol))
      throw new BusError(`bus ${text}: ${url.protocol}// is not supported: use nats:// or tls://`);
    if (url.username || url.password) {
      throw new BusError('bus address with user and password: put them in a file for --bus-creds');
    }
    if (url.hostname === '') throw new BusError(`bus ${text}: no host`);
    isSecure ||= url.protocol === 'tls:';
    servers.push(`${url.hostname}:${url.port || BUS_LIMITS.port}`);
  }
  return { servers, isSecure };
}

/** How to come onto a bus, if one is asked for; an error if that is not possible. */
export function checkBus(
  address: string | undefined,
  options: Omit<BusOptions, 'name'>,
  replicas: string | undefined,
): Omit<BusOptions, 'name'> | undefined {
  if (address === undefined) {
    if (replicas !== undefined || Object.values(options).some((each) => each !== undefined))
      throw new BusError('--bus-... options need --bus');
    return undefined;
  }
  if ((options.certificate === undefined) !== (options.certificateKey === undefined))
    throw new BusError('--bus-cert and --bus-key go together');
  parseBus(address);
  return options;
}

/** Comes onto the bus. A connection that breaks is made again, for ever. */
export async function openBus(address: string, options: BusOptions): Promise<Bus> {
  const { servers, isSecure } = parseBus(address);
  const { nats, jetstream } = await loadNats();
  const authenticator = options.credentials && readCredentials(nats, options.credentials);
  const settings: ConnectionOptions = {
    servers: [...servers],
    name: options.name,
    // where answers come to: users of a bus may be allowed their own and no others
    inboxPrefix: `_INBOX.${options.name.replace(/[^\w-]+/g, '-')}`,
    maxReconnectAttempts: -1,
    reconnectTimeWait: BUS_LIMITS.retryMilliseconds,
    timeout: BUS_LIMITS.connectMilliseconds,
    waitOnFirstConnect: !options.giveUp,
    pingInterval: BUS_LIMITS.pingMilliseconds,
    maxPingOut: BUS_LIMITS.lostPings,
    ...(authenticator ? { authenticator } : {}),
    ...(isSecure || options.authority || options.certificate ? { tls: tlsOf(options) } : {}),
  };
  let connection: NatsConnection;
  try {
    connection = await nats.connect(settings);
  } catch (error) {
    const why = errorText(error);
    const mayPass = !(error instanceof nats.errors.AuthorizationError);
    throw new BusError(`bus ${address}: ${why}`, { cause: error, mayPass });
  }
  const inbox = (): string => nats.createInbox(settings.inboxPrefix);
  for (;;) {
    try {
      const manager = await jetstream.jetstreamManager(connection, { timeout: BUS_LIMITS.answerMilliseconds });
      return {
        nats,
        jetstream,
        connection,
        manager,
        client: manager.jetstream(),
        inbox,
        close: () => leave(connection),
      };
    } catch (error) {
      // a cluster whose servers have just started does not answer yet
      const isSilent = error instanceof nats.errors.TimeoutError;
      if (isSilent && !options.giveUp) continue;
      await leave(connection);
      const why = isSilent ? 'timeout: check that most of its servers are up' : 'is off: start nats-server with -js';
      const what = forbidden(nats, error) ?? `JetStream ${why}`;
      throw new BusError(`bus ${address}: ${what}`, { cause: error, mayPass: isSilent });
    }
  }
}

/** What went wrong with a bus, with its address once. */
export function ofBus(address: string, error: string): string {
  return error.startsWith('bus ') ? error : `bus ${address}: ${error}`;
}

/** What this user may not do, where that is what went wrong. */
export function forbidden({ errors }: Nats, error: unknown): string | undefined {
  const found = [error, error instanceof Error ? error.cause : undefined].find(
    (each) => each instanceof errors.PermissionViolationError,
  );
  if (!(found instanceof errors.PermissionViolationError)) return undefined;
  return `this user may not ${found.operation === 'publish' ? 'publish to' : 'listen to'} ${found.subject}`;
}

async function leave(connection: NatsConnection): Promise<void> {
  if (connection.isClosed()) return;
  // what cannot be sent within this time would be waited for until a server comes back
  const drained = connection.drain().catch(() => undefined);
  await Promise.race([drained, new Promise((done) => setTimeout(done, BUS_LIMITS.drainMilliseconds).unref())]);
  await connection.close();
}

async function loadNats(): Promise<{ nats: Nats; jetstream: JetStream }> {
  try {
    const [nats, jetstream] = await Promise.all([import('@nats-io/transport-node'), import('@nats-io/jetstream')]);
    return { nats, jetstream };
  } catch (error) {
    throw new BusError(
      'a bus needs the packages @nats-io/transport-node and @nats-io/jetstream, which are not installed: npm install @nats-io/transport-node @nats-io/jetstream',
      { cause: error },
    );
  }
}

function readCredentials(nats: Nats, path: string): Authenticator {
  const descriptor = openSync(path, 'r');
  try {
    const { mode } = fstatSync(descriptor);
    if (isOpenToOthers(mode)) {
      throw new BusError(
        `credentials ${path} is readable by others (mode ${(mode & 0o777).toString(8)}): chmod 600 the file`,
      );
    }
    const text = textOf(descriptor, KEY_BYTES, path).trim();
    if (text.includes('BEGIN NATS USER JWT')) return nats.credsAuthenticator(Buffer.from(text));
    if (/^SU[A-Z2-7]{56}$/.test(text)) return nats.nkeyAuthenticator(Buffer.from(text));
    const colon = text.indexOf(':');
    if (colon > 0 && !text.includes('\n')) {
      return nats.usernamePasswordAuthenticator(text.slice(0, colon), text.slice(colon + 1));
    }
    throw new BusError(`credentials ${path}: expected NATS credentials, the seed of an nkey or user:password`);
  } finally {
    closeSync(descriptor);
  }
}

function tlsOf(options: BusOptions): TlsOptions {
  const { authority, certificate, certificateKey } = options;
  return {
    ...(authority ? { caFile: authority } : {}),
    ...(certificate ? { certFile: certificate } : {}),
    ...(certificateKey ? { keyFile: certificateKey } : {}),
  };
}

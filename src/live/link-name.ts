/*
 * Links as people type them. Each tool has its own spelling; all of these are taken:
 *
 *     udpin:0.0.0.0:14550   udpin:14550   udpserver://0.0.0.0:14550   udp:127.0.0.1:14550   udp://:14550   :14550
 *     udpout:10.0.0.2:14550   udpclient://10.0.0.2:14550      udpbcast:192.168.1.255:14550      mcast:
 *     tcp:127.0.0.1:5760   tcp://127.0.0.1:5760   tcpout:...   tcpclient://...   tcpin:5760   tcpserver://0.0.0.0:5760
 *     serial:/dev/ttyACM0:115200   serial:///dev/ttyACM0:115200   /dev/ttyUSB0,57600   /dev/ttyUSB0:57600   COM3
 *     /tmp/vehicle,57600 (any path with a baud rate is a device)
 *     ws://localhost:8080/mavlink   wss://...      flight.tlog   file:flight.tlog
 *     nats://bus:4222   nats://a,nats://b?since=10m   tls://bus?collector=base-2
 *
 * A host that is left out altogether is this machine; one that is left empty (`udp://:14550`) is every address of it,
 * as the tools have it that people know this from.
 */

export type LinkAddress = NetworkAddress | SerialAddress | WebSocketAddress | FileAddress | BusAddress;

export interface NetworkAddress {
  readonly kind: 'udpin' | 'udpout' | 'udpbcast' | 'tcp' | 'tcpin';
  readonly host: string;
  readonly port: number;
}

export interface SerialAddress {
  readonly kind: 'serial';
  readonly path: string;
  readonly baud: number;
}

export interface WebSocketAddress {
  readonly kind: 'ws';
  readonly url: string;
}

export interface FileAddress {
  readonly kind: 'file';
  readonly path: string;
}

/** What collectors put on a message bus. */
export interface BusAddress {
  readonly kind: 'nats';
  /** `nats://HOST:PORT`, several with commas. */
  readonly servers: string;
  /** Seconds: start with what came in that time before. */
  readonly since: number;
  /** One collector; '' for all. */
  readonly collector: string;
}

/** Not a link: the sentence says what is wrong and what is allowed. */
export class LinkError extends Error {
  override readonly name = 'LinkError';
}

export interface LinkNameOptions {
  /** What `udp:HOST:PORT` and a bare `HOST:PORT` mean: to listen there, as everywhere, or to send there. */
  readonly udp?: 'udpin' | 'udpout' | undefined;
}

type NetworkKind = NetworkAddress['kind'];

const SCHEMES: ReadonlyMap<string, NetworkKind | 'udp' | 'mcast' | 'serial' | 'file'> = new Map([
  ['udpin', 'udpin'],
  ['udpserver', 'udpin'],
  ['udps', 'udpin'],
  ['udpout', 'udpout'],
  ['udpclient', 'udpout'],
  ['udpc', 'udpout'],
  ['udpbcast', 'udpbcast'],
  ['udp', 'udp'],
  ['mcast', 'mcast'],
  ['tcp', 'tcp'],
  ['tcpout', 'tcp'],
  ['tcpclient', 'tcp'],
  ['tcpc', 'tcp'],
  ['tcpin', 'tcpin'],
  ['tcpserver', 'tcpin'],
  ['tcps', 'tcpin'],
  ['serial', 'serial'],
  ['file', 'file'],
]);

const FORMS =
  'udpin:HOST:PORT, udpout:HOST:PORT, udpbcast:HOST:PORT, tcp:HOST:PORT, tcpin:HOST:PORT, ' +
  'serial:DEVICE:BAUD, DEVICE,BAUD, ws://HOST:PORT, nats://HOST:PORT, a file';

/** Where ground stations listen, and where ArduPilot's simulation and most servers of it do. */
const UDP_PORT = 14550;
const TCP_PORT = 5760;
const LOOPBACK = '127.0.0.1';
const ANY = '0.0.0.0';
/** Where ArduPilot's simulation sends to several listeners at once. */
const MULTICAST = '239.255.145.50';

const MAX_PORT = 65_535;
const MAX_BAUD = 20_000_000;
/** USB ports ignore the speed; telemetry radios come with the other one. */
const USB_BAUD = 115_200;
const RADIO_BAUD = 57_600;

const DEVICE = /^(\/dev\/|\\\\\.\\|com\d+\b)/i;
/** A device anywhere: the link to a pseudo terminal, say. */
const DEVICE_AND_BAUD = /^[^,]+,\d+(?:,8n1)?$/is;
const URL_OPTIONS = /\?(?:baudrate|baud)=(\d+)$/i;

/** Reads a link as typed. Throws a LinkError with a sentence where it is none. */
export function parseLink(text: string, { udp = 'udpin' }: LinkNameOptions = {}): LinkAddress {
  const typed = text.trim();
  if (typed === '') throw new LinkError(`a link is empty: allowed are ${FORMS}`);
  if (/^wss?:/i.test(typed)) return webSocket(typed);
  if (/^(nats|tls):/i.test(typed)) return bus(typed);
  if (DEVICE.test(typed)) return serial(typed, typed);
  const [, scheme = '', rest = ''] = /^([a-z][a-z0-9_]*):(.*)$/is.exec(typed) ?? [];
  const kind = SCHEMES.get(scheme.toLowerCase());
  const body = rest.startsWith('//') ? rest.slice(2) : rest;
  switch (kind) {
    case undefined:
      return bare(typed, udp);
    case 'serial':
      return serial(body, typed);
    case 'file':
      if (body === '') throw new LinkError(`link ${typed} names no file`);
      return { kind: 'file', path: body };
    case 'mcast':
      return network('udpin', body === '' ? MULTICAST : body, typed);
    case 'udp':
      return network(udp, body, typed);
    default:
      return network(kind, body, typed);
  }
}

/** The link in the spelling of this project; `parseLink` reads it back as the same. */
export function linkText(address: LinkAddress): string {
  switch (address.kind) {
    case 'serial':
      return `serial:${plainPath(address.path)}:${address.baud}`;
    case 'ws':
      return address.url;
    case 'file':
      return `file:${plainPath(address.path)}`;
    case 'nats':
      return busText(address);
    default:
      return `${address.kind}:${hostPort(address.host, address.port)}`;
  }
}

/** Two slashes at the beginning of a path must not be taken for those of a URL. */
function plainPath(path: string): string {
  return path.startsWith('//') ? `//${path}` : path;
}

/** HOST:PORT with the brackets that an IPv6 address needs. */
export function hostPort(host: string, port: number): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

/** Whether a host is this machine alone. */
export function isLoopback(host: string): boolean {
  return /^(localhost|127(\.\d+){3}|::1|::ffff:127(\.\d+){3})$/i.test(host);
}

/** Whether an IPv4 or IPv6 address is that of a group, which many may listen to. */
export function isMulticast(host: string): boolean {
  return /^(22[4-9]|23\d)(\.\d+){3}$/.test(host) || /^ff[0-9a-f]{2}:/i.test(host);
}

/** No scheme: HOST:PORT, :PORT, DEVICE,BAUD, or a file. */
function bare(typed: string, udp: 'udpin' | 'udpout'): LinkAddress {
  const isHostPort = /^(\[[0-9a-f:.%a-z]+\]|[a-z0-9.-]*):\d+$/i.test(typed);
  if (isHostPort) return network(udp, typed, typed);
  if (/^[a-z][a-z0-9_]*:/i.test(typed) && !/^[a-z]:[\\/]/i.test(typed))
    throw new LinkError(`link ${typed} is of an unknown kind: allowed are ${FORMS}`);
  if (DEVICE_AND_BAUD.test(typed)) return serial(typed, typed);
  if (/^\d+$/.test(typed)) throw new LinkError(`link ${typed} is a number: udpin:${typed} listens at that port`);
  if (!/[./\\]/.test(typed)) throw new LinkError(`link ${typed} is neither a link nor a file: allowed are ${FORMS}`);
  return { kind: 'file', path: typed };
}

function network(kind: NetworkKind, body: string, typed: string): NetworkAddress {
  const place = body.replace(/[/?].*$/s, '');
  const usual = kind.startsWith('udp') ? UDP_PORT : TCP_PORT;
  const isListening = kind === 'udpin' || kind === 'tcpin';
  const bracketed = /^\[([^\]]*)\](?::(.*))?$/s.exec(place);
  const plain = /^([^:]*)(?::([^:]*))?$/s.exec(place);
  const found = bracketed ?? plain;
  if (!found)
    throw new LinkError(`link ${typed} has too many colons: put an IPv6 address in brackets, ${kind}:[::1]:${usual}`);
  let [, host, portText] = found;
  // a number alone is a port: no host has such a name
  if (!bracketed && portText === undefined && /^\d+$/.test(host)) [host, portText] = [LOOPBACK, host];
  else if (host === '') host = isListening ? (place === '' ? LOOPBACK : ANY) : '';
  if (host === '' && place !== '') throw new LinkError(`link ${typed} names no host: expected ${kind}:HOST:${usual}`);
  if (host === '') throw new LinkError(`link ${typed} names no host: expected ${kind}:HOST:PORT`);
  if (!isHost(host)) throw new LinkError(`link ${typed} has host ${host}: expected a name or an address`);
  const port = portText === undefined ? usual : portOf(portText, isListening ? 0 : 1, typed);
  return { kind, host, port };
}

function isHost(host: string): boolean {
  if (/^[0-9a-f:.]+(%[\w.-]+)?$/i.test(host) && host.includes(':')) return true;
  if (/^[\d.]+$/.test(host))
    return /^(\d{1,3}\.){3}\d{1,3}$/.test(host) && host.split('.').every((n) => Number(n) < 256);
  return /^[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*\.?$/i.test(host) && host.length < 254;
}

function portOf(text: string, least: number, typed: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port >= least && port <= MAX_PORT) return port;
  throw new LinkError(`link ${typed} has port ${text || '(none)'}: must be ${least} to ${MAX_PORT}`);
}

/** DEVICE, DEVICE,BAUD, DEVICE:BAUD or DEVICE?baudrate=BAUD. The device itself may have colons (by-id, by-path). */
function serial(body: string, typed: string): SerialAddress {
  const options = URL_OPTIONS.exec(body);
  const named = options ? body.slice(0, options.index) : body;
  const [, path, tail] = /^(.*?)(?:[,:](\d+)(?:[,:]8n1)?)?$/is.exec(named) ?? [];
  const baudText = options?.[1] ?? tail;
  if (!path) throw new LinkError(`link ${typed} names no device: expected serial:/dev/ttyACM0:115200`);
  if (/,/.test(path)) throw new LinkError(`link ${typed} has a baud rate that is not a number: expected DEVICE,57600`);
  const baud = baudText === undefined ? usualBaud(path) : Number(baudText);
  if (!(baud >= 50 && baud <= MAX_BAUD))
    throw new LinkError(`link ${typed} has baud rate ${baudText}: must be 50 to ${MAX_BAUD}, such as 57600`);
  return { kind: 'serial', path, baud };
}

function usualBaud(path: string): number {
  return /acm|usbmodem|px4|pixhawk|ardupilot|cube/i.test(path) ? USB_BAUD : RADIO_BAUD;
}

function webSocket(typed: string): WebSocketAddress {
  const [, scheme, rest] = /^(wss?):(?:\/\/)?(.*)$/is.exec(typed) as unknown as [string, string, string];
  const text = `${scheme.toLowerCase()}://${rest}`;
  try {
    const { hostname, href } = new URL(text);
    if (hostname === '') throw new LinkError(`link ${typed} names no host: expected ws://HOST:PORT`);
    return { kind: 'ws', url: href };
  } catch (error) {
    if (error instanceof LinkError) throw error;
    throw new LinkError(`link ${typed} is not an address of a WebSocket: expected ws://HOST:PORT/PATH`);
  }
}

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** SERVERS?since=10m&collector=NAME */
function bus(typed: string): BusAddress {
  const [names, options = ''] = typed.split('?', 2);
  const servers = names.split(',').map((server) => server.trim());
  for (const server of servers) {
    if (!/^(nats|tls):\/\/[^/?#@\s]+\/?$/i.test(server))
      throw new LinkError(`link ${typed.replace(/:.*@/s, '://')} is not a bus: expected nats://HOST:PORT`);
  }
  const given = new URLSearchParams(options);
  for (const key of given.keys()) {
    if (key !== 'since' && key !== 'collector')
      throw new LinkError(`link ${typed} has an option ${key}: there are since and collector`);
  }
  const since = given.get('since') ?? '0s';
  const [, count, unit] = /^(\d{1,9})([smhd])$/.exec(since) ?? [];
  if (count === undefined)
    throw new LinkError(`link ${typed} has since ${since}: expected a time such as 30s, 10m or 2h`);
  const collector = given.get('collector') ?? '';
  if (collector !== '' && !isBusToken(collector))
    throw new LinkError(`link ${typed} has collector ${collector}: letters, digits, - and _ are allowed`);
  return { kind: 'nats', servers: servers.join(','), since: Number(count) * SECONDS[unit], collector };
}

/** A part of a bus subject, such as a collector's name: plain for a server, a file and a terminal. */
export function isBusToken(name: string): boolean {
  return /^[A-Za-z0-9_-]{1,64}$/.test(name);
}

function busText({ servers, since, collector }: BusAddress): string {
  const options = [since > 0 ? `since=${since}s` : '', collector === '' ? '' : `collector=${collector}`];
  const text = options.filter((option) => option !== '').join('&');
  return text === '' ? servers : `${servers}?${text}`;
}

export function hostOf(address: string): string {
  return address.slice(0, Math.max(0, address.lastIndexOf(':')));
}

/** Microseconds of silence until another port of the same host takes over: reboots change the port. */
export const MOVED = 1.9e6;

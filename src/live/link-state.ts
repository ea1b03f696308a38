import type { Mutable } from '../core/mutable.ts';
import { LINK_LIMITS } from './limits.ts';
import { hostPort, isLoopback, type LinkAddress, linkText } from './link-name.ts';

/** How a link is. Times are microseconds UTC. */
export interface LinkState {
  readonly name: string;
  readonly kind: string;
  /**
   * opening: not open yet. waiting: open, and nothing came yet. receiving. silent: nothing came for some seconds. retry:
   * could not be opened or broke, will be tried again. failed: cannot be opened at all. closed: by us, or a file that is
   * at its end.
   */
  readonly state: 'opening' | 'waiting' | 'receiving' | 'silent' | 'retry' | 'failed' | 'closed';
  /** When it came to be so. */
  readonly since: number;
  readonly lastBytes: number | null;
  readonly retryAt: number | null;
  readonly bytesIn: number;
  /** Datagrams, or pieces as they were read. */
  readonly packetsIn: number;
  readonly bytesOut: number;
  /** Frames, or pieces as they were handed on. */
  readonly packetsOut: number;
  /** Datagrams and messages that did not fit: in the system's buffer, in ours, or from a sender that may not send. */
  readonly dropped: number;
  readonly receiveBuffer: { readonly asked: number; readonly got: number } | null;
  /** The other end, if known. */
  readonly peer: string | null;
  /** While nothing comes: one sentence what to try. */
  readonly hint: string;
  /** Why it could not be opened, or broke. */
  readonly error: string;
}

/** Keeps the state of one link. It has no clock: each call says what time it is. */
export class LinkMeter {
  readonly state: LinkState;
  private readonly now: Mutable<LinkState>;
  private readonly changed: () => void;
  private readonly silence: number;
  private openedAt = 0;
  private wait = 0;

  /** @param changed called when the state, its error, its hint or its peer changed, not for counts and times */
  constructor(name: string, kind: string, time: number, changed: () => void, silence: number = LINK_LIMITS.silence) {
    this.changed = changed;
    this.silence = silence;
    this.now = {
      name,
      kind,
      state: 'opening',
      since: time,
      lastBytes: null,
      retryAt: null,
      bytesIn: 0,
      packetsIn: 0,
      bytesOut: 0,
      packetsOut: 0,
      dropped: 0,
      receiveBuffer: null,
      peer: null,
      hint: '',
      error: '',
    };
    this.state = this.now;
  }

  /** The link is open: bytes may come. */
  opened(time: number): void {
    this.openedAt = time;
    this.turn('waiting', time);
  }

  received(bytes: number, time: number): void {
    const { now } = this;
    now.bytesIn += bytes;
    now.packetsIn++;
    now.lastBytes = time;
    if (now.state === 'receiving') return;
    // only now is it known that the link works: one that breaks at once each time is not tried in haste
    this.wait = 0;
    this.turn('receiving', time);
  }

  sent(bytes: number): void {
    this.now.bytesOut += bytes;
    this.now.packetsOut++;
  }

  dropped(count: number): void {
    this.now.dropped += count;
  }

  /** The system counts what it dropped itself since the link was opened. */
  buffer(asked: number, got: number): void {
    this.now.receiveBuffer = { asked, got };
  }

  peer(peer: string | null): void {
    if (this.now.peer === peer) return;
    this.now.peer = peer;
    this.changed();
  }

  /** It broke or could not be opened. Returns the microseconds to wait before the next try. */
  broke(error: string, time: number, hint = ''): number {
    this.wait = Math.min(Math.max(this.wait * 2, LINK_LIMITS.firstRetry), LINK_LIMITS.longestRetry);
    this.now.retryAt = time + this.wait;
    this.turn('retry', time, error, hint);
    return this.wait;
  }

  failed(error: string, time: number): void {
    this.turn('failed', time, error);
  }

  closed(time: number): void {
    this.turn('closed', time, this.now.error);
  }

  /** To be called a few times a second: silence is what does not happen. */
  tick(time: number, hint: () => string): void {
    const { now, openedAt } = this;
    if (now.state !== 'waiting' && now.state !== 'receiving') return;
    const last = now.state === 'waiting' ? openedAt : Math.max(now.lastBytes ?? openedAt, openedAt);
    if (time - last < this.silence) return;
    this.turn('silent', time, now.error, hint());
  }

  /** Another hint, where more was found out. */
  hint(text: string): void {
    if (this.now.hint === text) return;
    this.now.hint = text;
    this.changed();
  }

  private turn(state: LinkState['state'], time: number, error = '', hint = ''): void {
    const { now } = this;
    const isSame = now.state === state && now.error === error && now.hint === hint;
    if (now.state !== state) now.since = time;
    if (state !== 'retry') now.retryAt = null;
    now.state = state;
    now.error = error;
    now.hint = hint;
    if (!isSame) this.changed();
  }
}

/** The state in a few words: `receiving`, `silent for 7 s`, `retry in 2 s`. */
export function stateText({ state, since, lastBytes, retryAt }: LinkState, time: number): string {
  if (state === 'silent') return `silent for ${seconds(time - (lastBytes ?? since - LINK_LIMITS.silence))} s`;
  if (state === 'retry' && retryAt !== null) return `retry in ${seconds(retryAt - time)} s`;
  return state;
}

function seconds(micros: number): number {
  return Math.max(0, Math.round(micros / 1e6));
}

/** What to say where the system gave a smaller buffer than it was asked for; '' where all is well. */
export function bufferNote({ receiveBuffer: buffer }: LinkState): string {
  if (!buffer || buffer.got >= buffer.asked) return '';
  return (
    `receive buffer has ${buffer.got} of ${buffer.asked} bytes: bursts may be lost; ` +
    `on Linux, sysctl -w net.core.rmem_max=${buffer.asked} allows more`
  );
}

export interface SilentLink {
  /** Whether ground stations are at the other end, and not vehicles. */
  readonly isStation?: boolean | undefined;
  /** Whether it received something before. */
  readonly hasReceived?: boolean | undefined;
}

/** One sentence what to try while a link is open and silent. */
export function silenceHint(address: LinkAddress, { isStation = false, hasReceived = false }: SilentLink = {}): string {
  if (isStation) return stationHint(address, hasReceived);
  if (hasReceived) return lostHint(address);
  switch (address.kind) {
    case 'udpin':
      return isLoopback(address.host)
        ? `no data on ${linkText(address)} (loopback only): for other machines use udpin:0.0.0.0:${address.port}; ` +
            `if the vehicle listens, use udpout:HOST:${address.port}`
        : `no data on ${linkText(address)}: if the vehicle listens, use udpout:HOST:${address.port}; check the firewall`;
    case 'udpout':
      return `no answer from ${hostPort(address.host, address.port)}: if it sends to us instead, use udpin:0.0.0.0:${address.port}`;
    case 'udpbcast':
      return `no answer to the broadcast to ${hostPort(address.host, address.port)}: udpin:0.0.0.0:${address.port} receives from any sender`;
    case 'tcp':
      return `connected to ${hostPort(address.host, address.port)}, but no data: it may serve one client only, or use another protocol`;
    case 'tcpin':
      return `no data on ${linkText(address)}: the other side must connect to it, as tcp:HOST:${address.port}`;
    case 'serial':
      return `no data on ${address.path} at ${address.baud} baud: usual baud rates are 57600 (radio), 115200 (USB) and 921600; skein devices finds it`;
    case 'ws':
      return `connected to ${address.url}, but no data: it may send text, or wait for a subscription`;
    case 'nats':
      return `no collector sends to ${address.servers}: start one with skein live --bus ${address.servers}`;
    case 'file':
      return `no data in ${address.path}`;
  }
}

/** The link worked before. */
function lostHint(address: LinkAddress): string {
  switch (address.kind) {
    case 'serial':
      return `no more data on ${address.path}: check the cable, the radio and the vehicle's power`;
    case 'nats':
      return `no more data from ${address.servers}: check its collectors`;
    case 'file':
      return `no more data in ${address.path}`;
    default:
      return `no more data on ${linkText(address)}: check the vehicle's power and its radio or network`;
  }
}

function stationHint(address: LinkAddress, hasReceived: boolean): string {
  const name = linkText(address);
  if (hasReceived) return `the ground station on ${name} no longer sends`;
  switch (address.kind) {
    case 'udpin':
      return `no ground station on ${name}: connect one with udpout:HOST:${address.port}`;
    case 'tcpin':
      return `no ground station on ${name}: connect one with tcp:HOST:${address.port}`;
    default:
      return `the ground station on ${name} has sent nothing; it gets all frames, and need not answer`;
  }
}

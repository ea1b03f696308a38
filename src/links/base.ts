import type { SigningKey } from '../formats/mavlink/key.ts';
import { LINK_LIMITS } from '../live/limits.ts';
import { hostPort, type LinkAddress, linkText, type NetworkAddress } from '../live/link-name.ts';
import { LinkMeter, type LinkState, silenceHint } from '../live/link-state.ts';
import type { IsAllowed } from '../node/allow.ts';
import { wallClock } from '../node/wall-clock.ts';
import { portHolder } from './port-holder.ts';

export interface LinkListener {
  /**
   * Bytes came: a datagram, or a piece of a stream. They are the listener's to keep.
   * @param time microseconds UTC
   * @param from the sender, where there may be several: an address of UDP, a client of a server
   */
  bytes(link: Link, bytes: Uint8Array, time: number, from: string): void;
  /** The state, its hint or its peer is another. */
  state(link: Link): void;
}

export interface LinkOptions {
  /** What the link is called; its address by default. */
  readonly name?: string | undefined;
  /** Microseconds UTC. */
  readonly now?: (() => number) | undefined;
  /** Microseconds without bytes after which it is silent, and a vehicle's address may change. */
  readonly silence?: number | undefined;
  /** Bytes that the system is asked to keep for a UDP socket. */
  readonly receiveBuffer?: number | undefined;
  /** With keys, only a heartbeat that one of them signed shows where a vehicle is. */
  readonly keys?: readonly SigningKey[] | undefined;
  /** Times of signatures as they were stored last: no older heartbeat counts. */
  readonly stamps?: ReadonlyMap<number, number> | undefined;
  /** Whose heartbeats set the destination of a listening UDP link: vehicles (default), or `all` for stations. */
  readonly hears?: 'vehicles' | 'all' | undefined;
  /** Senders that a link which listens takes bytes from; all by default. */
  readonly allow?: IsAllowed | undefined;
  /** How much faster than it was recorded a file is played; 1 by default. */
  readonly speed?: number | undefined;
}

/** A way to bytes from elsewhere and back. It never throws once it is made, and never gives up until it is closed. */
export interface Link {
  readonly name: string;
  readonly address: LinkAddress;
  readonly state: LinkState;
  /** Where it listens, once it does: `127.0.0.1:14550`. */
  readonly local: string | null;
  /** The addresses of its clients, for a server. */
  readonly clients?: Iterable<string> | undefined;
  open(): void;
  close(): Promise<void>;
  /**
   * Sends one frame, or bytes of a stream.
   * @param to one of the senders that `bytes` named; otherwise the vehicle that the frame is meant for, or all
   * @returns whether the system accepted it: false without a peer, or if the buffer is full
   */
  send(bytes: Uint8Array, to?: string): boolean;
}

/** How often links look whether they are silent, in milliseconds. */
const TICK = 250;

/** What all links share: state, silence, and opening again. */
export abstract class BaseLink implements Link {
  readonly name: string;
  readonly address: LinkAddress;
  readonly state: LinkState;
  local: string | null = null;
  protected readonly meter: LinkMeter;
  protected readonly now: () => number;
  protected readonly allow: IsAllowed;
  /** Whether ground stations are at the other end. */
  private readonly isStation: boolean;
  private readonly listener: LinkListener;
  private ticker: NodeJS.Timeout | undefined;
  private retry: NodeJS.Timeout | undefined;

  constructor(address: LinkAddress, listener: LinkListener, options: LinkOptions) {
    this.address = address;
    this.listener = listener;
    this.name = options.name ?? linkText(address);
    this.now = options.now ?? wallClock();
    this.allow = options.allow ?? (() => true);
    this.isStation = options.hears === 'all';
    this.meter = new LinkMeter(this.name, address.kind, this.now(), () => this.listener.state(this), options.silence);
    this.state = this.meter.state;
  }

  protected get isOpen(): boolean {
    return this.ticker !== undefined;
  }

  open(): void {
    if (this.isOpen) return;
    this.ticker = setInterval(() => this.tick(), TICK);
    this.start();
  }

  async close(): Promise<void> {
    if (!this.isOpen) return;
    clearInterval(this.ticker);
    clearTimeout(this.retry);
    this.ticker = undefined;
    await this.stop();
    this.local = null;
    this.meter.closed(this.now());
  }

  abstract send(bytes: Uint8Array, to?: string): boolean;

  /** Begins to open it. It ends in a call of the meter, `broke` or `receive`. */
  protected abstract start(): void;
  /** Lets go of everything. */
  protected abstract stop(): Promise<void> | void;

  protected tick(): void {
    this.meter.tick(this.now(), () =>
      silenceHint(this.address, { isStation: this.isStation, hasReceived: this.state.lastBytes !== null }),
    );
  }

  protected receive(bytes: Uint8Array, from: string, time: number = this.now()): void {
    if (!this.isOpen) return;
    this.meter.received(bytes.length, time);
    this.listener.bytes(this, bytes, time, from);
  }

  /** It broke, or could not be opened: it is tried again after a while. */
  protected broke(error: string, hint = ''): void {
    if (!this.isOpen) return;
    this.local = null;
    const wait = this.meter.broke(error, this.now(), hint);
    clearTimeout(this.retry);
    this.retry = setTimeout(() => {
      if (this.isOpen) this.start();
    }, wait / 1000);
  }

  /** A port cannot be bound: says why, and which program has it. */
  protected cannotBind(error: unknown, { host, port }: NetworkAddress, caller: 'udpout' | 'tcp', hint: string): void {
    const code = codeOf(error);
    if (code === 'EADDRINUSE') {
      void portHolder(caller === 'tcp' ? 'tcp' : 'udp', port).then((holder) =>
        this.broke(`port ${port} is in use${holder}`, hint),
      );
    } else if (code === 'EADDRNOTAVAIL') {
      this.broke(
        `cannot bind ${host}: not an address of this machine`,
        `to call ${host}, use ${caller}:${hostPort(host, port)}`,
      );
    } else if (code === 'EACCES' && port < 1024) {
      this.broke(`port ${port}: permission denied`, 'use a port from 1024 on');
    } else {
      this.broke(reason(error));
    }
  }

  /** Whether there is room for bytes where others wait to be sent; counts them as dropped if not. */
  protected fits(waiting: number, bytes: number): boolean {
    if (waiting + bytes <= LINK_LIMITS.sendBuffer) return true;
    this.meter.dropped(1);
    return false;
  }

  /** It can never be opened. */
  protected fail(error: string): void {
    if (this.isOpen) this.meter.failed(error, this.now());
  }
}

/** A sentence for what the system says about a socket or a device. */
export function reason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // several addresses of one name were tried: each failed, and the first says why
  if (error instanceof AggregateError && error.errors.length > 0) return reason(error.errors[0]);
  if (UNKNOWN_HOST.has(codeOf(error))) {
    const { hostname } = error as Error & { hostname?: string };
    return `unknown host ${hostname ?? ''}`.trimEnd();
  }
  return error.message;
}

/** What looking up a name says: it may be known later, when the network is there. */
const UNKNOWN_HOST: ReadonlySet<string> = new Set(['ENOTFOUND', 'EAI_AGAIN', 'ENODATA']);

export function codeOf(error: unknown): string {
  return error instanceof Error ? ((error as NodeJS.ErrnoException).code ?? '') : '';
}

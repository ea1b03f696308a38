import type { DroppedWire, HelloWire, MessageEventWire, StateEventWire } from '../../src/server/wire.ts';

/** Receives the events of a connection. */
export interface ConnectionListener {
  /** The server greets; `isNew` where it is not the one of before. */
  hello(event: HelloWire, isNew: boolean): void;
  message(event: MessageEventWire): void;
  other(event: StateEventWire): void;
  dropped(count: number): void;
  /** It is open, or it is not: why, and when it is tried again, in milliseconds of `Date.now`. */
  state(isOpen: boolean, reason: string, retryAt: number): void;
}

/** Seconds of history to request first, and the rate of each message then. */
export interface Start {
  readonly last: number;
  readonly rate: number;
}

const FIRST_WAIT = 500;
const LONGEST_WAIT = 5000;
/** Milliseconds until an attempt times out. */
const PATIENCE = 8000;

/** The WebSocket of the page. It reconnects for ever, and requests what was missed by the last id. */
export class Connection {
  private readonly address: string;
  private readonly listener: ConnectionListener;
  private readonly start: () => Start;
  private socket: WebSocket | undefined;
  private lastId = '';
  private session = '';
  private wait = FIRST_WAIT;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private isClosed = false;
  private rate = -1;
  /** The server's time at the greeting: older events are history. */
  private pastUntil = Number.NaN;

  /** @param address of the stream, with ws: or wss: */
  constructor(address: string, listener: ConnectionListener, start: () => Start) {
    this.address = address;
    this.listener = listener;
    this.start = start;
  }

  open(): void {
    clearTimeout(this.timer);
    const { last, rate } = this.start();
    const query = new URLSearchParams({ rate: String(rate) });
    if (this.lastId === '') query.set('last', String(last));
    else query.set('since', this.lastId);
    const socket = new WebSocket(`${this.address}?${query}`);
    this.socket = socket;
    this.rate = rate;
    this.pastUntil = Number.NaN;
    const tooLong = setTimeout(() => socket.close(), PATIENCE);
    socket.onmessage = ({ data }) => {
      clearTimeout(tooLong);
      if (typeof data === 'string') this.receive(data);
    };
    socket.onclose = ({ reason }) => {
      clearTimeout(tooLong);
      if (this.socket === socket && !this.isClosed) this.again(reason);
    };
  }

  private again(reason: string): void {
    this.socket = undefined;
    this.listener.state(false, reason, Date.now() + this.wait);
    this.timer = setTimeout(() => this.open(), this.wait);
    this.wait = Math.min(this.wait * 1.6, LONGEST_WAIT);
  }

  private receive(text: string): void {
    const event = JSON.parse(text) as HelloWire | MessageEventWire | StateEventWire | DroppedWire;
    if ('count' in event) {
      this.listener.dropped(event.count);
      return;
    }
    if ('vehicles' in event) {
      this.greeted(event);
      return;
    }
    if (typeof event.id !== 'string') return;
    this.remember(event.id);
    if (event.event === 'message') this.listener.message(event as MessageEventWire);
    else this.listener.other(event as StateEventWire);
  }

  /** Keeps the highest id: messages delayed by the rate limit come after newer ones. */
  private remember(id: string): void {
    const [session, sequence] = id.split('.');
    const [lastSession, last] = this.lastId.split('.');
    if (session !== lastSession || Number(sequence) > Number(last)) this.lastId = id;
  }

  private greeted(event: HelloWire): void {
    const session = event.id.split('.')[0];
    const isNew = session !== this.session;
    this.session = session;
    this.wait = FIRST_WAIT;
    this.pastUntil = event.time;
    this.listener.state(true, '', 0);
    this.listener.hello(event, isNew);
  }

  /** Whether the history has arrived. @param newest time of the last event, seconds */
  isPresent(newest: number): boolean {
    // not a number before the greeting
    return newest >= this.pastUntil;
  }

  /** Limits the rate of each message, 0 for all, once the history has arrived. */
  pace(rate: number, newest: number): void {
    if (rate === this.rate || this.socket?.readyState !== WebSocket.OPEN) return;
    if (!this.isPresent(newest)) return;
    this.rate = rate;
    this.socket.send(JSON.stringify({ rate }));
  }

  close(): void {
    this.isClosed = true;
    clearTimeout(this.timer);
    this.socket?.close();
  }
}

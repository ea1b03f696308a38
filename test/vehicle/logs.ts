import type { ReadMessage } from '../../src/live/message.ts';
import type { Values } from './messages.ts';

// The log protocol as ArduCopter 4.6.3 and PX4 1.17.0 answer it, https://mavlink.io/en/services/log_transfer.html
const CHUNK = 90;
const LAST = 0xffff;
/** Packets a second of ArduPilot; PX4 does not pause. */
const PACE = 1600;

export interface StoredLog {
  readonly bytes: Uint8Array;
  /** Seconds UTC. */
  readonly time: number;
}

/** What is sent: the name of the message, and its fields. */
export type LogMessage = readonly [name: 'LOG_ENTRY' | 'LOG_DATA' | 'STATUSTEXT', values: Values];

/** The logs of a vehicle by the log protocol, on one link. */
export class LogServer {
  /** In the order of their ids; it may be changed at any time. */
  logs: readonly StoredLog[];
  /** Whether another packet fits into the buffer of the link: PX4 fills it. */
  hasRoom: () => boolean = () => true;
  private readonly isPx4: boolean;
  private listed: readonly StoredLog[] | undefined;
  private listing: { id: number; readonly end: number } | undefined;
  private sending: { readonly bytes: Uint8Array; readonly id: number; at: number; readonly end: number } | undefined;
  private credit = 0;
  private tickedAt = 0;

  constructor(logs: readonly StoredLog[], isPx4: boolean) {
    this.logs = logs;
    this.isPx4 = isPx4;
  }

  /** Whether a transfer is under way. */
  get isBusy(): boolean {
    return this.sending !== undefined || this.listing !== undefined;
  }

  restart(): void {
    this.listed = undefined;
    this.listing = undefined;
    this.sending = undefined;
  }

  receive({ name, data }: ReadMessage, isArmed: boolean): LogMessage[] {
    const { isPx4, logs } = this;
    const [start, end, id, ofs, count] = [data.start, data.end, data.id, data.ofs, data.count].map(Number);
    if (name === 'LOG_REQUEST_END') {
      this.sending = undefined;
      this.listing = undefined;
    }
    if (name !== 'LOG_REQUEST_LIST' && name !== 'LOG_REQUEST_DATA') return [];
    if (isArmed && !isPx4) return [['STATUSTEXT', { severity: 3, text: 'Disarm for log download' }]];
    if (name === 'LOG_REQUEST_LIST') {
      // PX4 sends all from the start on, and nothing where there is none
      if (isPx4) {
        this.listed = logs;
        const left = start <= end ? logs.slice(start) : [];
        return left.map((_, i) => this.entry(start + i, end === LAST ? logs.length : end));
      }
      if (logs.length === 0) return [['LOG_ENTRY', { id: 0, num_logs: 0, last_log_num: 0, time_utc: 0, size: 0 }]];
      this.listing = { id: Math.max(1, start), end: Math.min(end, logs.length) };
      return [];
    }
    if (isPx4 ? !this.listed : this.sending || this.listing) return [];
    const log = isPx4 ? this.listed?.[id] : logs[id - 1];
    this.sending = undefined;
    if (!log) return [];
    const bytes = isPx4 ? (this.logs.find((each) => each.time === log.time) ?? log).bytes : log.bytes;
    const asked = isPx4 ? Math.ceil(count / CHUNK) * CHUNK : count;
    if (isPx4 && ofs >= bytes.length) return [];
    this.sending = { bytes, id, at: ofs, end: Math.min(bytes.length, ofs + asked) };
    return [];
  }

  private entry(id: number, last: number): LogMessage {
    const { logs, isPx4 } = this;
    const { bytes, time } = logs[isPx4 ? id : id - 1] ?? { bytes: [], time: 0 };
    return ['LOG_ENTRY', { id, num_logs: logs.length, last_log_num: last, time_utc: time, size: bytes.length }];
  }

  /** Sends what is due. A transfer of ArduPilot waits while it is armed. */
  tick(time: number, isArmed: boolean, send: (message: LogMessage) => void): void {
    this.credit = this.isPx4 ? 400 : Math.min(50, this.credit + ((time - this.tickedAt) / 1e6) * PACE);
    this.tickedAt = time;
    for (; this.listing && this.credit >= 1; this.credit--) {
      send(this.entry(this.listing.id, this.listing.end));
      // beyond the end it goes on until the number begins again
      if (this.listing.id++ === this.listing.end || this.listing.id > LAST) this.listing = undefined;
    }
    if (isArmed && !this.isPx4) return;
    for (; this.sending && this.credit >= 1 && this.hasRoom(); this.credit--) send(this.data(this.sending));
  }

  private data(sending: NonNullable<LogServer['sending']>): LogMessage {
    const { bytes, id, at, end } = sending;
    const data = bytes.subarray(at, Math.min(end, at + CHUNK));
    sending.at += data.length;
    if (sending.at >= end || data.length < CHUNK) this.sending = undefined;
    return [
      'LOG_DATA',
      { id, ofs: at, count: data.length, data: [...data, ...new Array(CHUNK - data.length).fill(0)] },
    ];
  }
}

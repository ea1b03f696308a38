import {
  isForPeople,
  type Px4Event,
  Px4EventDefinitions,
  type Px4Health,
  Px4HealthReader,
} from '../../facts/px4-events.ts';
import { LIVE_LIMITS } from '../limits.ts';
import { FtpReader } from './ftp.ts';

/** COMP_METADATA_TYPE_EVENTS */
const EVENTS = 4;
/** The only place that files are read from: the vehicle itself. */
const SCHEME = 'mftp://';
/** Microseconds before a file that could not be read is tried again, and how often. */
const PAUSE = 30e6;
const MOST_TRIES = 3;

/** Unpacks xz; rejects what is damaged, or has more than `most` bytes. */
export type Unpack = (bytes: Uint8Array, most: number) => Promise<Uint8Array>;

/** Definitions by the checksum of their file: vehicles of one firmware share them. */
export type DefinitionCache = Map<number, Px4EventDefinitions>;

export interface EventTextsOptions {
  /** Sends the payload of a FILE_TRANSFER_PROTOCOL to the vehicle. */
  readonly send: (payload: Uint8Array) => void;
  readonly unpack: Unpack;
  readonly cache: DefinitionCache;
  /** An event for people; `level` is a MAV_SEVERITY. */
  readonly found: (event: Px4Event, level: number, time: number) => void;
}

export interface RawEvent {
  readonly id: number;
  readonly sequence: number;
  readonly levels: number;
  readonly arguments: ArrayLike<number>;
  readonly time: number;
}

/** The texts of a vehicle's events, read by MAVFTP from the files that COMPONENT_METADATA leads to. */
export class EventTexts {
  /** Why the vehicle would not arm, as far as it said. */
  health: Px4Health | undefined;
  private readonly options: EventTextsOptions;
  private definitions: Px4EventDefinitions | undefined;
  private reader: FtpReader | undefined;
  private checksum = -1;
  /** What is read next, and what becomes of it; undefined if nothing is to be read. */
  private next: { readonly uri: string; readonly use: (text: string) => void } | undefined;
  private isUnpacking = false;
  private notBefore = 0;
  private tries = 0;
  private waiting: RawEvent[] = [];
  private healthReader = new Px4HealthReader();

  constructor(options: EventTextsOptions) {
    this.options = options;
  }

  /** Whether texts are missing and the vehicle was not asked yet where they are. */
  get needsMetadata(): boolean {
    return this.definitions === undefined && this.checksum === -1 && this.waiting.length > 0;
  }

  /** Whether a file is being read. */
  get isReading(): boolean {
    return this.reader !== undefined;
  }

  /** The reasons why the vehicle would not arm in a mode; undefined if it did not report its health. */
  reasons(customMode: number): string[] | undefined {
    const { health, definitions } = this;
    if (!health || !definitions) return undefined;
    const group = definitions.modeGroup(customMode) || 0xffffffff;
    return health.checks.filter(({ level, modes }) => level <= 3 && (modes & group) !== 0).map(({ text }) => text);
  }

  /** COMPONENT_METADATA came. */
  metadata(uri: string, checksum: number): void {
    if (checksum === this.checksum) return;
    this.checksum = checksum;
    this.tries = 0;
    this.read(uri, (text) => this.general(text));
  }

  event(event: RawEvent): void {
    if (this.definitions) {
      this.decode(this.definitions, event);
      return;
    }
    this.waiting.push(event);
    if (this.waiting.length > LIVE_LIMITS.texts) this.waiting.shift();
  }

  /** FILE_TRANSFER_PROTOCOL came, for us. */
  answer(payload: ArrayLike<number>, now: number): void {
    this.reader?.push(payload, now);
  }

  /** The vehicle rebooted: its health is unknown, and it may run other firmware. */
  restart(): void {
    this.health = undefined;
    this.healthReader = new Px4HealthReader();
    this.waiting = [];
    this.reader = undefined;
    this.next = undefined;
    this.checksum = -1;
  }

  /** @param mayRead whether files may be read now: not in flight */
  tick(now: number, mayRead: boolean): void {
    const { next } = this;
    if (!next || this.isUnpacking || now < this.notBefore || !mayRead) return;
    if (!this.reader) {
      const path = pathOf(next.uri);
      if (path === undefined) {
        this.next = undefined;
        return;
      }
      this.reader = new FtpReader(path, LIVE_LIMITS.metadataBytes, Math.floor(now / 1000), this.options.send);
    }
    this.reader.tick(now);
    if (this.reader.state === 'reading') return;
    const { state, content } = this.reader;
    this.reader = undefined;
    if (state === 'done') void this.unpack(next, content, now);
    else this.retry(now);
  }

  private read(uri: string, use: (text: string) => void): void {
    this.reader = undefined;
    this.next = { uri, use };
  }

  private retry(now: number): void {
    this.notBefore = now + PAUSE;
    if (++this.tries >= MOST_TRIES) this.next = undefined;
  }

  private async unpack(next: NonNullable<EventTexts['next']>, content: Uint8Array, now: number): Promise<void> {
    this.isUnpacking = true;
    try {
      const isPacked = next.uri.endsWith('.xz');
      const bytes = isPacked ? await this.options.unpack(content, LIVE_LIMITS.metadataBytes) : content;
      if (this.next !== next) return;
      this.next = undefined;
      next.use(new TextDecoder().decode(bytes));
    } catch {
      // damaged on the way, or not what it says it is: read again later
      if (this.next === undefined) this.next = next;
      this.retry(now);
    } finally {
      this.isUnpacking = false;
    }
  }

  /** The metadata: which files there are. */
  private general(text: string): void {
    const { metadataTypes } = JSON.parse(text) as { metadataTypes?: unknown };
    if (!Array.isArray(metadataTypes)) return;
    const found = metadataTypes.find((each) => each?.type === EVENTS);
    if (typeof found?.uri !== 'string') return;
    const checksum = Number(found.fileCrc);
    const known = this.options.cache.get(checksum);
    if (known) this.use(known);
    else this.read(found.uri, (events) => this.learn(new Px4EventDefinitions(events), checksum));
  }

  private learn(definitions: Px4EventDefinitions, checksum: number): void {
    const { cache } = this.options;
    if (cache.size >= LIVE_LIMITS.definitions) cache.delete([...cache.keys()][0]);
    cache.set(checksum, definitions);
    this.use(definitions);
  }

  private use(definitions: Px4EventDefinitions): void {
    this.definitions = definitions;
    const { waiting } = this;
    this.waiting = [];
    for (const event of waiting) this.decode(definitions, event);
  }

  private decode(definitions: Px4EventDefinitions, raw: RawEvent): void {
    const { id, sequence, levels, time } = raw;
    const event = definitions.read(id, raw.arguments);
    if (!event) return;
    if (this.healthReader.push(event, sequence, levels)) this.health = this.healthReader.health;
    if (isForPeople(event, levels)) this.options.found(event, levels & 0xf, time);
  }
}

function pathOf(uri: string): string | undefined {
  const path = uri.startsWith(SCHEME) ? uri.slice(SCHEME.length) : '';
  return /^[\w./-]+$/.test(path) && !path.includes('..') ? `/${path.replace(/^\/+/, '')}` : undefined;
}

import { appendFile } from 'node:fs/promises';
import type { SigningKey } from '../formats/mavlink/key.ts';
import { Signer } from '../formats/mavlink/signing.ts';
import { LiveCollector } from '../live/collector.ts';
import { type LiveEvent, type LiveListener, STATE_EVENTS } from '../live/events.ts';
import { isLoopback, type LinkAddress, linkText } from '../live/link-name.ts';
import { Notes } from '../live/notes.ts';
import { type FrameTap, type LiveOptions, OUR_COMPONENT, OUR_SYSTEM } from '../live/options.ts';
import { statusOf } from '../live/status.ts';
import { writeFile } from './atomic.ts';
import type { BusOptions } from './bus.ts';
import type { BusPublisher, PublisherState } from './bus-publisher.ts';
import { Forwarder } from './links/forward.ts';
import { type Link, type LinkListener, makeLink } from './links/link.ts';
import { Recorder, type RecorderOptions } from './recorder.ts';
import { StampFile } from './stamp-file.ts';
import { systemMicros } from './wall-clock.ts';

/** Milliseconds. */
const TICK = 100;
const STATUS = 1000;
const STAMP = 10_000;
/** What notes are recorded under, beside the links. */
const NOTES = 'notes';
const ANY_HOST = /^(0\.0\.0\.0|::)$/;

type Take = LinkListener['bytes'];

export interface SessionOptions extends Omit<LiveOptions, 'send' | 'sign'> {
  readonly links: readonly LinkAddress[];
  /** Links that get all that vehicles send, and whose own frames vehicles get: ground stations. */
  readonly forward?: readonly LinkAddress[] | undefined;
  /** Where vehicles are looked for beside the links: heartbeats go there as long as nobody answers. */
  readonly target?: { readonly host: string; readonly port: number } | undefined;
  /** Written anew every second; a line added every second. */
  readonly statusFile?: string | undefined;
  readonly historyFile?: string | undefined;
  /** Signs what is sent. */
  readonly key?: SigningKey | undefined;
  /** Where the latest time of signatures is kept over restarts. */
  readonly stampFile?: string | undefined;
  /** The folder that all links are recorded to, before anything else is made of their bytes. */
  readonly record?: string | undefined;
  readonly recorder?: Omit<RecorderOptions, 'changed' | 'dialect'> | undefined;
  /** Gets all frames that come on links that are no bus; it is closed with the session. */
  readonly publisher?: BusPublisher | undefined;
  /** How links that are a bus come onto it. */
  readonly bus?: Omit<BusOptions, 'name'> | undefined;
  /** Hears of files that cannot be written, once for each reason. */
  readonly onError?: ((sentence: string) => void) | undefined;
}

/** A collector with its links and files, running until it is stopped. */
export class LiveSession {
  readonly collector: LiveCollector;
  readonly links: readonly Link[];
  /** Those that are forwarded to. */
  readonly stations: readonly Link[];
  /** While there is something to be recorded to. */
  recorder: Recorder | undefined;
  private readonly notes: Notes;
  private readonly options: SessionOptions;
  private readonly byName: Map<string, Link>;
  private readonly forwarder: Forwarder;
  private readonly listeners: Set<LiveListener> = new Set();
  private readonly signers: Map<string, Signer> = new Map();
  private readonly stamps: StampFile | undefined;
  /** Links of collectors on a bus. */
  private readonly busLinks: Set<string> = new Set();
  private timers: NodeJS.Timeout[] = [];
  private writing: Promise<void> | undefined;
  private lastError = '';

  constructor(options: SessionOptions) {
    this.options = options;
    const { key, stampFile } = options;
    this.stamps = stampFile === undefined ? undefined : new StampFile(stampFile);
    this.collector = new LiveCollector({
      ...options,
      timestamp: this.stamps?.stored,
      tap: options.publisher && this.tapFor(options.publisher),
      send: (link, frame) => this.send(link, frame),
      sign: key && ((link, frame) => this.signer(link, key).sign(frame)),
    });
    this.collector.subscribe((event) => this.tell(event), STATE_EVENTS);
    this.recorder = this.recorderOf(options);
    this.notes = new Notes(options.system ?? OUR_SYSTEM, options.component ?? OUR_COMPONENT);
    const names = new Set<string>();
    const linkTo = (address: LinkAddress, take: Take, hears: 'vehicles' | 'all'): Link => {
      const name = freeName(linkText(address), names);
      const listener = { bytes: take, state: (link: Link) => this.linkChanged(link) };
      return makeLink(address, listener, { name, hears, keys: options.keys, bus: options.bus });
    };
    this.links = options.links.map((address) => linkTo(address, (...given) => this.receive(...given), 'vehicles'));
    this.stations = (options.forward ?? []).map((address) =>
      linkTo(address, (...given) => this.fromStation(...given), 'all'),
    );
    this.forwarder = new Forwarder(this.links, this.stations);
    this.byName = new Map(this.links.map((link) => [link.name, link]));
  }

  /** How publishing goes, where there is a bus. */
  get published(): PublisherState | undefined {
    return this.options.publisher?.state;
  }

  /** Where recordings are. */
  get folder(): string | undefined {
    return this.options.record;
  }

  /** Bytes of a vehicle: first of all they are recorded. */
  private receive(link: Link, bytes: Uint8Array, time: number, from: string): void {
    this.recorder?.write(link.name, bytes, time, from);
    if (this.stations.length > 0) this.forwarder.receive(link, bytes, from);
    if (link.address.kind === 'nats') this.fromBus(link, bytes, time, from);
    else this.collector.receive(link.name, bytes, time, from);
  }

  /** A bus has the links of many collectors, on which vehicles may have the same numbers: each is one of its own. */
  private fromBus(link: Link, bytes: Uint8Array, time: number, from: string): void {
    const name = `${link.name}/${from}`;
    this.busLinks.add(name);
    this.collector.receive(name, bytes, time);
  }

  /** What came from a bus does not go there again. */
  private tapFor(publisher: BusPublisher): FrameTap {
    return (link, name, bytes, start, time) => {
      if (!this.busLinks.has(link)) publisher.take(link, name, bytes, start, time);
    };
  }

  /** Bytes of a ground station: they are on record too, but say nothing of a vehicle. */
  private fromStation(link: Link, bytes: Uint8Array, time: number, from: string): void {
    this.recorder?.write(link.name, bytes, time, from);
    this.forwarder.receive(link, bytes, from);
  }

  private linkChanged(link: Link): void {
    this.tell({ type: 'link', vehicle: null, link: link.name, time: systemMicros(), state: { ...link.state } });
  }

  private recorderOf({ record, recorder, dialect }: SessionOptions): Recorder | undefined {
    if (record === undefined) return undefined;
    return new Recorder(record, {
      ...recorder,
      dialect,
      changed: ({ state, error }) => {
        if (state === 'failed') this.fail(error);
      },
    });
  }

  /**
   * Begins or ends recording, where a folder for it was given.
   * @param armedOnly whether only what is armed is recorded; as the session was told where it is absent
   */
  async setRecording(isOn: boolean, armedOnly?: boolean): Promise<void> {
    const { record, recorder: given } = this.options;
    if (record === undefined)
      throw new RangeError('there is no folder to record to: it is named when the session starts');
    const before = this.recorder;
    this.recorder = isOn
      ? this.recorderOf({ ...this.options, recorder: { ...given, armedOnly: armedOnly ?? given?.armedOnly } })
      : undefined;
    await before?.close();
  }

  /** Puts a note into the recording. Throws a sentence where nothing is recorded. */
  mark(text: string): void {
    const { recorder } = this;
    const time = systemMicros();
    const frames = recorder?.state.frames ?? 0;
    for (const frame of this.notes.frames(text)) recorder?.write(NOTES, frame, time);
    // a recorder that waits for somebody to arm takes nothing
    if ((recorder?.state.frames ?? 0) === frames) throw new RangeError('nothing is recorded');
    this.tell({ type: 'mark', vehicle: null, link: '', time, text });
  }

  private signer(link: string, key: SigningKey): Signer {
    let signer = this.signers.get(link);
    if (!signer) {
      const timestamp = this.stamps?.stored;
      signer = new Signer({ key, link: this.signers.size & 0xff, now: Date.now, timestamp });
      this.signers.set(link, signer);
    }
    return signer;
  }

  private send(name: string, frame: Uint8Array): void {
    const link = this.byName.get(name);
    link?.send(frame);
    const { target } = this.options;
    if (!target || link?.address.kind !== 'udpin' || link.state.peer !== null) return;
    // to call this machine would be to call ourselves: who is here will call us
    if (!isLoopback(target.host) && !ANY_HOST.test(target.host)) link.send(frame, `${target.host}:${target.port}`);
  }

  start(): void {
    for (const link of this.links) {
      this.collector.addLink(link.name);
      link.open();
    }
    for (const link of this.stations) link.open();
    this.timers.push(setInterval(() => this.collector.tick(systemMicros()), TICK));
    if (this.stamps) this.timers.push(setInterval(() => void this.storeStamp(), STAMP));
    const { statusFile, historyFile } = this.options;
    if (statusFile !== undefined || historyFile !== undefined) {
      this.timers.push(setInterval(() => this.report(), STATUS));
    }
  }

  /** Writes the status, unless the last time is still not done: a slow disk must not pile it up. */
  private report(): void {
    this.writing ??= this.write().finally(() => {
      this.writing = undefined;
    });
  }

  private async write(): Promise<void> {
    const { statusFile, historyFile } = this.options;
    const now = systemMicros();
    this.collector.tick(now);
    const status = statusOf(this.collector, now);
    try {
      if (statusFile !== undefined)
        await writeFile(statusFile, [`${JSON.stringify(status, null, 2)}\n`], { force: true });
      if (historyFile !== undefined)
        await appendFile(historyFile, `${JSON.stringify({ time: now / 1e6, ...status })}\n`);
      this.lastError = '';
    } catch (error) {
      this.fail(`status cannot be written: ${(error as Error).message}`);
    }
  }

  private async storeStamp(): Promise<void> {
    const stamps = [...this.signers.values()].map(({ timestamp }) => timestamp);
    try {
      await this.stamps?.store(Math.max(this.collector.timestamp, ...stamps));
    } catch (error) {
      this.fail(`time of signatures cannot be stored: ${(error as Error).message}`);
    }
  }

  private fail(sentence: string): void {
    if (sentence === this.lastError) return;
    this.lastError = sentence;
    this.options.onError?.(sentence);
  }

  /** Events of vehicles and links; with `message` among the types, each message too. */
  subscribe(listener: LiveListener, types?: readonly LiveEvent['type'][]): () => void {
    const wants: LiveListener = (event) => {
      if (!types || types.includes(event.type)) listener(event);
    };
    this.listeners.add(wants);
    const stop = types?.includes('message') ? this.collector.subscribe(listener, ['message']) : undefined;
    return () => {
      this.listeners.delete(wants);
      stop?.();
    };
  }

  private tell(event: LiveEvent): void {
    for (const listener of this.listeners) listener(event);
  }

  /** Closes the links and writes the status once more. */
  async stop(): Promise<void> {
    for (const timer of this.timers) clearInterval(timer);
    this.timers = [];
    await Promise.all([...this.links, ...this.stations].map((link) => link.close()));
    await Promise.all([this.recorder?.close(), this.options.publisher?.close()]);
    await this.storeStamp();
    await this.writing;
    if (this.options.statusFile !== undefined || this.options.historyFile !== undefined) await this.write();
  }
}

/** Two links may have one address, such as a port of any number. */
function freeName(name: string, taken: Set<string>): string {
  let free = name;
  for (let count = 2; taken.has(free); count++) free = `${name}#${count}`;
  taken.add(free);
  return free;
}

import { appendFile } from 'node:fs/promises';
import type { BusOptions } from '../bus/connection.ts';
import type { BusPublisher, PublisherState } from '../bus/publisher.ts';
import { getOrAdd } from '../core/maps.ts';
import { unpackXz } from '../facts/xz.ts';
import type { SigningKey } from '../formats/mavlink/key.ts';
import { isAccepted, Signer, Verifier } from '../formats/mavlink/signing.ts';
import { LiveCollector } from '../live/collector.ts';
import { type LiveEvent, type LiveListener, STATE_EVENTS } from '../live/events.ts';
import { FrameSplitter } from '../live/frame-splitter.ts';
import { LIVE_LIMITS, ROUTER_LIMITS } from '../live/limits.ts';
import { isLoopback, isMulticast, type LinkAddress, linkText } from '../live/link-name.ts';
import { type FrameTap, type LinkSink, type LiveOptions, OUR_COMPONENT, OUR_SYSTEM } from '../live/options.ts';
import { Router, type RouterCounts } from '../live/router.ts';
import type { IsAllowed } from '../node/allow.ts';
import { removeDrafts, writeFile } from '../node/atomic.ts';
import { systemMicros } from '../node/wall-clock.ts';
import { type Link, type LinkListener, makeLink } from './links.ts';
import { LogFiles } from './log-files.ts';
import { Notes } from './notes.ts';
import { Recorder, type RecorderOptions, type RecorderState } from './recorder.ts';
import { StampFile } from './stamp-file.ts';
import { type RecorderStatus, statusOf } from './status.ts';

/** Milliseconds. */
const TICK = 100;
const STATUS = 1000;
/** What notes are recorded under, beside the links. */
const NOTES = 'notes';
const ANY_HOST = /^(0\.0\.0\.0|::)$/;

type Take = LinkListener['bytes'];

export interface SessionOptions extends Omit<LiveOptions, 'send' | 'sign'> {
  readonly links: readonly LinkAddress[];
  /** Links of ground stations: frames are routed between them and the other links. */
  readonly forward?: readonly LinkAddress[] | undefined;
  /** Where to call a vehicle beside the links: heartbeats go there until one answers. */
  readonly target?: { readonly host: string; readonly port: number } | undefined;
  /** Rewritten every second; a line added every second. */
  readonly statusFile?: string | undefined;
  readonly historyFile?: string | undefined;
  /** Signs what is sent. */
  readonly key?: SigningKey | undefined;
  /** Where the latest time of signatures is kept over restarts. */
  readonly stampFile?: string | undefined;
  /** The folder that all links are recorded to, before anything else is made of their bytes. */
  readonly record?: string | undefined;
  readonly recorder?: Omit<RecorderOptions, 'changed' | 'dialect'> | undefined;
  /** Gets all frames of links other than a bus; it is closed with the session. */
  readonly publisher?: BusPublisher | undefined;
  /** Senders that links take bytes from; all by default. */
  readonly allow?: IsAllowed | undefined;
  /** How links that are a bus come onto it. */
  readonly bus?: Omit<BusOptions, 'name'> | undefined;
  /** Called when a file cannot be written, once for each reason. */
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
  /** Logs that are downloaded from vehicles. */
  readonly logFiles: LogFiles;
  private readonly notes: Notes;
  private readonly options: SessionOptions;
  private readonly byName: Map<string, Link>;
  /** Where there are links to forward to. */
  private readonly router: Router | undefined;
  /** Of ground stations, by link and sender; the one that was silent for longest comes first. */
  private readonly splitters: Map<string, FrameSplitter> = new Map();
  private time = 0;
  private readonly signers: Map<string, Signer> = new Map();
  private readonly stamps: StampFile | undefined;
  /** Links of collectors on a bus: the link of the bus, and the sender. */
  private readonly busLinks: Map<string, { readonly link: string; readonly from: string }> = new Map();
  private timers: NodeJS.Timeout[] = [];
  private writing: Promise<void> | undefined;
  private lastError = '';
  private isRecordingFailed = false;
  /** Records that earlier recorders lost. */
  private lostBefore = 0;

  constructor(options: SessionOptions) {
    this.options = options;
    const { key, stampFile } = options;
    this.stamps = stampFile === undefined ? undefined : new StampFile(stampFile);
    this.collector = new LiveCollector({
      ...options,
      timestamp: this.stamps?.stored,
      stamps: this.stamps?.stamps,
      store: this.stamps && ((streams) => this.storeStamps(streams)),
      tap: options.publisher && this.tapFor(options.publisher),
      sink: options.record === undefined && (options.forward ?? []).length === 0 ? undefined : this.sink,
      send: (link, frame, to) => this.send(link, frame, to),
      unpack: unpackXz,
      sign: key && ((link, frame) => this.signer(link, key).sign(frame)),
    });
    this.logFiles = new LogFiles(this.collector, options.record);
    this.recorder = this.recorderOf(options);
    this.notes = new Notes(options.system ?? OUR_SYSTEM, options.component ?? OUR_COMPONENT);
    const names = new Set<string>();
    const linkTo = (address: LinkAddress, take: Take, hears: 'vehicles' | 'all'): Link => {
      const name = freeName(linkText(address), names);
      const listener = { bytes: take, state: (link: Link) => this.linkChanged(link) };
      return makeLink(address, listener, {
        name,
        hears,
        keys: options.keys,
        stamps: this.stamps?.stamps,
        bus: options.bus,
        allow: options.allow,
      });
    };
    this.links = options.links.map((address) => linkTo(address, (...given) => this.receive(...given), 'vehicles'));
    this.stations = (options.forward ?? []).map((address) =>
      linkTo(address, (...given) => this.fromStation(...given), 'all'),
    );
    this.router = this.stations.length > 0 ? this.makeRouter(options) : undefined;
    this.byName = new Map(this.links.map((link) => [link.name, link]));
  }

  /** How publishing goes, where there is a bus. */
  get published(): PublisherState | undefined {
    return this.options.publisher?.state;
  }

  get folder(): string | undefined {
    return this.options.record;
  }

  /** Frames routed, by what became of them; undefined if nothing is forwarded. */
  get routed(): RouterCounts | undefined {
    return this.router?.counts;
  }

  private makeRouter({
    system = OUR_SYSTEM,
    component = OUR_COMPONENT,
    dialect,
    keys = [],
    unsigned,
  }: SessionOptions): Router {
    const all = new Map([...this.links, ...this.stations].map((link) => [link.name, link]));
    // not shared: it looks at few frames, and its streams have their times
    const stamps = this.stamps?.stamps;
    const verifier = keys.length > 0 ? new Verifier({ keys, unsigned, stamps, now: Date.now }) : undefined;
    return new Router({
      links: [...all.values()].map((link) => ({
        name: link.name,
        isStation: this.stations.includes(link),
        hasAddresses: hasAddresses(link.address),
        addresses: link.clients && (() => link.clients ?? []),
      })),
      ...{ system, component, dialect },
      send: (name, frame, to) => void all.get(name)?.send(frame, to),
      isTrusted: verifier && ((bytes, header) => isAccepted(verifier.check(bytes, header))),
    });
  }

  /** Gets all bytes first: records them and routes frames, which the collector's decoders find once for all. */
  private readonly sink: LinkSink = {
    frame: (name, sender, bytes, header, isVerified, time) => {
      const { link, from } = this.busLinks.get(name) ?? { link: name, from: sender };
      this.recorder?.writeFrame(link, bytes, header, isVerified, time);
      return this.router?.receive(link, bytes, header, isVerified, from, time) ?? true;
    },
    rest: (name, _, bytes, time) => this.recorder?.writeRest(this.busLinks.get(name)?.link ?? name, bytes, time),
    secret: () => this.recorder?.leaveOut(),
  };

  private receive(link: Link, bytes: Uint8Array, time: number, from: string): void {
    const isBus = link.address.kind === 'nats';
    const name = isBus ? this.busLink(link, from) : link.name;
    const isTaken = this.collector.receive(name, bytes, time, isBus ? '' : from);
    // more links than the collector keeps: they are on record all the same
    if (!isTaken) this.recorder?.write(link.name, bytes, time, from);
  }

  /** A bus has the links of many collectors, on which vehicles may have the same ids: each is a link. */
  private busLink(link: Link, from: string): string {
    const name = `${link.name}/${from}`;
    if (this.busLinks.size >= LIVE_LIMITS.links) this.busLinks.clear();
    this.busLinks.set(name, { link: link.name, from });
    return name;
  }

  /** What came from a bus does not go there again. */
  private tapFor(publisher: BusPublisher): FrameTap {
    return (link, name, bytes, start, time) => {
      if (!this.busLinks.has(link)) publisher.take(link, name, bytes, start, time);
    };
  }

  /** Bytes of a ground station: they are recorded and routed too, but say nothing of a vehicle. */
  private fromStation(link: Link, bytes: Uint8Array, time: number, from: string): void {
    const { splitters } = this;
    const key = `${link.name}\n${from}`;
    const splitter = splitters.get(key) ?? this.splitterFor(link.name, from);
    splitters.delete(key);
    splitters.set(key, splitter);
    this.time = time;
    splitter.push(bytes);
    if (splitters.size <= ROUTER_LIMITS.senders) return;
    const [[oldest, silent]] = splitters;
    splitters.delete(oldest);
    silent.end();
  }

  private splitterFor(link: string, from: string): FrameSplitter {
    const { sink } = this;
    return new FrameSplitter(
      {
        frame: (bytes, header, isVerified) => sink.frame(link, from, bytes, header, isVerified, this.time),
        rest: (bytes) => sink.rest(link, from, bytes, this.time),
        secret: () => sink.secret(link),
      },
      this.options.dialect,
    );
  }

  private linkChanged(link: Link): void {
    this.collector.emit({
      type: 'link',
      vehicle: null,
      link: link.name,
      time: systemMicros(),
      state: { ...link.state },
    });
  }

  private recorderOf({ record, recorder, dialect }: SessionOptions): Recorder | undefined {
    if (record === undefined) return undefined;
    return new Recorder(record, {
      ...recorder,
      dialect,
      changed: (state) => this.recorderChanged(state),
    });
  }

  private recorderChanged({ state, error, recording, dropped }: RecorderState): void {
    if (state === 'failed') this.fail(error);
    const isFailed = state === 'failed' || (state === 'closed' && dropped > 0);
    if (!isFailed && !this.isRecordingFailed) return;
    // a disk that keeps failing is reported once
    if (state === 'failed' && this.isRecordingFailed) return;
    this.isRecordingFailed = isFailed;
    this.collector.emit({
      type: 'recorder',
      vehicle: null,
      link: '',
      time: systemMicros(),
      state,
      error,
      recording,
      dropped,
    });
  }

  /** Records that were lost because the disk did not take them, by all recorders of the session. */
  get unrecorded(): number {
    return this.lostBefore + (this.recorder?.state.dropped ?? 0);
  }

  /** Starts or stops recording, if a folder is set. @param armedOnly as in the session's options by default */
  async setRecording(isOn: boolean, armedOnly?: boolean): Promise<void> {
    const { record, recorder: given } = this.options;
    if (record === undefined) throw new RangeError('no folder to record to: start with --record DIR');
    const before = this.recorder;
    this.recorder = isOn
      ? this.recorderOf({ ...this.options, recorder: { ...given, armedOnly: armedOnly ?? given?.armedOnly } })
      : undefined;
    await before?.close();
    this.lostBefore += before?.state.dropped ?? 0;
  }

  /** Puts a note into the recording. Throws a sentence where nothing is recorded. */
  mark(text: string): void {
    const { recorder } = this;
    const time = systemMicros();
    const frames = recorder?.state.frames ?? 0;
    for (const frame of this.notes.frames(text)) recorder?.write(NOTES, frame, time);
    // a recorder that waits for a vehicle to arm records nothing
    if ((recorder?.state.frames ?? 0) === frames) throw new RangeError('nothing is recorded');
    this.collector.emit({ type: 'mark', vehicle: null, link: '', time, text });
  }

  private signer(link: string, key: SigningKey): Signer {
    return getOrAdd(this.signers, link, () => {
      const { stamps } = this;
      const store = stamps && ((time: number) => this.storeStamps(undefined, time));
      const number = this.signers.size & 0xff;
      return new Signer({ key, link: number, now: Date.now, timestamp: stamps?.stored, store });
    });
  }

  private send(name: string, frame: Uint8Array, to?: string): void {
    const link = this.byName.get(name);
    link?.send(frame, to);
    this.router?.sent(frame, systemMicros());
    const { target } = this.options;
    if (!target || link?.address.kind !== 'udpin' || link.state.peer !== null) return;
    // on this machine we would call ourselves: what is here calls us
    if (!isLoopback(target.host) && !ANY_HOST.test(target.host)) link.send(frame, `${target.host}:${target.port}`);
  }

  start(): void {
    for (const link of this.links) {
      this.collector.addLink(link.name, link.address.kind.startsWith('udp'));
      link.open();
    }
    for (const link of this.stations) link.open();
    this.timers.push(setInterval(() => this.collector.tick(systemMicros()), TICK));
    const { statusFile, historyFile } = this.options;
    if (statusFile !== undefined) void removeDrafts(statusFile);
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
    const status = statusOf(this.collector, now, this.recorderStatus());
    const text = `${JSON.stringify(status, null, 2)}\n`;
    const line = `${JSON.stringify({ time: now / 1e6, ...status })}\n`;
    const failures: string[] = [];
    const attempt = async (path: string | undefined, write: (path: string) => Promise<unknown>): Promise<void> => {
      if (path === undefined) return;
      await write(path).catch(({ message }: Error) => failures.push(`cannot write ${path}: ${message}`));
    };
    await attempt(statusFile, (path) => writeFile(path, [text], { force: true }));
    await attempt(historyFile, (path) => appendFile(path, line));
    if (failures.length > 0) this.fail(failures.join('; '));
    else this.lastError = '';
  }

  private recorderStatus(): RecorderStatus | undefined {
    const { recorder } = this;
    if (this.folder === undefined) return undefined;
    const { state = 'off', error = '', recording = '', acknowledged = 0 } = recorder?.state ?? {};
    return {
      state,
      ...(error === '' ? {} : { error }),
      ...(recording === '' ? {} : { file: recording }),
      ...{ records: acknowledged, lost: this.unrecorded },
    };
  }

  /** @param signed a time that ours do not pass before it is stored */
  private storeStamps(streams?: ReadonlyMap<number, number>, signed = 0): void {
    try {
      this.stamps?.store(Math.max(this.collector.timestamp, signed), streams);
    } catch (error) {
      this.fail(`cannot store the times of signatures: ${(error as Error).message}`);
    }
  }

  private fail(sentence: string): void {
    if (sentence === this.lastError) return;
    this.lastError = sentence;
    this.options.onError?.(sentence);
  }

  /** Calls a listener for each event of some types, until the function that it returns is called; messages only if asked. */
  subscribe(listener: LiveListener, types: readonly LiveEvent['type'][] = STATE_EVENTS): () => void {
    return this.collector.subscribe(listener, types);
  }

  /** Closes the links and writes the last status. */
  async stop(): Promise<void> {
    await this.logFiles.stop();
    for (const timer of this.timers) clearInterval(timer);
    this.timers = [];
    await Promise.all([...this.links, ...this.stations].map((link) => link.close()));
    this.collector.end();
    for (const splitter of this.splitters.values()) splitter.end();
    await Promise.all([this.recorder?.close(), this.options.publisher?.close()]);
    this.storeStamps(this.collector.stamps);
    await this.writing;
    if (this.options.statusFile !== undefined || this.options.historyFile !== undefined) await this.write();
  }
}

/** Whether a link has several addresses to send to; a group of multicast is one. */
function hasAddresses(address: LinkAddress): boolean {
  if (address.kind === 'udpin') return !isMulticast(address.host);
  return address.kind === 'tcpin' || address.kind === 'udpbcast';
}

/** Two links may have one address, such as a port of any number. */
function freeName(name: string, taken: Set<string>): string {
  let free = name;
  for (let count = 2; taken.has(free); count++) free = `${name}#${count}`;
  taken.add(free);
  return free;
}

import { errorText } from '../../src/entry/pages.ts';
import type {
  Age,
  HelloWire,
  MessageEventWire,
  StateEventWire,
  VehicleDetailWire,
  VehicleWire,
} from '../../src/server/wire.ts';
import { modeColor, placeColor } from '../shared/colors.ts';
import { Look } from '../shared/look.svelte.ts';
import { Said } from '../shared/said.svelte.ts';
import { copied } from '../shared/save.ts';
import { act, addressOf, NoAccess } from '../shared/server.ts';
import { themeColor } from '../shared/theme.ts';
import {
  type Alert,
  type AlertRules,
  alertNews,
  alertsOf,
  keepRules,
  keptRules,
  nextAlerts,
  sendAlerts,
} from './alerts.ts';
import { Arrangement } from './arrangement.svelte.ts';
import { ChartList } from './chart-list.svelte.ts';
import { Connection, type ConnectionListener } from './connection.ts';
import { Fields } from './fields.svelte.ts';
import { FrameLoop } from './frame-loop.ts';
import { beep, type Line, lineOf, WARNING } from './lines.ts';
import { Poll } from './poll.svelte.ts';
import { type ShownUnit, shownUnit } from './units.ts';
import { VehicleMessages } from './vehicle-messages.ts';
import { liveHash, liveViewOf } from './view-hash.ts';
import { oldText } from './words.ts';

const MOST_LINES_KEPT = 1000;
const MOST_FEEDS = 256;
/** Messages a second that a page takes one by one; above, each kind comes less often. */
const ENOUGH_MESSAGES = 3000;
/** Vehicles up to which ten minutes of each are kept, else two of those that are not looked at. */
const FEW = 8;
const LONG = 600;
const SHORT = 120;
/** Seconds that charts may be paused without losing what they show. */
const MOST_PAUSE = 1800;
/** Milliseconds between two looks at the rules of alerts. */
const LOOK_EVERY = 1000;
/** Seconds after which a message is not new. */
const FRESH = 5;

/** All that the page shows. What comes with every message is not reactive: it is read once a frame, or at a beat. */
export class LivePage implements ConnectionListener {
  /** Counts up a few times a second; texts about messages follow it. */
  beat: number = $state(0);
  readonly look: Look = new Look();
  /** What is open beside the cards. */
  readonly shows: { links: boolean; alerts: boolean; help: boolean } = $state({
    links: false,
    alerts: false,
    help: false,
  });
  isOpen: boolean = $state(false);
  /** Why there is no connection, and when it is retried; '' before the first failure. */
  problem: string = $state('');
  retryAt: number = $state(0);
  readonly toast: Said = new Said(6);
  focus: string = $state('');
  isFleet: boolean = $state(false);
  lines: readonly Line[] = $state.raw([]);
  missed: number = $state(0);
  /** Those that last, the newest first, and then those that ended. */
  alerts: readonly Alert[] = $state.raw([]);
  rules: AlertRules = $state.raw(keptRules());
  /** Why the webhook gets nothing; '' if it does. */
  webhookProblem: string = $state('');
  /** The least severity of the messages that are shown, and whether warnings and errors are heard. */
  level: number = $state(7);
  hasSound: boolean = $state(false);
  /** What the inspector is asked for: words, the message that is open, and how often to ask for one. */
  readonly inspection: { query: string; open: string | null; rate: number } = $state({
    query: '',
    open: null,
    rate: 5,
  });
  readonly feeds = new Map<string, VehicleMessages>();
  readonly frames = new FrameLoop(() => this.onBeat());
  readonly poll = new Poll(() => ({ vehicle: this.isFleet ? '' : (this.vehicle?.id ?? ''), isOpen: this.isOpen }));
  readonly charts = new ChartList(() => this.save());
  readonly fields = new Fields();
  readonly arrangement = new Arrangement(() => ({
    vehicleClass: this.vehicle?.class ?? '',
    mayCommand: this.mayCommand,
  }));
  /** When each vehicle was armed, seconds, where it was seen. */
  readonly armedAt = new Map<string, number>();
  private readonly connection = new Connection(streamAddress(), this, () => ({
    last: this.poll.vehicles.length > FEW ? SHORT : LONG,
    rate: this.poll.vehicles.length > FEW ? 1 : 2,
  }));
  private clockOffset = 0;
  private newest = Number.NEGATIVE_INFINITY;
  private newLines: Line[] = [];
  private isHeard = false;
  private lookedAt = 0;

  constructor() {
    this.restore();
  }

  /** Begins to ask and to listen. Returns what ends it. */
  start(): () => void {
    const restore = (): void => this.restore();
    addEventListener('hashchange', restore);
    void this.poll.start().then(() => this.connection.open());
    this.frames.start();
    return () => {
      removeEventListener('hashchange', restore);
      this.connection.close();
      this.poll.stop();
      this.frames.stop();
    };
  }

  get vehicles(): readonly VehicleWire[] {
    return this.poll.vehicles;
  }

  /** The vehicle that is looked at: the one that was chosen, else the first that is there. */
  readonly vehicle: VehicleWire | undefined = $derived(
    this.poll.vehicles.find(({ id }) => id === this.focus) ??
      this.poll.vehicles.find(({ lost }) => !lost) ??
      this.poll.vehicles[0],
  );

  /** What the vehicle that is looked at sent; read again at each beat. */
  get feed(): VehicleMessages | undefined {
    void this.beat;
    return this.vehicle && this.feeds.get(this.vehicle.id);
  }

  /** Whether the server lets clients send anything but requests. */
  get mayCommand(): boolean {
    return this.poll.actions.includes('send');
  }

  /** Whether buttons that change something are on. */
  get mayAct(): boolean {
    return this.isOpen && this.poll.hasToken;
  }

  /** After the token was given: reads again at once. */
  reconnect(): void {
    if (!this.isOpen) this.connection.open();
    this.poll.soon();
  }

  /** Seconds by the server's clock; read again at each beat. */
  get now(): number {
    void this.beat;
    return Date.now() / 1000 + this.clockOffset;
  }

  /** All that the server knows of the vehicle that is looked at. */
  get detail(): VehicleDetailWire | undefined {
    const { detail } = this.poll;
    return detail?.id === this.vehicle?.id ? detail : undefined;
  }

  /** Seconds since a vehicle was last heard. */
  ageOf({ id, lastActivity }: VehicleWire): number {
    const newest = Math.max(this.feeds.get(id)?.lastTime ?? Number.NEGATIVE_INFINITY, lastActivity ?? 0);
    return newest > 0 ? Math.max(0, this.now - newest) : Number.NaN;
  }

  /** How old a value is if it is not current, as `12 s old`; '' if it is. Without a connection nothing is. */
  oldText(age: Age | null | undefined, vehicle: VehicleWire | undefined): string {
    if (!age || !(age.stale || vehicle?.lost === true || this.problem !== '')) return '';
    return oldText(age.time === null ? Number.NaN : this.now - age.time);
  }

  /** How old a message of the vehicle that is looked at is if it is not current; '' if it is. */
  oldMessage(message: string, component: number): string {
    const count = this.poll.counts.find((each) => each.message === message && each.component === component);
    return this.oldText(count && { ...count, time: count.last }, this.vehicle);
  }

  /** The colour of the n-th vehicle, on the map and in lists. */
  vehicleColor(index: number): string {
    void this.look.theme;
    return placeColor(index, { colors: this.look.colors, ground: themeColor('--panel') });
  }

  /** The colour of a vehicle's mode; '' if it is not current. */
  modeColorOf(vehicle: VehicleWire): string {
    return this.oldText(vehicle.heartbeat, vehicle) === '' ? modeColor(vehicle.mode ?? '', this.look.colors) : '';
  }

  /** Seconds of history that are kept of each message of a vehicle, more while charts are paused. */
  private keepOf(vehicle: string): number {
    const seconds = this.poll.vehicles.length > FEW && vehicle !== this.vehicle?.id ? SHORT : LONG;
    const { pausedAt } = this.charts;
    return pausedAt === null ? seconds : seconds + Math.min(MOST_PAUSE, this.now - pausedAt);
  }

  /** Whether the history has arrived. */
  get isPresent(): boolean {
    return this.connection.isPresent(this.newest);
  }

  // events of the connection

  hello({ time, vehicles }: HelloWire, isNew: boolean): void {
    this.clockOffset = time - Date.now() / 1000;
    this.poll.greeted(vehicles, isNew);
  }

  message(event: MessageEventWire): void {
    if (event.vehicle === '') return;
    let feed = this.feeds.get(event.vehicle);
    if (!feed) {
      if (this.feeds.size >= MOST_FEEDS) return;
      feed = new VehicleMessages(event.vehicle);
      this.feeds.set(event.vehicle, feed);
      this.poll.soon();
    }
    feed.add(event, this.poll.autopilotOf(event.vehicle), this.keepOf(event.vehicle));
    if (event.time > this.newest) this.newest = event.time;
  }

  other(event: StateEventWire): void {
    if (event.time > this.newest) this.newest = event.time;
    if (event.event === 'armed') {
      if (event.data.armed === true) this.armedAt.set(event.vehicle, event.time);
      else this.armedAt.delete(event.vehicle);
    }
    const line = lineOf(event);
    if (line) this.newLines.push(line);
    // not for the history, which comes first
    if (line && this.hasSound && line.severity <= WARNING && this.now - line.time < FRESH) this.isHeard = true;
    this.poll.soon();
  }

  dropped(count: number): void {
    this.missed += count;
  }

  state(isOpen: boolean, reason: string, retryAt: number): void {
    this.isOpen = isOpen;
    this.retryAt = retryAt;
    this.problem = isOpen ? '' : reason === '' ? 'the server does not answer' : reason;
    this.poll.soon();
  }

  setRules(rules: AlertRules): void {
    this.rules = rules;
    this.webhookProblem = '';
    keepRules(rules);
    this.lookForAlerts();
  }

  /** Tries the rules on all vehicles; not while the server is silent, for then nothing is known. */
  private lookForAlerts(): void {
    this.lookedAt = Date.now();
    if (this.problem !== '') return;
    const looked = this.poll.vehicles.map((vehicle) => ({
      vehicle,
      found: alertsOf(vehicle, this.feeds.get(vehicle.id), this.rules, this.now),
    }));
    const known = new Set(this.alerts.filter(({ until }) => until === null).map(({ key }) => key));
    const before = this.alerts;
    this.alerts = nextAlerts(before, looked, this.now);
    const news = alertNews(before, this.alerts);
    if (this.rules.webhook !== '' && news.length > 0)
      void sendAlerts(this.rules.webhook, news).then((problem) => (this.webhookProblem = problem));
    if (this.rules.sound && this.alerts.some(({ key, until }) => until === null && !known.has(key)))
      this.isHeard = true;
  }

  private onBeat(): void {
    this.beat++;
    if (Date.now() - this.lookedAt >= LOOK_EVERY) this.lookForAlerts();
    if (this.isHeard) beep();
    this.isHeard = false;
    if (this.newLines.length > 0) {
      // lines that the server repeats are shown once
      const known = new Map([...this.lines, ...this.newLines].map((line) => [line.id, line]));
      this.lines = [...known.values()].slice(-MOST_LINES_KEPT);
      this.newLines = [];
    }
    this.connection.pace(this.wantedRate(), this.newest);
  }

  /** The rate of each kind of message at which the page keeps up: 0 for all. */
  private wantedRate(): number {
    const total = this.poll.vehicles.reduce((sum, { rate }) => sum + rate, 0);
    if (total <= ENOUGH_MESSAGES) return 0;
    const kinds = [...this.feeds.values()].reduce((sum, { slots }) => sum + slots.size, 0);
    return Math.max(1, Math.min(10, Math.floor(ENOUGH_MESSAGES / Math.max(1, kinds))));
  }

  // what the user does

  lookAt(vehicle: string): void {
    this.focus = vehicle;
    this.isFleet = false;
    this.save();
  }

  showFleet(): void {
    this.isFleet = true;
    this.save();
  }

  /** Pauses or resumes the charts. */
  pause(): void {
    this.charts.pause(this.now);
  }

  /** Adds a field to a chart, or removes it. */
  plot(field: string): void {
    this.charts.toggle(field, this.feed);
  }

  /** Has the server do something, and shows its result. Returns the answer; undefined if it failed. */
  async act(name: string, body: Readonly<Record<string, unknown>>, done: string): Promise<unknown> {
    let answer: unknown;
    try {
      answer = await act(name, body);
      this.say(done);
    } catch (error) {
      if (error instanceof NoAccess) this.poll.hasToken = false;
      this.say(errorText(error));
    }
    this.poll.soon();
    return answer;
  }

  unitOf(message: string, field: string): ShownUnit {
    if (this.vehicle && this.feed?.of(message).length) this.fields.want(this.vehicle.id, message);
    return shownUnit(message, field, this.fields.of(message, field)?.unit);
  }

  /** Writes a note into the recording. */
  mark(text: string): void {
    void this.act('mark', { text }, `marked: ${text}`);
  }

  /** Copies a text; shows it if the browser does not allow that. */
  async copy(text: string): Promise<void> {
    this.say((await copied(text)) ? `copied: ${text}` : text);
  }

  say(text: string): void {
    this.toast.say(text);
  }

  private restore(): void {
    const view = liveViewOf(location.hash);
    this.focus = view.vehicle;
    this.isFleet = view.isFleet;
    this.charts.restore(view);
  }

  private save(): void {
    const { focus: vehicle, isFleet } = this;
    const hash = liveHash({ vehicle, isFleet, ...this.charts.view });
    history.replaceState(null, '', hash === '' ? location.pathname + location.search : hash);
  }
}

function streamAddress(): string {
  const address = addressOf('v1/ws');
  address.protocol = address.protocol === 'https:' ? 'wss:' : 'ws:';
  return address.href;
}

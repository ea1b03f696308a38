import type { Row } from '../../core/table.ts';
import { PX4 } from '../../facts/heartbeat.ts';
import type { LiveVehicle } from '../vehicle.ts';
import type { FrameSender } from './frame-sender.ts';
import { FtpClient } from './ftp.ts';
import { LogDownload, type LogStore } from './log-download.ts';
import { EntryList, joinLogs, PathList, type VehicleLog } from './log-list.ts';

/** Folders of logs: on boards and in simulations, on Linux; on boards, in simulations. */
const ARDUPILOT_FOLDERS: readonly string[] = ['/APM/LOGS', 'logs'];
const PX4_FOLDERS: readonly string[] = ['/fs/microsd/log', '/log'];

/** A download as it goes. */
export interface LogProgress {
  readonly log: VehicleLog;
  readonly state: LogDownload['state'];
  readonly error: string;
  readonly received: number;
  /** Bytes a second. */
  readonly rate: number;
  readonly isVerified: boolean;
  readonly hasGrown: boolean;
}

/** Why no logs can be read of a vehicle now; '' if they can. */
export function obstacleOf({
  armed,
  connected,
  isMixed,
}: Pick<LiveVehicle, 'armed' | 'connected' | 'isMixed'>): string {
  if (!connected) return 'the vehicle does not answer';
  if (isMixed) return 'two vehicles with one system id would both answer';
  if (armed === null) return 'the vehicle does not say whether it is armed';
  return armed ? 'armed: disarm to download' : '';
}

/** What the logs of a vehicle need of it. */
type Owner = Pick<LiveVehicle, 'autopilot' | 'target' | 'radio' | 'armed' | 'connected' | 'isMixed' | 'events'>;

/** The logs on a vehicle's card: their list, and one download at a time. */
export class VehicleLogs {
  state: 'unknown' | 'listing' | 'listed' | 'failed' = 'unknown';
  /** Why there is no list. */
  error = '';
  logs: readonly VehicleLog[] = [];
  private readonly vehicle: Owner;
  private readonly sender: Pick<FrameSender, 'readFile' | 'requestLogs'>;
  private readonly client: FtpClient;
  private entries: EntryList | undefined;
  private paths: PathList | undefined;
  private ids: EntryList['entries'] = new Map();
  private download: LogDownload | undefined;
  private done: ((error: string) => void) | undefined;
  /** Why nothing is asked any more. */
  private gone = '';
  private hasBegun = false;
  private startedAt = 0;
  private endedAt: number = Number.NaN;
  private now: number;

  constructor(vehicle: Owner, sender: Pick<FrameSender, 'readFile' | 'requestLogs'>, now: number) {
    this.vehicle = vehicle;
    this.sender = sender;
    this.now = now;
    this.client = new FtpClient(Math.floor(now / 1000), (payload) => sender.readFile(vehicle.target, payload));
  }

  /** Whether it uses MAVFTP or the log protocol. */
  get isBusy(): boolean {
    return this.state === 'listing' || this.done !== undefined;
  }

  get progress(): LogProgress | undefined {
    const { download } = this;
    if (!download) return undefined;
    const { log, state, error, received, isVerified, hasGrown } = download;
    const until = Number.isNaN(this.endedAt) ? this.now : this.endedAt;
    const rate = received / Math.max(1, (until - this.startedAt) / 1e6);
    return { log, state, error, received, rate, isVerified, hasGrown };
  }

  private refuse(): void {
    const obstacle = this.gone || obstacleOf(this.vehicle);
    if (obstacle !== '') throw new RangeError(obstacle);
    if (this.isBusy) throw new RangeError(this.done ? 'a log is being downloaded' : 'the logs are being listed');
  }

  /** Asks for the list. Throws a sentence if that cannot be. */
  list(): void {
    this.refuse();
    const isPx4 = this.vehicle.autopilot === PX4;
    this.state = 'listing';
    this.hasBegun = false;
    this.entries = this.newEntries();
    this.paths = new PathList(this.client, isPx4 ? PX4_FOLDERS : ARDUPILOT_FOLDERS);
  }

  private newEntries(): EntryList {
    return new EntryList(this.vehicle.autopilot === PX4 ? 0 : 1, this.request);
  }

  private readonly request = (what: 'LIST' | 'DATA' | 'END', values?: Readonly<Record<string, number>>): void =>
    this.sender.requestLogs(this.vehicle.target, what, values);

  /** Begins a download. Throws a sentence if that cannot be. @param done called at its end; '' if it is whole */
  start(key: string, store: LogStore, done: (error: string) => void): void {
    this.refuse();
    const log = this.logs.find((each) => each.key === key);
    if (!log) throw new RangeError(`no log ${JSON.stringify(key)} in the list`);
    const { autopilot, radio } = this.vehicle;
    const { client, request, ids } = this;
    this.hasBegun = false;
    this.startedAt = this.now;
    this.endedAt = Number.NaN;
    this.download = new LogDownload({
      ...{ log, ids, store, client, request },
      isPx4: autopilot === PX4,
      isRadio: radio !== null,
    });
    this.done = done;
  }

  /** Stops what is under way, with the reason. */
  stop(reason: string): void {
    if (this.state === 'listing') {
      this.fail(reason);
      if (this.paths) this.paths.state = 'failed';
      this.request('END');
    }
    this.download?.stop(reason, this.now);
  }

  /** Ends what is under way at once, for good: nothing can be said to the vehicle any more. */
  drop(reason: string): void {
    this.gone = reason;
    if (this.state === 'listing') this.fail(reason);
    this.finish(reason);
  }

  private fail(reason: string): void {
    this.state = 'failed';
    this.error = reason;
  }

  /** FILE_TRANSFER_PROTOCOL came, for us. */
  answer(payload: ArrayLike<number>, now: number): void {
    if (this.isBusy) this.client.push(payload, now);
  }

  /** LOG_ENTRY or LOG_DATA came. */
  receive(name: string, row: Row, now: number): void {
    if (name === 'LOG_DATA') this.download?.data(row, now);
    else if (this.state === 'listing') this.entries?.push(row, now);
    else this.download?.entry(row, now);
  }

  /** Sends what is due. */
  tick(now: number): void {
    this.now = now;
    if (!this.isBusy) return;
    // a link that is lost for a moment does not end it
    if (this.vehicle.armed !== false || this.vehicle.isMixed) this.stop(obstacleOf(this.vehicle));
    // there is one session: another file is read to its end first
    if (!this.hasBegun && this.vehicle.events?.isReading) return;
    this.hasBegun = true;
    this.client.tick(now);
    if (this.state === 'listing') this.tickList(now);
    const { download } = this;
    if (!download || !this.done) return;
    download.tick(now);
    if (download.isOver) this.finish(download.error);
  }

  private finish(error: string): void {
    const { done } = this;
    this.done = undefined;
    this.endedAt = this.now;
    done?.(error);
  }

  private tickList(now: number): void {
    const { entries, paths } = this;
    if (!entries || !paths) return;
    entries.tick(now);
    paths.tick(now);
    if (entries.state === 'listing' || paths.state === 'listing') return;
    if (entries.state === 'failed' && paths.state === 'failed') {
      this.fail('the vehicle does not list its logs');
      return;
    }
    this.state = 'listed';
    this.ids = entries.entries;
    // ids of a list that is not whole are of no use
    this.logs = joinLogs(entries.state === 'done' ? entries.entries.values() : [], paths.logs);
  }
}

import { createHash } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { type LiveEvent, STATE_EVENTS } from '../live/events.ts';
import type { VehicleLog } from '../live/vehicle/log-list.ts';
import type { LiveVehicle } from '../live/vehicle.ts';
import { systemMicros } from '../node/wall-clock.ts';
import { RECORD_LIMITS } from '../session/limits.ts';
import { LOG_FILE } from '../session/log-files.ts';
import type { RecorderState } from '../session/recorder.ts';
import type { LiveSession } from '../session/session.ts';
import { sessionActions } from './session-actions.ts';
import type { BusSummary, LatestMessage, LiveAction, LiveView, ServedFile } from './view.ts';
import {
  type LinkWire,
  type LogDownloadWire,
  type LogsWire,
  linkWire,
  type MessageCountWire,
  messageCountWire,
  type RecorderWire,
  type RecordingWire,
  seconds,
  type VehicleDetailWire,
  type VehicleLogWire,
  type VehicleWire,
  type ViewEvent,
  vehicleDetailWire,
  vehicleWire,
} from './wire.ts';

export class SessionView implements LiveView {
  readonly actions: readonly LiveAction[];
  private readonly session: LiveSession;

  constructor(session: LiveSession, mayCommand = false) {
    this.session = session;
    this.actions = sessionActions(session, mayCommand);
  }

  vehicles(): readonly VehicleWire[] {
    const losses = this.losses();
    const now = systemMicros();
    return [...this.session.collector.vehicles.values()].map((vehicle) =>
      vehicleWire(vehicle, lossOf(vehicle, losses), now),
    );
  }

  vehicle(id: string): VehicleDetailWire | undefined {
    const { collector } = this.session;
    const vehicle = collector.vehicles.get(id);
    return (
      vehicle && vehicleDetailWire(vehicle, collector.requests(id), lossOf(vehicle, this.losses()), systemMicros())
    );
  }

  /** Lost and all frames of each sender on each link. */
  private losses(): Map<string, number | null> {
    const losses = new Map<string, number | null>();
    for (const { link, streams } of this.session.collector.statistics().links) {
      for (const [stream, { received, lost, duplicated }] of Object.entries(streams)) {
        const sent = lost + received - duplicated;
        losses.set(`${stream}@${link}`, sent > 0 ? lost / sent : null);
      }
    }
    return losses;
  }

  messages(vehicle: string): readonly MessageCountWire[] {
    const now = systemMicros();
    return this.session.collector.messages(vehicle).map((message) => messageCountWire(message, now));
  }

  latest(vehicle: string, component: number, message: string): LatestMessage | undefined {
    return this.session.collector.latest(vehicle, component, message);
  }

  links(): readonly LinkWire[] {
    const { links, stations, collector } = this.session;
    const notices = new Map(collector.statistics().links.map((link) => [link.link, link.notice]));
    return [
      ...links.map(({ state }) => linkWire(state, false, notices.get(state.name))),
      ...stations.map(({ state }) => linkWire(state, true)),
    ];
  }

  statistics(): unknown {
    const bus = this.bus();
    return { ...this.session.collector.statistics(), ...(bus ? { bus } : {}) };
  }

  bus(): BusSummary | undefined {
    return this.session.published;
  }

  logs(vehicle: string): LogsWire | undefined {
    const { collector, logFiles, folder } = this.session;
    const known = collector.vehicles.get(vehicle);
    if (!known) return undefined;
    const { state = 'unknown', error = '', logs = [], progress } = known.logs ?? {};
    const saved = logFiles.latest.get(vehicle);
    const download: LogDownloadWire | null =
      progress && saved
        ? {
            ...logWire(progress.log),
            ...{ state: saved.state, error: saved.error, received: progress.received, rate: progress.rate },
            ...{ verified: progress.isVerified, grown: progress.hasGrown },
            recording: saved.state === 'saved' ? idOf(saved.path) : null,
          }
        : null;
    const obstacle =
      folder === undefined ? 'no folder to save logs to: start with --record DIR' : collector.logObstacle(known);
    return { state, error, obstacle, logs: logs.map(logWire), download };
  }

  recordings(): readonly (RecordingWire & ServedFile)[] {
    const { recorder, folder } = this.session;
    return folder === undefined ? [] : recordingsOf(folder, recorder?.state);
  }

  async recorder(): Promise<RecorderWire> {
    const { recorder, folder } = this.session;
    const { state = 'off', error = '', frames = 0, bytes = 0, acknowledged = 0 } = recorder?.state ?? {};
    const dropped = this.session.unrecorded;
    // a folder that is not there yet is made when there is something to write
    const disk = folder === undefined ? undefined : await statfs(folder).catch(() => undefined);
    return {
      ...{ state, error, frames, bytes, acknowledged, dropped },
      armedOnly: recorder?.armedOnly ?? false,
      canRecord: folder !== undefined,
      free: disk ? disk.bavail * disk.bsize : null,
    };
  }

  subscribe(listener: (event: ViewEvent) => void): () => void {
    return this.session.subscribe(listener, ALL);
  }
}

const ALL: readonly LiveEvent['type'][] = [...STATE_EVENTS, 'message'];

function lossOf({ stream, link }: LiveVehicle, losses: ReadonlyMap<string, number | null>): number | null {
  return losses.get(`${stream}@${link}`) ?? null;
}

function logWire({ key, name, size, time }: VehicleLog): VehicleLogWire {
  return { key, name, size, time };
}

/** When it was begun, a counter, and a link or nothing: what recorders call their files. */
const NAME = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)-\d{3,}(?:-.+\.raw|\.tlog)$/;

/** The recordings in a folder: the one that is written to, then the newest first, those of earlier runs among them. */
export function recordingsOf(folder: string, state: RecorderState | undefined): (RecordingWire & ServedFile)[] {
  const names = namesIn(folder).filter((name) => NAME.test(name) || LOG_FILE.test(name));
  const growing = growingOf(state);
  const isCurrent = (name: string): boolean => growing.size > 0 && join(folder, name) === state?.recording;
  return names
    .sort()
    .reverse()
    .sort((a, b) => Number(isCurrent(b)) - Number(isCurrent(a)))
    .slice(0, RECORD_LIMITS.filesListed)
    .flatMap((name) => {
      const path = join(folder, name);
      const stats = statSync(path, { throwIfNoEntry: false });
      if (!stats?.isFile()) return [];
      const open = growing.has(path);
      const id = idOf(path);
      const end = open ? null : seconds(stats.mtimeMs * 1000);
      return [{ id, name, path, size: stats.size, start: startOf(name), end, open }];
    });
}

function idOf(path: string): string {
  return createHash('sha256').update(path).digest('hex').slice(0, 16);
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    // it is made with the first recording
    return [];
  }
}

/** The files that are being written: the last one of each link. */
function growingOf(state: RecorderState | undefined): Set<string> {
  if (state?.state !== 'recording') return new Set();
  return new Set(new Map(state.files.map(({ link, path }) => [link, path])).values());
}

/** Null for a log from a vehicle's card: its end is when it was saved. */
function startOf(name: string): number | null {
  if (!NAME.test(name)) return null;
  const [year, month, day, hour, minute, second] = (NAME.exec(name) ?? []).slice(1).map(Number);
  return Date.UTC(year, month - 1, day, hour, minute, second) / 1000;
}

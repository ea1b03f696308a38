import { statfs } from 'node:fs/promises';
import { type LiveEvent, STATE_EVENTS } from '../live/events.ts';
import type { VehicleState } from '../live/vehicle.ts';
import { systemMicros } from '../node/wall-clock.ts';
import type { LiveSession } from '../session/session.ts';
import { recordingsOf } from './recordings.ts';
import { sessionActions } from './session-actions.ts';
import type { BusSummary, LatestMessage, LiveAction, LiveView, ServedFile } from './view.ts';
import {
  type LinkWire,
  linkWire,
  type MessageCountWire,
  messageCountWire,
  type RecorderWire,
  type RecordingWire,
  type VehicleDetailWire,
  type VehicleWire,
  type ViewEvent,
  vehicleDetailWire,
  vehicleWire,
} from './wire.ts';

/** What a running session has to show. */
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
    return vehicle && vehicleDetailWire(vehicle, collector.wishes(id), lossOf(vehicle, this.losses()), systemMicros());
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

const ALL: readonly LiveEvent['type'][] = [...STATE_EVENTS, 'link', 'mark', 'recorder', 'message'];

function lossOf({ stream, link }: VehicleState, losses: ReadonlyMap<string, number | null>): number | null {
  return losses.get(`${stream}@${link}`) ?? null;
}

import { statfs } from 'node:fs/promises';
import { type LiveEvent as CollectedEvent, STATE_EVENTS } from '../live/events.ts';
import type { VehicleState } from '../live/vehicle.ts';
import { vehicleJson } from '../live/vehicle-json.ts';
import type { LiveSession } from '../node/live-session.ts';
import { recordingsOf } from './recordings.ts';
import { sessionActions } from './session-actions.ts';
import type {
  BusSummary,
  LatestMessage,
  LinkSummary,
  LiveAction,
  LiveEvent,
  LiveView,
  MessageSummary,
  RecorderSummary,
  RecordingSummary,
  StreamFilter,
  VehicleDetail,
  VehicleSummary,
} from './view.ts';

/** What a running session has to show. */
export class SessionView implements LiveView {
  readonly actions: readonly LiveAction[];
  private readonly session: LiveSession;

  constructor(session: LiveSession, mayCommand = false) {
    this.session = session;
    this.actions = sessionActions(session, mayCommand);
  }

  vehicles(): readonly VehicleSummary[] {
    const losses = this.losses();
    return [...this.session.collector.vehicles.values()].map((vehicle) => summaryOf(vehicle, losses));
  }

  vehicle(id: string): VehicleDetail | undefined {
    const vehicle = this.session.collector.vehicles.get(id);
    if (!vehicle) return undefined;
    const state = { ...vehicleJson(vehicle), requests: this.session.collector.wishes(id) };
    return { ...summaryOf(vehicle, this.losses()), components: [...vehicle.components.keys()], state };
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

  messages(vehicle: string): readonly MessageSummary[] {
    return this.session.collector.messages(vehicle).map(({ component, name, id, count, rate, first, time }) => ({
      ...{ component, message: name, id, count, rate, first },
      last: time,
    }));
  }

  latest(vehicle: string, component: number, message: string): LatestMessage | undefined {
    return this.session.collector.latest(vehicle, component, message);
  }

  links(): readonly LinkSummary[] {
    const { links, stations } = this.session;
    return [
      ...links.map(({ state }) => ({ ...state, forward: false })),
      ...stations.map(({ state }) => ({ ...state, forward: true })),
    ];
  }

  statistics(): unknown {
    const bus = this.bus();
    return { ...this.session.collector.statistics(), ...(bus ? { bus } : {}) };
  }

  bus(): BusSummary | undefined {
    return this.session.published;
  }

  recordings(): readonly RecordingSummary[] {
    const { recorder, folder } = this.session;
    return folder === undefined ? [] : recordingsOf(folder, recorder?.state);
  }

  async recorder(): Promise<RecorderSummary> {
    const { recorder, folder } = this.session;
    const { state = 'off', error = '', frames = 0, bytes = 0, acknowledged = 0, dropped = 0 } = recorder?.state ?? {};
    // a folder that is not there yet is made when there is something to write
    const disk = folder === undefined ? undefined : await statfs(folder).catch(() => undefined);
    return {
      ...{ state, error, frames, bytes, acknowledged, dropped },
      armedOnly: recorder?.armedOnly ?? false,
      canRecord: folder !== undefined,
      free: disk ? disk.bavail * disk.bsize : null,
    };
  }

  subscribe({ kinds, vehicles, messages }: StreamFilter, listener: (event: LiveEvent) => void): () => void {
    const wants = (event: CollectedEvent): boolean =>
      (!kinds || kinds.includes(event.type)) &&
      (!vehicles || (event.vehicle !== null && vehicles.includes(event.vehicle))) &&
      (!messages || event.type !== 'message' || messages.includes(event.name));
    const types = (kinds as readonly CollectedEvent['type'][] | undefined) ?? ALL;
    return this.session.subscribe((event) => {
      if (wants(event)) listener(outOf(event));
    }, types);
  }
}

const ALL: readonly CollectedEvent['type'][] = [...STATE_EVENTS, 'link', 'mark', 'message'];

function outOf(event: CollectedEvent): LiveEvent {
  const { type: kind, time } = event;
  const vehicle = event.vehicle ?? '';
  if (event.type === 'message') {
    return {
      ...{ kind, time, vehicle, component: event.component, message: event.name, instance: event.instance },
      source: event.source,
      get data() {
        return event.data;
      },
    };
  }
  const { type: _type, time: _time, vehicle: _vehicle, ...data } = event;
  return { kind, time, vehicle, data };
}

function summaryOf(vehicle: VehicleState, losses: ReadonlyMap<string, number | null>): VehicleSummary {
  const { id, system, component, link, armed, mode, position, batteries, battery, firmware } = vehicle;
  const packs = batteries.map(({ id: pack, voltage, current, remaining }) => ({
    id: pack,
    voltage,
    current,
    remaining,
  }));
  const isKnown = battery.voltage !== null || battery.remaining !== null;
  return {
    ...{ id, system, component, link, armed, mode },
    class: vehicle.kind ?? '',
    firmware: [firmware.name, firmware.version].filter(Boolean).join(' '),
    lost: !vehicle.connected,
    lastHeartbeat: orNull(vehicle.lastHeartbeat),
    lastActivity: orNull(vehicle.lastActivity),
    rate: vehicle.messageRate,
    loss: losses.get(`${system}:${component}@${link}`) ?? null,
    position: position && {
      latitude: position.lat,
      longitude: position.lon,
      altitude: position.alt,
      relativeAltitude: position.relativeAlt,
      heading: position.heading,
    },
    batteries: packs.length > 0 || !isKnown ? packs : [{ id: 0, ...battery }],
  };
}

function orNull(time: number): number | null {
  return Number.isNaN(time) ? null : time;
}

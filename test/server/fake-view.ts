// A view as the collector gives one, fed with the frames of a telemetry log that the library decodes.

import { type LogRecord, readRecords } from '../../src/core/records.ts';
import { builtinDialect } from '../../src/formats/mavlink/dialect/builtin.ts';
import { openInput } from '../../src/formats/open.ts';
import { FileSource } from '../../src/node/file.ts';
import type { Input } from '../../src/node/open.ts';
import type { LatestMessage, LiveAction, LiveView, ServedFile } from '../../src/server/view.ts';
import {
  ageOf,
  type LinkWire,
  linkWire,
  type MessageCountWire,
  type RecordingWire,
  seconds,
  type VehicleDetailWire,
  type VehicleWire,
  type ViewEvent,
} from '../../src/server/wire.ts';

/** All records of a log: what a link would bring, one after the other. */
export async function recordsOf(input: string | Exclude<Input, string>): Promise<LogRecord[]> {
  const log = await openInput(typeof input === 'string' ? await FileSource.open(input) : input);
  const records: LogRecord[] = [];
  for await (const record of readRecords(log)) records.push(record);
  return records;
}

type Counted = LatestMessage & { readonly first: number };

const IDS: ReadonlyMap<string, number> = new Map(
  [...builtinDialect().messages.values()].flat().map(({ name, id }) => [name, id]),
);

const NO_AGE = { time: null, age: null, stale: false };
const NO_PACK = {
  ...{ id: 0, voltage: null, current: null, remaining: null, consumed: null, energy: null, temperature: null },
  ...{ cells: [], timeRemaining: null, chargeState: null, faults: 0, ...NO_AGE },
};

export class FakeView implements LiveView {
  readonly actions: readonly LiveAction[];
  /** How many listen. */
  listeners = 0;
  recorded: (RecordingWire & ServedFile)[] = [];
  private readonly seen = new Map<string, Map<string, Counted>>();
  private readonly listening = new Set<(event: ViewEvent) => void>();

  constructor(actions: readonly LiveAction[] = []) {
    this.actions = actions;
  }

  /** Takes a record as if it had just come. */
  play({ table, time, data }: LogRecord, now = time): void {
    const [system, component] = table.stream.split(':').map(Number);
    const id = String(system);
    const messages = this.seen.get(id) ?? new Map<string, Counted>();
    this.seen.set(id, messages);
    const key = `${component} ${table.name}`;
    const before = messages.get(key);
    const count = (before?.count ?? 0) + 1;
    const first = before?.first ?? now;
    const rate = now > first ? ((count - 1) * 1e6) / (now - first) : 0;
    const field = table.schema.fields[table.schema.instance]?.name;
    const instance = field === undefined ? undefined : (data[field] as number);
    const instances = instance === undefined ? undefined : new Map([...(before?.instances ?? []), [instance, data]]);
    messages.set(key, { time: now, count, rate, first, data, instances });
    this.emit({ type: 'message', time: now, vehicle: id, component, name: table.name, instance, data });
  }

  emit(event: ViewEvent): void {
    for (const listener of this.listening) listener(event);
  }

  vehicles(): VehicleWire[] {
    return [...this.seen.keys()].map((id) => {
      const { components: _components, state: _state, ...vehicle } = this.vehicle(id) as VehicleDetailWire;
      return vehicle;
    });
  }

  vehicle(id: string): VehicleDetailWire | undefined {
    if (!this.seen.has(id)) return undefined;
    const heartbeat = this.latest(id, 1, 'HEARTBEAT');
    const position = this.latest(id, 1, 'GLOBAL_POSITION_INT')?.data;
    const voltage = this.latest(id, 1, 'SYS_STATUS')?.data.voltage_battery as number | undefined;
    return {
      id,
      system: Number(id),
      component: 1,
      link: 'udpin:127.0.0.1:14550',
      links: ['udpin:127.0.0.1:14550'],
      class: 'Copter',
      firmware: 'ArduCopter 4.8.0',
      armed: heartbeat ? ((heartbeat.data.base_mode as number) & 128) !== 0 : null,
      mode: null,
      heartbeat: ageOf(heartbeat?.time, false, heartbeat?.time ?? 0),
      lost: false,
      lastHeartbeat: seconds(heartbeat?.time),
      lastActivity: null,
      rate: 0,
      loss: null,
      conflict: null,
      position: position
        ? {
            latitude: (position.lat as number) / 1e7,
            longitude: (position.lon as number) / 1e7,
            altitude: (position.alt as number) / 1000,
            relativeAltitude: null,
            heading: null,
            ...NO_AGE,
          }
        : null,
      speed: null,
      batteries: voltage ? [{ ...NO_PACK, voltage: voltage / 1000 }] : [],
      components: [...new Set(this.messages(id).map(({ component }) => component))],
      // what the server must write whatever a view says
      state: { big: 2n ** 60n, bad: Number.NaN } as unknown as VehicleDetailWire['state'],
    };
  }

  messages(vehicle: string): MessageCountWire[] {
    return [...(this.seen.get(vehicle) ?? [])].map(([key, { time, count, rate, first }]) => {
      const [component, message] = key.split(' ');
      const [id, last] = [IDS.get(message) ?? -1, seconds(time)];
      return {
        component: Number(component),
        message,
        id,
        count,
        rate,
        first: seconds(first),
        last,
        age: 0,
        stale: false,
      };
    });
  }

  latest(vehicle: string, component: number, message: string): LatestMessage | undefined {
    return this.seen.get(vehicle)?.get(`${component} ${message}`);
  }

  links(): LinkWire[] {
    return [
      linkWire({
        name: 'udpin:127.0.0.1:14550',
        kind: 'udpin',
        state: 'receiving',
        since: 1_700_000_000_000_000,
        lastBytes: 1_700_000_000_500_000,
        retryAt: null,
        bytesIn: 1000,
        packetsIn: 10,
        bytesOut: 0,
        packetsOut: 0,
        dropped: 0,
        receiveBuffer: { asked: 8 << 20, got: 212_992 },
        peer: '127.0.0.1:40000',
        hint: '',
        error: '',
      }),
    ];
  }

  statistics(): unknown {
    return { frames: [...this.seen.values()].reduce((sum, { size }) => sum + size, 0) };
  }

  recordings(): (RecordingWire & ServedFile)[] {
    return this.recorded;
  }

  subscribe(listener: (event: ViewEvent) => void): () => void {
    this.listening.add(listener);
    this.listeners = this.listening.size;
    return () => {
      this.listening.delete(listener);
      this.listeners = this.listening.size;
    };
  }
}

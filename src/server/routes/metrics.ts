import type { BusSummary, LiveView } from '../view.ts';
import type { LinkWire, VehicleWire } from '../wire.ts';

/** The text format of Prometheus: https://prometheus.io/docs/instrumenting/exposition_formats/ */
export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

export interface ServerCounters {
  readonly connections: number;
  readonly evicted: number;
  readonly streams: number;
  readonly eventsSent: number;
  readonly eventsDropped: number;
  /** Requests by the status that answered them. */
  readonly requests: ReadonlyMap<number, number>;
}

type Labels = Readonly<Record<string, string | number>>;
type Sample = readonly [Labels, number | boolean | null | undefined];

/** A few lines of one name. What is not known has no line. */
function metric(name: string, type: 'counter' | 'gauge', help: string, samples: Iterable<Sample>): string {
  let lines = '';
  for (const [labels, value] of samples) {
    if (value === null || value === undefined) continue;
    const pairs = Object.entries(labels).map(([label, text]) => `${label}="${labelText(String(text))}"`);
    lines += `${name}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${numberText(Number(value))}\n`;
  }
  return lines === '' ? '' : `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines}`;
}

/** Names come from radio: a quote or a new line in one must not end it. */
function labelText(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

function numberText(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  return Number.isFinite(value) ? String(value) : `${value < 0 ? '-' : '+'}Inf`;
}

/** All metrics. @param limit the greatest number of lines about single messages */
export function metricsText(view: LiveView | undefined, counters: ServerCounters, limit: number): string {
  return (
    (view ? vehicleMetrics(view.vehicles()) + messageMetrics(view, limit) + linkMetrics(view.links()) : '') +
    busMetrics(view?.bus?.()) +
    serverMetrics(counters)
  );
}

/** What is stale has no sample: a number without its age would be taken for the current one. */
function vehicleMetrics(vehicles: readonly VehicleWire[]): string {
  const gauge = (name: string, help: string, value: (vehicle: VehicleWire) => Sample[1]): string =>
    metric(
      `skein_vehicle_${name}`,
      'gauge',
      help,
      vehicles.map((vehicle) => [{ vehicle: vehicle.id }, value(vehicle)]),
    );
  const place = (name: string, help: string, value: 'latitude' | 'longitude' | 'altitude'): string =>
    gauge(name, help, ({ position }) => (position?.stale ? null : position?.[value]));
  const battery = (name: string, help: string, value: 'voltage' | 'current' | 'remaining', factor = 1): string => {
    const samples = vehicles.flatMap(({ id, batteries }) =>
      batteries.map((pack): Sample => {
        const found = pack[value];
        return [{ vehicle: id, battery: pack.id }, found === null || pack.stale ? null : found * factor];
      }),
    );
    return metric(`skein_battery_${name}`, 'gauge', help, samples);
  };
  return [
    metric('skein_vehicles', 'gauge', 'Vehicles so far.', [[{}, vehicles.length]]),
    gauge('up', 'Whether heartbeats come.', ({ lost }) => !lost),
    gauge('armed', 'Whether the vehicle is armed.', ({ armed, heartbeat }) => (heartbeat.stale ? null : armed)),
    gauge('conflict', 'Whether another sender uses its system id.', ({ conflict }) => conflict !== null),
    gauge('message_rate', 'Messages a second.', ({ rate }) => rate),
    gauge('loss_ratio', 'Lost frames among those sent.', ({ loss }) => loss),
    gauge('last_heartbeat_timestamp_seconds', 'When the last heartbeat came.', ({ lastHeartbeat }) => lastHeartbeat),
    place('latitude_degrees', 'Latitude.', 'latitude'),
    place('longitude_degrees', 'Longitude.', 'longitude'),
    place('altitude_meters', 'Above sea level.', 'altitude'),
    battery('volts', 'Voltage of a pack.', 'voltage'),
    battery('amperes', 'Current of a pack.', 'current'),
    battery('remaining_ratio', 'What remains of a pack, 0 to 1.', 'remaining', 0.01),
  ].join('');
}

function messageMetrics(view: LiveView, limit: number): string {
  const all = view
    .vehicles()
    .flatMap(({ id: vehicle }) =>
      view.messages(vehicle).map(({ component, message, count }): Sample => [{ vehicle, component, message }, count]),
    );
  const left = Math.max(0, all.length - limit);
  return (
    metric('skein_messages_total', 'counter', 'Messages received.', all.slice(0, limit)) +
    metric('skein_messages_not_listed', 'gauge', 'Kinds of messages beyond the limit of this list.', [[{}, left]])
  );
}

function linkMetrics(links: readonly LinkWire[]): string {
  const each = (name: string, type: 'counter' | 'gauge', help: string, value: (link: LinkWire) => Sample[1]): string =>
    metric(
      `skein_link_${name}`,
      type,
      help,
      links.map((link) => [{ link: link.name }, value(link)]),
    );
  return [
    each('receiving', 'gauge', 'Whether bytes come.', ({ state }) => state === 'receiving'),
    each('received_bytes_total', 'counter', 'Bytes received.', ({ bytesIn }) => bytesIn),
    each('received_packets_total', 'counter', 'Packets received.', ({ packetsIn }) => packetsIn),
    each('sent_bytes_total', 'counter', 'Bytes sent.', ({ bytesOut }) => bytesOut),
    each('dropped_total', 'counter', 'Packets dropped.', ({ dropped }) => dropped),
  ].join('');
}

function busMetrics(bus: BusSummary | undefined): string {
  if (!bus) return '';
  const one = (value: number | boolean): Sample[] => [[{ collector: bus.collector }, value]];
  return [
    metric('skein_bus_up', 'gauge', 'Whether the bus accepts frames.', one(bus.state === 'sending')),
    metric('skein_bus_frames_total', 'counter', 'Frames for the bus.', one(bus.frames)),
    metric('skein_bus_acknowledged_frames_total', 'counter', 'Frames that the bus has.', one(bus.acknowledged)),
    metric('skein_bus_dropped_frames_total', 'counter', 'Frames that the spool could not keep.', one(bus.dropped)),
    metric('skein_bus_spooled_bytes', 'gauge', 'Bytes that wait for the bus.', one(bus.spooled)),
  ].join('');
}

function serverMetrics(counters: ServerCounters): string {
  const { connections, evicted, streams, eventsSent, eventsDropped, requests } = counters;
  const { user, system } = process.cpuUsage();
  return [
    metric('skein_http_connections', 'gauge', 'Connections without streams.', [[{}, connections]]),
    metric('skein_http_evicted_total', 'counter', 'Idle connections closed to make room.', [[{}, evicted]]),
    metric(
      'skein_http_requests_total',
      'counter',
      'Requests by status.',
      [...requests].map(([status, count]) => [{ status }, count]),
    ),
    metric('skein_streams', 'gauge', 'WebSockets and event streams.', [[{}, streams]]),
    metric('skein_stream_events_sent_total', 'counter', 'Events sent to clients.', [[{}, eventsSent]]),
    metric('skein_stream_events_dropped_total', 'counter', 'Events that slow clients missed.', [[{}, eventsDropped]]),
    metric('process_resident_memory_bytes', 'gauge', 'Resident memory.', [[{}, process.memoryUsage.rss()]]),
    metric('process_cpu_seconds_total', 'counter', 'CPU time.', [[{}, (user + system) / 1e6]]),
  ].join('');
}

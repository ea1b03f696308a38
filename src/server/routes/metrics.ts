import type { BusSummary, LiveView } from '../view.ts';
import type { LinkWire, MessageCountWire, VehicleWire } from '../wire.ts';

/** The text format of Prometheus: https://prometheus.io/docs/instrumenting/exposition_formats/ */
export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** What the server counts of itself. */
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
  const each = (value: (vehicle: VehicleWire) => Sample[1]): Sample[] =>
    vehicles.map((vehicle) => [{ vehicle: vehicle.id }, value(vehicle)]);
  const place = (value: 'latitude' | 'longitude' | 'altitude'): Sample[] =>
    each(({ position }) => (position?.stale ? null : position?.[value]));
  const battery = (value: 'voltage' | 'current' | 'remaining', factor = 1): Sample[] =>
    vehicles.flatMap(({ id, batteries }) =>
      batteries.map((pack): Sample => {
        const found = pack[value];
        return [{ vehicle: id, battery: pack.id }, found === null || pack.stale ? null : found * factor];
      }),
    );
  return [
    metric('skein_vehicles', 'gauge', 'Vehicles that were heard.', [[{}, vehicles.length]]),
    metric(
      'skein_vehicle_up',
      'gauge',
      'Whether the heartbeat comes.',
      each(({ lost }) => !lost),
    ),
    metric(
      'skein_vehicle_armed',
      'gauge',
      'Whether the vehicle is armed.',
      each(({ armed, heartbeat }) => (heartbeat.stale ? null : armed)),
    ),
    metric(
      'skein_vehicle_conflict',
      'gauge',
      'Whether another sender uses its system id.',
      each(({ conflict }) => conflict !== null),
    ),
    metric(
      'skein_vehicle_message_rate',
      'gauge',
      'Messages a second.',
      each(({ rate }) => rate),
    ),
    metric(
      'skein_vehicle_loss_ratio',
      'gauge',
      'Lost frames among those sent.',
      each(({ loss }) => loss),
    ),
    metric(
      'skein_vehicle_last_heartbeat_timestamp_seconds',
      'gauge',
      'When the last heartbeat came.',
      each(({ lastHeartbeat }) => lastHeartbeat),
    ),
    metric('skein_vehicle_latitude_degrees', 'gauge', 'Latitude.', place('latitude')),
    metric('skein_vehicle_longitude_degrees', 'gauge', 'Longitude.', place('longitude')),
    metric('skein_vehicle_altitude_meters', 'gauge', 'Above sea level.', place('altitude')),
    metric('skein_battery_volts', 'gauge', 'Voltage of a pack.', battery('voltage')),
    metric('skein_battery_amperes', 'gauge', 'Current of a pack.', battery('current')),
    metric('skein_battery_remaining_ratio', 'gauge', 'What remains of a pack, 0 to 1.', battery('remaining', 0.01)),
  ].join('');
}

function messageMetrics(view: LiveView, limit: number): string {
  const all = view.vehicles().flatMap(({ id }) => view.messages(id).map((one) => ({ ...one, vehicle: id })));
  const kept = all.slice(0, limit);
  const labels = ({ vehicle, component, message }: MessageCountWire & { vehicle: string }): Labels => ({
    vehicle,
    component,
    message,
  });
  return (
    metric(
      'skein_messages_total',
      'counter',
      'Messages received.',
      kept.map((one) => [labels(one), one.count]),
    ) +
    metric('skein_messages_not_listed', 'gauge', 'Kinds of messages beyond the limit of this list.', [
      [{}, all.length - kept.length],
    ])
  );
}

function linkMetrics(links: readonly LinkWire[]): string {
  const each = (value: (link: LinkWire) => number | boolean): Sample[] =>
    links.map((link) => [{ link: link.name }, value(link)]);
  return [
    metric(
      'skein_link_receiving',
      'gauge',
      'Whether bytes come.',
      each(({ state }) => state === 'receiving'),
    ),
    metric(
      'skein_link_received_bytes_total',
      'counter',
      'Bytes received.',
      each(({ bytesIn }) => bytesIn),
    ),
    metric(
      'skein_link_received_packets_total',
      'counter',
      'Packets received.',
      each(({ packetsIn }) => packetsIn),
    ),
    metric(
      'skein_link_sent_bytes_total',
      'counter',
      'Bytes sent.',
      each(({ bytesOut }) => bytesOut),
    ),
    metric(
      'skein_link_dropped_total',
      'counter',
      'Packets dropped.',
      each(({ dropped }) => dropped),
    ),
  ].join('');
}

function busMetrics(bus: BusSummary | undefined): string {
  if (!bus) return '';
  const one = (value: number | boolean): Sample[] => [[{ collector: bus.collector }, value]];
  return [
    metric('skein_bus_up', 'gauge', 'Whether the bus takes frames.', one(bus.state === 'sending')),
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
    metric('skein_http_connections', 'gauge', 'Connections that are no streams.', [[{}, connections]]),
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

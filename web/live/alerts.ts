import type { VehicleWire, WireRow } from '../../src/server/wire.ts';
import { fixed } from '../shared/format.ts';
import { keep, partsOf, recallData } from '../shared/kept.ts';
import type { VehicleMessages } from './vehicle-messages.ts';
import { ageText, vehicleName } from './words.ts';

/** What to be warned of; null or '' for not at all. */
export interface AlertRules {
  /** Percent of a battery that are left. */
  readonly battery: number | null;
  /** The greatest of the EKF's test ratios. */
  readonly ekf: number | null;
  /** Percent of the frames that are lost. */
  readonly link: number | null;
  /** Whether the autopilot's fence is broken. */
  readonly fence: boolean;
  /** Modes that an armed vehicle should not be in, separated by commas. */
  readonly modes: string;
  /** Whether each new alert is heard. */
  readonly sound: boolean;
  /** Where each new alert is sent to, and each that is over; '' for nowhere. */
  readonly webhook: string;
}

export const USUAL_RULES: AlertRules = {
  ...{ battery: 25, ekf: 0.8, link: 10, fence: true },
  ...{ modes: 'RTL, SMART_RTL, LAND, QRTL, QLAND', sound: false, webhook: '' },
};

/** What a rule says of a vehicle now. */
export interface Alert {
  /** The vehicle and the rule: the same as long as it lasts. */
  readonly key: string;
  readonly vehicle: string;
  readonly rule: 'battery' | 'ekf' | 'link' | 'fence' | 'mode';
  readonly text: string;
  /** Seconds by the server's clock. */
  readonly since: number;
  /** When it ended; null while it lasts. */
  readonly until: number | null;
}

const KEPT = 'skein-alerts';
/** Alerts that ended and are still listed. */
const MOST_ENDED = 50;
/** Bit of MAV_SYS_STATUS_SENSOR, https://mavlink.io/en/messages/common.html */
const GEOFENCE = 20;
const RATIOS = [
  'velocity_variance',
  'pos_horiz_variance',
  'pos_vert_variance',
  'compass_variance',
  'terrain_alt_variance',
];
const RATIOS_PX4 = ['vel_ratio', 'pos_horiz_ratio', 'pos_vert_ratio', 'mag_ratio', 'hagl_ratio', 'tas_ratio'];

type Found = Pick<Alert, 'rule' | 'text'>;

/** What the rules say of a vehicle; messages older than these seconds say nothing. */
export function alertsOf(
  vehicle: VehicleWire,
  feed: Pick<VehicleMessages, 'find'> | undefined,
  rules: AlertRules,
  now: number,
  fresh = 10,
): Found[] {
  const found: Found[] = [];
  const latest = (message: string): WireRow | undefined => {
    const slot = feed?.find(message, undefined, vehicle.component);
    return slot && now - slot.time < fresh ? slot.latest : undefined;
  };
  const { battery, ekf, link, fence, modes } = rules;
  if (vehicle.lost && link !== null) {
    const silent = vehicle.lastHeartbeat === null ? Number.NaN : now - vehicle.lastHeartbeat;
    return [{ rule: 'link', text: `heartbeat lost, last ${ageText(silent)} ago` }];
  }
  for (const [i, { remaining, stale }] of vehicle.batteries.entries())
    if (battery !== null && remaining !== null && !stale && remaining < battery)
      found.push({
        rule: 'battery',
        text: `battery${vehicle.batteries.length > 1 ? ` ${i + 1}` : ''} at ${remaining} %, limit ${battery} %`,
      });
  if (link !== null && vehicle.loss !== null && vehicle.loss * 100 > link)
    found.push({ rule: 'link', text: `${fixed(vehicle.loss * 100, 0, '%')} of its frames lost, limit ${link} %` });
  const ratio = worstRatio(latest('EKF_STATUS_REPORT'), RATIOS) ?? worstRatio(latest('ESTIMATOR_STATUS'), RATIOS_PX4);
  if (ekf !== null && ratio !== undefined && ratio > ekf)
    found.push({ rule: 'ekf', text: `EKF test ratio ${fixed(ratio, 2)}, limit ${ekf}` });
  if (fence && isFenceBroken(latest('SYS_STATUS'), latest('FENCE_STATUS')))
    found.push({ rule: 'fence', text: 'fence broken' });
  const { mode, armed, heartbeat } = vehicle;
  if (armed === true && mode !== null && !heartbeat.stale && namesOf(modes).includes(mode.toUpperCase()))
    found.push({ rule: 'mode', text: `mode ${mode} while armed` });
  return found;
}

function namesOf(modes: string): string[] {
  return modes
    .toUpperCase()
    .split(/[\s,;]+/)
    .filter((name) => name !== '');
}

function worstRatio(row: WireRow | undefined, names: readonly string[]): number | undefined {
  const values = names
    .map((name) => row?.[name])
    .filter((value) => typeof value === 'number' && Number.isFinite(value));
  return values.length === 0 ? undefined : Math.max(...(values as number[]));
}

function isFenceBroken(status: WireRow | undefined, fence: WireRow | undefined): boolean {
  if (fence && fence.breach_status === 1) return true;
  const isSet = (name: string): boolean => {
    const bits = status?.[`onboard_control_sensors_${name}`];
    return typeof bits === 'number' && ((bits >>> GEOFENCE) & 1) === 1;
  };
  return isSet('present') && isSet('enabled') && !isSet('health');
}

/** The list after another look: what lasts keeps its beginning, what is over its end. */
export function nextAlerts(
  before: readonly Alert[],
  vehicles: readonly { readonly vehicle: VehicleWire; readonly found: readonly Found[] }[],
  now: number,
): readonly Alert[] {
  const open = new Map(before.filter(({ until }) => until === null).map((alert) => [alert.key, alert]));
  const lasting = vehicles.flatMap(({ vehicle, found }) =>
    found.map(({ rule, text }): Alert => {
      const key = `${vehicle.id} ${rule} ${/^battery \d/.exec(text)?.[0] ?? ''}`;
      return { key, vehicle: vehicleName(vehicle), rule, text, since: open.get(key)?.since ?? now, until: null };
    }),
  );
  const keys = new Set(lasting.map(({ key }) => key));
  const ended = before
    .filter(({ key, until }) => until !== null || !keys.has(key))
    .map((alert) => (alert.until === null ? { ...alert, until: now } : alert));
  return [...lasting.sort((a, b) => b.since - a.since), ...ended.slice(0, MOST_ENDED)];
}

export function keptRules(): AlertRules {
  return rulesOf(recallData(KEPT));
}

export function keepRules(rules: AlertRules): void {
  keep(KEPT, JSON.stringify(rules));
}

/** What this browser keeps may be of another version, or anything. */
export function rulesOf(value: unknown): AlertRules {
  const given = partsOf(value);
  const limit = (key: 'battery' | 'ekf' | 'link'): number | null => {
    const known = given[key];
    return known === null || (typeof known === 'number' && Number.isFinite(known)) ? known : USUAL_RULES[key];
  };
  const flag = (key: 'fence' | 'sound'): boolean => {
    const known = given[key];
    return typeof known === 'boolean' ? known : USUAL_RULES[key];
  };
  return {
    ...{ battery: limit('battery'), ekf: limit('ekf'), link: limit('link') },
    ...{ fence: flag('fence'), sound: flag('sound') },
    modes: typeof given.modes === 'string' ? given.modes.slice(0, 200) : USUAL_RULES.modes,
    webhook: typeof given.webhook === 'string' && isNearHook(given.webhook) ? given.webhook : '',
  };
}

/** Whether the policy of the page lets it send there: to this machine, or to a name of the local network. */
export function isNearHook(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return protocol === 'http:' && (hostname === '127.0.0.1' || hostname === 'localhost' || hostname.endsWith('.local'));
}

/** What a webhook gets: alerts that are new, and those that are over since the list before. */
export function alertNews(before: readonly Alert[], after: readonly Alert[]): readonly Alert[] {
  const known = new Set(before.map(({ key, since, until }) => `${key} ${since} ${until}`));
  return after.filter(({ key, since, until }) => !known.has(`${key} ${since} ${until}`));
}

/** Sends alerts as JSON, one a request. Returns why that failed, or ''. */
export async function sendAlerts(webhook: string, alerts: readonly Alert[]): Promise<string> {
  try {
    // as plain text it is sent to a server that knows nothing of the page
    for (const { vehicle, rule, text, since, until } of alerts)
      await fetch(webhook, {
        method: 'POST',
        mode: 'no-cors',
        body: JSON.stringify({ vehicle, rule, text, since, until }),
      });
    return '';
  } catch {
    return `${webhook} cannot be reached`;
  }
}

import { firstIndex } from '../../core/search.ts';
import type { LogEvent } from '../../facts/event.ts';
import { filledTables } from '../../facts/information.ts';
import { DOWN, NOTABLE } from '../../facts/messages.ts';
import { type Exceedance, findExceedances } from '../../series/holds.ts';
import { often, SEVERITIES, type Severity, secondsOf } from '../finding.ts';
import { REPORT_LIMITS } from '../limits.ts';
import type { ReportBuilder } from '../report-builder.ts';
import { isWithin, type VehicleFacts } from '../vehicle-facts.ts';
import { during } from './judge.ts';

/** What events of one text have in common. */
interface FailsafeGroup {
  readonly event: LogEvent;
  severity: Severity;
  readonly title: string;
  count: number;
  from: number;
  to: number;
  readonly ranges: { from: number; to: number }[];
}

const TEXTS: ReadonlySet<string> = new Set(['MSG', 'STATUSTEXT', 'LOG', 'LOG_TAGGED', 'event']);
/** Characters of a text that is a title. */
const TITLE = 60;
/** Microseconds after a landing, or what was taken for one, in which a crash is still reported. */
const AFTER_LANDING = 5e6;

/** EV.Id: the estimator reset its altitude or yaw. */
const RESETS: ReadonlySet<number> = new Set([60, 62]);
/** Different texts that are shown. */
const GROUPS = 50;

/** Failsafes and errors while the vehicle was armed, and messages that say that something is wrong. */
export async function checkFailsafe(facts: VehicleFacts, report: ReportBuilder): Promise<void> {
  const { events, phases } = facts;
  const impact = facts.impact?.time ?? Number.POSITIVE_INFINITY;
  const isArmed = (time: number): boolean =>
    Number.isNaN(time) ||
    // the record of disarming comes a moment after it
    (phases.armedSource !== null
      ? isWithin(phases.armed, time, 1e6)
      : phases.flyingSource === null || isWithin(phases.flying, time, 1e6));
  const isUsed = phases.armedSource !== null || phases.flyingSource !== null;
  const isNever = phases.armedSource !== null && phases.armed.length === 0;
  const groups = new Map<string, FailsafeGroup>();
  for (const event of events) {
    const own = severityOf(event);
    // words of a vehicle of which nothing says that it was used; on the ground nothing fails yet
    const isFlown = phases.flying.length === 0 || isWithin(phases.flying, event.time, AFTER_LANDING);
    const isText = TEXTS.has(event.table);
    const severity =
      own !== undefined && isText && (!isUsed || isNever) ? 'info' : own === 'fail' && !isFlown ? 'warn' : own;
    // what a vehicle says after an impact follows from it; one that was never armed says why
    const isMeant = isArmed(event.time) || (isNever && isText);
    if (severity === undefined || !isMeant || event.time > impact) continue;
    const known = groups.get(event.text);
    const range = { from: event.time - silenceBefore(facts, event), to: event.end ?? event.time };
    if (known) {
      // some logs have each event twice
      if (range.from !== known.from) known.count++;
      known.to = range.to;
      if (SEVERITIES.indexOf(severity) < SEVERITIES.indexOf(known.severity)) {
        known.severity = severity;
        known.from = range.from;
      }
      if (known.ranges.length < REPORT_LIMITS.ranges && !Number.isNaN(range.from)) known.ranges.push(range);
    } else if (groups.size < GROUPS) {
      const title = titleOf(event, severity);
      const ranges = Number.isNaN(range.from) ? [] : [range];
      groups.set(event.text, { event, severity, title, count: 1, ...range, ranges });
    }
  }
  for (const { event, severity, title, count, from, to, ranges } of groups.values()) {
    const times = count > 1 ? ` (${count} times)` : '';
    const isText = TEXTS.has(event.table);
    const silence = silenceBefore(facts, event);
    const since = silence > 0 ? ` It had heard nothing for ${secondsOf(silence)} by then.` : '';
    report.add({
      check: 'failsafe',
      severity,
      title,
      text: isText ? `${event.text}${times}` : `Reported by the autopilot while armed${times}.${since}`,
      advice: isText ? '' : 'Check the 10 s before it.',
      from,
      to,
      ranges,
      fields: event.table === '' ? [] : [event.table],
    });
  }
  if (groups.size === 0)
    report.add({ check: 'failsafe', severity: 'ok', title: 'Failsafes', text: 'No failsafe or error while armed.' });
}

/** ERR.Subsys of the failsafe of ArduPilot that tells of a silent ground station, and seconds for which it waits. */
const GROUND_STATION = 8;
const WAITS = 5;

/** Microseconds before an event in which what it tells of had begun: a silence is noticed after a known time. */
function silenceBefore(facts: VehicleFacts, { table, codes }: LogEvent): number {
  if (table !== 'ERR' || codes.Subsys !== GROUND_STATION || codes.ECode === 0) return 0;
  return (facts.parameter('FS_GCS_TIMEOUT') ?? WAITS) * 1e6;
}

function titleOf({ kind, text }: LogEvent, severity: Severity): string {
  if (kind === 'text' && severity === 'info') return 'Vehicle message';
  return text.slice(0, TITLE).replace(/^[a-z](?=[a-z])/, (letter) => letter.toUpperCase());
}

/** MAV_SEVERITY of texts that need attention: emergency, alert and critical. */
const CRITICAL = 2;

function severityOf({ kind, severity, text, codes }: LogEvent): Severity | undefined {
  if (severity !== 'error' && severity !== 'warning') return undefined;
  // a pilot's wish that was refused changed nothing
  if (/ refused$/.test(text)) return 'info';
  if (kind === 'failsafe' || kind === 'error' || kind === 'mode' || kind === 'event')
    return severity === 'error' ? 'fail' : 'warn';
  if (kind === 'text') {
    if (severity !== 'error') return NOTABLE.test(text) ? 'warn' : 'info';
    return DOWN.test(text) ? 'fail' : codes.severity > CRITICAL ? 'info' : 'warn';
  }
  return undefined;
}

/** Tables of flags, which of them count, and whether they are set while all is well. */
const FLAGS: readonly {
  readonly table: string;
  readonly flags: RegExp;
  readonly isGood: boolean;
  /** Whether they are conclusions of the vehicle about itself that end flights. */
  readonly isFailure: boolean;
  /** Microseconds for which they are raised at least. */
  readonly hold?: number;
}[] = [
  { table: 'failure_detector_status', flags: /^fd_/, isGood: false, isFailure: true },
  {
    table: 'failsafe_flags',
    flags: /_(invalid|lost|breached|failure|low|exceeded|unhealthy|relaxed)$|^fd_/,
    isGood: false,
    isFailure: false,
  },
  {
    table: 'estimator_status_flags',
    flags: /^(reject|fs)_|^cs_(\w+_fault|mag_field_disturbed|fake_\w+|rng_stuck)$/,
    isGood: false,
    isFailure: false,
    hold: 1.5e6,
  },
  {
    table: 'vehicle_status_flags',
    flags: /^(condition_)?(\w+_(position|velocity|altitude)|attitude|angular_velocity)_valid$|battery_healthy$/,
    isGood: true,
    isFailure: false,
  },
  {
    table: 'vehicle_status',
    flags: /^(data_link_lost|gcs_connection_lost|engine_failure|mission_failure|geofence_violated)$/,
    isGood: false,
    isFailure: false,
  },
];
/** Flags that are named in a text. */
const NAMED = 12;

/** Flags that PX4 raised in flight, of those that were not raised before. */
export async function checkFlags(facts: VehicleFacts, report: ReportBuilder): Promise<void> {
  for (const { table: name, flags, isGood, isFailure, hold = 0 } of FLAGS) {
    const table = facts.log.table(name);
    if (!table || table.rows === 0) continue;
    const known = table.fields.filter(
      ({ name: field, type, count }) => flags.test(field) && type === 'uint8' && count === 1,
    );
    if (known.length === 0) continue;
    const fields = known.map(({ name: field }) => field);
    const { times, columns } = await table.timedColumns(fields);
    const mask = facts.flight.mask(times);
    const heard = fields.some((field) => LINK_FLAGS.test(field)) ? await heartbeatsOf(facts) : [];
    const raised = columns.flatMap((column, i) => {
      const isBad = column.numbers().map((value) => (value > 0 !== isGood ? 1 : 0));
      const holds = findExceedances(times, isBad, mask, 0.5, hold).filter(
        ({ first, start }) =>
          first > 0 &&
          isBad[first - 1] === 0 &&
          mask[first - 1] === 1 &&
          // leaving this mode ends the sending
          (!fields[i].startsWith('offboard') || modeBefore(facts, start) === 'OFFBOARD'),
      );
      const begun = LINK_FLAGS.test(fields[i]) ? holds.map((hold) => sinceLast(heard, hold)) : holds;
      return holds.length === 0 ? [] : [{ field: fields[i], holds: begun }];
    });
    if (raised.length === 0) continue;
    raised.sort((a, b) => a.holds[0].start - b.holds[0].start);
    const words = raised.slice(0, NAMED).map(({ field }) => (isGood ? `not ${flagWords(field)}` : flagWords(field)));
    report.add({
      check: 'failsafe',
      severity: isFailure ? 'fail' : 'warn',
      title: isFailure ? 'Failure detector' : `Flags: ${words[0]}`,
      text: `${isFailure ? 'The failure detector said' : 'The autopilot raised'} ${facts.flight.words}: ${words.join(', ')}${raised.length > NAMED ? ` and ${raised.length - NAMED} more` : ''}.`,
      advice: 'Check the 10 s before it.',
      ...during(raised.flatMap(({ holds }) => holds).sort((a, b) => a.start - b.start)),
      fields: raised.slice(0, NAMED).map(({ field }) => `${name}.${field}`),
    });
  }
}

/** Flags of a link that PX4 raises when it has heard no ground station for a while, and how long that is at most. */
const LINK_FLAGS = /^(data_link|gcs_connection)_lost$/;
const LINK_TIMEOUT = 60e6;

/** When PX4 heard a ground station, by its own account. */
async function heartbeatsOf(facts: VehicleFacts): Promise<number[]> {
  const found: number[] = [];
  for (const table of filledTables(facts.log, 'telemetry_status', ['heartbeat_type_gcs'])) {
    const { times, columns } = await table.timedColumns(['heartbeat_type_gcs']);
    const isHeard = columns[0].numbers();
    for (let row = 0; row < times.length; row++) if (isHeard[row] > 0) found.push(times[row]);
  }
  return found.sort((a, b) => a - b);
}

/** A link that is said to be lost was so since its last heartbeat. */
function sinceLast(heard: readonly number[], hold: Exceedance): Exceedance {
  const last = heard[firstIndex(heard.length, (i) => heard[i] >= hold.start) - 1];
  return hold.start - last < LINK_TIMEOUT ? { ...hold, start: last } : hold;
}

function modeBefore({ modes }: VehicleFacts, time: number): string | undefined {
  return modes.findLast(({ start }) => start < time - MOMENT)?.mode;
}

/** Microseconds in which a mode changes for a flag, or a flag for a mode. */
const MOMENT = 1e6;

function flagWords(field: string): string {
  return field.replace(/^(fd|fs|cs|condition)_/, '').replaceAll('_', ' ');
}

/** Counters of PX4 that say how often the estimate jumped. */
const RESET_COUNTERS: readonly (readonly [table: string, field: string])[] = [
  ['vehicle_local_position', 'xy_reset_counter'],
  ['vehicle_local_position', 'z_reset_counter'],
  ['vehicle_attitude', 'quat_reset_counter'],
];

async function countedResets(facts: VehicleFacts): Promise<{ time: number; field: string }[]> {
  const found: { time: number; field: string }[] = [];
  for (const [name, field] of RESET_COUNTERS) {
    const [table] = filledTables(facts.log, name, [field]);
    if (!table) continue;
    const { times, columns } = await table.timedColumns([field]);
    const counts = columns[0].numbers();
    const mask = facts.flight.mask(times);
    for (let row = 1; row < counts.length && found.length < REPORT_LIMITS.ranges; row++)
      if (mask[row] === 1 && mask[row - 1] === 1 && counts[row] !== counts[row - 1])
        found.push({ time: times[row], field: `${name}.${field}` });
  }
  return found;
}

/** Resets of altitude and yaw of the estimator in flight. */
export async function checkResets(facts: VehicleFacts, report: ReportBuilder): Promise<void> {
  const { events } = facts;
  const told = events.filter(
    ({ table, codes, time }) =>
      table === 'EV' && RESETS.has(codes.Id) && facts.flight.mask(Float64Array.of(time))[0] === 1,
  );
  const resets = [...told.map(({ time }) => ({ time, field: 'EV.Id' })), ...(await countedResets(facts))].sort(
    (a, b) => a.time - b.time,
  );
  if (resets.length === 0) return;
  const rule = report.rule('ekf', 'resets');
  // a long log has many flights, with one each
  let [most, inOne] = [0, 0];
  for (const [i, { time }] of resets.entries()) {
    inOne = i > 0 && facts.flight.isOne(resets[i - 1].time, time) ? inOne + 1 : 1;
    most = Math.max(most, inOne);
  }
  const isMany = most >= rule.value;
  const eachTime = most < resets.length ? `, at most ${often(most)} from take-off to landing` : '';
  report.add({
    check: 'ekf',
    severity: isMany ? 'warn' : 'info',
    title: 'EKF resets',
    text: `EKF yaw, position or altitude reset ${often(resets.length)} ${facts.flight.words}${eachTime}${isMany ? '' : '; once after take-off is usual'}.`,
    overall: true,
    advice: isMany ? 'Check the compass and vibration.' : '',
    from: resets[0].time,
    to: resets[resets.length - 1].time,
    value: most,
    rule,
    fields: [...new Set(resets.map(({ field }) => field))],
  });
}

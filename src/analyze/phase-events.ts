import { eventOf, type LogEvent } from './event.ts';
import { methodWords } from './event-codes.ts';
import type { VehicleClass } from './mode-names.ts';
import type { Phases } from './phases.ts';
import type { Stretch } from './stretch.ts';

/** Who armed or disarmed, by a record that says it. */
export interface Arming {
  readonly time: number;
  readonly on: boolean;
  readonly method: number | null;
  readonly forced: boolean;
}

/** Microseconds between a change and the record that tells more of it. */
const SAME = 100_000;

/** Arming and disarming, take-offs and landings. Where a log begins or ends in a stretch, nothing happened. */
export function phaseEvents(
  { armed, flying, armedSource, flyingSource }: Phases,
  kind: VehicleClass | null,
  stream: string,
  armings: readonly Arming[],
): LogEvent[] {
  const events: LogEvent[] = [];
  const armSource = { table: armedSource ?? '', stream, severity: 'notice' as const };
  for (const { start, end, begunBefore, open } of armed) {
    if (!begunBefore) events.push(armEvent('arm', start, armings, armSource));
    if (!open) events.push(armEvent('disarm', end, armings, armSource));
  }
  // a submarine is under way as long as it is armed
  if (kind === 'Sub') return events;
  const words = kind === 'Rover' ? ['began to move', 'stopped'] : ['took off', 'landed'];
  const source = { table: flyingSource ?? '', stream, severity: 'notice' as const };
  for (const stretch of flying) {
    if (!stretch.begunBefore) events.push(eventOf('takeoff', stretch.start, words[0], source));
    if (!stretch.open) events.push(eventOf('landing', stretch.end, landingWords(stretch, armed, words[1]), source));
  }
  return events;
}

function armEvent(
  kind: 'arm' | 'disarm',
  time: number,
  armings: readonly Arming[],
  source: Pick<LogEvent, 'table' | 'stream' | 'severity'>,
): LogEvent {
  const told = armings.find(({ time: at, on }) => on === (kind === 'arm') && Math.abs(at - time) <= SAME);
  const method = told?.method ?? null;
  const words = [kind === 'arm' ? 'armed' : 'disarmed', method === null ? '' : methodWords(method)];
  if (told?.forced) words.push('by force');
  return eventOf(kind, time, words.filter((each) => each !== '').join(' '), {
    ...source,
    codes: method === null ? {} : { Method: method },
  });
}

/** What ended with the disarming may have been a landing, or not. */
function landingWords({ end }: Stretch, armed: readonly Stretch[], landed: string): string {
  return armed.some((each) => each.end === end) ? `${landed}, or was disarmed before` : landed;
}

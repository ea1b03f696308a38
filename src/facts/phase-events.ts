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
  const byStep = new Map(armings.map((each) => [stepOf(each.time, each.on), each]));
  const armSource = { table: armedSource ?? '', stream, severity: 'notice' as const };
  for (const { start, end, begunBefore, open } of armed) {
    if (!begunBefore) events.push(armEvent('arm', start, byStep, armSource));
    if (!open) events.push(armEvent('disarm', end, byStep, armSource));
  }
  // a submarine is under way as long as it is armed
  if (kind === 'Sub') return events;
  const words = kind === 'Rover' ? ['began to move', 'stopped'] : ['took off', 'landed'];
  const source = { table: flyingSource ?? '', stream, severity: 'notice' as const };
  const disarmings = new Set(armed.map(({ end }) => end));
  for (const stretch of flying) {
    if (!stretch.begunBefore) events.push(eventOf('takeoff', stretch.start, words[0], source));
    if (!stretch.open)
      events.push(eventOf('landing', stretch.end, landingWords(stretch, disarmings, words[1]), source));
  }
  return events;
}

function armEvent(
  kind: 'arm' | 'disarm',
  time: number,
  armings: ReadonlyMap<number, Arming>,
  source: Pick<LogEvent, 'table' | 'stream' | 'severity'>,
): LogEvent {
  const told = nearArming(armings, time, kind === 'arm');
  const method = told?.method ?? null;
  const words = [kind === 'arm' ? 'armed' : 'disarmed', method === null ? '' : methodWords(method)];
  if (told?.forced) words.push('by force');
  return eventOf(kind, time, words.filter((each) => each !== '').join(' '), {
    ...source,
    codes: method === null ? {} : { Method: method },
  });
}

/** Armings by when they were, in steps of what counts as the same time. */
function stepOf(time: number, on: boolean): number {
  return Math.round(time / SAME) * 2 + (on ? 1 : 0);
}

function nearArming(armings: ReadonlyMap<number, Arming>, time: number, on: boolean): Arming | undefined {
  for (const step of [0, -SAME, SAME]) {
    const found = armings.get(stepOf(time + step, on));
    if (found && Math.abs(found.time - time) <= SAME) return found;
  }
  return undefined;
}

/** What ended with the disarming may have been a landing, or not. */
function landingWords({ end }: Stretch, disarmings: ReadonlySet<number>, landed: string): string {
  return disarmings.has(end) ? `${landed}, or was disarmed before` : landed;
}

import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { UnknownFormatError } from '../../src/core/format.ts';
import type { Log } from '../../src/core/log.ts';
import { factsOf } from '../../src/facts/facts.ts';
import type { Flight } from '../../src/facts/flights.ts';
import { coveredTime, partsOf } from '../../src/facts/span.ts';
import { distance } from '../../src/geo/geodesy.ts';
import { openLog } from '../../src/node/open.ts';
import { skeinHere } from './cli.ts';
import { isAll } from './long.ts';
import { sharedData } from './need.ts';

/** An answer that cannot be true: of which file, against which rule, and what it is. */
export interface Violation {
  readonly file: string;
  readonly rule: string;
  readonly value: string;
}

/** Seconds of the longest log that anybody flew in one piece, and what an autopilot's battery lasts at most. */
const LONGEST = 48 * 3600;
/** Metres a second that no vehicle of ours flies, and metres that a receiver is off when it gets its first fix. */
const FASTEST = 400;
const FIX_ERROR = 100;
/** Metres above the sea between which vehicles fly. */
const LOWEST = -500;
const HIGHEST = 20_000;
/** What is asked twice of one file in turn: a difference between two runs is not one of a single file. */
const ASKED_TWICE: readonly string[] = ['info --json', 'events', 'report --json'];
/** Commands that write a file. */
export const WRITES: readonly string[] = [
  'export --to csv --zip',
  'export --to parquet --zip',
  'export --to arrow --zip',
  'export --to jsonl',
  'export --to mcap',
  'repair',
];
/** Logs up to so many bytes are written twice by one of these in turn; with SKEIN_ALL=1 each log by each. */
const WRITTEN_BYTES = 1 << 17;
/** Microseconds by which the ends of two answers may differ by rounding. */
const ROUNDING = 2;
/** Microseconds by which what is before another may end after it begins: packets overtake each other. */
const TOUCHING = 200_000;

/** Every file of the shared data and of the field, whatever it is. */
export function allFiles(): string[] {
  const roots = [sharedData(), sharedData('..', 'field')];
  return roots.flatMap((root) => filesIn(root)).sort();
}

function filesIn(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) return name === 'ref' || name === 'definitions' ? [] : filesIn(path);
    return /\.(md|tsv|json|xml|py|txt|sha256)$/.test(name) || /^(LICENSE|COPYING)/.test(name) ? [] : [path];
  });
}

export function nameOf(file: string): string {
  return relative(sharedData('..'), file);
}

/** What a command that writes a file wrote, after its exit code. */
export async function writtenBy(command: string, file: string, out: string): Promise<string> {
  const { code } = await skeinHere(...command.split(' '), file, '-o', out, '--force');
  const bytes = existsSync(out) ? readFileSync(out, 'latin1') : '';
  rmSync(out, { force: true });
  return `${code} ${bytes}`;
}

/** Looks at one file; undefined where it is of no format that is read. @param folder for what is written of it */
export async function violationsOf(file: string, folder: string): Promise<Violation[] | undefined> {
  const found: Violation[] = [];
  const judge = new Judge((rule, value) => {
    found.push({ file: nameOf(file), rule, value: String(value).slice(0, 160) });
  });
  let log: Log;
  try {
    log = await openLog(file);
  } catch (error) {
    if (error instanceof UnknownFormatError) return undefined;
    judge.say('opens', error);
    return found;
  }
  await judge.facts(log);
  await judge.track(log);
  await judge.commands(file);
  await judge.writes(file, folder);
  return found;
}

/** The same for what is concluded from a log, without what commands print. */
export async function violationsIn(name: string, log: Log): Promise<Violation[]> {
  const found: Violation[] = [];
  const judge = new Judge((rule, value) => found.push({ file: name, rule, value: String(value).slice(0, 160) }));
  await judge.facts(log);
  await judge.track(log);
  return found;
}

class Judge {
  readonly say: (rule: string, value: unknown) => void;

  constructor(say: (rule: string, value: unknown) => void) {
    this.say = say;
  }

  async facts(log: Log): Promise<void> {
    const facts = factsOf(log);
    const span = await facts.span();
    const { start, end } = span;
    if ((start === null) !== (end === null)) this.say('start and end come together', `${start} ${end}`);
    const parts = partsOf(log, span);
    const duration = coveredTime(parts) / 1e6;
    if (!(duration >= 0 && duration <= LONGEST)) this.say('duration', duration);
    for (const part of parts)
      if (!(part.end >= part.start)) this.say('a part ends after it begins', `${part.start} ${part.end}`);
    const isIn = (time: number): boolean =>
      start !== null && end !== null && time >= start - ROUNDING && time <= end + ROUNDING;
    const within = (what: string, from: number, to: number | null): void => {
      if (Number.isNaN(from)) return;
      if (!isIn(from) || (to !== null && !isIn(to)))
        this.say(
          `${what} inside of the log`,
          `${seconds(from, start)} to ${seconds(to, start)} of ${seconds(end, start)}`,
        );
      if (to !== null && !(to >= from)) this.say(`${what} ends after it begins`, `${from} ${to}`);
    };
    for (const [stream] of await facts.kinds()) {
      for (const { mode, start: from, end: to } of await facts.modes(stream)) {
        if (start === null) continue;
        within(`mode ${mode}`, from, to);
      }
      const { armed, flying } = await facts.phases(stream);
      for (const each of armed) within('armed', each.start, each.end);
      for (const each of flying) within('flying', each.start, each.end);
    }
    for (const event of await facts.events()) within(`event ${event.kind}`, event.time, event.end);
    for (const { time } of await facts.messages()) within('message', time, null);
    const flights = await facts.flights();
    for (const flight of flights) this.flight(flight, within);
    this.together(flights, duration);
    await this.order(log);
  }

  /** The flights of one vehicle follow each other, and are not longer than its log. */
  private together(flights: readonly Flight[], duration: number): void {
    const byStream = new Map<string, Flight[]>();
    for (const flight of flights) byStream.set(flight.stream, [...(byStream.get(flight.stream) ?? []), flight]);
    for (const own of byStream.values()) {
      for (const [i, { start }] of own.entries())
        if (i > 0 && start < own[i - 1].end - TOUCHING)
          this.say('flights follow each other', `${start} before ${own[i - 1].end}`);
      const sum = own.reduce((all, flight) => all + flight.duration, 0);
      if (sum > duration + 1) this.say('flights are not longer than the log', `${sum} s of ${duration}`);
    }
  }

  private flight(flight: Flight, within: (what: string, from: number, to: number | null) => void): void {
    const {
      start,
      end,
      duration,
      inAir,
      distance: metres,
      maxHeight,
      maxSpeed,
      maxHomeDistance,
      modes,
      battery,
      takeoff,
    } = flight;
    within('flight', start, end);
    if (!(inAir >= 0 && inAir <= duration + 0.01)) this.say('time in the air', `${inAir} of ${duration}`);
    if (!(duration >= 0.1 && duration <= LONGEST)) this.say('length of a flight', duration);
    if (maxSpeed !== null && !(maxSpeed >= 0 && maxSpeed <= FASTEST)) this.say('speed of a flight', maxSpeed);
    if (metres !== null && !(metres >= 0 && metres <= Math.max(maxSpeed ?? FASTEST, 5) * 2 * duration + FIX_ERROR))
      this.say('distance of a flight', `${metres} m in ${duration} s at ${maxSpeed} m/s`);
    if (maxHomeDistance !== null && !(maxHomeDistance >= 0 && maxHomeDistance <= FASTEST * duration + FIX_ERROR))
      this.say('distance from home', maxHomeDistance);
    if (maxHeight !== null && !(Math.abs(maxHeight) <= HIGHEST)) this.say('height of a flight', maxHeight);
    const sum = modes.reduce((all, { seconds }) => all + seconds, 0);
    if (sum > duration + 0.05) this.say('modes of a flight', `${sum} s of ${duration}`);
    if (takeoff !== null && !(takeoff >= start - ROUNDING && takeoff <= end + ROUNDING))
      this.say('take-off of a flight', `${takeoff} of ${start} to ${end}`);
    for (const each of modes) if (!(each.seconds >= 0)) this.say('time in a mode', `${each.mode} ${each.seconds}`);
    for (const [name, value] of Object.entries(battery ?? {}))
      if (typeof value === 'number' && !(value >= -0.5)) this.say(`battery ${name}`, value);
  }

  /** Times of a table go on in each part; what overtakes comes seconds late at most. */
  private async order(log: Log): Promise<void> {
    const places = [...(log.clock.parts ?? []).slice(1).map(({ offset }) => offset), Number.POSITIVE_INFINITY];
    for (const table of log.tables) {
      // what has no time of its own has that of records of other tables
      if (log.clock.field(table) === undefined) continue;
      const times = await table.times();
      let [last, part] = [Number.NEGATIVE_INFINITY, 0];
      for (let row = 0; row < times.length; row++) {
        if (table.offsets.at(row) >= places[part]) {
          while (table.offsets.at(row) >= places[part]) part++;
          last = Number.NEGATIVE_INFINITY;
        }
        if (times[row] < last - 31e6) {
          this.say('order of times', `${table.name}[${table.stream}] row ${row}: ${(last - times[row]) / 1e6} s back`);
          break;
        }
        if (times[row] > last) last = times[row];
      }
    }
  }

  async track(log: Log): Promise<void> {
    const { time, lat, lon, alt, speed, points, rows, dropped, source } = await factsOf(log).track();
    const left = Object.values(dropped).reduce((sum, count) => sum + count, 0);
    if (source !== '' && points + left !== rows)
      this.say('points and what was left out', `${points}+${left} of ${rows}`);
    const { start, end } = await factsOf(log).span();
    const places = [...(log.clock.parts ?? []).slice(1).map((part) => part.start)];
    for (let i = 0; i < points; i++) {
      if (time[i] < (start ?? 0) - ROUNDING || time[i] > (end ?? 0) + ROUNDING) {
        this.say('track inside of the log', seconds(time[i], start));
        break;
      }
    }
    for (let i = 1; i < points; i++) {
      const elapsed = (time[i] - time[i - 1]) / 1e6;
      const step = distance(lat[i - 1], lon[i - 1], lat[i], lon[i]);
      const isNewPart = elapsed < 0 || places.some((place) => place >= time[i - 1] && place <= time[i]);
      if (isNewPart || !(step > FASTEST * elapsed + FIX_ERROR)) continue;
      this.say('step of a track', `${step.toFixed(0)} m in ${elapsed} s`);
      break;
    }
    const worst = (column: Float64Array, isBad: (value: number) => boolean): number | undefined => column.find(isBad);
    const height = worst(alt, (value) => value < LOWEST || value > HIGHEST);
    if (height !== undefined) this.say('altitude of a track', height);
    const fast = worst(speed, (value) => value < 0 || value > FASTEST);
    if (fast !== undefined) this.say('speed of a track', fast);
  }

  /** What the command prints: twice the same, without numbers that are none. */
  async commands(file: string): Promise<void> {
    const twice = ASKED_TWICE[nameOf(file).length % ASKED_TWICE.length];
    for (const args of [['info'], ['info', '--json'], ['events'], ['report', '--all'], ['report', '--json']]) {
      const [command, ...options] = args;
      const run = await skeinHere(command, file, ...options);
      const name = args.join(' ');
      if (run.code !== 0 && run.code !== 1 && run.code !== 3)
        this.say(`${name} ends well`, `${run.code} ${run.stderr}`);
      const again = name === twice ? await skeinHere(command, file, ...options) : run;
      if (again.stdout !== run.stdout) this.say(`${name} says the same twice`, difference(run.stdout, again.stdout));
      if (options.includes('--json')) this.json(name, run.stdout);
      else this.text(name, run.stdout);
    }
  }

  /** Commands that write a file write the same twice. */
  async writes(file: string, folder: string): Promise<void> {
    if (!isAll && statSync(file).size > WRITTEN_BYTES) return;
    for (const [i, command] of WRITES.entries()) {
      if (!isAll && i !== nameOf(file).length % WRITES.length) continue;
      const once = await writtenBy(command, file, join(folder, 'out'));
      const again = await writtenBy(command, file, join(folder, 'out'));
      if (once !== again) this.say(`${command} writes the same twice`, difference(once, again));
    }
  }

  private text(name: string, text: string): void {
    for (const line of text.split('\n')) {
      // what a log itself says, and the names of its fields, are not ours
      if (/^ {2}\S+ +[\d,]+ .*,/.test(line) || /"/.test(line) || /^\S+ \S+ +\S+ +(message|parameter) /.test(line))
        continue;
      const found =
        /\b(NaN|undefined|Infinity)\b|\+-|(?<![\w.\d])-0(\.0+)?(?![\d.])(?= |$|,)|-\d[\d,]* (bytes|records|messages|times)\b/.exec(
          line,
        );
      if (found) this.say(`${name} has no "${found[0]}"`, line.trim());
      // in a report some are changes; those that are shares are looked at in its data
      if (mostPercent(line) > (name.startsWith('report') ? 1000 : 100)) this.say(`${name}: percent`, line.trim());
    }
  }

  private json(name: string, text: string): void {
    if (text === '') return;
    const data = JSON.parse(text) as Record<string, unknown>;
    walk(data, (path, value) => {
      if (
        typeof value === 'number' &&
        /\.(count|rows|bytes|size|records|received|lost|points)$/.test(path) &&
        value < 0
      )
        this.say(`${name}: counts`, `${path} ${value}`);
    });
    if (name === 'info --json') {
      const { start, end, duration } = data as { start: number | null; end: number | null; duration: number | null };
      if (start !== null && end !== null && !(end >= start)) this.say('info: end after start', `${start} ${end}`);
      if (duration !== null && !(duration >= 0 && duration <= LONGEST)) this.say('info: duration', duration);
    } else {
      const { verdict, checks } = data as { verdict: string; checks?: { made: number; possible: number } };
      if (verdict === 'ok' && !(checks && checks.made > 0))
        this.say('a verdict without checks', JSON.stringify(checks));
      const worst = (data.findings as { severity: string }[] | undefined)?.map(({ severity }) => severity) ?? [];
      for (const each of ['fail', 'warn'])
        if ((verdict === each) !== (worst.includes(each) && (each === 'fail' || !worst.includes('fail'))))
          this.say(`${name}: verdict of its findings`, `${verdict}, ${worst.join(' ')}`);
      if (checks && checks.made > checks.possible) this.say('more checks than there are', JSON.stringify(checks));
      const { findings = [], chain = [] } = data as { findings?: Timed[]; chain?: Timed[] };
      for (const { title = '', text: words = '', unit, value } of findings) {
        const most = Math.max(mostPercent(words), unit === '%' ? (value ?? 0) : 0);
        if (!CHANGES.test(title) && most > 100) this.say(`${name}: percent`, `${title} ${most}: ${words}`);
      }
      const [first, last] = [data.start as number | null, data.end as number | null];
      for (const { from, to, title } of [...findings, ...chain]) {
        if (typeof from === 'number' && typeof to === 'number' && !(to >= from - 1e-6))
          this.say('a finding ends after it begins', `${title} ${from} ${to}`);
        for (const time of [from, to])
          if (
            typeof time === 'number' &&
            (first === null || last === null || time < first - 1e-5 || time > last + 1e-5)
          )
            this.say('a finding inside of the log', `${title} ${time} of ${first} to ${last}`);
      }
      for (let i = 1; i < chain.length; i++)
        if (Number(chain[i].from) < Number(chain[i - 1].from)) this.say('a chain in the order of time', chain[i].title);
    }
  }
}

interface Timed {
  readonly from?: number | null;
  readonly to?: number | null;
  readonly title?: string;
  readonly text?: string;
  readonly unit?: string;
  readonly value?: number | null;
}

/** Findings whose percentages say how far a value is from another, and are not a share of a whole. */
const CHANGES = /^Compass\b|balance/;

function mostPercent(text: string): number {
  return Math.max(
    0,
    ...[...text.matchAll(/(\d[\d,]*(?:\.\d+)?) %/g)].map(([, found]) => Number(found.replaceAll(',', ''))),
  );
}

function seconds(time: number | null, start: number | null): string {
  return time === null ? '-' : `${((time - (start ?? 0)) / 1e6).toFixed(3)} s`;
}

function difference(a: string, b: string): string {
  let at = 0;
  while (a[at] === b[at] && at < a.length) at++;
  return `${a.slice(Math.max(0, at - 30), at + 30)} / ${b.slice(Math.max(0, at - 30), at + 30)}`;
}

function walk(value: unknown, visit: (path: string, value: unknown) => void, path = ''): void {
  visit(path, value);
  if (value === null || typeof value !== 'object') return;
  for (const [key, each] of Object.entries(value)) walk(each, visit, `${path}.${Array.isArray(value) ? '' : key}`);
}

import {
  chosen,
  type Exceedance,
  extremeRow,
  findExceedances,
  increases,
  isAnyAbove,
  lastedInAll,
  mean,
  median,
  sortRow,
  valuesAt,
  worstOf,
} from '../../series/holds.ts';
import { ATTITUDE, ESC_INFO, ESC_MOST, ESC_STATUS, ESC_TELEMETRY, MOTORS, OUTPUTS } from '../../series/quantities.ts';
import type { QuantityRows } from '../../series/quantity-rows.ts';
import { secondsOf, short } from '../finding.ts';
import type { ReportBuilder } from '../report-builder.ts';
import type { VehicleFacts } from '../vehicle-facts.ts';
import { during, graded, judgeLevel, type Level, spanOf } from './judge.ts';
import { hovering, type Motors, motorOutputs } from './motors.ts';

/** One number of an ESC over time. */
interface EscLine {
  /** From 1 on, as outputs are counted. */
  readonly number: number;
  /** The field in the log: 'ESC[0].RPM'. */
  readonly name: string;
  /** Microseconds. */
  readonly times: Float64Array;
  readonly values: Float64Array;
}

/** ESC telemetry: a line for each ESC that has it. */
interface EscLines {
  /** Revolutions a minute, whatever the direction. */
  readonly speed: readonly EscLine[];
  /** Degrees Celsius. */
  readonly temperature: readonly EscLine[];
  readonly motorTemperature: readonly EscLine[];
  /** Per cent of the telemetry frames that were bad. */
  readonly errorRate: readonly EscLine[];
  readonly errorCount: readonly EscLine[];
  readonly failures: readonly EscLine[];
  /** Bits of extended DShot telemetry, as ArduPilot logs them. */
  readonly status: readonly EscLine[];
}

type EscKey = keyof EscLines;
const KEYS = ['speed', 'temperature', 'motorTemperature', 'errorRate', 'errorCount', 'failures', 'status'] as const;

/** Reads all ESC telemetry. */
async function readEscs(facts: VehicleFacts): Promise<EscLines> {
  const found = Object.fromEntries(KEYS.map((key) => [key, []])) as unknown as Record<EscKey, EscLine[]>;
  for (const quantity of [ESC_TELEMETRY, ESC_INFO, ESC_STATUS]) {
    for (const reading of await facts.read(quantity)) {
      if (reading.values.mixed) continue;
      for (const key of KEYS) found[key].push(...linesOf(reading, key));
    }
    facts.forget(quantity);
  }
  for (const key of KEYS) found[key].sort((a, b) => a.number - b.number);
  return found;
}

/** The lines of a reading: one of a log's own table, up to four of a message. */
function linesOf({ values, names, times, instance }: QuantityRows<string>, key: EscKey): EscLine[] {
  // an instance may be anything in a file that is not well
  const first = values.index?.[0] || Number(instance) || 0;
  const own = values[key];
  if (own) {
    const told = key === 'speed' ? fresh(own, values.raw) : own;
    return [{ number: first + 1, name: names[key] as string, times, values: told }];
  }
  const lines: EscLine[] = [];
  for (let element = 0; element < ESC_MOST; element++) {
    const all = values[`${key}${element}`];
    if (!all) continue;
    const told =
      key === 'speed'
        ? heard(all.map(Math.abs), values[`count${element}`])
        : key === 'temperature'
          ? inCelsius(all)
          : all;
    const number = first + element + 1;
    lines.push({ number, name: names[`${key}${element}`] as string, times, values: told });
  }
  return lines;
}

/** A speed of 0 beside a raw one that is none is that of an ESC from which no speed came lately. In the same memory. */
function fresh(speeds: Float64Array, raw: Float64Array | undefined): Float64Array {
  // a loop: ESCs may report thousands of speeds a second
  for (let row = 0; row < speeds.length; row++) {
    const speed = speeds[row];
    if (speed < 0) speeds[row] = -speed;
    else if (speed === 0 && raw && raw[row] !== 0) speeds[row] = Number.NaN;
  }
  return speeds;
}

/** ArduPilot sends 0 rpm for an ESC without telemetry: ignored while its counter does not count, unless it never does. */
function heard(speeds: Float64Array, counts: Float64Array | undefined): Float64Array {
  if (!counts || counts.every((count) => count === counts[0])) return speeds;
  return speeds.map((speed, row) => (speed === 0 && row > 0 && counts[row] === counts[row - 1] ? Number.NaN : speed));
}

/** Kelvin at 0 °C, and what no ESC ever cools down to in degrees Celsius. */
const FREEZING = 273.15;
const HOT_ALWAYS = 200;

/** PX4 took temperatures in kelvin from CAN: none of them is below what would melt an ESC. */
function inCelsius(values: Float64Array): Float64Array {
  const isKelvin = isAnyAbove(values, 0) && values.every((value) => !(value > 0 && value < HOT_ALWAYS));
  return isKelvin ? values.map((value) => (value > 0 ? value - FREEZING : value)) : values;
}

/** Microseconds for which telemetry may be bad. */
const BAD = 1_000_000;

/** EDT2.Status of ArduPilot: whether there is a status, and its bits with what ESCs mean by them. */
const HAS_STATUS = 1;
const STATUS_BITS = [
  { bit: 4, severity: 'fail', words: 'an error, such as a stuck motor' },
  { bit: 3, severity: 'warn', words: 'a warning, such as a desync' },
] as const;

/** ESC telemetry of motors and of the ESCs. */
export async function checkEsc(facts: VehicleFacts, report: ReportBuilder): Promise<void> {
  const escs = await readEscs(facts);
  if (Object.values(escs).every((lines) => lines.length === 0)) {
    report.noData('esc', 'ESCs', 'No ESC telemetry in the log (ESC, ESC_TELEMETRY_1_TO_4 or ESC_STATUS).');
    return;
  }
  if (facts.flight.isEmpty) {
    report.noData('esc', 'ESCs', 'Never armed: ESC telemetry was not judged.');
    return;
  }
  if (escs.speed.length > 0) await checkSpeeds(facts, report, escs.speed);
  checkHeat(report, escs);
  checkErrorRate(report, escs.errorRate);
  checkErrorCount(facts, report, escs.errorCount);
  checkFailures(facts, report, escs.failures);
  checkStatus(facts, report, escs.status);
}

function checkHeat(report: ReportBuilder, { temperature, motorTemperature }: EscLines): void {
  for (const [title, what, lines, key] of [
    ['ESC: temperature', 'the temperature of ESC', temperature, 'hot'],
    ['ESC: temperature of motors', 'the temperature of motor', motorTemperature, 'motor'],
  ] as const) {
    // one that has no sensor says 0
    const measured = lines.filter(({ values }) => isAnyAbove(values, 0));
    if (measured.length === 0) continue;
    judgeLevel(report, {
      check: 'esc',
      title,
      ...linesFor(measured, what),
      unit: '°C',
      warn: report.rule('esc', `${key}Warn`),
      fail: report.rule('esc', `${key}Fail`),
      hold: report.micros('esc', 'hotHold'),
      meaning: 'An overheated ESC or motor may cut out or burn.',
      advice: 'Check cooling, the rated current, bearings, and propellers that are too large.',
    });
    report.plot({ check: 'esc', title: title.replace('ESC: t', 'T'), unit: '°C', limits: [] }, measured);
  }
}

function checkErrorRate(report: ReportBuilder, lines: readonly EscLine[]): void {
  if (lines.length === 0) return;
  judgeLevel(report, {
    check: 'esc',
    title: 'ESC: bad telemetry',
    ...linesFor(lines, 'the error rate of ESC'),
    unit: '%',
    warn: report.rule('esc', 'errorWarn'),
    hold: BAD,
    meaning: 'Without speeds the notch filters cannot follow the motors.',
    advice: 'Check the signal wires, their ground, and their distance from the motor wires.',
  });
}

/** Several ESCs as lines of one level, each with its times. */
function linesFor(lines: readonly EscLine[], what: string): Pick<Level, 'times' | 'fields' | 'lines'> {
  return {
    times: lines[0].times,
    fields: lines.map(({ name }) => name),
    lines: lines.map(({ number, times, values }) => ({ name: `${what} ${number}`, times, values })),
  };
}

function checkErrorCount(facts: VehicleFacts, report: ReportBuilder, lines: readonly EscLine[]): void {
  if (lines.length === 0) return;
  const rule = report.rule('esc', 'errorSeconds');
  const grown = lines
    .map((line) => ({ line, ...increases(line.times, line.values, facts.flight.mask(line.times)) }))
    .filter(({ seconds }) => seconds > 0);
  const most = Math.max(0, ...grown.map(({ seconds }) => seconds));
  const list = grown.map(({ line, grown, seconds }) => `ESC ${line.number} ${short(grown)} in ${seconds} s`).join(', ');
  report.add({
    check: 'esc',
    severity: most >= rule.value ? 'warn' : 'ok',
    title: 'ESC: errors',
    text:
      grown.length === 0
        ? `No ESC counted an error ${facts.flight.words}.`
        : `ESCs counted errors ${facts.flight.words} (how many, and in how many different seconds): ${list}.`,
    advice: 'Check the wires of the ESC, and what its manual says about these errors.',
    ...(grown.length === 0
      ? facts.flight.when
      : { from: Math.min(...grown.map(({ start }) => start)), to: Math.max(...grown.map(({ end }) => end)) }),
    value: most,
    rule,
    fields: lines.map(({ name }) => name),
  });
}

/** ESC_FAILURE_FLAGS in flight, of each ESC that has any. */
function checkFailures(facts: VehicleFacts, report: ReportBuilder, lines: readonly EscLine[]): void {
  const names = facts.log.table('ESC_INFO')?.field('failure_flags')?.enumeration?.names;
  for (const line of lines) {
    const holds = findExceedances(line.times, line.values, facts.flight.mask(line.times), 0, 0);
    if (holds.length === 0) continue;
    const bits = new Set<string>();
    for (const { first, last } of holds) {
      for (const value of line.values.subarray(first, last + 1)) {
        for (let bit = 0; bit < 16; bit++) {
          if (Math.floor(value / 2 ** bit) % 2 === 1) bits.add(names?.get(2 ** bit) ?? `bit ${bit}`);
        }
      }
    }
    const words = [...bits].map((name) =>
      name
        .replace(/^ESC_FAILURE_/, '')
        .replaceAll('_', ' ')
        .toLowerCase(),
    );
    report.add({
      check: 'esc',
      severity: 'fail',
      title: `ESC ${line.number}: failure`,
      instance: String(line.number),
      text: `ESC ${line.number} reported a failure ${facts.flight.words}, for ${secondsOf(lastedInAll(holds))} in all: ${words.join(', ')}.`,
      advice: 'Check the motor and the ESC, and what its manual says about it.',
      ...spanOf(holds),
      fields: [line.name],
    });
  }
}

/** What ESCs say of themselves by extended DShot telemetry. */
function checkStatus(facts: VehicleFacts, report: ReportBuilder, lines: readonly EscLine[]): void {
  for (const line of lines) {
    for (const { bit, severity, words } of STATUS_BITS) {
      const isSet = line.values.map((value) => (value >> HAS_STATUS) & (value >> bit) & 1);
      const holds = findExceedances(line.times, isSet, facts.flight.mask(line.times), 0.5, 0);
      if (holds.length === 0) continue;
      report.add({
        check: 'esc',
        severity,
        title: `ESC ${line.number}: status`,
        instance: String(line.number),
        text: `ESC ${line.number} reported ${words}, ${facts.flight.words}${holds.length > 1 ? `, ${holds.length} times` : ''}.`,
        advice: 'Check the motor, its timing and its load; a desync in flight often precedes a crash.',
        ...spanOf(holds),
        fields: [line.name],
      });
      break;
    }
  }
}

/** Microseconds for which a value of an ESC or an output is held. */
const AGE = 1_500_000;
/** ESCs of which the middle one is still well if one is not. */
const FEWEST = 3;
/** Part of their usual speed below which the others are starting or ending, too. */
const TURNING = 0.3;

/** Degrees of lean, and microseconds, by which a multicopter of few motors has fallen over when one stops. */
const LEVEL = 45;
const FALL = 2_000_000;

/** FRAME_CLASS of frames with coaxial motors: the lower ones turn faster. */
const STACKED_FRAMES: ReadonlySet<number> = new Set([4, 5, 12]);
/** Motors of a frame that has none above another. */
const FLAT = 4;

/** The speeds of all ESCs at the same times. */
interface RotorSpeeds {
  readonly times: Float64Array;
  readonly escs: readonly {
    readonly line: EscLine;
    readonly values: Float64Array;
    /** What was sent to the motor, where that is known. */
    readonly output: Float64Array | undefined;
  }[];
  /** The middle one of the speeds, NaN where too few are known. */
  readonly middle: Float64Array;
  readonly middleOutput: Float64Array;
  readonly motors: Motors | undefined;
}

/** Whether a motor stopped or fell behind although commanded to turn, and whether one turns faster than the others. */
async function checkSpeeds(facts: VehicleFacts, report: ReportBuilder, lines: readonly EscLine[]): Promise<void> {
  const title = 'ESC: speeds';
  if (facts.vehicle.kind !== 'Copter') {
    report.noData('esc', title, 'Only motors of multicopters are compared; this is not known to be one.');
    return;
  }
  const turning = lines.filter(({ times, values }) => {
    const row = extremeRow(values, facts.flight.mask(times));
    return row >= 0 && values[row] > 0;
  });
  if (turning.length < FEWEST) {
    const text = turning.length === 0 ? 'No ESC reported a speed' : `Only ${turning.length} ESCs reported a speed`;
    report.noData('esc', title, `${text} ${facts.flight.words}; ${FEWEST} are needed to compare.`);
    return;
  }
  const speeds = await aligned(facts, turning);
  await checkStops(facts, report, speeds);
  await checkBalance(facts, report, speeds);
  report.plot({ check: 'esc', title: 'Speeds of the motors', unit: 'rpm', limits: [] }, turning);
}

async function aligned(facts: VehicleFacts, lines: readonly EscLine[]): Promise<RotorSpeeds> {
  const { times } = lines.reduce((most, line) => (line.times.length > most.times.length ? line : most));
  const at = (line: Pick<EscLine, 'times' | 'values'>): Float64Array =>
    line.times === times ? line.values : valuesAt(times, line.times, line.values, AGE);
  const found = await motorOutputs(facts);
  // the last check that asks for them
  for (const quantity of [MOTORS, OUTPUTS]) facts.forget(quantity);
  const motors = typeof found === 'string' ? undefined : found;
  const channels = (motors?.motors ?? []).toSorted((a, b) => a.channel - b.channel);
  // an ESC has the number of its output; where outputs are counted from another one on, the order is the same
  const isNumbered = lines.every(({ number }) => channels.some(({ channel }) => channel === number));
  const isOrdered = channels.length === lines.length;
  const escs = lines.map((line, i) => {
    const motor = isNumbered
      ? channels.find(({ channel }) => channel === line.number)
      : isOrdered
        ? channels[i]
        : undefined;
    return { line, values: at(line), output: motor && at(motor) };
  });
  return {
    times,
    escs,
    middle: middleOf(
      times.length,
      escs.map(({ values }) => values),
    ),
    middleOutput: middleOf(
      times.length,
      escs.flatMap(({ output }) => output ?? []),
    ),
    motors,
  };
}

/** The middle one of several values of each row, the higher one of two. */
function middleOf(rows: number, lines: readonly Float64Array[]): Float64Array {
  const middle = new Float64Array(rows).fill(Number.NaN);
  const row = new Float64Array(lines.length);
  for (let i = 0; i < rows; i++) {
    const count = sortRow(lines, i, row);
    if (count >= FEWEST) middle[i] = row[count >> 1];
  }
  return middle;
}

interface Stop {
  readonly number: number;
  readonly name: string;
  readonly holds: readonly Exceedance[];
  readonly worst: Exceedance;
  readonly text: string;
}

async function checkStops(facts: VehicleFacts, report: ReportBuilder, speeds: RotorSpeeds): Promise<void> {
  const { times, escs, middle } = speeds;
  const usual = median(chosen(middle, facts.flight.mask(times)));
  const mask = facts.flight.mask(times).map((isIn, row) => (isIn && middle[row] >= TURNING * usual ? 1 : 0));
  const rule = report.rule('esc', 'stopped');
  const common = { check: 'esc', title: 'ESC: stopped motors', unit: '%', rule };
  const parts = escs.map(({ values }) => values.map((value, row) => (100 * value) / middle[row]));
  const stops = escs.flatMap((_, i) => stopOf(facts, report, speeds, i, parts[i], mask) ?? []);
  if (stops.length === 0) {
    const least = parts.reduce(
      (low, part) => chosen(part, mask).reduce((a, b) => Math.min(a, b), low),
      Number.POSITIVE_INFINITY,
    );
    if (!mask.includes(1)) {
      report.noData('esc', common.title, `Too few ESCs reported a speed at the same time ${facts.flight.words}.`);
      return;
    }
    report.add({
      ...common,
      severity: 'ok',
      text: `No motor stopped or fell far behind the others ${facts.flight.words}; the lowest speed was ${short(least)} % of the median.`,
      ...facts.flight.when,
      value: least,
      fields: escs.map(({ line }) => line.name),
    });
    return;
  }
  const all = stops.flatMap(({ holds }) => holds).sort((a, b) => a.start - b.start);
  const isFlown = escs.length <= FLAT && (await fliesOn(facts, all));
  report.add({
    ...common,
    severity: isFlown ? 'warn' : 'fail',
    text:
      `${stops.map(({ text }) => text).join(' ')} ` +
      (isFlown
        ? `The vehicle stayed level, which it cannot on ${escs.length - 1} motors: probably the telemetry failed, not the motor.`
        : 'A motor that is commanded to turn but does not has failed or lost sync.'),
    advice:
      'Check that motor, its bearings, screws and wires, its ESC and its settings, and which came first: the ' +
      'stop or a lean. After a crash, obstacles hold motors.',
    ...during(all),
    value: Math.min(...stops.map(({ worst }) => worst.peak)),
    fields: stops.map(({ name }) => name),
    instance: stops.length === 1 ? String(stops[0].number) : '',
  });
}

/** Whether the vehicle stayed level long after each stop: a motor that has really stopped lets it fall over. */
async function fliesOn(facts: VehicleFacts, holds: readonly Exceedance[]): Promise<boolean> {
  const [attitude] = await facts.read(ATTITUDE);
  const { roll, pitch } = attitude?.values ?? {};
  if (!attitude || !roll || !pitch) return false;
  return holds.every(({ start, end, lasted }) => {
    if (!(lasted >= FALL)) return false;
    let rows = 0;
    for (const [row, time] of attitude.times.entries()) {
      if (!(time >= start && time <= end)) continue;
      rows++;
      if (!(Math.hypot(roll[row], pitch[row]) <= LEVEL)) return false;
    }
    return rows > 0;
  });
}

/** When a motor stopped although commanded to turn, else when it fell far below the others at the same command. */
function stopOf(
  facts: VehicleFacts,
  report: ReportBuilder,
  speeds: RotorSpeeds,
  index: number,
  parts: Float64Array,
  mask: Uint8Array,
): Stop | undefined {
  const { times, escs, middle, middleOutput, motors } = speeds;
  const { line, output, values } = escs[index];
  const { low, high } = motors ?? { low: 0, high: 0 };
  const least = low + (report.limit('esc', 'commanded') / 100) * (high - low);
  const ways = [
    { limit: report.limit('esc', 'stopped'), told: (row: number) => output === undefined || output[row] > least },
    {
      limit: report.limit('esc', 'slow'),
      told: (row: number) => output !== undefined && output[row] > least && output[row] >= middleOutput[row],
    },
  ];
  for (const { limit, told } of ways) {
    const within = mask.map((isIn, row) => (isIn && told(row) ? 1 : 0));
    // a single record may be one of another moment than what it is compared with
    const holds = findExceedances(times, parts, within, limit, report.micros('esc', 'hold'), -1).filter(
      ({ first, last }) => last > first,
    );
    const worst = worstOf(holds, -1);
    if (!worst) continue;
    const row = parts.indexOf(worst.peak, worst.first);
    const asked = output ? ` and its output was ${short(output[row])}` : '';
    const text =
      `ESC ${line.number} reported ${short(values[row])} rpm ${facts.flight.words}; the median was ${short(middle[row])}${asked}. ` +
      `It was below ${short(limit)} % of the median for ${secondsOf(lastedInAll(holds))}.`;
    return { number: line.number, name: line.name, holds, worst, text };
  }
  return undefined;
}

async function checkBalance(facts: VehicleFacts, report: ReportBuilder, { times, escs }: RotorSpeeds): Promise<void> {
  const title = 'ESC: balance of speeds';
  const frame = facts.parameter('FRAME_CLASS');
  if (frame === undefined ? escs.length > FLAT : STACKED_FRAMES.has(frame)) {
    report.noData('esc', title, 'Coaxial motors are not compared: the lower ones turn faster.');
    return;
  }
  if (report.rules.get('motors') === null) {
    report.noData('esc', title, 'The motors check, whose rules define hover, is off.');
    return;
  }
  const hover = await hovering(facts, report, times);
  const held = hover ? findExceedances(times, Float64Array.from(hover), hover, 0.5, 0) : [];
  const seconds = lastedInAll(held) / 1e6;
  const needed = report.limit('motors', 'hoverSeconds');
  if (!hover || !(seconds >= needed)) {
    report.noData('esc', title, `No hover of ${short(needed)} s or longer to compare them.`);
    return;
  }
  const means = escs.map(({ line, values }) => ({ line, mean: mean(chosen(values, hover)) }));
  const known = means.filter(({ mean }) => !Number.isNaN(mean));
  const usual = median(Float64Array.from(known, ({ mean }) => mean));
  const away = ({ mean }: { mean: number }): number => (100 * Math.abs(mean - usual)) / usual;
  if (known.length < FEWEST || !(usual > 0)) return;
  const most = known.reduce((a, b) => (away(b) > away(a) ? b : a));
  const grade = graded(away(most), report.rule('esc', 'balanceWarn'), report.rule('esc', 'balanceFail'));
  const isFine = grade.severity === 'ok';
  report.add({
    check: 'esc',
    ...grade,
    title,
    text:
      `Average speeds in ${short(seconds)} s of hover: ` +
      `${known.map(({ line, mean }) => `${short(mean)} rpm (ESC ${line.number})`).join(', ')}.` +
      (isFine
        ? ''
        : ` The motor of ESC ${most.line.number} turns ${most.mean > usual ? 'faster' : 'slower'} than it should.`),
    advice: 'Check its propeller (a damaged or too small one turns faster), weight balance and bent arms.',
    ...spanOf(held),
    value: away(most),
    unit: '%',
    fields: known.map(({ line }) => line.name),
    instance: isFine ? '' : String(most.line.number),
  });
}

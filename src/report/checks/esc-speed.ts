import { chosen, findHolds, type Hold, lastedInAll, mean, median, valuesAt, worstOf } from '../../series/holds.ts';
import { ATTITUDE } from '../../series/quantities.ts';
import type { Examination } from '../examination.ts';
import { secondsOf, short } from '../finding.ts';
import type { EscLine } from './esc-lines.ts';
import { graded, rangesOf } from './level.ts';
import { hovering } from './motors.ts';
import { type Motors, motorOutputs } from './outputs.ts';

/** Microseconds for which what an ESC or an output told is taken to last. */
const AGE = 1_500_000;
/** ESCs of which the middle one is still well if one is not. */
const FEWEST = 3;
/** Part of their usual speed below which the others are starting or ending, too. */
const TURNING = 0.3;

/** Degrees of lean, and microseconds, by which a multicopter of few motors has fallen over when one stops. */
const LEVEL = 45;
const FALL = 2_000_000;

/** FRAME_CLASS of frames on which motors lie above each other: the lower ones turn faster. */
const STACKED_FRAMES: ReadonlySet<number> = new Set([4, 5, 12]);
/** Motors of a frame that has none above another. */
const FLAT = 4;

/** The speeds of all ESCs at the same times. */
interface Speeds {
  readonly times: Float64Array;
  readonly escs: readonly {
    readonly line: EscLine;
    readonly values: Float64Array;
    /** What was sent to the motor, where that is known. */
    readonly output: Float64Array | undefined;
  }[];
  /** The middle one of the speeds, NaN where too few are known. */
  readonly middle: Float64Array;
  /** The middle one of the outputs. */
  readonly middleOutput: Float64Array;
  readonly motors: Motors | undefined;
}

/** Whether a motor stopped or fell behind although it was told to turn, and whether one turns faster than the others. */
export async function checkSpeeds(exam: Examination, lines: readonly EscLine[]): Promise<void> {
  const title = 'ESC: speeds';
  if (exam.ground.vehicle.kind !== 'Copter') {
    exam.noData('esc', title, 'Only motors of multicopters are compared, and this is not known to be one.');
    return;
  }
  const turning = lines.filter(({ times, values }) => chosen(values, exam.flight.mask(times)).some((v) => v > 0));
  if (turning.length < FEWEST) {
    const text = turning.length === 0 ? 'No ESC reported a speed' : `Only ${turning.length} ESCs reported a speed`;
    exam.noData('esc', title, `${text} ${exam.flight.words}; ${FEWEST} are needed to compare.`);
    return;
  }
  const speeds = await aligned(exam, turning);
  await checkStops(exam, speeds);
  await checkBalance(exam, speeds);
  exam.plot({ check: 'esc', title: 'Speeds of the motors', unit: 'rpm', limits: [] }, turning);
}

async function aligned(exam: Examination, lines: readonly EscLine[]): Promise<Speeds> {
  const { times } = lines.reduce((most, line) => (line.times.length > most.times.length ? line : most));
  const at = (line: Pick<EscLine, 'times' | 'values'>): Float64Array =>
    line.times === times ? line.values : valuesAt(times, line.times, line.values, AGE);
  const found = await motorOutputs(exam);
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
    let count = 0;
    for (const line of lines) {
      const value = line[i];
      if (Number.isNaN(value)) continue;
      // few values in hundreds of thousands of rows: each is put in its place
      let place = count++;
      for (; place > 0 && row[place - 1] > value; place--) row[place] = row[place - 1];
      row[place] = value;
    }
    if (count >= FEWEST) middle[i] = row[count >> 1];
  }
  return middle;
}

interface Stop {
  readonly number: number;
  readonly name: string;
  readonly holds: readonly Hold[];
  readonly worst: Hold;
  readonly text: string;
}

async function checkStops(exam: Examination, speeds: Speeds): Promise<void> {
  const { times, escs, middle } = speeds;
  const usual = median(chosen(middle, exam.flight.mask(times)));
  const mask = exam.flight.mask(times).map((isIn, row) => (isIn && middle[row] >= TURNING * usual ? 1 : 0));
  const rule = exam.rule('esc', 'stopped');
  const common = {
    check: 'esc',
    title: 'ESC: motors that stop',
    unit: '%',
    threshold: rule.value,
    source: rule.source,
  };
  const parts = escs.map(({ values }) => values.map((value, row) => (100 * value) / middle[row]));
  const stops = escs.flatMap((_, i) => stopOf(exam, speeds, i, parts[i], mask) ?? []);
  if (stops.length === 0) {
    const least = parts.reduce(
      (low, part) => chosen(part, mask).reduce((a, b) => Math.min(a, b), low),
      Number.POSITIVE_INFINITY,
    );
    if (!mask.includes(1)) {
      exam.noData('esc', common.title, `Too few ESCs reported a speed at the same time ${exam.flight.words}.`);
      return;
    }
    exam.add({
      ...common,
      severity: 'ok',
      text: `No motor stopped or fell far behind the others ${exam.flight.words}; the lowest speed was ${short(least)} % of the median.`,
      from: exam.flight.from,
      to: exam.flight.to,
      value: least,
      fields: escs.map(({ line }) => line.name),
    });
    return;
  }
  const all = stops.flatMap(({ holds }) => holds).sort((a, b) => a.from - b.from);
  const isFlown = escs.length <= FLAT && (await fliesOn(exam, all));
  exam.add({
    ...common,
    severity: isFlown ? 'warn' : 'fail',
    text:
      `${stops.map(({ text }) => text).join(' ')} ` +
      (isFlown
        ? `The vehicle flew on level, which it cannot on ${escs.length - 1} motors: rather the telemetry failed than the motor.`
        : 'A motor that is told to turn and does not has failed or lost its step.'),
    advice:
      'Look at that motor, its bearings, screws and wires, at its ESC and its settings, and at which came first: the ' +
      'stop or a lean. After a crash motors are held by what they touch.',
    from: all[0].from,
    to: all.reduce((last, { to }) => Math.max(last, to), Number.NEGATIVE_INFINITY),
    ranges: rangesOf(all),
    value: Math.min(...stops.map(({ worst }) => worst.peak)),
    fields: stops.map(({ name }) => name),
    instance: stops.length === 1 ? String(stops[0].number) : '',
  });
}

/** Whether the vehicle stayed level long after each stop: a motor that has really stopped lets it fall over. */
async function fliesOn(exam: Examination, holds: readonly Hold[]): Promise<boolean> {
  const [attitude] = await exam.read(ATTITUDE);
  const { roll, pitch } = attitude?.values ?? {};
  if (!attitude || !roll || !pitch) return false;
  return holds.every(({ from, to, lasted }) => {
    if (!(lasted >= FALL)) return false;
    let rows = 0;
    for (const [row, time] of attitude.times.entries()) {
      if (!(time >= from && time <= to)) continue;
      rows++;
      if (!(Math.hypot(roll[row], pitch[row]) <= LEVEL)) return false;
    }
    return rows > 0;
  });
}

/** When a motor stood although it was told to turn, else when it fell far behind although it was told as much. */
function stopOf(
  exam: Examination,
  speeds: Speeds,
  index: number,
  parts: Float64Array,
  mask: Uint8Array,
): Stop | undefined {
  const { times, escs, middle, middleOutput, motors } = speeds;
  const { line, output, values } = escs[index];
  const { low, high } = motors ?? { low: 0, high: 0 };
  const least = low + (exam.limit('esc', 'commanded') / 100) * (high - low);
  const ways = [
    { limit: exam.limit('esc', 'stopped'), told: (row: number) => output === undefined || output[row] > least },
    {
      limit: exam.limit('esc', 'slow'),
      told: (row: number) => output !== undefined && output[row] > least && output[row] >= middleOutput[row],
    },
  ];
  for (const { limit, told } of ways) {
    const within = mask.map((isIn, row) => (isIn && told(row) ? 1 : 0));
    // a single record may be one of another moment than what it is compared with
    const holds = findHolds(times, parts, within, limit, exam.micros('esc', 'hold'), -1).filter(
      ({ first, last }) => last > first,
    );
    const worst = worstOf(holds, -1);
    if (!worst) continue;
    const row = parts.indexOf(worst.peak, worst.first);
    const asked = output ? ` and its output was ${short(output[row])}` : '';
    const text =
      `ESC ${line.number} reported ${short(values[row])} rpm ${exam.flight.words}; the median was ${short(middle[row])}${asked}. ` +
      `It was below ${short(limit)} % of the median for ${secondsOf(lastedInAll(holds))}.`;
    return { number: line.number, name: line.name, holds, worst, text };
  }
  return undefined;
}

async function checkBalance(exam: Examination, { times, escs }: Speeds): Promise<void> {
  const title = 'ESC: balance of speeds';
  const frame = exam.parameter('FRAME_CLASS');
  if (frame === undefined ? escs.length > FLAT : STACKED_FRAMES.has(frame)) {
    exam.noData('esc', title, 'Of motors that lie above each other the lower ones turn faster: they are not compared.');
    return;
  }
  if (exam.ground.rules.get('motors') === null) {
    exam.noData('esc', title, 'The rules of the motors, which define hover, are switched off.');
    return;
  }
  const hover = await hovering(exam, times);
  const held = hover ? findHolds(times, Float64Array.from(hover), hover, 0.5, 0) : [];
  const seconds = lastedInAll(held) / 1e6;
  const needed = exam.limit('motors', 'hoverSeconds');
  if (!hover || !(seconds >= needed)) {
    exam.noData('esc', title, `No hover of ${short(needed)} s is known, in which motors turn alike.`);
    return;
  }
  const means = escs.map(({ line, values }) => ({ line, mean: mean(chosen(values, hover)) }));
  const known = means.filter(({ mean }) => !Number.isNaN(mean));
  const usual = median(Float64Array.from(known, ({ mean }) => mean));
  const away = ({ mean }: { mean: number }): number => (100 * Math.abs(mean - usual)) / usual;
  if (known.length < FEWEST || !(usual > 0)) return;
  const most = known.reduce((a, b) => (away(b) > away(a) ? b : a));
  const grade = graded(away(most), exam.rule('esc', 'balanceWarn'), exam.rule('esc', 'balanceFail'));
  const isFine = grade.severity === 'ok';
  exam.add({
    check: 'esc',
    ...grade,
    title,
    text:
      `In ${short(seconds)} s of hover the motors turned on average at ` +
      `${known.map(({ line, mean }) => `${short(mean)} rpm (ESC ${line.number})`).join(', ')}.` +
      (isFine
        ? ''
        : ` That of ESC ${most.line.number} turns ${most.mean > usual ? 'faster' : 'more slowly'} than it should.`),
    advice: isFine
      ? ''
      : 'Look at its propeller (one that is damaged or too small turns faster), at the balance of weight and at bent arms.',
    from: held[0].from,
    to: held[held.length - 1].to,
    value: away(most),
    unit: '%',
    fields: known.map(({ line }) => line.name),
    instance: isFine ? '' : String(most.line.number),
  });
}

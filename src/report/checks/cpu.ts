import { chosen, extremeRow } from '../../series/holds.ts';
import { CPU, type CpuKey } from '../../series/quantities.ts';
import type { QuantityRows } from '../../series/quantity-rows.ts';
import { short } from '../finding.ts';
import type { ReportBuilder } from '../report-builder.ts';
import type { VehicleFacts } from '../vehicle-facts.ts';
import { graded, judgeLevel, limitsOf, type Softened } from './judge.ts';

const ADVICE = 'Log less, disable unused features, and check for slow devices on the buses.';

/** Load of the processor, and loops of the autopilot that took too long. */
export async function checkCpu(facts: VehicleFacts, report: ReportBuilder): Promise<void> {
  const readings = await facts.read(CPU);
  facts.forget(CPU);
  if (readings.length === 0) {
    report.noData('cpu', 'Processor', 'No processor load in the log (PM, SYS_STATUS or cpuload).');
    return;
  }
  for (const reading of readings) {
    const { times, values, names } = reading;
    if (values.load?.some((load) => load > 0)) {
      judgeLevel(report, {
        check: 'cpu',
        title: 'Processor load',
        times,
        lines: [{ name: names.load as string, values: values.load }],
        unit: '%',
        warn: report.rule('cpu', 'load'),
        hold: 0,
        overall: true,
        soften: (_, { first }) =>
          facts.isSimulated
            ? { severity: 'info', because: 'This is a simulator: its computer was busy.' }
            : reading.table === 'cpuload'
              ? fromStart(values.load, first, report.limit('cpu', 'load'))
              : undefined,
        meaning: 'A processor without time left controls late.',
        advice: ADVICE,
      });
    }
    if (values.memory?.some((used) => used > 0)) {
      judgeLevel(report, {
        check: 'cpu',
        title: 'Memory',
        times,
        lines: [{ name: names.memory as string, values: values.memory }],
        unit: '%',
        warn: report.rule('cpu', 'memory'),
        hold: 0,
        overall: true,
        meaning: 'An autopilot without free memory cannot start what it needs.',
        advice: ADVICE,
        soften: (_, { first }) => fromStart(values.memory, first, report.limit('cpu', 'memory')),
      });
    }
    checkLoops(facts, report, reading);
    checkErrors(report, reading);
  }
}

/** What was so before the flight is how the vehicle is set up. */
function fromStart(values: Float64Array | undefined, first: number, limit: number): Softened | undefined {
  const isOld = first === 0 || (values?.[first - 1] ?? 0) > limit;
  return isOld ? { severity: 'info', because: 'It was like this from the start.' } : undefined;
}

/** A record counts the loops since the one before, and how many of them took too long. */
function checkLoops(facts: VehicleFacts, report: ReportBuilder, { times, values, names }: QuantityRows<CpuKey>): void {
  const { slow, loops } = values;
  if (!slow || !loops) return;
  // the first record is about the start of the autopilot
  const mask = facts.flight.mask(times).map((isIn, row) => (row > 0 ? isIn : 0));
  const parts = slow.map((count, row) => (loops[row] > 0 ? (100 * count) / loops[row] : Number.NaN));
  const row = extremeRow(parts, mask);
  if (row < 0) {
    report.noData('cpu', 'Slow loops', `No loop statistics ${facts.flight.words}.`);
    return;
  }
  const [warn, fail] = [report.rule('cpu', 'slowWarn'), report.rule('cpu', 'slowFail')];
  const grade = graded(parts[row], warn, fail);
  const beyond = [...parts.keys()].filter((at) => mask[at] === 1 && parts[at] > grade.rule.value);
  const isSeldom = (100 * beyond.length) / chosen(parts, mask).length < report.limit('cpu', 'slowShare');
  // that of a simulator depends on what else its computer does
  const severity = grade.severity !== 'ok' && (facts.isSimulated || isSeldom) ? 'info' : grade.severity;
  const longest = values.longest ? `, the longest ${short(values.longest[row] / 1000)} ms` : '';
  report.add({
    check: 'cpu',
    ...grade,
    severity,
    title: 'Slow loops',
    text:
      `Up to ${short(parts[row])} % of the control loops were late${longest}` +
      (severity === 'ok'
        ? '.'
        : `; ${beyond.length} ${beyond.length === 1 ? 'record is' : 'records are'} above ${short(grade.rule.value)} %.`) +
      (severity === 'info' && facts.isSimulated ? ' This is a simulator: its computer was slow, not the vehicle.' : ''),
    advice: severity === 'fail' || severity === 'warn' ? ADVICE : '',
    ...(severity === 'ok' ? facts.flight.when : { from: times[beyond[0]], to: times[beyond[beyond.length - 1]] }),
    overall: true,
    value: parts[row],
    unit: '%',
    fields: [names.slow, names.loops],
  });
  report.plot({ check: 'cpu', title: 'Slow loops', unit: '%', limits: limitsOf(warn, fail) }, [
    { name: `${names.slow} of ${names.loops}`, times, values: parts },
  ]);
}

/** Errors that the firmware found in itself: bits, of which the meaning depends on its version. */
function checkErrors(report: ReportBuilder, { times, values, names }: QuantityRows<CpuKey>): void {
  const row = values.errors?.findIndex((bits) => bits > 0) ?? -1;
  if (!values.errors || row < 0) return;
  report.add({
    check: 'cpu',
    severity: 'warn',
    title: 'Internal errors',
    text: `The firmware reported internal errors: 0x${values.errors[row].toString(16)}.`,
    advice: "Look the bits up in the firmware's list of internal errors, and report them.",
    from: times[row],
    to: times[row],
    fields: [names.errors],
  });
}

import { chosen, extremeRow } from '../../series/holds.ts';
import { CPU, type CpuKey } from '../../series/quantities.ts';
import type { Reading } from '../../series/quantity-rows.ts';
import type { Examination } from '../examination.ts';
import { short } from '../finding.ts';
import { graded, judgeLevel, limitsOf } from './judge.ts';

const ADVICE = 'Log less, switch off what is not needed, and look for slow devices on the buses.';

/** Load of the processor, and loops of the autopilot that took too long. */
export async function checkCpu(exam: Examination): Promise<void> {
  const readings = await exam.read(CPU);
  exam.forget(CPU);
  if (readings.length === 0) {
    exam.noData('cpu', 'Processor', 'No processor load in the log (PM or SYS_STATUS).');
    return;
  }
  for (const reading of readings) {
    const { times, values, names } = reading;
    if (values.load?.some((load) => load > 0)) {
      judgeLevel(exam, {
        check: 'cpu',
        title: 'Processor load',
        times,
        lines: [{ name: names.load as string, values: values.load }],
        mask: exam.flight.mask(times),
        scope: exam.flight,
        unit: '%',
        warn: exam.rule('cpu', 'load'),
        hold: 0,
        overall: true,
        soften: () =>
          exam.isSimulated ? { severity: 'info', because: 'This is a simulator: its computer was busy.' } : undefined,
        meaning: 'A processor that has no time left is late with its control.',
        advice: ADVICE,
      });
    }
    checkLoops(exam, reading);
    checkErrors(exam, reading);
  }
}

/** A record tells how many loops there were since the one before, and how many of them took too long. */
function checkLoops(exam: Examination, { times, values, names }: Reading<CpuKey>): void {
  const { slow, loops } = values;
  if (!slow || !loops) return;
  // the first record is about the start of the autopilot
  const mask = exam.flight.mask(times).map((isIn, row) => (row > 0 ? isIn : 0));
  const parts = slow.map((count, row) => (loops[row] > 0 ? (100 * count) / loops[row] : Number.NaN));
  const row = extremeRow(parts, mask);
  if (row < 0) {
    exam.noData('cpu', 'Slow loops', `No record about the loops of the autopilot ${exam.flight.words}.`);
    return;
  }
  const [warn, fail] = [exam.rule('cpu', 'slowWarn'), exam.rule('cpu', 'slowFail')];
  const grade = graded(parts[row], warn, fail);
  const beyond = [...parts.keys()].filter((at) => mask[at] === 1 && parts[at] > grade.threshold);
  const isSeldom = (100 * beyond.length) / chosen(parts, mask).length < exam.limit('cpu', 'slowShare');
  // that of a simulator depends on what else its computer does
  const severity = grade.severity !== 'ok' && (exam.isSimulated || isSeldom) ? 'info' : grade.severity;
  const longest = values.longest ? `, the longest ${short(values.longest[row] / 1000)} ms` : '';
  exam.add({
    check: 'cpu',
    ...grade,
    severity,
    title: 'Slow loops',
    text:
      `Up to ${short(parts[row])} % of the loops of the autopilot took too long${longest}` +
      (severity === 'ok'
        ? '.'
        : `; ${beyond.length} ${beyond.length === 1 ? 'record is' : 'records are'} beyond ${short(grade.threshold)} %.`) +
      (severity === 'info' && exam.isSimulated ? ' This is a simulator: its computer was slow, not the vehicle.' : ''),
    advice: severity === 'fail' || severity === 'warn' ? ADVICE : '',
    from: severity === 'ok' ? exam.flight.from : times[beyond[0]],
    to: severity === 'ok' ? exam.flight.to : times[beyond[beyond.length - 1]],
    overall: true,
    value: parts[row],
    unit: '%',
    fields: [names.slow as string, names.loops as string],
  });
  exam.plot({ check: 'cpu', title: 'Slow loops', unit: '%', limits: limitsOf(warn, fail) }, [
    { name: `${names.slow} of ${names.loops}`, times, values: parts },
  ]);
}

/** Errors that the firmware found in itself: bits, of which the meaning depends on its version. */
function checkErrors(exam: Examination, { times, values, names }: Reading<CpuKey>): void {
  const row = values.errors?.findIndex((bits) => bits > 0) ?? -1;
  if (!values.errors || row < 0) return;
  exam.add({
    check: 'cpu',
    severity: 'warn',
    title: 'Internal errors',
    text: `The firmware found errors in itself: 0x${values.errors[row].toString(16)}.`,
    advice: "Look the bits up in the list of internal errors of the firmware's version, and report them.",
    from: times[row],
    to: times[row],
    fields: [names.errors as string],
  });
}

import { chosen, extremeRow, findHolds, quantile } from '../../series/holds.ts';
import { POWER, type PowerKey } from '../../series/quantities.ts';
import type { Reading } from '../../series/quantity-rows.ts';
import type { Examination } from '../examination.ts';
import { short } from '../finding.ts';
import { graded, judgeLevel } from './judge.ts';

/** Volts below which a board cannot run: it is not measured, as on boards with Linux. */
const NOT_MEASURED = 2;
/** MAV_POWER_STATUS: too much current was drawn. */
const OVERCURRENT = 8 | 16;

const ADVICE = 'Look at the power module and its plugs, and at what else draws from the same 5 V.';

/** The voltage of the board, and how steady it is. */
export async function checkPower(exam: Examination): Promise<void> {
  const readings = await exam.read(POWER);
  const measured = readings.flatMap((reading) => {
    const board = reading.values.board?.map((volts) => (volts > NOT_MEASURED ? volts : Number.NaN));
    return board?.some((volts) => volts > 0) ? [{ ...reading, board }] : [];
  });
  for (const reading of readings) checkFlags(exam, reading);
  if (measured.length === 0) {
    exam.noData('power', 'Board voltage', 'The log has no voltage of the board (POWR.Vcc, CURR.Vcc or POWER_STATUS).');
    return;
  }
  for (const { times, board, names } of measured) {
    const mask = exam.flight.mask(times);
    const name = names.board as string;
    judgeLevel(exam, {
      check: 'power',
      title: 'Board voltage',
      times,
      lines: [{ name, values: board }],
      mask,
      scope: exam.flight,
      unit: 'V',
      sign: -1,
      warn: exam.rule('power', 'lowWarn'),
      fail: exam.rule('power', 'lowFail'),
      hold: 0,
      meaning: 'The autopilot is close to losing power.',
      advice: ADVICE,
    });
    checkSwing(exam, name, times, board, mask);
  }
  exam.plot(
    {
      check: 'power',
      title: 'Board voltage',
      unit: 'V',
      limits: [{ value: exam.limit('power', 'lowWarn'), severity: 'warn' }],
    },
    measured.map(({ times, board, names }) => ({ name: names.board as string, times, values: board })),
  );
}

function checkSwing(exam: Examination, name: string, times: Float64Array, board: Float64Array, mask: Uint8Array): void {
  const low = extremeRow(board, mask, -1);
  if (low < 0) return;
  // single samples are often noise
  const known = chosen(board, mask);
  const [least, most] = [quantile(known, 0.005), quantile(known, 0.995)];
  const swing = most - least;
  const grade = graded(swing, exam.rule('power', 'swingWarn'), exam.rule('power', 'swingFail'));
  exam.add({
    check: 'power',
    ...grade,
    title: 'Board voltage: swing',
    text: `The board voltage ranged from ${short(least)} to ${short(most)} V ${exam.flight.words}.`,
    advice: grade.severity === 'ok' ? '' : ADVICE,
    from: times[low],
    to: times[low],
    overall: true,
    value: swing,
    unit: 'V',
    fields: [name],
  });
}

function checkFlags(exam: Examination, { times, values, names }: Reading<PowerKey>): void {
  const over = values.flags?.map((flags) => ((flags & OVERCURRENT) !== 0 ? 1 : 0));
  const holds = over ? findHolds(times, over, exam.flight.mask(times), 0.5, 0) : [];
  if (holds.length === 0) return;
  exam.add({
    check: 'power',
    severity: 'fail',
    title: 'Overcurrent',
    text: `The board reports that too much current was drawn from its outputs ${exam.flight.words}.`,
    advice: 'Take away what draws most from the ports of the autopilot, and look for short circuits.',
    from: holds[0].from,
    to: holds[holds.length - 1].to,
    fields: [names.flags as string],
  });
}

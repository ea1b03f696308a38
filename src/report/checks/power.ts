import { chosen, extremeRow, findExceedances, quantile } from '../../series/holds.ts';
import { POWER, type PowerKey } from '../../series/quantities.ts';
import type { QuantityRows } from '../../series/quantity-rows.ts';
import { short } from '../finding.ts';
import type { ReportBuilder } from '../report-builder.ts';
import type { VehicleFacts } from '../vehicle-facts.ts';
import { graded, judgeLevel, type LevelLine, spanOf } from './judge.ts';

/** Volts below which a board cannot run: it is not measured, as on boards with Linux. */
const NOT_MEASURED = 2;
/** MAV_POWER_STATUS: too much current was drawn. */
const OVERCURRENT = 8 | 16;

const ADVICE = 'Check the power module and its connectors, and other loads on the same 5 V.';

/** The voltage of the board, and how steady it is. */
export async function checkPower(facts: VehicleFacts, report: ReportBuilder): Promise<void> {
  const readings = await facts.read(POWER);
  const measured = readings.flatMap((reading) => {
    const board = reading.values.board?.map((volts) => (volts > NOT_MEASURED ? volts : Number.NaN));
    return board?.some((volts) => volts > 0) ? [{ ...reading, board }] : [];
  });
  for (const reading of readings) checkFlags(report, reading);
  if (measured.length === 0) {
    const text = 'No board voltage in the log (POWR.Vcc, CURR.Vcc, POWER_STATUS or system_power).';
    report.noData('power', 'Board voltage', text);
    return;
  }
  for (const { times, board, names } of measured) {
    const name = names.board as string;
    judgeLevel(report, {
      check: 'power',
      title: 'Board voltage',
      times,
      lines: [{ name, values: board }],
      unit: 'V',
      sign: -1,
      warn: report.rule('power', 'lowWarn'),
      fail: report.rule('power', 'lowFail'),
      hold: 0,
      meaning: 'The autopilot is close to losing power.',
      advice: ADVICE,
    });
    checkSwing(report, { name, times, values: board });
  }
  report.plot(
    {
      check: 'power',
      title: 'Board voltage',
      unit: 'V',
      limits: [{ value: report.limit('power', 'lowWarn'), severity: 'warn' }],
    },
    measured.map(({ times, board, names }) => ({ name: names.board as string, times, values: board })),
  );
}

function checkSwing(report: ReportBuilder, { name, times, values }: Required<LevelLine>): void {
  const { flight } = report.facts;
  const mask = flight.mask(times);
  const low = extremeRow(values, mask, -1);
  if (low < 0) return;
  // single samples are often noise
  const known = chosen(values, mask);
  const [least, most] = [quantile(known, 0.005), quantile(known, 0.995)];
  const swing = most - least;
  const grade = graded(swing, report.rule('power', 'swingWarn'), report.rule('power', 'swingFail'));
  report.add({
    check: 'power',
    ...grade,
    title: 'Board voltage: swing',
    text: `The board voltage ranged from ${short(least)} to ${short(most)} V ${flight.words}.`,
    advice: ADVICE,
    from: times[low],
    to: times[low],
    overall: true,
    value: swing,
    unit: 'V',
    fields: [name],
  });
}

function checkFlags(report: ReportBuilder, { times, values, names }: QuantityRows<PowerKey>): void {
  const { flight } = report.facts;
  const { overcurrent, highOvercurrent } = values;
  const over =
    values.flags?.map((flags) => ((flags & OVERCURRENT) !== 0 ? 1 : 0)) ??
    overcurrent?.map((flag, row) => (flag > 0 || (highOvercurrent?.[row] ?? 0) > 0 ? 1 : 0));
  const holds = over ? findExceedances(times, over, flight.mask(times), 0.5, 0) : [];
  if (holds.length === 0) return;
  report.add({
    check: 'power',
    severity: 'fail',
    title: 'Overcurrent',
    text: `The board reported overcurrent on its outputs ${flight.words}.`,
    advice: 'Disconnect the largest loads from the autopilot, and check for short circuits.',
    ...spanOf(holds),
    fields: [names.flags, names.overcurrent, names.highOvercurrent],
  });
}

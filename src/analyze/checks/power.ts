import type { Examination } from '../examination.ts';
import { secondsOf, short } from '../finding.ts';
import { extremeRow, findHolds } from '../holds.ts';
import type { Quantity, Reading } from '../series.ts';
import { heightAt } from './height.ts';
import { judgeLevel } from './level.ts';

type PowerKey = 'board' | 'flags';

const POWER: Quantity<PowerKey> = [
  [{ table: 'POWR', fields: { board: { name: 'Vcc', whole: 0.001 }, flags: 'Flags' } }],
  [{ table: 'CURR', fields: { board: { name: 'Vcc', whole: 0.001 } } }],
  [{ table: 'PWR', fields: { board: 'Periph5V' } }],
  [{ table: 'POWER_STATUS', fields: { board: 'Vcc', flags: 'flags' } }],
];

/** Volts below which a board cannot run: it is not measured, as on boards with Linux. */
const NOT_MEASURED = 2;
/** MAV_POWER_STATUS: too much current was drawn. */
const OVERCURRENT = 8 | 16;

const ADVICE = 'Look at the power module and its plugs, and at what else draws from the same 5 V.';

/** The voltage of the board, and whether the log ends because there was none any more. */
export async function checkPower(exam: Examination): Promise<void> {
  await checkEnd(exam);
  const readings = await exam.read(POWER);
  const measured = readings.flatMap((reading) => {
    const board = reading.values.board?.map((volts) => (volts > NOT_MEASURED ? volts : Number.NaN));
    return board?.some((volts) => volts > 0) ? [{ ...reading, board }] : [];
  });
  exam.forget(POWER);
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
  const [low, high] = [extremeRow(board, mask, -1), extremeRow(board, mask)];
  if (low < 0) return;
  const swing = board[high] - board[low];
  const [warn, fail] = [exam.rule('power', 'swingWarn'), exam.rule('power', 'swingFail')];
  const severity = swing > fail.value ? 'fail' : swing > warn.value ? 'warn' : 'ok';
  const rule = severity === 'fail' ? fail : warn;
  exam.add({
    check: 'power',
    severity,
    title: 'Board voltage: swing',
    text: `The board voltage ranged from ${short(board[low])} to ${short(board[high])} V ${exam.flight.words}.`,
    advice: severity === 'ok' ? '' : ADVICE,
    from: Math.min(times[low], times[high]),
    to: Math.max(times[low], times[high]),
    value: swing,
    unit: 'V',
    threshold: rule.value,
    source: rule.source,
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

/** A log that ends in the air ends because the autopilot lost power, or hit the ground. */
async function checkEnd(exam: Examination): Promise<void> {
  const { log, phases, span, vehicle } = exam.ground;
  const last = phases.flying[phases.flying.length - 1];
  const check = 'power';
  const title = 'End of the log';
  if (phases.armedSource === null && phases.flyingSource === null) {
    exam.noData(check, title, 'The log does not tell whether the vehicle was armed or flying when it ended.');
    return;
  }
  const rule = exam.rule('power', 'endHeight');
  if (!last?.open) {
    exam.add({ check, severity: 'ok', title, text: 'The log does not end in flight.', from: span.end, to: span.end });
    return;
  }
  const isLogged = log.format.startsWith('dataflash');
  const height = await heightAt(exam, last.end);
  const common = {
    check,
    title,
    from: last.end,
    to: last.end,
    value: height?.value ?? null,
    unit: 'm',
    threshold: rule.value,
    source: rule.source,
    fields: height ? [height.name] : [],
  };
  const lasted = `after ${secondsOf(last.end - last.start)} in the air`;
  const up = height ? `${short(height.value)} m above where it took off, ${lasted}` : lasted;
  if (!isLogged) {
    exam.add({ ...common, severity: 'info', text: `The recording ends while the vehicle is in flight, ${up}.` });
  } else if (vehicle.kind === 'Rover' || vehicle.kind === 'Sub') {
    exam.add({ ...common, severity: 'info', text: 'The log ends while the vehicle is armed and under way.' });
  } else if (height && height.value <= rule.value) {
    exam.add({
      ...common,
      severity: 'info',
      text: `The log ends while the vehicle is armed and flying, but only ${short(height.value)} m up: it may have landed and lost power, or hit the ground.`,
    });
  } else {
    exam.add({
      ...common,
      severity: 'fail',
      text: `The log ends in the air, armed, ${up}: the autopilot lost power (brown-out), or the file was cut.`,
      advice: `${ADVICE} Look at the battery and board voltages just before the end.`,
    });
  }
}

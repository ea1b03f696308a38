import type { Examination } from '../examination.ts';
import { secondsOf, short } from '../finding.ts';
import { heightAt } from './height.ts';

/** A log that ends in the air ends because the autopilot lost power, or hit the ground. */
export async function checkEnding(exam: Examination): Promise<void> {
  const { log, phases, span, vehicle } = exam.ground;
  const last = phases.flying[phases.flying.length - 1];
  const check = 'ending';
  const title = 'End of the log';
  if (phases.armedSource === null && phases.flyingSource === null) {
    exam.noData(check, title, 'The log does not tell whether the vehicle was armed or flying when it ended.');
    return;
  }
  const rule = exam.rule('ending', 'height');
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
      advice: 'Look at the battery and board voltages just before the end, at the power module, its plugs and wires.',
    });
  }
}

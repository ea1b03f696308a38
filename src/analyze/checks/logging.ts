import { type Examination, isWithin } from '../examination.ts';
import { secondsOf, short } from '../finding.ts';
import type { Quantity } from '../series.ts';
import { increases } from './vibration.ts';

/** Blocks that did not fit into the memory for writing. */
const WRITER: Quantity<'dropped'> = [
  [{ table: 'DSF', fields: { dropped: 'Dp' } }],
  [{ table: 'DMS', fields: { dropped: 'Dp' } }],
];

/** Codes of faults that say no more than that the file was not closed. */
const CUT: ReadonlySet<string> = new Set(['truncated', 'padding', 'text']);

/** Bytes that are not worth a warning. */
const FEW = 100;

const SLOW_CARD = 'Use a faster card, or log less.';

/** Whether all was logged or received: what was dropped, lost, damaged, or not there for a while. */
export async function checkLogging(exam: Examination): Promise<void> {
  checkDamage(exam);
  checkLoss(exam);
  checkGaps(exam);
  await checkDropped(exam);
}

function checkDamage(exam: Examination): void {
  const { faults } = exam.ground.log;
  if (!faults.lost) {
    exam.add({ check: 'logging', severity: 'ok', title: 'Damage', text: 'No byte of the log is damaged.', value: 0 });
    return;
  }
  const isCut = [...faults.byCode.keys()].every((code) => CUT.has(code));
  exam.add({
    check: 'logging',
    severity: isCut || faults.lostBytes < FEW ? 'info' : 'warn',
    title: 'Damage',
    text: isCut
      ? `The log is cut inside its last record: ${faults.lostBytes} bytes. Logs that are not closed end so.`
      : `${faults.lostBytes} bytes of the log are damaged and could not be read, in ${faults.count === 1 ? 'one place' : `${faults.count} places`}.`,
    advice: isCut ? '' : `See them with skein info --faults. ${SLOW_CARD}`,
    value: faults.lostBytes,
    unit: 'bytes',
  });
}

/** Messages are numbered by their sender, so that what is missing can be counted. */
function checkLoss(exam: Examination): void {
  const { log, stream } = exam.ground;
  const all = log.streams.filter((each) => each.stream === stream);
  const [lost, received] = [
    all.reduce((sum, each) => sum + each.lost, 0),
    all.reduce((sum, each) => sum + each.received - each.duplicated, 0),
  ];
  if (lost + received === 0) return;
  const part = (100 * lost) / (lost + received);
  const rule = exam.rule('logging', 'loss');
  const severity = part > rule.value ? 'warn' : 'ok';
  exam.add({
    check: 'logging',
    severity,
    title: 'Loss of messages',
    text: `${lost} of ${lost + received} messages of the autopilot were lost on the way: ${short(part)} %.`,
    advice: severity === 'ok' ? '' : 'Look at the radio, its antennas and its rate; ask for fewer messages.',
    value: part,
    unit: '%',
    threshold: rule.value,
    source: rule.source,
  });
}

/** Times in which nothing came while the vehicle was armed. */
function checkGaps(exam: Examination): void {
  const { log, events, phases } = exam.ground;
  const isLogged = log.format.startsWith('dataflash');
  const rule = exam.rule('logging', isLogged ? 'gap' : 'silence');
  const gaps = events.flatMap(({ kind, time, end }) => {
    if (kind !== 'gap' || end === null || end - time < rule.value * 1e6) return [];
    return isWithin(phases.armed, time) ? [{ time, end }] : [];
  });
  const title = isLogged ? 'Gaps' : 'Silence';
  if (gaps.length === 0) {
    exam.add({
      check: 'logging',
      severity: 'ok',
      title,
      text: `Nothing is missing for ${secondsOf(rule.value * 1e6)} or longer while the vehicle was armed.`,
      threshold: rule.value,
      unit: 's',
      source: rule.source,
    });
    return;
  }
  const longest = Math.max(...gaps.map(({ time, end }) => end - time));
  exam.add({
    check: 'logging',
    severity: 'warn',
    title,
    text: `${gaps.length === 1 ? 'Once' : `${gaps.length} times`} nothing was ${isLogged ? 'logged' : 'received'} while the vehicle was armed, for up to ${secondsOf(longest)}.`,
    advice: isLogged ? SLOW_CARD : 'Look at the radio link: range, antennas, and what stood in between.',
    from: gaps[0].time,
    to: gaps[gaps.length - 1].end,
    value: longest / 1e6,
    unit: 's',
    threshold: rule.value,
    source: rule.source,
  });
}

async function checkDropped(exam: Examination): Promise<void> {
  for (const { times, values, names } of await exam.read(WRITER)) {
    if (!values.dropped) continue;
    const { clips: dropped, from, to } = increases(times, values.dropped, new Uint8Array(times.length).fill(1));
    exam.add({
      check: 'logging',
      severity: dropped > 0 ? 'warn' : 'ok',
      title: 'Dropped records',
      text:
        dropped > 0
          ? `The autopilot could not write ${short(dropped)} records in time and dropped them.`
          : 'The autopilot dropped no records.',
      advice: dropped > 0 ? SLOW_CARD : '',
      from,
      to,
      value: dropped,
      fields: [names.dropped as string],
    });
  }
}

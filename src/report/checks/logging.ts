import { isCovered } from '../../facts/phase.ts';
import { increases } from '../../series/holds.ts';
import { LOG_WRITER } from '../../series/quantities.ts';
import { secondsOf, short } from '../finding.ts';
import { ALL_LOST, type ReportBuilder } from '../report-builder.ts';
import type { VehicleFacts } from '../vehicle-facts.ts';

/** Codes of faults that say no more than that the file was not closed. */
const CUT: ReadonlySet<string> = new Set(['truncated', 'padding', 'text']);

const SLOW_CARD = 'Use a faster card, or log less.';
const WEAK_LINK = 'Check the radio link: range, antennas, and obstacles.';

/** Whether all was logged or received: what was dropped, lost, damaged, or not there for a while. */
export async function checkLogging(facts: VehicleFacts, report: ReportBuilder): Promise<void> {
  checkDamage(facts, report);
  checkLoss(facts, report);
  checkGaps(facts, report);
  await checkDropped(facts, report);
}

function checkDamage(facts: VehicleFacts, report: ReportBuilder): void {
  const { faults, source, isOnboard, records } = facts.log;
  if (!faults.lost) {
    report.add({ check: 'logging', severity: 'ok', title: 'Damage', text: 'No damaged bytes.', value: 0 });
    return;
  }
  const isCut = [...faults.byCode.keys()].every((code) => CUT.has(code));
  const [warn, fail] = [report.rule('logging', 'damageWarn'), report.rule('logging', 'damageFail')];
  // a part that was never written is not a loss of the rest; one before the first record is not counted as lost
  const blank = faults.byCode.get('blank')?.bytes ?? 0;
  const leading = faults.kept.find(({ code, lost: isLost }) => code === 'blank' && !isLost)?.length ?? 0;
  const [lost, size] =
    records === 0 ? [faults.lostBytes, source.size] : [faults.lostBytes - blank + leading, source.size - blank];
  const share = (100 * lost) / Math.max(1, size);
  if (share > fail.value) {
    report.add({
      check: 'logging',
      severity: 'fail',
      title: ALL_LOST,
      text: `${lost} of ${size} bytes (${short(share)} %) could not be read: little can be said of this log.`,
      advice: 'See what is damaged with skein info --faults; copy the file again from where it was recorded.',
      overall: true,
      value: share,
      unit: '%',
      rule: fail,
    });
    return;
  }
  report.add({
    check: 'logging',
    severity: isCut || !(share > warn.value) ? 'info' : 'warn',
    title: 'Damage',
    text: isCut
      ? `The log is truncated in its last record (${faults.lostBytes} bytes), as logs that were not closed are.`
      : `${lost} bytes of the log are damaged and could not be read${blank > 0 ? `; ${blank} more are blank` : ''}.`,
    advice: isCut ? '' : `See them with skein info --faults. ${isOnboard ? SLOW_CARD : WEAK_LINK}`,
    overall: true,
    value: faults.lostBytes,
    unit: 'bytes',
  });
}

/** Messages are numbered by their sender, so that what is missing can be counted. */
function checkLoss(facts: VehicleFacts, report: ReportBuilder): void {
  const { log, stream, autopilot } = facts;
  const all = log.streams.filter((each) => each.stream === stream);
  const [lost, received] = [
    all.reduce((sum, each) => sum + each.lost, 0),
    all.reduce((sum, each) => sum + each.received - each.duplicated, 0),
  ];
  if (lost + received === 0) return;
  const part = (100 * lost) / (lost + received);
  const rule = report.rule('logging', 'loss');
  // a log without heartbeats holds a choice of messages: the others were not lost
  const severity = part > rule.value ? (autopilot === undefined ? 'info' : 'warn') : 'ok';
  report.add({
    check: 'logging',
    severity,
    title: 'Loss of messages',
    text: `${lost} of ${lost + received} messages of the autopilot ${autopilot === undefined ? 'are missing, perhaps on purpose: the log has no heartbeats' : 'were lost'} (${short(part)} %).`,
    advice: severity !== 'warn' ? '' : 'Check the radio, its antennas and its data rate; request fewer messages.',
    value: part,
    unit: '%',
    rule,
  });
}

/** Times in which nothing came while the vehicle was armed. */
function checkGaps(facts: VehicleFacts, report: ReportBuilder): void {
  const { log, events, phases } = facts;
  const isLogged = log.isOnboard;
  const rule = report.rule('logging', isLogged ? 'gap' : 'silence');
  const gaps = events.flatMap(({ kind, time, end }) => {
    if (kind !== 'gap' || end === null || end - time < rule.value * 1e6) return [];
    return isCovered(phases.armed, time, end) ? [{ time, end }] : [];
  });
  const title = isLogged ? 'Gaps' : 'Silence';
  if (gaps.length === 0) {
    report.add({
      check: 'logging',
      severity: 'ok',
      title,
      text: `No gap of ${secondsOf(rule.value * 1e6)} or longer while armed.`,
      rule,
      unit: 's',
    });
    return;
  }
  const longest = Math.max(...gaps.map(({ time, end }) => end - time));
  report.add({
    check: 'logging',
    severity: 'warn',
    title,
    text: `Nothing was ${isLogged ? 'logged' : 'received'} ${gaps.length === 1 ? 'once' : `${gaps.length} times`} while armed, for up to ${secondsOf(longest)}.`,
    advice: isLogged ? SLOW_CARD : WEAK_LINK,
    from: gaps[0].time,
    to: gaps[gaps.length - 1].end,
    value: longest / 1e6,
    unit: 's',
    rule,
  });
}

async function checkDropped(facts: VehicleFacts, report: ReportBuilder): Promise<void> {
  for (const { times, values, names } of await facts.read(LOG_WRITER)) {
    if (!values.dropped) continue;
    const {
      grown: dropped,
      start: from,
      end: to,
    } = increases(times, values.dropped, new Uint8Array(times.length).fill(1));
    report.add({
      check: 'logging',
      severity: dropped > 0 ? 'warn' : 'ok',
      title: 'Dropped records',
      text:
        dropped > 0
          ? `The autopilot dropped ${short(dropped)} records that it could not write in time.`
          : 'The autopilot dropped no records.',
      advice: dropped > 0 ? SLOW_CARD : '',
      from,
      to,
      value: dropped,
      fields: [names.dropped as string],
    });
  }
}

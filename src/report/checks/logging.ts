import { isCovered } from '../../facts/phase.ts';
import { isMixed } from '../../facts/senders.ts';
import { chosen, findExceedances, increases, lastedInAll, peakOf, usualStep } from '../../series/holds.ts';
import { LOG_WRITER } from '../../series/quantities.ts';
import { often, secondsOf, short } from '../finding.ts';
import { ALL_LOST, type ReportBuilder } from '../report-builder.ts';
import { isWithin, type VehicleFacts } from '../vehicle-facts.ts';
import { during } from './judge.ts';

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
      ? `The log is truncated in its last record (${faults.lostBytes} ${faults.lostBytes === 1 ? 'byte' : 'bytes'}), as logs that were not closed are.`
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
  if (all.some(isMixed)) {
    const text = `The sequence numbers of ${stream} go back and forth: two programs send as one, or nearly nothing arrived. The loss is unknown.`;
    report.noData('logging', 'Loss of messages', text);
    return;
  }
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
    const text = `No gap of ${secondsOf(rule.value * 1e6)} or longer while armed.`;
    report.add({ check: 'logging', severity: 'ok', title, text, rule, unit: 's' });
    return;
  }
  const longest = Math.max(...gaps.map(({ time, end }) => end - time));
  report.add({
    check: 'logging',
    severity: 'warn',
    title,
    text: `Nothing was ${isLogged ? 'logged' : 'received'} ${often(gaps.length)} while armed, for up to ${secondsOf(longest)}.`,
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
      advice: SLOW_CARD,
      from,
      to,
      value: dropped,
      fields: [names.dropped],
    });
  }
}

/** Dropouts of a ULog: the writer was late, and data of that time is missing. */
export async function checkDropouts(facts: VehicleFacts, report: ReportBuilder): Promise<void> {
  const { dropouts } = facts;
  if (dropouts.length === 0) return;
  const rule = report.rule('logging', 'dropoutWarn');
  const sum = (of: readonly { start: number; end: number }[]): number =>
    of.reduce((all, { start, end }) => all + end - start, 0);
  const inFlight = dropouts.filter(
    ({ start, end }) => isWithin(facts.phases.flying, start) || isWithin(facts.phases.flying, end),
  );
  const [lost, flown] = [sum(dropouts), sum(inFlight)];
  const isBad = flown > rule.value * 1e6;
  report.add({
    check: 'logging',
    severity: isBad ? 'warn' : 'info',
    title: 'Dropouts',
    text: `${dropouts.length} dropout${dropouts.length === 1 ? '' : 's'} of ${secondsOf(lost)} in all, ${secondsOf(flown)} of it in flight: what was measured then is missing.`,
    advice: isBad ? SLOW_CARD : '',
    overall: true,
    ...during(dropouts),
    value: flown / 1e6,
    unit: 's',
    rule,
    fields: ['DROPOUT.duration'],
  });
}

/** Microseconds between samples of a log that has all of them, and how many times that a late one takes. */
const ALL_SAMPLES = 20_000;
const LATE = 5;
/** Late samples that warn. */
const MANY = 3;

/** Whether the IMU was sampled evenly, and whether the clock of the estimator ran with the others. */
export async function checkSampling(facts: VehicleFacts, report: ReportBuilder): Promise<void> {
  const table = facts.log.table('sensor_combined');
  if (table && table.rows > 1) {
    const times = await table.times();
    const mask = facts.flight.mask(times);
    const usual = usualStep(times);
    const rule = report.rule('logging', 'step');
    const least = Math.max(rule.value * 1e6, LATE * usual);
    const steps = times.map((time, row) =>
      row > 0 && mask[row] === 1 && mask[row - 1] === 1 ? time - times[row - 1] : 0,
    );
    // what the writer lost was sampled
    const isLost = (row: number): boolean =>
      facts.dropouts.some(({ start, end }) => start < times[row] + usual && end > times[row - 1] - usual);
    if (usual > 0 && usual <= ALL_SAMPLES && mask.includes(1)) {
      const late = [...steps.keys()].filter((row) => steps[row] >= least && !isLost(row));
      const most = steps.reduce((longest, step) => Math.max(longest, step), 0);
      report.add({
        check: 'logging',
        severity: late.length === 0 ? 'ok' : late.length < MANY ? 'info' : 'warn',
        title: 'Sampling',
        text: `The IMU was sampled every ${secondsOf(usual)}, the longest pause ${facts.flight.words} was ${secondsOf(most)}${late.length > 0 ? `; ${late.length} ${late.length === 1 ? 'was' : 'were'} no dropout of the log` : ''}.`,
        advice: late.length < MANY ? '' : 'Check the load of the processor.',
        overall: true,
        ...(late.length > 0
          ? during(late.map((row) => ({ start: times[row - 1], end: times[row] })))
          : facts.flight.when),
        value: most / 1e6,
        unit: 's',
        rule,
        fields: ['sensor_combined.timestamp'],
      });
    }
  }
  const status = facts.log.table('estimator_status');
  if (!status?.field('time_slip') || status.rows === 0) return;
  const { times, columns } = await status.timedColumns(['time_slip']);
  const slips = columns[0].numbers();
  const mask = facts.flight.mask(times);
  const flown = chosen(slips, mask);
  if (flown.length === 0) return;
  const rule = report.rule('logging', 'slip');
  const holds = findExceedances(
    times,
    slips.map((slip) => Math.abs(slip - flown[0])),
    mask,
    rule.value,
    0,
  );
  if (holds.length === 0) return;
  const most = peakOf(holds);
  report.add({
    check: 'logging',
    severity: 'warn',
    title: 'Sampling: time slip',
    text: `The clock of the estimator drifted from that of the log by ${secondsOf(most * 1e6)} ${facts.flight.words}, for ${secondsOf(lastedInAll(holds))}.`,
    advice: 'Check the load of the processor.',
    ...during(holds),
    value: most,
    unit: 's',
    rule,
    fields: ['estimator_status.time_slip'],
  });
}

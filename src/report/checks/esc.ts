import { findHolds, lastedInAll } from '../../series/holds.ts';
import type { Examination } from '../examination.ts';
import { secondsOf, short } from '../finding.ts';
import { type EscLine, type EscLines, readEscs } from './esc-lines.ts';
import { checkSpeeds } from './esc-speed.ts';
import { judgeLevel } from './level.ts';
import { increases } from './vibration.ts';

/** Microseconds for which telemetry may be bad. */
const BAD = 1_000_000;

/** EDT2.Status of ArduPilot: whether there is a status, and its bits with what ESCs mean by them. */
const HAS_STATUS = 1;
const STATUS_BITS = [
  { bit: 4, severity: 'fail', words: 'an error, such as a motor that is stuck' },
  { bit: 3, severity: 'warn', words: 'a warning, such as a lost step' },
] as const;

/** What ESCs tell of their motors and of themselves. */
export async function checkEsc(exam: Examination): Promise<void> {
  const escs = await readEscs(exam);
  if (Object.values(escs).every((lines) => lines.length === 0)) {
    exam.noData('esc', 'ESCs', 'The log has no telemetry of ESCs (ESC, ESC_TELEMETRY_1_TO_4 or ESC_STATUS).');
    return;
  }
  if (exam.flight.isEmpty) {
    exam.noData('esc', 'ESCs', 'The vehicle was never armed: what ESCs told was not judged.');
    return;
  }
  if (escs.speed.length > 0) await checkSpeeds(exam, escs.speed);
  checkHeat(exam, escs);
  checkErrorRate(exam, escs.errorRate);
  checkErrorCount(exam, escs.errorCount);
  checkFailures(exam, escs.failures);
  checkStatus(exam, escs.status);
}

function checkHeat(exam: Examination, { temperature, motorTemperature }: EscLines): void {
  for (const [title, what, lines, key] of [
    ['ESC: temperature', 'the temperature of ESC', temperature, 'hot'],
    ['ESC: temperature of motors', 'the temperature of motor', motorTemperature, 'motor'],
  ] as const) {
    // one that has no sensor says 0
    const measured = lines.filter(({ values }) => values.some((value) => value > 0));
    if (measured.length === 0) continue;
    judgeLevel(exam, {
      check: 'esc',
      title,
      ...linesFor(exam, measured, what),
      unit: '°C',
      warn: exam.rule('esc', `${key}Warn`),
      fail: exam.rule('esc', `${key}Fail`),
      hold: exam.micros('esc', 'hotHold'),
      meaning: 'What gets so hot may switch off in flight, or burn.',
      advice:
        'Look at cooling, at the current for which it is made, at bearings, and at propellers that are too large.',
    });
    exam.plot({ check: 'esc', title: title.replace('ESC: t', 'T'), unit: '°C', limits: [] }, measured);
  }
}

function checkErrorRate(exam: Examination, lines: readonly EscLine[]): void {
  if (lines.length === 0) return;
  judgeLevel(exam, {
    check: 'esc',
    title: 'ESC: bad telemetry',
    ...linesFor(exam, lines, 'the error rate of ESC'),
    unit: '%',
    warn: exam.rule('esc', 'errorWarn'),
    hold: BAD,
    meaning: 'Speeds that do not arrive cannot lead filters to the vibration of the motors.',
    advice: 'Look at the signal wires, their ground, and whether they lie beside those of the motors.',
  });
}

/** Several ESCs as lines of one level: each has times of its own. */
function linesFor(exam: Examination, lines: readonly EscLine[], what: string) {
  return {
    times: lines[0].times,
    mask: exam.flight.mask(lines[0].times),
    scope: exam.flight,
    fields: lines.map(({ name }) => name),
    lines: lines.map(({ number, times, values }) => ({
      name: `${what} ${number}`,
      times,
      values,
      mask: exam.flight.mask(times),
    })),
  };
}

function checkErrorCount(exam: Examination, lines: readonly EscLine[]): void {
  if (lines.length === 0) return;
  const rule = exam.rule('esc', 'errorSeconds');
  const grown = lines
    .map((line) => ({ line, ...increases(line.times, line.values, exam.flight.mask(line.times)) }))
    .filter(({ seconds }) => seconds > 0);
  const most = Math.max(0, ...grown.map(({ seconds }) => seconds));
  const list = grown.map(({ line, clips, seconds }) => `ESC ${line.number} ${short(clips)} in ${seconds} s`).join(', ');
  exam.add({
    check: 'esc',
    severity: most >= rule.value ? 'warn' : 'ok',
    title: 'ESC: errors',
    text:
      grown.length === 0
        ? `No ESC counted an error ${exam.flight.words}.`
        : `ESCs counted errors ${exam.flight.words}, and in how many different seconds: ${list}.`,
    advice: most >= rule.value ? 'Look at the wires of the ESC and at what its maker says of its errors.' : '',
    from: grown.length === 0 ? exam.flight.from : Math.min(...grown.map(({ from }) => from)),
    to: grown.length === 0 ? exam.flight.to : Math.max(...grown.map(({ to }) => to)),
    value: most,
    threshold: rule.value,
    source: rule.source,
    fields: lines.map(({ name }) => name),
  });
}

/** ESC_FAILURE_FLAGS in flight, of each ESC that has any. */
function checkFailures(exam: Examination, lines: readonly EscLine[]): void {
  const names = exam.ground.log.table('ESC_INFO')?.field('failure_flags')?.enumeration?.names;
  for (const line of lines) {
    const holds = findHolds(line.times, line.values, exam.flight.mask(line.times), 0, 0);
    if (holds.length === 0) continue;
    const bits = new Set<string>();
    for (const { first, last } of holds) {
      for (const value of line.values.subarray(first, last + 1)) {
        for (let bit = 0; bit < 16; bit++) {
          if (Math.floor(value / 2 ** bit) % 2 === 1) bits.add(names?.get(2 ** bit) ?? `bit ${bit}`);
        }
      }
    }
    const words = [...bits].map((name) =>
      name
        .replace(/^ESC_FAILURE_/, '')
        .replaceAll('_', ' ')
        .toLowerCase(),
    );
    exam.add({
      check: 'esc',
      severity: 'fail',
      title: `ESC ${line.number}: failure`,
      instance: String(line.number),
      text: `ESC ${line.number} reported a failure ${exam.flight.words}, for ${secondsOf(lastedInAll(holds))} in all: ${words.join(', ')}.`,
      advice: 'Look at the motor and the ESC, and at what its maker says of it.',
      from: holds[0].from,
      to: holds[holds.length - 1].to,
      fields: [line.name],
    });
  }
}

/** What ESCs say of themselves by extended DShot telemetry. */
function checkStatus(exam: Examination, lines: readonly EscLine[]): void {
  for (const line of lines) {
    for (const { bit, severity, words } of STATUS_BITS) {
      const isSet = line.values.map((value) => (value >> HAS_STATUS) & (value >> bit) & 1);
      const holds = findHolds(line.times, isSet, exam.flight.mask(line.times), 0.5, 0);
      if (holds.length === 0) continue;
      exam.add({
        check: 'esc',
        severity,
        title: `ESC ${line.number}: status`,
        instance: String(line.number),
        text: `ESC ${line.number} reported ${words}, ${exam.flight.words}${holds.length > 1 ? `, ${holds.length} times` : ''}.`,
        advice: 'Look at the motor, its timing and its load; a lost step in flight is the beginning of a crash.',
        from: holds[0].from,
        to: holds[holds.length - 1].to,
        fields: [line.name],
      });
      break;
    }
  }
}

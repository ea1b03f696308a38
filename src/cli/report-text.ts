import { terminalText } from '../core/names.ts';
import { comparison, type Finding, SEVERITIES, type Severity } from '../report/finding.ts';
import { type Report, verdictWords } from '../report/report.ts';
import { colored } from './output.ts';
import { counted, dateOf, lasting, secondsOf, shorten } from './words.ts';

interface TextOptions {
  /** Whether to list passed checks and checks without data. */
  readonly all: boolean;
  /** Whether the text goes to a file, without colours. */
  readonly toFile: boolean;
}

/** Width of the severities in front of each finding. */
const LABEL = 9;
/** Fields that are named with a finding. */
const FIELDS = 6;
/** Columns without a terminal. */
const WIDTH = 100;

/** The report as people read it on a terminal, the worst first. */
export function reportText(file: string, report: Report, { all, toFile }: TextOptions): string {
  const paint = (color: Parameters<typeof colored>[0]) => (words: string) => (toFile ? words : colored(color, words));
  const [bold, red, dim] = [paint('bold'), paint('red'), paint('dim')];
  const paints: Readonly<Record<Severity, (text: string) => string>> = {
    fail: (text) => bold(red(text)),
    warn: paint('yellow'),
    info: paint('cyan'),
    'no data': dim,
    ok: paint('green'),
  };
  const width = Math.min(WIDTH, (process.stdout.isTTY && process.stdout.columns) || WIDTH);
  const indent = ' '.repeat(LABEL + 2);
  const verdict = paints[report.verdict](verdictWords(report));
  const lines = [bold(terminalText(file)), `  ${terminalText(headline(report))}`, `  ${verdict}`, ''];
  if (report.chain.length > 0) {
    lines.push(`  ${bold(report.chain.length > 1 ? 'What came first' : 'What went wrong')}`);
    const times = report.chain.map(({ from }) => lasting(from - (report.start ?? 0)));
    const column = Math.max(LABEL, ...times.map(({ length }) => length));
    for (const [step, { title, text }] of report.chain.entries()) {
      const [first, ...rest] = wrapped(terminalText(`${title}: ${text}`), width - column - 4);
      lines.push(`  ${dim(times[step].padStart(column))}  ${first}`);
      lines.push(...rest.map((line) => ' '.repeat(column + 4) + line));
    }
    lines.push('');
  }
  const hidden = report.findings.filter(({ severity }) => !all && (severity === 'ok' || severity === 'no data'));
  for (const finding of report.findings) {
    if (hidden.includes(finding)) continue;
    const { severity, title, text, advice } = finding;
    lines.push(
      `  ${paints[severity](severity.toUpperCase().padEnd(LABEL))}${bold(terminalText(title))}${dim(when(report, finding))}`,
    );
    for (const line of wrapped(terminalText(text), width - indent.length)) lines.push(indent + line);
    for (const words of [advice, evidenceOf(finding)].filter(Boolean))
      for (const line of wrapped(terminalText(words), width - indent.length)) lines.push(indent + dim(line));
    lines.push('');
  }
  for (const severity of ['no data', 'ok'] as const) {
    const titles = hidden.filter((each) => each.severity === severity).map(({ title }) => title);
    if (titles.length === 0) continue;
    const [first, ...rest] = wrapped(terminalText([...new Set(titles)].join(', ')), width - indent.length);
    lines.push(`  ${paints[severity](severity.padEnd(LABEL))}${first}`, ...rest.map((line) => indent + line));
  }
  lines.push('', `  ${paints[report.verdict](countsText(report))}`, '');
  return `${lines.join('\n')}\n`;
}

function headline({ vehicle, stream, vehicles, start, duration, parts, utc, guessed, phases }: Report): string {
  const name = vehicle.firmware?.text ?? vehicle.kind ?? 'unknown vehicle';
  const words = [vehicles.length > 1 ? `vehicle ${stream}: ${name}` : name];
  if (start !== null && utc) words.push(dateOf(start));
  if (start !== null)
    words.push(
      `${lasting(duration)}${parts > 1 ? ` in ${parts} parts` : ''}${guessed ? ' (all times are guessed: no record has one)' : ''}`,
    );
  const flown = phases.flying.reduce((sum, { start, end }) => sum + end - start, 0);
  if (phases.flyingSource !== null)
    words.push(
      flown > 0
        ? `${isDriven(vehicle) ? 'driving' : 'in flight'} ${lasting(flown)}`
        : `no ${isDriven(vehicle) ? 'drive' : 'flight'}`,
    );
  return words.join(', ');
}

function isDriven({ kind }: Report['vehicle']): boolean {
  return kind === 'Rover' || kind === 'Sub';
}

/** Which numbers decided, and the fields that they come from. */
function evidenceOf(finding: Finding): string {
  return [comparison(finding), shorten(finding.fields, FIELDS)].filter(Boolean).join('; ');
}

function when({ start }: Report, { from, to }: Finding): string {
  if (start === null || from === null) return '';
  const first = lasting(from - start);
  return to === null || to - from < 1e5 ? `  at ${first}` : `  ${first} to ${lasting(to - start)}`;
}

function countsText({ verdict, counts }: Report): string {
  const words = [counted(counts.fail, 'failure'), counted(counts.warn, 'warning'), counted(counts.info, 'remark')];
  return `${verdict.toUpperCase()}: ${words.join(', ')}, ${counts.ok} passed, ${counts['no data']} without data.`;
}

function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

/** The report as JSON data, times in seconds. @param others reports of other vehicles of the same log */
export function reportData(file: string, report: Report, others: readonly Report[] = []): Record<string, unknown> {
  const { verdict, counts, checks, format, vehicle, stream, vehicles, start, end, utc, guessed, phases, modes } =
    report;
  const { findings, chain } = report;
  const stretches = (list: Report['phases']['flying']): unknown[] =>
    list.map((each) => ({ start: secondsOf(each.start), end: secondsOf(each.end), open: each.open }));
  return {
    file,
    verdict,
    words: verdictWords(report),
    checks,
    counts: Object.fromEntries(SEVERITIES.map((severity) => [severity, counts[severity]])),
    format,
    vehicle: vehicle.kind,
    firmware: vehicle.firmware,
    board: vehicle.board,
    stream,
    vehicles,
    start: secondsOf(start),
    end: secondsOf(end),
    utc,
    ...(guessed ? { guessed } : {}),
    armed: stretches(phases.armed),
    flying: stretches(phases.flying),
    modes: modes.map(({ mode, start, end }) => ({ mode, start: secondsOf(start), end: secondsOf(end) })),
    chain: chain.map(({ from, title, text }) => ({ from: secondsOf(from), title, text })),
    findings: findings.map((each) => ({
      ...each,
      from: secondsOf(each.from),
      to: secondsOf(each.to),
      ranges: each.ranges.map(({ from, to }) => ({ from: secondsOf(from), to: secondsOf(to) })),
    })),
    ...(others.length === 0 ? {} : { others: others.map((each) => reportData(file, each)) }),
  };
}

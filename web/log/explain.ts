import { dateText, durationText, numberText, type TimeBase, timeText } from '../shared/format.ts';
import { parseField, tableText } from './fields/field-name.ts';
import type { Note } from './notes.ts';
import type { OpenFile } from './open-file.svelte.ts';
import type { WindowStatistics } from './worker/statistics.ts';

/** What is to be said about: a stretch of a log, on its own clock, and what is plotted of it. */
export interface Explained {
  readonly file: OpenFile;
  readonly from: number;
  readonly to: number;
  readonly traces: readonly {
    readonly text: string;
    readonly unit: string;
    readonly statistics: WindowStatistics | null;
  }[];
  /** How times are said. */
  readonly base: TimeBase;
  /** The moment that they count from, on the clock of the log. */
  readonly origin: number;
}

/** Lines of a kind that are said at most. */
const MOST = 8;

/** A stretch of a log in sentences, the most important first. */
export function sentencesOf({ file, from, to, base, origin }: Explained): string[] {
  const { modes, insight, report } = file;
  const at = (time: number): string => timeText(time, base, origin, 1);
  const touches = (start: number | null, end: number | null): boolean =>
    start !== null && start <= to && (end ?? start) >= from;
  const flown = modes.filter(({ start, end }) => start < to && end > from).map(({ mode }) => mode);
  const armed = insight.armed.some(({ start, end }) => start < to && end > from);
  const findings = (report?.findings ?? []).filter(
    (finding) => (finding.severity === 'fail' || finding.severity === 'warn') && touches(finding.from, finding.to),
  );
  const events = insight.events.filter(
    ({ kind, severity, time, end }) =>
      kind !== 'parameter' && kind !== 'mode' && (severity === 'error' || severity === 'warning') && touches(time, end),
  );
  return [
    `${at(from)} to ${at(to)} (${durationText(to - from)}), ${armed ? 'armed' : 'not armed'}${flown.length === 0 ? '' : `, in ${[...new Set(flown)].join(', ')}`}.`,
    ...findings.slice(0, MOST).map(({ title, text, advice }) => `${title}: ${text} ${advice}`.trim()),
    ...events.slice(0, MOST).map(({ time, text }) => `${at(time)}: ${text}`),
    ...(events.length > MOST ? [`${events.length - MOST} more events`] : []),
  ];
}

/** The query that shows the same in SQL, one for each table that is plotted. */
export function sqlOf({ from, to, traces }: Explained): string {
  const tables = new Map<string, string[]>();
  for (const { text } of traces) {
    const name = parseField(text);
    if (!name || name.element >= 0) continue;
    const table = tableText(name.table, name.stream);
    const fields = tables.get(table) ?? [];
    if (!fields.includes(name.field)) tables.set(table, [...fields, name.field]);
  }
  const micros = [from, to].map((time) => `make_timestamp(${Math.round(time)})`);
  return [...tables]
    .map(
      ([table, fields]) =>
        `SELECT time, ${fields.map(quoted).join(', ')}\nFROM ${quoted(table)}\nWHERE time BETWEEN ${micros.join(' AND ')}\nORDER BY time`,
    )
    .join(';\n\n');
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** All of it as a post for a forum or an issue. */
export function markdownOf(explained: Explained, link: string, picture: string, notes: readonly Note[]): string {
  const { file, traces, base, origin } = explained;
  const { summary } = file;
  const head = [
    summary?.vehicle,
    summary?.firmware,
    summary?.utc && summary.start !== null ? dateText(summary.start) : '',
  ]
    .filter(Boolean)
    .join(', ');
  const [first, ...others] = sentencesOf(explained);
  const rows = traces.flatMap(({ text, unit, statistics }) =>
    statistics
      ? [
          `| ${escaped(text)} | ${unit} | ${[statistics.low, statistics.mean, statistics.high].map((each) => numberText(each)).join(' | ')} |`,
        ]
      : [],
  );
  const said = notes.map(({ from, text }) => `- ${timeText(from, base, origin, 1)}: ${escaped(text)}`);
  const sql = sqlOf(explained);
  return [
    `**${escaped(file.name)}**${head === '' ? '' : ` (${escaped(head)})`}: ${escaped(first)}`,
    others.map((line) => `- ${escaped(line)}`).join('\n'),
    said.length === 0 ? '' : `Notes:\n\n${said.join('\n')}`,
    `![plots](${encodeURI(picture)})`,
    rows.length === 0 ? '' : `| | unit | least | mean | greatest |\n|---|---|---|---|---|\n${rows.join('\n')}`,
    sql === '' ? '' : `\`\`\`sql\n${sql}\n\`\`\``,
    `View: \`${link}\``,
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** Texts of a log are texts, whatever they mean in Markdown or HTML. */
function escaped(text: string): string {
  return text.replace(/[\\`*_[\]<>|#]/g, '\\$&').replace(/\s+/g, ' ');
}

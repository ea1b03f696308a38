import { htmlText } from '../core/names.ts';
import { firstSentence } from './chain.ts';
import { CHECKS } from './checks/index.ts';
import { comparison, type Finding, SEVERITIES, type Severity, worst } from './finding.ts';
import { htmlPage } from './html-page.ts';
import { modeStrip } from './mode-strip.ts';
import { type Report, verdictWords } from './report.ts';
import { clockText, type SvgBand, svgPlot } from './svg-plot.ts';

/** The class of a severity in the style of pages. */
const CLASS: Readonly<Record<Severity, string>> = {
  fail: 'fail',
  warn: 'warn',
  info: 'info',
  'no data': 'none',
  ok: 'ok',
};
const WORDS: Readonly<Record<Severity, string>> = {
  fail: 'fail',
  warn: 'warn',
  info: 'note',
  'no data': 'no data',
  ok: 'ok',
};

/** The findings of one check, as a section of the page. */
interface Section {
  readonly name: string;
  /** Its place on the page. */
  readonly id: string;
  readonly title: string;
  readonly findings: readonly Finding[];
  readonly severity: Severity;
}

/** The report as one page: failures first, then each check with plots. @param others of other vehicles of the log */
export function reportPage(name: string, report: Report, others: readonly Report[] = []): string {
  const first = bodyOf(name, report, others.length > 0);
  const body = [
    ...first.slice(0, 1),
    '<main>',
    ...first.slice(1),
    '</main>',
    ...others.flatMap((other) => {
      const [top, ...rest] = bodyOf(name, other, true);
      return [top, `<section class="vehicle" aria-label="${htmlText(other.stream)}">`, ...rest, '</section>'];
    }),
  ];
  return htmlPage(`${name}: health report`, body.join('\n'));
}

/** The head of a report, and what follows; of several on one page, each has its anchors. */
function bodyOf(name: string, report: Report, isOneOfSeveral: boolean): string[] {
  const sections = sectionsOf(report, isOneOfSeveral ? `${report.stream}-` : '');
  const title = isOneOfSeveral ? `${name}: vehicle ${report.stream}` : name;
  return [
    head(title, report),
    modeStrip(report),
    chainMarkup(report),
    attention(report, sections),
    ...sections.filter(isOpen).map((section) => sectionMarkup(section, report)),
    sections.every(isOpen) ? '' : '<h2>Passed, and without data</h2>',
    ...sections.filter((section) => !isOpen(section)).map((section) => sectionMarkup(section, report)),
    `<footer>Made by skein report. ${report.guessed ? 'All times are guessed: no record has one. They' : 'Times'} count from the start of the log${report.start !== null && report.utc ? `, ${dateText(report.start)}` : ''}.</footer>`,
  ];
}

function sectionsOf({ findings }: Report, prefix: string): Section[] {
  const names = [...new Set([...CHECKS.map(({ name }) => name), ...findings.map(({ check }) => check)])];
  const sections = names.flatMap((name) => {
    const own = findings.filter(({ check }) => check === name);
    const title = CHECKS.find((check) => check.name === name)?.title ?? own[0]?.title ?? name;
    return own.length === 0 ? [] : [{ name, id: prefix + name, title, findings: own, severity: worst(own) }];
  });
  return sections.sort((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity));
}

/** Whether there is something to read in it at once. */
function isOpen({ severity }: Section): boolean {
  return severity !== 'ok' && severity !== 'no data';
}

function head(name: string, report: Report): string {
  const { vehicle, verdict, start, duration, utc, phases, counts } = report;
  const lines = [vehicle.firmware?.text ?? vehicle.kind, vehicle.board, start !== null && utc ? dateText(start) : null];
  const flown = phases.flying.reduce((sum, stretch) => sum + stretch.end - stretch.start, 0);
  const fact = (value: string, words: string, kind = ''): string =>
    `<li class="${kind}"><b>${htmlText(value)}</b><span>${htmlText(words)}</span></li>`;
  const facts = [
    fact(String(counts.fail), counts.fail === 1 ? 'failure' : 'failures', counts.fail > 0 ? 'fail' : ''),
    fact(String(counts.warn), counts.warn === 1 ? 'warning' : 'warnings', counts.warn > 0 ? 'warn' : ''),
    fact(String(counts.ok), 'passed', counts.ok > 0 ? 'ok' : ''),
    fact(String(counts['no data']), 'without data'),
    ...(start !== null ? [fact(clockText(duration / 1e6), report.guessed ? 'logged (guessed)' : 'logged')] : []),
    ...(phases.flyingSource === null ? [] : [fact(clockText(flown / 1e6), 'in flight')]),
  ];
  return (
    `<div class="top ${CLASS[verdict]}"><div><div class="line1"><div><h1>${htmlText(name)}</h1>` +
    `<p class="by">${htmlText(lines.filter(Boolean).join(' · '))}</p></div>` +
    `<span class="verdict ${CLASS[verdict]}">${htmlText(verdictWords(report))}</span></div><ul class="facts">${facts.join('')}</ul></div></div>`
  );
}

/** How the flight went wrong, the first anomaly first. */
function chainMarkup({ chain, start }: Report): string {
  if (chain.length === 0) return '';
  const items = chain.map(
    ({ from, title, text }) =>
      `<li><span class="when">${htmlText(clockText((from - (start ?? 0)) / 1e6))}</span><span><b>${htmlText(title)}</b> ` +
      `<span class="what">${htmlText(text)}</span></span></li>`,
  );
  const heading = chain.length > 1 ? 'What came first' : 'What went wrong';
  return `<h2>${heading}</h2><div class="card"><ol class="list chain">${items.join('')}</ol></div>`;
}

/** What needs attention, as a list that leads to the sections. */
function attention({ findings, start }: Report, sections: readonly Section[]): string {
  const red = findings.filter(({ severity }) => severity === 'fail' || severity === 'warn');
  if (red.length === 0) return '';
  const idOf = ({ check }: Finding): string => sections.find(({ name }) => name === check)?.id ?? check;
  const items = red.map(
    (each) =>
      `<li>${badge(each.severity)}<span><a href="#${htmlText(idOf(each))}">${htmlText(each.title)}</a> ` +
      `<span class="what">${htmlText(firstSentence(each.text))}</span></span><span class="when">${htmlText(when(each, start))}</span></li>`,
  );
  return `<h2>What needs attention</h2><div class="card"><ul class="list">${items.join('')}</ul></div>`;
}

function sectionMarkup({ name, id, title, findings, severity }: Section, report: Report): string {
  const open = findings.filter((each) => each.severity !== 'ok' && each.severity !== 'no data');
  const rest = findings.filter((each) => each.severity === 'ok' || each.severity === 'no data');
  const plots = report.plots.filter(
    ({ check, lines }) => check === name && lines.some(({ values }) => values.length > 0),
  );
  const bands = bandsOf(open, report);
  const drawn = plots.map(({ title, unit, lines, limits }) =>
    svgPlot({ title, unit, lines, limits, bands, from: report.start ?? 0, to: report.end ?? 1 }),
  );
  const isBad = open.some((each) => each.severity !== 'info');
  // plots of passed checks are folded
  const fold = foldMarkup(rest, isBad ? [] : drawn);
  if (open.length === 0)
    return `<details class="card fold" id="${htmlText(id)}"><summary><h3>${htmlText(title)}</h3> ${badge(severity)} <span class="what">${fold.words}</span></summary>${fold.markup}</details>`;
  return [
    `<section id="${htmlText(id)}"><h2>${htmlText(title)} ${badge(severity)}</h2>`,
    ...open.map((each) => card(each, report.start)),
    ...(isBad ? drawn : []),
    fold.words === '' ? '' : `<details><summary>${fold.words}</summary>${fold.markup}</details>`,
    '</section>',
  ].join('\n');
}

/** Passed checks and those without data, folded. */
function foldMarkup(rest: readonly Finding[], drawn: readonly string[]): { words: string; markup: string } {
  const well = rest.filter(({ severity }) => severity === 'ok').length;
  const untold = rest.length - well;
  const words = [
    ...(well > 0 ? [`${well} passed`] : []),
    ...(untold > 0 ? [`${untold} without data`] : []),
    ...(drawn.length > 0 ? [drawn.length === 1 ? 'a plot' : `${drawn.length} plots`] : []),
  ];
  const items = rest.map(
    ({ severity, title, text }) => `<li>${badge(severity)} <b>${htmlText(title)}</b> ${htmlText(text)}</li>`,
  );
  return { words: words.join(', '), markup: `<ul>${items.join('')}</ul>${drawn.join('')}` };
}

function card(finding: Finding, start: number | null): string {
  const { severity, title, text, advice, fields } = finding;
  const compared = comparison(finding);
  const evidence = compared === '' ? [] : [htmlText(compared)];
  if (fields.length > 0) evidence.push(`<code>${fields.map(htmlText).join('</code>, <code>')}</code>`);
  return (
    `<article class="card ${CLASS[severity]}"><header>${badge(severity)}<h3>${htmlText(title)}</h3>` +
    `<span class="when">${htmlText(when(finding, start))}</span></header><p>${htmlText(text)}</p>` +
    `${advice === '' ? '' : `<p class="advice">${htmlText(advice)}</p>`}` +
    `${evidence.length === 0 ? '' : `<p class="evidence">${evidence.join(' · ')}</p>`}</article>`
  );
}

function badge(severity: Severity): string {
  return `<span class="badge ${CLASS[severity]}">${WORDS[severity]}</span>`;
}

/** The flights, and when something was beyond its limit: each moment once, by the worst that was. */
function bandsOf(open: readonly Finding[], { phases }: Report): SvgBand[] {
  const flights = phases.flying.slice(0, BANDS).map(({ start, end }) => ({ from: start, to: end, kind: 'flight' }));
  const found = (['warn', 'fail'] as const).flatMap((kind) => {
    const ranges = open.flatMap(({ severity, from, to, ranges }) => {
      if (severity !== kind) return [];
      return ranges.length > 0 ? ranges : from === null || to === null ? [] : [{ from, to }];
    });
    return merged(ranges).map((range) => ({ ...range, kind }));
  });
  return [...flights, ...found.slice(0, BANDS)];
}

/** Stretches that are drawn behind a plot. */
const BANDS = 400;

/** Stretches that overlap as one. */
function merged(ranges: readonly { from: number; to: number }[]): { from: number; to: number }[] {
  const out: { from: number; to: number }[] = [];
  for (const range of ranges.toSorted((a, b) => a.from - b.from)) {
    const last = out[out.length - 1];
    if (last && range.from <= last.to) last.to = Math.max(last.to, range.to);
    else out.push({ ...range });
  }
  return out;
}

function when({ from, to }: Finding, start: number | null): string {
  if (from === null || start === null) return '';
  const first = clockText((from - start) / 1e6);
  return to === null || to - from < 1e5 ? first : `${first} – ${clockText((to - start) / 1e6)}`;
}

function dateText(micros: number): string {
  const date = new Date(Math.floor(micros / 1000));
  return Number.isNaN(date.getTime()) ? '' : `${date.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

import { htmlText } from '../core/names.ts';
import { shortest } from '../core/text.ts';
import type { ParameterDifference } from '../facts/parameters.ts';
import {
  type CheckComparison,
  type ComparedSide,
  type Comparison,
  type FieldPlot,
  noFields,
  noParameters,
} from './compare.ts';
import { type FieldComparison, figureText, measureText, titleOf } from './compare-fields.ts';
import { type Severity, short } from './finding.ts';
import { htmlPage } from './html-page.ts';
import { clockText, svgPlot } from './svg-plot.ts';

/** Rows of fields that a page shows; the rest is in the JSON. */
const FIELDS = 200;

const BADGES: Readonly<Record<Severity, readonly [kind: string, word: string]>> = {
  fail: ['fail', 'fail'],
  warn: ['warn', 'warn'],
  info: ['info', 'note'],
  'no data': ['none', 'no data'],
  ok: ['ok', 'ok'],
};

/** Two flights on one page that needs nothing else: what differs most first. */
export function comparePage(names: readonly [string, string], comparison: Comparison): string {
  const { alignment, seconds, a, b, fields, parameters, checks, plots } = comparison;
  const shown = parameters.filter(({ noise }) => !noise);
  const body = [
    '<div class="top none"><div>',
    `<h1>${htmlText(names[0])} and ${htmlText(names[1])}</h1>`,
    `<p class="by">${htmlText(alignment)}, over ${htmlText(clockText(seconds))}</p>`,
    '</div></div><main>',
    '<h2>The two</h2>',
    sidesTable(names, a, b),
    '<h2>Health reports</h2>',
    tableOf(['check', 'A', 'B', 'what differs'], checks.map(checkRow)),
    plots.length > 0 ? '<h2>What differs most</h2>' : '',
    ...plots.map((plot) => plotOf(plot, comparison)),
    '<h2>Fields</h2>',
    fields.length > 0 ? fieldTable(fields) : `<p class="by">${htmlText(noFields(a, b))}</p>`,
    '<h2>Parameters</h2>',
    shown.length > 0
      ? tableOf(['name', 'A', 'B'], shown.map(parameterRow), 1)
      : `<p>${htmlText(noParameters(a, b) ?? 'None differ.')}</p>`,
    hiddenWords(parameters.length - shown.length),
    '<footer>Made by skein compare. The measure is the difference of the means relative to the spread of the values.</footer>',
    '</main>',
  ];
  return htmlPage(`${names[0]} and ${names[1]}: comparison`, body.join('\n'));
}

function hiddenWords(hidden: number): string {
  return hidden > 0 ? `<p class="by">${hidden} more of calibration and counting.</p>` : '';
}

function tableOf(head: readonly string[], rows: readonly (readonly string[])[], numbersFrom = head.length): string {
  const kind = (i: number): string => (i >= numbersFrom ? ' class="number"' : '');
  const heads = head.map((each, i) => `<th${kind(i)}>${htmlText(each)}</th>`).join('');
  const body = rows.map((row) => `<tr>${row.map((cell, i) => `<td${kind(i)}>${cell}</td>`).join('')}</tr>`).join('\n');
  return `<div class="card"><table><thead><tr>${heads}</tr></thead><tbody>\n${body}\n</tbody></table></div>`;
}

function sidesTable(names: readonly [string, string], a: ComparedSide, b: ComparedSide): string {
  const row = (label: string, value: (side: ComparedSide) => string): string[] => [
    htmlText(label),
    htmlText(value(a)),
    htmlText(value(b)),
  ];
  const figure = (value: number | null | undefined, unit: string): string =>
    value === null || value === undefined ? '' : `${short(value)} ${unit}`;
  return tableOf(
    ['', `A: ${names[0]}`, `B: ${names[1]}`],
    [
      row('vehicle', ({ report }) => report.vehicle.firmware?.text ?? report.vehicle.kind ?? ''),
      row('flight', ({ flight }) => (flight ? String(flight.number) : 'none: the whole log')),
      row('armed for', ({ flight }) => (flight ? clockText(flight.duration) : '')),
      row('in flight, or moving, for', ({ flight }) => (flight ? clockText(flight.inAir) : '')),
      row('distance', ({ flight }) => figure(flight?.distance, 'm')),
      row('maximum altitude', ({ flight }) => figure(flight?.maxHeight, 'm')),
      row('greatest speed', ({ flight }) => figure(flight?.maxSpeed, 'm/s')),
      row('battery', ({ flight }) => figure(flight?.battery?.milliampHours, 'mAh')),
      row('report', ({ report }) => report.verdict),
    ],
  );
}

function badge(severity: Severity): string {
  const [kind, word] = BADGES[severity];
  return `<span class="badge ${kind}">${word}</span>`;
}

function checkRow({ check, a, b, findingsA, findingsB }: CheckComparison): string[] {
  const without = (list: readonly string[], other: readonly string[]): string[] =>
    list.filter((each) => !other.includes(each));
  const words = [
    ...without(findingsA, findingsB).map((each) => `A: ${each}`),
    ...without(findingsB, findingsA).map((each) => `B: ${each}`),
  ];
  return [htmlText(check), badge(a), badge(b), words.map(htmlText).join('<br>')];
}

function plotOf({ field, lines }: FieldPlot, { a }: Comparison): string {
  const colored = lines.map((line, i) => ({ ...line, dashed: i > 0 }));
  const title = `${titleOf(field)}: ${measureText(field)} spreads apart`;
  return svgPlot({ title, unit: field.unit, lines: colored, from: a.from - a.zero, to: a.to - a.zero, zero: 0 });
}

function fieldTable(fields: readonly FieldComparison[]): string {
  const rows = fields.slice(0, FIELDS).map((field) => {
    const { a, b, difference, unit } = field;
    const pairs = [a.mean, b.mean, a.deviation, b.deviation, a.p95, b.p95, a.min, b.min, a.max, b.max];
    return [
      htmlText(titleOf(field)),
      htmlText(unit),
      measureText(field),
      figureText(difference),
      ...pairs.map(figureText),
    ];
  });
  const head = ['field', 'unit', 'measure', 'B - A'];
  for (const name of ['mean', 'spread', 'p95', 'least', 'most']) head.push(`${name} A`, `${name} B`);
  const more = fields.length > FIELDS ? `<p class="by">and ${fields.length - FIELDS} more</p>` : '';
  return tableOf(head, rows, 2) + more;
}

function parameterRow({ name, a, b }: ParameterDifference): string[] {
  return [htmlText(name), a === null ? '-' : shortest(a), b === null ? '-' : shortest(b)];
}

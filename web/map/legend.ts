import type { Legend } from './map-track.ts';

/** Shows what the colours mean: names beside their colours, or a bar with its ends. */
export function fillLegend(element: HTMLElement, legend: Legend | undefined): void {
  element.replaceChildren();
  // a title alone says nothing
  element.hidden = legend === undefined || (legend.kind === 'classes' && legend.classes.length === 0);
  if (!legend || element.hidden) return;
  const title = document.createElement('div');
  title.className = 'map-legend-title';
  title.textContent = legend.kind === 'scale' && legend.unit !== '' ? `${legend.title} (${legend.unit})` : legend.title;
  element.append(title, ...(legend.kind === 'classes' ? classRows(legend.classes) : scaleRows(legend)));
}

function classRows(classes: readonly { name: string; color: string }[]): HTMLElement[] {
  return classes.map(({ name, color }) => {
    const row = document.createElement('div');
    row.className = 'map-legend-class';
    const swatch = document.createElement('span');
    swatch.style.backgroundColor = color;
    const text = document.createElement('span');
    text.textContent = name;
    row.append(swatch, text);
    return row;
  });
}

function scaleRows({ colors, range }: Extract<Legend, { kind: 'scale' }>): HTMLElement[] {
  const bar = document.createElement('div');
  bar.className = 'map-legend-bar';
  bar.style.backgroundImage = `linear-gradient(to right, ${colors.join(', ')})`;
  const ends = document.createElement('div');
  ends.className = 'map-legend-ends';
  for (const end of range) {
    const text = document.createElement('span');
    text.textContent = shortNumber(end);
    ends.append(text);
  }
  return [bar, ends];
}

/** Three or four digits are enough on a scale. */
function shortNumber(value: number): string {
  return String(Number(value.toPrecision(Math.abs(value) >= 100 ? 4 : 3)));
}

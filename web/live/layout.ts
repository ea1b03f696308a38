/** The cards of the page. */
export const PANELS = [
  ...(['map', 'charts', 'instruments', 'messages', 'inspector', 'command'] as const),
  ...(['status', 'battery', 'recorder', 'outputs', 'logs'] as const),
] as const;
export type Panel = (typeof PANELS)[number];

/** Panels that share a cell are its tabs. Columns from left to right, their cells from top to bottom. */
export type Cell = readonly Panel[];
export type CardLayout = readonly (readonly Cell[])[];

/** How much room there is: each has its own arrangement. */
export type Form = 'large' | 'wide' | 'medium' | 'narrow';

const TALK: Cell = ['messages', 'inspector', 'command'];

export const USUAL: Readonly<Record<Form, CardLayout>> = {
  large: [
    [['map'], ['charts']],
    [['instruments'], ['messages', 'command']],
    [['status'], ['battery'], ['recorder'], ['inspector'], ['outputs', 'logs']],
  ],
  wide: [
    [['map'], ['charts']],
    [['instruments'], TALK],
    [['status'], ['battery'], ['recorder'], ['outputs', 'logs']],
  ],
  medium: [
    [['map'], ['charts'], TALK],
    [['instruments'], ['status'], ['battery'], ['recorder'], ['outputs', 'logs']],
  ],
  narrow: [[['map'], ['instruments'], ['status'], ['battery'], ['charts'], TALK, ['recorder'], ['outputs', 'logs']]],
};

export const MOST_COLUMNS: Readonly<Record<Form, number>> = { large: 4, wide: 4, medium: 2, narrow: 1 };

/** Where a panel goes to: a tab beside another one, a cell before or after its cell, or a column beside its column. */
export interface DropTarget {
  readonly side: 'tab' | 'before' | 'after' | 'left' | 'right';
  readonly of: Panel;
}

/** A kept arrangement, repaired: each present panel once. A missing one joins its usual tabs, or comes last. */
export function arranged(kept: unknown, usual: CardLayout, present: readonly Panel[]): CardLayout {
  const left = new Set(present);
  const claim = (panel: unknown): Panel[] => (left.delete(panel as Panel) ? [panel as Panel] : []);
  const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
  let layout: CardLayout = list(kept).map((column) => list(column).map((cell) => list(cell).flatMap(claim)));
  layout = tidy(layout.slice(0, usual.length + 1));
  if (layout.length === 0)
    return tidy(usual.map((column) => column.map((cell) => cell.filter((each) => left.has(each)))));
  // those of columns that were too many are absent again
  for (const panel of present.filter((each) => !cellOf(layout, each))) {
    const mates = usual.flat().find((cell) => cell.includes(panel)) ?? [];
    const mate = mates.find((each) => cellOf(layout, each));
    const end = layout[layout.length - 1].at(-1)?.[0] as Panel;
    layout = place(layout, panel, mate ? { side: 'tab', of: mate } : { side: 'after', of: end });
  }
  return layout;
}

export function moved(layout: CardLayout, panel: Panel, target: DropTarget): CardLayout {
  const own = cellOf(layout, panel);
  let { of } = target;
  if (own?.includes(of)) {
    // beside itself: out of its tabs, or out of its column
    const column = layout.find((cells) => cells.includes(own)) as readonly Cell[];
    const isAlone = target.side === 'left' || target.side === 'right' ? column.flat().length === 1 : own.length === 1;
    if (isAlone || target.side === 'tab') return layout;
    of = [...own, ...column.flat()].find((each) => each !== panel) as Panel;
  }
  const without = layout.map((column) => column.map((cell) => cell.filter((each) => each !== panel)));
  return place(tidy(without), panel, { side: target.side, of });
}

/** The arrangement after a panel went a step by a key; the same where it cannot. With shift it joins the tabs there. */
export function stepped(layout: CardLayout, panel: Panel, key: string, isShifted: boolean, most: number): CardLayout {
  const x = layout.findIndex((column) => column.some((cell) => cell.includes(panel)));
  const y = layout[x]?.findIndex((cell) => cell.includes(panel)) ?? -1;
  const own = layout[x]?.[y];
  if (!own) return layout;
  if (key === 'ArrowUp' || key === 'ArrowDown') {
    const side = key === 'ArrowUp' ? 'before' : 'after';
    if (own.length > 1 && !isShifted) return moved(layout, panel, { side, of: panel });
    const next = layout[x][key === 'ArrowUp' ? y - 1 : y + 1];
    return next ? moved(layout, panel, { side: isShifted ? 'tab' : side, of: next[0] }) : layout;
  }
  if (key !== 'ArrowLeft' && key !== 'ArrowRight') return layout;
  const side = key === 'ArrowLeft' ? 'left' : 'right';
  const column = layout[side === 'left' ? x - 1 : x + 1];
  if (!column) return layout.length < most ? moved(layout, panel, { side, of: panel }) : layout;
  const at = column[y];
  if (at) return moved(layout, panel, { side: isShifted ? 'tab' : 'before', of: at[0] });
  return moved(layout, panel, { side: isShifted ? 'tab' : 'after', of: (column.at(-1) as Cell)[0] });
}

function place(layout: CardLayout, panel: Panel, { side, of }: DropTarget): CardLayout {
  const isThere = (column: readonly Cell[]): boolean => column.some((cell) => cell.includes(of));
  switch (side) {
    case 'left':
      return layout.flatMap((column) => (isThere(column) ? [[[panel]], column] : [column]));
    case 'right':
      return layout.flatMap((column) => (isThere(column) ? [column, [[panel]]] : [column]));
    default:
      return layout.map((column) =>
        column.flatMap((cell) => {
          if (!cell.includes(of)) return [cell];
          if (side === 'tab') return [[...cell, panel]];
          return side === 'before' ? [[panel], cell] : [cell, [panel]];
        }),
      );
  }
}

function cellOf(layout: CardLayout, panel: Panel): Cell | undefined {
  return layout.flat().find((cell) => cell.includes(panel));
}

function tidy(layout: CardLayout): CardLayout {
  return layout.map((column) => column.filter((cell) => cell.length > 0)).filter((column) => column.length > 0);
}

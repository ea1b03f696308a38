import { expect, test } from 'vitest';
import { arranged, type CardLayout, moved, PANELS, type Panel, stepped, USUAL } from './layout.ts';

const all = (layout: CardLayout): Panel[] => layout.flat(2).sort();
const EVERY = [...PANELS].sort();

test('the usual arrangement of each form has every panel once, and less where some are absent', () => {
  for (const usual of Object.values(USUAL)) {
    expect(all(usual)).toEqual(EVERY);
    expect(arranged(undefined, usual, PANELS)).toEqual(usual);
    const few = arranged(undefined, usual, ['map', 'messages']);
    expect(few.flat(2).sort()).toEqual(['map', 'messages']);
    expect(few.flat().every((cell) => cell.length > 0)).toBe(true);
  }
});

test.each<[string, unknown]>([
  ['nothing of the kind', 7],
  ['nested too little', ['map', ['charts']]],
  ['unknown names, and one twice', [[['map', 'nonsense', 'map'], ['__proto__']], [['map']]]],
  ['too many columns', PANELS.map((panel) => [[panel]])],
  ['some only', [[['status']], [['inspector']]]],
])('what was kept is mended: %s', (_, kept) => {
  const layout = arranged(kept, USUAL.wide, PANELS);
  expect(all(layout)).toEqual(EVERY);
  expect(layout.length).toBeLessThanOrEqual(USUAL.wide.length + 1);
});

test('a panel that is new comes among the tabs that it usually stands with', () => {
  const kept = [[['map'], ['inspector', 'messages']], [['status']]];
  const layout = arranged(kept, USUAL.wide, ['map', 'status', 'inspector', 'messages', 'command', 'outputs']);
  expect(layout).toEqual([
    [['map'], ['inspector', 'messages', 'command']],
    [['status'], ['outputs']],
  ]);
});

const START: CardLayout = [[['map'], ['charts']], [['messages', 'inspector']], [['status']]];

test.each<[Panel, Parameters<typeof moved>[2], CardLayout]>([
  ['map', { side: 'after', of: 'status' }, [[['charts']], [['messages', 'inspector']], [['status'], ['map']]]],
  ['map', { side: 'tab', of: 'inspector' }, [[['charts']], [['messages', 'inspector', 'map']], [['status']]]],
  ['status', { side: 'before', of: 'map' }, [[['status'], ['map'], ['charts']], [['messages', 'inspector']]]],
  ['charts', { side: 'left', of: 'map' }, [[['charts']], [['map']], [['messages', 'inspector']], [['status']]]],
  [
    'inspector',
    { side: 'after', of: 'messages' },
    [[['map'], ['charts']], [['messages'], ['inspector']], [['status']]],
  ],
  [
    'inspector',
    { side: 'right', of: 'inspector' },
    [...START.slice(0, 1), [['messages']], [['inspector']], [['status']]],
  ],
  // where it is already
  ['status', { side: 'right', of: 'status' }, START],
  ['map', { side: 'before', of: 'map' }, START],
  ['messages', { side: 'tab', of: 'inspector' }, START],
])('%s goes %o', (panel, target, wanted) => {
  expect(moved(START, panel, target)).toEqual(wanted);
});

test('keys move a panel by a step, never lose one, and every place is reached', () => {
  const step = (layout: CardLayout, panel: Panel, key: string, isShifted = false): CardLayout =>
    stepped(layout, panel, key, isShifted, 4);
  expect(step(START, 'charts', 'ArrowUp')).toEqual([[['charts'], ['map']], ...START.slice(1)]);
  expect(step(START, 'charts', 'ArrowDown')).toBe(START);
  expect(step(START, 'inspector', 'ArrowUp')[1]).toEqual([['inspector'], ['messages']]);
  expect(step(START, 'charts', 'ArrowRight')).toEqual([
    [['map']],
    [['messages', 'inspector'], ['charts']],
    [['status']],
  ]);
  expect(step(START, 'map', 'ArrowRight', true)[1]).toEqual([['messages', 'inspector', 'map']]);
  expect(step(START, 'messages', 'x')).toBe(START);
  let layout = START;
  for (const key of ['ArrowRight', 'ArrowRight', 'ArrowRight', 'ArrowRight']) layout = step(layout, 'map', key);
  expect(layout).toEqual([[['charts']], [['messages', 'inspector']], [['status']], [['map']]]);
  for (const key of ['ArrowLeft', 'ArrowLeft', 'ArrowLeft']) layout = step(layout, 'map', key);
  expect(layout).toEqual(START);
});

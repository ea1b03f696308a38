import type { Box } from '../map/geometry.ts';
import { type Filter, NEWEST_FIRST, NO_FILTER, SORT_KEYS, type Sort } from './filter.ts';

/** What the address holds of the page. */
interface LakePageView {
  readonly filter: Filter;
  readonly sort: Sort;
  /** The id of the flight that is chosen, '' for none. */
  readonly chosen: string;
}

/** What a link may ask for at most: it may come from anyone. */
const TEXT = 300;
const WORDS = ['text', 'vehicle', 'mode', 'finding', 'format', 'from', 'until'] as const;

/*
 *   #vehicle=3d1219c7c4c5404a&from=2026-11-01&finding=warn&box=8.5,47.3,8.6,47.4&sort=-start&flight=3831bf.1&all=1
 */
export function lakeHash({ filter, sort, chosen }: LakePageView): string {
  const parts = new URLSearchParams();
  for (const word of WORDS) if (filter[word] !== '') parts.set(word, filter[word]);
  if (filter.isAll) parts.set('all', '1');
  const { box } = filter;
  if (box) parts.set('box', [box.west, box.south, box.east, box.north].map((each) => each.toFixed(6)).join(','));
  if (sort.by !== NEWEST_FIRST.by || sort.isDown !== NEWEST_FIRST.isDown)
    parts.set('sort', `${sort.isDown ? '-' : ''}${sort.by}`);
  if (chosen !== '') parts.set('flight', chosen);
  const text = parts.toString();
  return text === '' ? '' : `#${text}`;
}

/** Reads a hash. What is not understood is left out. */
export function lakeViewOf(hash: string): LakePageView {
  const parts = new URLSearchParams(hash.replace(/^#/, ''));
  const text = (name: string): string => (parts.get(name) ?? '').slice(0, TEXT);
  const day = (name: string): string => (/^\d{4}-\d\d-\d\d$/.test(text(name)) ? text(name) : '');
  const [, minus, word] = /^(-?)(\w+)$/.exec(text('sort')) ?? [];
  const by = SORT_KEYS.find((key) => key === word);
  return {
    filter: {
      ...NO_FILTER,
      ...Object.fromEntries(WORDS.map((word) => [word, text(word)])),
      from: day('from'),
      until: day('until'),
      isAll: text('all') === '1',
      box: boxOf(text('box')),
    },
    sort: by ? { by, isDown: minus === '-' } : NEWEST_FIRST,
    chosen: text('flight'),
  };
}

function boxOf(text: string): Box | null {
  const [west, south, east, north, more] = text.split(',').map(Number);
  const isBox = [west, south, east, north].every(Number.isFinite) && more === undefined && text !== '';
  return isBox && west <= east && south <= north ? { west, south, east, north } : null;
}

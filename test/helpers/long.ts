import type { Block } from './need.ts';
import { need } from './need.ts';

/** Whether everything is asked for, however much alike it is. */
export const isAll = Boolean(process.env.SKEIN_ALL);
/** Whether what is long by nature runs as well: under CI, and where SKEIN_ALL=1 asks for it. */
export const isLong = Boolean(process.env.CI) || isAll;

/** How many of something are tried: all of them in a long run, fewer elsewhere. */
export function many(all: number, fewer: number): number {
  return isLong ? all : fewer;
}

/** `long(test)('300 kills', ...)` is `test('300 kills', ...)` in a long run. Elsewhere it is skipped and says why. */
export function long(block: Block): Block {
  return need(block, isLong, 'it takes long; CI=true or SKEIN_ALL=1 runs it');
}

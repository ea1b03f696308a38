import { ATTITUDE_POSITION } from './attitude-position.ts';
import type { Grammar } from './grammar.ts';

/** Every grammar that is built in. */
export const GRAMMARS: readonly Grammar[] = [ATTITUDE_POSITION];

export function grammarNamed(name: string): Grammar | undefined {
  return GRAMMARS.find((grammar) => grammar.name === name);
}

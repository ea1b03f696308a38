import { nearest } from '../core/search.ts';
import { REPORT_LIMITS } from './limits.ts';
import { RULE_LIST, type Rule } from './rule-list.ts';

/** The thresholds of a report: of each check its numbers by name; null for a check that is left out. */
export type Rules = ReadonlyMap<string, ReadonlyMap<string, Rule> | null>;

/** A rule file that cannot be used: the sentence says what is wrong with it. */
export class RuleError extends Error {
  override readonly name = 'RuleError';
}

/** Checks that compare with no number, but may be left out too. */
const PLAIN_CHECKS: readonly string[] = ['failsafe', 'sensors'];

export const DEFAULT_RULES: Rules = new Map([
  ...Object.entries(RULE_LIST).map(([check, rules]) => [check, new Map(Object.entries(rules))] as const),
  ...PLAIN_CHECKS.map((check) => [check, new Map<string, Rule>()] as const),
]);

/**
 * The rules with those of a file in their place: `{"vibration": {"warn": 20}, "compass": false}`. A check that is false
 * is left out.
 */
export function parseRules(text: string, name: string): Rules {
  if (text.length > REPORT_LIMITS.ruleCharacters)
    throw new RuleError(`${name}: ${text.length} characters, at most ${REPORT_LIMITS.ruleCharacters}`);
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch (error) {
    throw new RuleError(`${name}: no JSON: ${(error as Error).message}`);
  }
  if (!isObject(data))
    throw new RuleError(`${name}: expected an object of checks, such as {"vibration": {"warn": 20}}`);
  const rules = new Map(DEFAULT_RULES);
  for (const [check, section] of Object.entries(data)) {
    const known = DEFAULT_RULES.get(check);
    if (!known) throw new RuleError(`${name}: no check ${check}${meant(check, [...DEFAULT_RULES.keys()])}`);
    if (section === false) rules.set(check, null);
    else if (section !== true) rules.set(check, sectionOf(section, check, known, name));
  }
  return rules;
}

function sectionOf(
  section: unknown,
  check: string,
  known: ReadonlyMap<string, Rule>,
  name: string,
): ReadonlyMap<string, Rule> {
  if (!isObject(section)) throw new RuleError(`${name}: ${check} is neither an object of numbers nor true or false`);
  const rules = new Map(known);
  for (const [key, value] of Object.entries(section)) {
    const rule = known.get(key);
    if (!rule) throw new RuleError(`${name}: ${check} has no rule ${key}${meant(key, [...known.keys()])}`);
    if (typeof value !== 'number' || !Number.isFinite(value))
      throw new RuleError(`${name}: ${check}.${key} is ${JSON.stringify(value)}, expected a number`);
    rules.set(key, { ...rule, value, source: name });
  }
  return rules;
}

/** The rules as a file has them. */
export function rulesText(rules: Rules = DEFAULT_RULES): string {
  const data = [...rules].map(([check, section]) => [
    check,
    section && Object.fromEntries([...section].map(([key, { value }]) => [key, value])),
  ]);
  return `${JSON.stringify(Object.fromEntries(data.map(([check, section]) => [check, section ?? false])), null, 2)}\n`;
}

function meant(word: string, known: readonly string[]): string {
  const near = nearest(word, known);
  return near === undefined ? `: there are ${known.join(', ') || 'none'}` : `: did you mean ${near}?`;
}

function isObject(data: unknown): data is Record<string, unknown> {
  return typeof data === 'object' && data !== null && !Array.isArray(data);
}

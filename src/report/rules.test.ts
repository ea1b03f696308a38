import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { CHECKS } from './checks/index.ts';
import { REPORT_LIMITS } from './limits.ts';
import { DEFAULT_RULES, parseRules, RuleError, rulesText } from './rules.ts';

describe('rules', () => {
  test('every check has a section, and every section a check', () => {
    expect(new Set(DEFAULT_RULES.keys())).toEqual(new Set(CHECKS.map(({ name }) => name)));
  });

  test('every rule says what it decides and where it comes from', () => {
    for (const section of DEFAULT_RULES.values()) {
      for (const { value, text, source } of section?.values() ?? []) {
        expect(Number.isFinite(value)).toBe(true);
        expect(text.length).toBeGreaterThan(5);
        expect(source.length).toBeGreaterThan(5);
      }
    }
  });

  test('every rule is in the documentation with its value', () => {
    const docs = readFileSync(new URL('../../docs/report.md', import.meta.url), 'utf8');
    for (const [check, section] of DEFAULT_RULES) {
      expect(docs).toContain(`\`${check}\``);
      for (const [key, { value, unit, text, source }] of section ?? [])
        expect(docs).toContain(
          `| \`${check}.${key}\` | ${value}${unit === '' ? '' : ` ${unit}`} | ${text} | ${source} |`,
        );
    }
  });

  test('what is printed is read again as it was', () => {
    const again = parseRules(rulesText(), 'own.json');
    for (const [check, section] of DEFAULT_RULES) {
      for (const [key, { value }] of section ?? []) expect(again.get(check)?.get(key)?.value).toBe(value);
    }
  });

  test('a file replaces what it names, and says that it did', () => {
    const rules = parseRules('{"vibration": {"warn": 20}, "compass": false, "gps": true}', 'own.json');
    expect(rules.get('vibration')?.get('warn')).toMatchObject({ value: 20, source: 'own.json' });
    expect(rules.get('vibration')?.get('fail')).toEqual(DEFAULT_RULES.get('vibration')?.get('fail'));
    expect(rules.get('compass')).toBeNull();
    expect(rules.get('gps')).toEqual(DEFAULT_RULES.get('gps'));
  });

  test.each([
    ['{"vibratoin": {}}', 'own.json: no check vibratoin: did you mean vibration?'],
    ['{"vibration": {"wran": 1}}', 'own.json: vibration has no rule wran: did you mean warn?'],
    [
      '{"ekf": {"unlike": 1}}',
      'own.json: ekf has no rule unlike: there are warn, fail, hold, warnHold, aidingHold, resets',
    ],
    ['{"ekf": {"warn": "1"}}', 'own.json: ekf.warn is "1", expected a number'],
    ['{"ekf": {"warn": null}}', 'own.json: ekf.warn is null, expected a number'],
    ['{"ekf": 3}', 'own.json: ekf is neither an object of numbers nor true or false'],
    ['[]', 'own.json: expected an object of checks, such as {"vibration": {"warn": 20}}'],
    ['{"__proto__": {}}', 'own.json: no check __proto__'],
    ['{', 'own.json: no JSON'],
    [' '.repeat(REPORT_LIMITS.ruleCharacters + 1), `own.json: ${REPORT_LIMITS.ruleCharacters + 1} characters`],
  ])('a wrong file is refused with a sentence, case %#', (text, sentence) => {
    expect(() => parseRules(text, 'own.json')).toThrow(RuleError);
    expect(() => parseRules(text, 'own.json')).toThrow(sentence);
  });
});

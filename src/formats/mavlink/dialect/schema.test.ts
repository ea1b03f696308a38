import { expect, test } from 'vitest';
import { builtinDialect } from './builtin.ts';
import { type SchemaOptions, schemaOf } from './schema.ts';

const options: SchemaOptions = {
  codec: {} as SchemaOptions['codec'],
  secretCodec: {} as SchemaOptions['codec'],
  lead: 0,
  keepInvalid: false,
};

/** What the letters before a unit stand for, and units that have none. */
const PREFIX: Readonly<Record<string, number>> = { n: -9, u: -6, m: -3, c: -2, d: -1, da: 1, h: 2, k: 3, M: 6 };
const PLAIN = /^(deg|rad|m|s|V|A|Ah|Hz|gauss|pix|degC|%|Pa|J)(\/s)?$/;
const OTHERS: Readonly<Record<string, readonly [number, string]>> = {
  degE7: [1e-7, 'deg'],
  degE5: [1e-5, 'deg'],
  'deg/2': [2, 'deg'],
  'm/s*5': [0.2, 'm/s'],
  'cm^2': [0.01 ** 2, 'm^2'],
  'cm^3': [0.01 ** 3, 'm^3'],
  mG: [9.80665e-3, 'm/s/s'],
  mbar: [100, 'Pa'],
  g: [1e-3, 'kg'],
};

test('units with a prefix are worth what it says', () => {
  const found = new Set<string>();
  for (const definition of [...builtinDialect().messages.values()].flat()) {
    for (const [i, { unit, multiplier, siUnit, name }] of schemaOf(definition, options).fields.entries()) {
      if (definition.fields[i].multiplier !== undefined) continue;
      const [, prefix = '', base = ''] = /^(da|[numcdhkM])(.+)$/.exec(unit) ?? [];
      const expected = PLAIN.test(unit)
        ? undefined
        : (OTHERS[unit] ?? (PLAIN.test(base) ? ([10 ** PREFIX[prefix], base] as const) : undefined));
      if (expected === undefined) continue;
      found.add(unit);
      expect(siUnit, `${definition.name}.${name} ${unit}`).toBe(expected[1]);
      expect((multiplier ?? Number.NaN) / expected[0], `${definition.name}.${name} ${unit}`).toBeCloseTo(1, 9);
    }
  }
  expect(found.size).toBeGreaterThan(30);
});

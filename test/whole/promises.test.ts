import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { needShared, sharedData } from '../helpers/need.ts';
import { PROMISES } from './promise-table.ts';
import { matches, PAGE } from './promises.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const rows = Object.values(PROMISES).flat();
const files = ['src', 'test', 'web'].flatMap((folder) =>
  readdirSync(`${ROOT}${folder}`, { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
);

test.each(rows)('$id names tests that are there, or says what is missing', ({ tests, figure, missing }) => {
  for (const name of tests) expect(files.filter((file) => matches(file, name)).length, name).toBeGreaterThan(0);
  expect(figure !== '' || missing !== undefined).toBe(true);
});

test('the page has every promise once, in order', () => {
  const page = readFileSync(PAGE, 'utf8');
  expect([...page.matchAll(/^\| ([A-G]\d+) \|/gm)].map(([, id]) => id)).toEqual(rows.map(({ id }) => id));
});

needShared(test, '../PROMISES.md')('no promise is passed over', () => {
  const path = sharedData('../PROMISES.md');
  const ids = [...readFileSync(path, 'utf8').matchAll(/^\| ([A-G]\d+) \|/gm)].map(([, id]) => id);
  expect(rows.map(({ id }) => id)).toEqual(ids);
});

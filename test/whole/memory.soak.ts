import { expect, test } from 'vitest';
import { temporaryFolder } from '../helpers/folder.ts';
import { ANSWERS, broken, denseKinds, line, measure, OTHERS, type Peak } from '../helpers/memory.ts';

const folder = temporaryFolder();
const SIZE = Number(process.env.SKEIN_DENSE_MIB ?? 16) * 2 ** 20;
const wanted = new RegExp(process.env.SKEIN_DENSE ?? '');

test('every command over every kind of dense log', async () => {
  const peaks: Peak[] = [];
  for (const each of denseKinds().filter(({ format, kind }) => wanted.test(`${format} ${kind}`))) {
    const found = await measure(folder, each, SIZE, [...Object.keys(ANSWERS), ...Object.keys(OTHERS)]);
    for (const one of found) console.log(line(one));
    peaks.push(...found);
  }
  expect(broken(peaks)).toEqual([]);
});

import { afterAll, describe, expect, test } from 'vitest';
import { allFiles, nameOf, type Violation, violationsOf } from '../helpers/answers.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { isLong } from '../helpers/long.ts';
import { needShared } from '../helpers/need.ts';

/** Elsewhere than in a long run every so many files are looked at; a word in SKEIN_ANSWERS chooses those with it. */
const EVERY = 16;
const WORD = process.env.SKEIN_ANSWERS;

function chosen(): string[] {
  const files = allFiles();
  if (WORD) return files.filter((file) => file.includes(WORD));
  return isLong ? files : files.filter((file, i) => i % EVERY === 0 || /field.wild/.test(file));
}

needShared(
  describe,
  '..',
  'field',
)('no answer that cannot be true', () => {
  const files = chosen();
  const folder = temporaryFolder();
  const found: Violation[] = [];
  let read = 0;
  afterAll(() => {
    for (const { file, rule, value } of found) console.log(`${file}: ${rule}: ${value}`);
    console.log(`${found.length} answers that cannot be true in ${read} logs, of ${files.length} files`);
  });

  test.each(files.map((file) => [nameOf(file), file]))('%s', async (_, file) => {
    const violations = await violationsOf(file, folder);
    if (violations === undefined) return;
    read++;
    found.push(...violations);
    expect(violations).toEqual([]);
  });
});

// As much of vitest as the fast tests of core and formats use, in one process without a runner: for mutation.mjs.
import { readFileSync } from 'node:fs';
import { ASYMMETRIC_MATCHERS_OBJECT, JestAsymmetricMatchers, JestChaiExpect, JestExtend } from '@vitest/expect';
import * as chai from 'chai';

export { expectTypeOf } from 'expect-type';

chai.use(JestExtend);
chai.use(JestChaiExpect);
chai.use(JestAsymmetricMatchers);

export const expect = (value, message) => chai.expect(value, message);
Object.assign(expect, chai.expect, globalThis[ASYMMETRIC_MATCHERS_OBJECT]);
chai.Assertion.addMethod('toMatchFileSnapshot', async function (path) {
  if (this._obj !== readFileSync(path, 'utf8')) throw new Error(`differs from ${path}`);
});

/** Tests of thousands of inputs: they are for the main run. */
const SLOW = /one wrong byte|garbage before|torn at|torn anywhere|whole files|recordings/;

const SKIPPED = new Error('skipped');
const CONTEXT = {
  skip: () => {
    throw SKIPPED;
  },
};

let tests = [];
const names = [];

function formatted(title, row, i) {
  const args = Array.isArray(row) ? row : [row];
  return `${title} ${i} ${String(args[0]).slice(0, 20)}`;
}

export function describe(title, body) {
  names.push(title);
  body();
  names.pop();
}
export function test(title, ...rest) {
  const body = rest.find((each) => typeof each === 'function');
  const name = [...names, title].join(' > ');
  if (!SLOW.test(name)) tests.push({ title: name, body });
}
export function it(...args) {
  test(...args);
}
for (const block of [describe, test, it]) {
  block.each = (rows) => (title, body) => {
    for (const [i, row] of rows.entries())
      block(formatted(title, row, i), () => (Array.isArray(row) ? body(...row) : body(row)));
  };
  block.skip = () => {};
  block.skipIf = (condition) => (condition ? () => {} : block);
  block.runIf = (condition) => (condition ? block : () => {});
}
const cleanups = [];
export const afterAll = (body) => cleanups.push(body);
export const afterEach = () => {};
export const beforeAll = (body) => tests.push({ title: 'before', body });
export const beforeEach = (body) => tests.push({ title: 'before', body });

/** Runs the tests of some files: the title of the first that fails, or the processor seconds of each file. */
export async function run(files, chosen) {
  const seconds = {};
  for (const file of chosen) {
    const begin = process.cpuUsage().user;
    tests = [];
    await files[file]();
    for (const { title, body } of tests) {
      try {
        await body(CONTEXT);
      } catch (error) {
        if (error === SKIPPED) continue;
        return { failed: `${file}: ${title}: ${String(error?.message).split('\n')[0].slice(0, 120)}` };
      }
    }
    seconds[file] = (process.cpuUsage().user - begin) / 1e6;
  }
  for (const body of cleanups) await body();
  return { seconds };
}

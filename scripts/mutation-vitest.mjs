// As much of vitest as the fast tests of core and formats use, in one process without a runner: for mutation.mjs.
import { readFileSync } from 'node:fs';
import { ASYMMETRIC_MATCHERS_OBJECT, JestAsymmetricMatchers, JestChaiExpect, JestExtend } from '@vitest/expect';
import * as chai from 'chai';

export { expectTypeOf } from 'expect-type';
// tests that replace modules are left out
export const vi = undefined;

chai.use(JestExtend);
chai.use(JestChaiExpect);
chai.use(JestAsymmetricMatchers);

export const expect = (value, message) => chai.expect(value, message);
Object.assign(expect, chai.expect, globalThis[ASYMMETRIC_MATCHERS_OBJECT]);
chai.Assertion.addMethod('toSatisfy', function (holds) {
  this.satisfy(holds);
});
chai.Assertion.addMethod('toMatchFileSnapshot', async function (path) {
  if (this._obj !== readFileSync(path, 'utf8')) throw new Error(`differs from ${path}`);
});

/** Tests of thousands of inputs: they are for the main run. */
const SLOW = /one wrong byte|random damages|garbage before|torn at|torn anywhere|whole files|recordings/;

const SKIPPED = new Error('skipped');
const CONTEXT = {
  skip: () => {
    throw SKIPPED;
  },
};

// replaces node:child_process
const skip = CONTEXT.skip;

export { skip as execFile, skip as execFileSync, skip as fork, skip as spawn, skip as spawnSync };

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
  block.each =
    (rows) =>
    (title, ...rest) => {
      const body = rest.find((each) => typeof each === 'function');
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

/** Registers the tests of a file, and those alone. */
async function testsOf(file, files) {
  tests = [];
  await files[file]();
  return tests;
}

/** Milliseconds after which a test that waits has failed. */
const MOST_WAIT = 20_000;

/** Runs a test: what it failed with, or undefined. */
async function failureOf({ title, body }) {
  let timer;
  try {
    const late = new Promise((_, refuse) => {
      timer = setTimeout(refuse, MOST_WAIT, new Error('waits too long'));
    });
    await Promise.race([body(CONTEXT), late]);
  } catch (error) {
    if (error === SKIPPED) return undefined;
    return `${title}: ${String(error?.message).split('\n')[0].slice(0, 120)}`;
  } finally {
    clearTimeout(timer);
  }
  return undefined;
}

/** Runs tests by file and number, and says the first that fails. */
export async function run(files, chosen) {
  for (const [file, numbers] of chosen) {
    const all = await testsOf(file, files);
    for (const number of numbers) {
      const failure = all[number] && (await failureOf(all[number]));
      if (failure) return { failed: `${file}: ${failure}`, test: `${file} ${number}` };
    }
  }
  for (const body of cleanups) await body();
  return {};
}

/**
 * Runs all tests of some files without a change: of each its processor seconds, and which changes it reaches. Those that
 * are reached when a module is loaded, which happens once, are said apart.
 */
export async function survey(files, chosen) {
  const found = [];
  const loaded = new Set();
  for (const file of chosen) {
    const loading = new Set();
    globalThis.reached = loading;
    const all = await testsOf(file, files).catch((error) => {
      found.push({ file, number: -1, failure: `is not loaded: ${error.message}` });
      return [];
    });
    for (const number of loading) loaded.add(number);
    for (const [number, test] of all.entries()) {
      globalThis.reached = new Set(loading);
      const begin = process.cpuUsage().user;
      const failure = await failureOf(test);
      const seconds = (process.cpuUsage().user - begin) / 1e6;
      found.push({ file, number, title: test.title, failure, seconds, reached: globalThis.reached });
    }
  }
  for (const body of cleanups) await body();
  return { found, loaded };
}

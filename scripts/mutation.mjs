// Mutation score of core and formats: small changes of the code, one at a time, each of which a test should notice.
//
//     npm run mutation -- [--count N] [--seed N] [--only TEXT] [--seconds N]
//
// All changes are built into one bundle of the source and its tests, each behind a switch. All tests run once without a
// change, which shows what each reaches. Then, for each change, a worker with its switch on runs the tests that reach it:
// those of the same folder, the suite of the format, its other tests, and those of the rooms that read logs. It ends by a failed
// test (killed), by taking far longer than without a change (killed), or it does not (survived).
// Tests that start a program are skipped, for that is not what was changed. Limits are not changed: each is compared
// with docs/limits.md by test/whole/limits.test.ts.
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { rolldown } from 'rolldown';
import { parseSync } from 'rolldown/utils';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SHIM = join(ROOT, 'scripts/mutation-vitest.mjs');
const { values } = parseArgs({
  options: {
    count: { type: 'string' },
    seed: { type: 'string' },
    only: { type: 'string' },
    seconds: { type: 'string' },
  },
});
const COUNT = Number(values.count ?? 100);
const SEED = Number(values.seed ?? 1);
const OUT = join(ROOT, `node_modules/.cache/mutation-${SEED}`);
const SECONDS = Number(values.seconds ?? 10);
/** How many times longer than without a change tests may take. */
const FAR = 3;

const SWAPS = {
  ...{
    '+': '-',
    '-': '+',
    '*': '/',
    '/': '*',
    '%': '*',
    '&': '|',
    '|': '&',
    '^': '&',
    '<<': '>>',
    '>>': '<<',
    '>>>': '<<',
  },
  ...{ '<': '<=', '<=': '<', '>': '>=', '>=': '>', '===': '!==', '!==': '===', '&&': '||', '||': '&&', '??': '&&' },
  ...{ '+=': '-=', '-=': '+=', '++': '--', '--': '++' },
};

/** The source files that are changed. */
function sources(folder = join(ROOT, 'src')) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === 'dialects' ? [] : sources(path);
    return /src.(core|formats)/.test(path) && /(?<!\.test|limits)\.ts$/.test(path) ? [path] : [];
  });
}

/** Every possible change of a file: where, and what replaces it. */
function changesOf(file) {
  const code = readFileSync(file, 'utf8');
  const found = [];
  const text = (node) => code.slice(node.start, node.end);
  const add = (node, to) => found.push({ file, start: node.start, end: node.end, from: text(node), to });
  const swapped = (node, left, right) => {
    const between = code.slice(left.end, right.start);
    if (SWAPS[node.operator])
      add(node, `${text(left)}${between.replace(node.operator, SWAPS[node.operator])}${text(right)}`);
  };
  walk(parseSync(file, code).program, (node) => {
    if (node.type === 'BinaryExpression' || node.type === 'LogicalExpression' || node.type === 'AssignmentExpression')
      swapped(node, node.left, node.right);
    else if (node.type === 'UpdateExpression') add(node, text(node).replace(node.operator, SWAPS[node.operator]));
    else if (node.type === 'UnaryExpression' && '!-~'.includes(node.operator)) add(node, text(node.argument));
    else if (node.type === 'Literal' && typeof node.value === 'number') add(node, String(node.value + 1));
    else if (node.type === 'Literal' && typeof node.value === 'boolean') add(node, String(!node.value));
    else if (node.type === 'IfStatement' || node.type === 'ConditionalExpression')
      add(node.test, `!(${text(node.test)})`);
  });
  return found;
}

/** Visits expressions; types, names and what is imported are none. */
function walk(node, visit) {
  if (Array.isArray(node)) {
    for (const each of node) walk(each, visit);
  } else if (node && typeof node.type === 'string') {
    if (/^(Import|ExportAll)|^TS(?!(As|NonNull|Satisfies))/.test(node.type)) return;
    visit(node);
    for (const [key, child] of Object.entries(node)) {
      if (/type(Annotation|Arguments|Parameters)|returnType|source/.test(key)) continue;
      if (key === 'key' && !node.computed) continue;
      if (child && typeof child === 'object') walk(child, visit);
    }
  }
}

/** Random changes that do not overlap, by a seed. */
function sample(all, count, seed) {
  let state = Math.imul(seed, 2654435761) >>> 0;
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  const chosen = [];
  for (const left = all.slice(); left.length > 0 && chosen.length < count; ) {
    const [change] = left.splice(Math.floor(next() * left.length), 1);
    const overlaps = (each) => each.file === change.file && each.start < change.end && change.start < each.end;
    if (!chosen.some(overlaps)) chosen.push(change);
  }
  return chosen;
}

/** Builds the tests with all changes in them, each behind its number. */
async function build(changes, tests) {
  const entry = `export const TESTS = {${tests.map((file) => `${JSON.stringify(file)}: () => import(${JSON.stringify(join(ROOT, file))})`)}};\nexport { run, survey } from ${JSON.stringify(SHIM)};`;
  const plugin = {
    name: 'mutants',
    resolveId: (id) => (/^(vitest|node:child_process)$/.test(id) ? SHIM : id === 'entry' ? id : undefined),
    load: (id) => (id === 'entry' ? entry : undefined),
    transform(code, id) {
      let text = code;
      const own = changes.map((change, number) => ({ ...change, number })).filter(({ file }) => file === id);
      for (const { start, end, to, number } of own.sort((a, b) => b.start - a.start))
        text = `${text.slice(0, start)}(globalThis.isChanged(${number})?(${to}):(${text.slice(start, end)}))${text.slice(end)}`;
      return text.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href));
    },
  };
  rmSync(OUT, { recursive: true, force: true });
  mkdirSync(OUT, { recursive: true });
  const bundle = await rolldown({
    input: 'entry',
    plugins: [plugin],
    platform: 'node',
    external: (id) => /^[@a-z]/.test(id) && !['vitest', 'entry'].includes(id),
    treeshake: false,
    logLevel: 'silent',
  });
  await bundle.write({ dir: OUT, entryFileNames: 'entry.mjs', chunkFileNames: '[name]-[hash].mjs' });
}

/** Rooms behind the decoders whose tests read logs in seconds. */
const READERS = [
  ...['time', 'series', 'geo', 'facts', 'sensors', 'report', 'export', 'check', 'live'].map((room) => `src/${room}`),
  ...['test/check', 'test/specs'],
];
const isOf = (folders, file) => folders.some((folder) => file.startsWith(`${folder}/`));

/** Formats that are tested with another. */
const WITH = { tlog: 'mavlink' };

/** The tests that should notice a change in a file, the nearest first. */
function related(file, tests) {
  const folder = relative(ROOT, dirname(file));
  const format = folder.split('/')[2];
  const own = format ? `test/formats/${WITH[format] ?? format}/` : 'test/formats/';
  const above = format ? tests.filter((each) => dirname(each) === dirname(folder)) : [];
  const far = tests.filter((each) => each.startsWith(own) || dirname(each) === 'test/formats');
  const isSuite = (each) => /suite\.test/.test(each);
  return [
    ...tests.filter((each) => dirname(each) === folder),
    ...far.filter(isSuite),
    ...above,
    ...far.filter((each) => !isSuite(each)),
    ...tests.filter((each) => isOf(READERS, each)),
  ];
}

/** Those of some folders that run in seconds: no floods. */
function testsIn(folder) {
  return readdirSync(join(ROOT, folder), { recursive: true })
    .filter((name) => /\.test\.ts$/.test(name) && !/flood|chance|large|wanted/.test(name))
    .map((name) => `${folder}/${name}`);
}

/** What a worker answers in which a line runs; or that it failed, or took longer than N seconds. */
function worker(line, seconds) {
  return new Promise((resolve) => {
    const code = `import(${JSON.stringify(pathToFileURL(join(OUT, 'entry.mjs')).href)})
      .then(({ TESTS, run, survey }) => ${line})
      .then((answer) => require('node:worker_threads').parentPort.postMessage(answer));`;
    const worker = new Worker(code, {
      eval: true,
      env: { ...process.env, CI: '', SKEIN_FUZZ: '80' },
      stdout: true,
      stderr: true,
    });
    // of processor time, all of which is the worker's
    const begin = process.cpuUsage().user;
    const timer = setInterval(() => {
      if (process.cpuUsage().user - begin > seconds * 1e6) end({ failed: 'takes too long' });
    }, 200);
    const end = (answer) => {
      clearInterval(timer);
      void worker.terminate();
      resolve(answer);
    };
    worker.on('message', end);
    worker.on('exit', () => end({ failed: 'ends' }));
    worker.on('error', (error) => end({ failed: String(error.message).split('\n')[0] }));
  });
}

const files = sources().filter((file) => file.includes(values.only ?? ''));
const all = files.flatMap(changesOf);
const changes = sample(all, COUNT, SEED);
const tests = ['src/core', 'src/formats', 'test/formats', ...READERS].flatMap(testsIn);
await build(changes, tests);

const used = [...new Set(changes.flatMap(({ file }) => related(file, tests)))];
const { found, loaded, failed } = await worker(
  `(globalThis.isChanged = (number) => { globalThis.reached?.add(number); return false; }, survey(TESTS, ${JSON.stringify(used)}))`,
  Number.POSITIVE_INFINITY,
);
if (failed) throw new Error(`the tests fail without any change: ${failed}`);
const unfit = found.filter(({ failure }) => failure);
if (unfit.length > 0) console.log(`${unfit.length} of ${found.length} tests fail in a worker, and are left out:`);
for (const { file, failure } of unfit) console.log(`  ${file}: ${failure}`);

/** The tests that should notice a change, the nearest first: files, and numbers of tests in them. */
function testsOf(number) {
  // a constant may change any test that is near, whichever loaded its module first
  const reaches = ({ file, reached }) => reached.has(number) || (loaded.has(number) && !isOf(READERS, file));
  return (
    related(changes[number].file, tests)
      .map((file) => [file, found.filter((each) => each.file === file && !each.failure)])
      .filter(([, own]) => own.some(reaches))
      // what prepares tests runs before them, whatever it reaches
      .map(([file, own]) => [file, own.filter((each) => each.title === 'before' || reaches(each))])
  );
}

/** Tests that found a change, and pass without it in the same company. */
const proven = new Set();

/** 'unreached', 'survived', or 'killed' with the test that failed. */
async function trial(number) {
  const chosen = testsOf(number);
  if (chosen.length === 0) return { state: 'unreached', by: '' };
  const usual = chosen.flatMap(([, reaching]) => reaching).reduce((sum, { seconds }) => sum + seconds, 0);
  const plan = JSON.stringify(chosen.map(([file, reaching]) => [file, reaching.map((each) => each.number)]));
  const lineOf = (changed) => `(globalThis.isChanged = (number) => number === ${changed}, run(TESTS, ${plan}))`;
  const { failed, test } = await worker(lineOf(number), SECONDS + FAR * usual);
  if (!failed) return { state: 'survived', by: '' };
  if (test && !proven.has(test)) {
    const { failed } = await worker(lineOf(-1), Number.POSITIVE_INFINITY);
    if (failed) throw new Error(`fails without a change too, where not all tests ran before it: ${failed}`);
    proven.add(test);
  }
  return { state: 'killed', by: failed };
}

const tally = new Map();
for (const [number, { file, start, from, to }] of changes.entries()) {
  const { state, by } = await trial(number);
  const line = readFileSync(file, 'utf8').slice(0, start).split('\n').length;
  const part = file.includes('frame')
    ? 'frames'
    : relative(join(ROOT, 'src'), dirname(file)).split('/').slice(0, 2).join('/');
  const [killed, count] = tally.get(part) ?? [0, 0];
  tally.set(part, [killed + (state === 'killed' ? 1 : 0), count + 1]);
  console.log(`${state} ${relative(ROOT, file)}:${line} ${from} -> ${to} ${by}`.replaceAll('\n', ' '));
}
const sums = [...tally.values()].reduce(([a, b], [killed, count]) => [a + killed, b + count], [0, 0]);
for (const [part, [killed, count]] of [...tally, ['all', sums]])
  console.log(`${part}: ${killed} of ${count} killed, ${((100 * killed) / count).toFixed(0)} %`);
console.log(`a sample of ${changes.length} of ${all.length} possible changes, seed ${SEED}`);

// Mutation score of core and formats: small changes of the code, one at a time, each of which a test should notice.
//
//     npm run mutation -- [--count N] [--seed N] [--only TEXT] [--seconds N]
//
// All changes are built into one bundle of the source and its tests, each behind a switch. A worker with one switch on
// runs the tests of the same folder, then the suite of the format, then its other tests (for core those of all formats).
// It ends by a failed test (killed), by taking far longer than without a change (killed), or it does not (survived).
// Tests that start the command are left out, for that runs the built program.
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
const SECONDS = Number(values.seconds ?? 30);
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
    return /src.(core|formats)/.test(path) && /(?<!\.test)\.ts$/.test(path) ? [path] : [];
  });
}

/** Every possible change of a file: where, and what stands there instead. */
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
  const entry = `export const TESTS = {${tests.map((file) => `${JSON.stringify(file)}: () => import(${JSON.stringify(join(ROOT, file))})`)}};\nexport { run } from ${JSON.stringify(SHIM)};`;
  const plugin = {
    name: 'mutants',
    resolveId: (id) => (id === 'vitest' ? SHIM : id === 'entry' ? id : undefined),
    load: (id) => (id === 'entry' ? entry : undefined),
    transform(code, id) {
      let text = code;
      const own = changes.map((change, number) => ({ ...change, number })).filter(({ file }) => file === id);
      for (const { start, end, to, number } of own.sort((a, b) => b.start - a.start))
        text = `${text.slice(0, start)}(globalThis.mutant===${number}?(${to}):(${text.slice(start, end)}))${text.slice(end)}`;
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
  ];
}

/** Those of some folders that run in this process, in seconds: neither floods nor what starts programs. */
function testsIn(folder) {
  return readdirSync(join(ROOT, folder), { recursive: true })
    .filter((name) => /\.test\.ts$/.test(name) && !/flood|chance|large/.test(name))
    .map((name) => `${folder}/${name}`)
    .filter((name) => !/helpers\/(cli|run|peers|browser)|child_process/.test(readFileSync(join(ROOT, name), 'utf8')));
}

/** Runs tests with one change, or none; 'killed' with the test that failed, 'timeout' or 'survived' with their seconds. */
function trial(number, files, seconds) {
  return new Promise((resolve) => {
    const code = `globalThis.mutant = ${number};
      import(${JSON.stringify(pathToFileURL(join(OUT, 'entry.mjs')).href)}).then(({ TESTS, run }) => run(TESTS, ${JSON.stringify(files)}))
        .then((failed) => require('node:worker_threads').parentPort.postMessage(failed));`;
    const worker = new Worker(code, {
      eval: true,
      env: { ...process.env, CI: '', SKEIN_FUZZ: '80' },
      stdout: true,
      stderr: true,
    });
    // of processor time, all of which is the worker's
    const begin = process.cpuUsage().user;
    const timer = setInterval(() => {
      if (process.cpuUsage().user - begin > seconds * 1e6) end({ state: 'timeout', by: '' });
    }, 200);
    const end = (result) => {
      clearInterval(timer);
      void worker.terminate();
      resolve(result);
    };
    worker.on('message', ({ failed, seconds }) =>
      end(failed ? { state: 'killed', by: failed } : { state: 'survived', by: '', seconds }),
    );
    worker.on('error', (error) => end({ state: 'killed', by: String(error.message).split('\n')[0] }));
  });
}

const files = sources().filter((file) => file.includes(values.only ?? ''));
const all = files.flatMap(changesOf);
const changes = sample(all, COUNT, SEED);
const tests = [...['src/core', 'src/formats'].flatMap(testsIn), ...testsIn('test/formats')];
await build(changes, tests);

const used = [...new Set(changes.flatMap(({ file }) => related(file, tests)))];
const sound = await trial(-1, used, Number.POSITIVE_INFINITY);
if (sound.state !== 'survived') throw new Error(`the tests fail without any change: ${sound.state} ${sound.by}`);
/** Processor seconds after which a change made its tests take longer. */
const limitOf = (chosen) => SECONDS + FAR * chosen.reduce((sum, file) => sum + sound.seconds[file], 0);

const tally = new Map();
for (const [number, { file, start, from, to }] of changes.entries()) {
  const chosen = related(file, tests);
  const { state, by } = await trial(number, chosen, limitOf(chosen));
  const line = readFileSync(file, 'utf8').slice(0, start).split('\n').length;
  const part = file.includes('frame')
    ? 'frames'
    : relative(join(ROOT, 'src'), dirname(file)).split('/').slice(0, 2).join('/');
  const [killed, count] = tally.get(part) ?? [0, 0];
  tally.set(part, [killed + (state === 'survived' ? 0 : 1), count + 1]);
  console.log(`${state} ${relative(ROOT, file)}:${line} ${from} -> ${to} ${by}`.replaceAll('\n', ' '));
}
const sums = [...tally.values()].reduce(([a, b], [killed, count]) => [a + killed, b + count], [0, 0]);
for (const [part, [killed, count]] of [...tally, ['all', sums]])
  console.log(`${part}: ${killed} of ${count} killed, ${((100 * killed) / count).toFixed(0)} %`);
console.log(`a sample of ${changes.length} of ${all.length} possible changes, seed ${SEED}`);

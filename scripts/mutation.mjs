// Mutation score of core and formats: small changes of the code, one at a time, each of which a test should notice.
//
//     npm run mutation -- [--count N] [--seed N] [--only TEXT] [--seconds N]
//
// All changes are built into one bundle of the source and its fast tests, each behind a switch. A worker with one switch
// on runs the tests of the same folder, and for a format its suite; it has ended by a failed test (killed), by its time
// (killed), or it has not (survived).
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
const SECONDS = Number(values.seconds ?? 60);

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

const SUITES = { tlog: 'mavlink' };

/** The tests that should notice a change in a file, the nearest first. */
function related(file, tests) {
  const folder = relative(ROOT, dirname(file));
  const format = folder.split('/')[2] ?? '';
  const suites = tests.filter((each) => each.startsWith('test/'));
  const near = tests.filter((each) => dirname(each) === folder);
  const own = suites.filter((each) => each.includes(`/${SUITES[format] ?? format}`));
  return [...near, ...(format ? own : suites)];
}

/** Runs tests with one change, or none; 'killed' with the test that failed, 'timeout' or 'survived'. */
function trial(number, files) {
  return new Promise((resolve) => {
    const code = `globalThis.mutant = ${number};
      import(${JSON.stringify(pathToFileURL(join(OUT, 'entry.mjs')).href)}).then(({ TESTS, run }) => run(TESTS, ${JSON.stringify(files)}))
        .then((failed) => require('node:worker_threads').parentPort.postMessage(failed ?? ''));`;
    const worker = new Worker(code, {
      eval: true,
      env: { ...process.env, CI: '', SKEIN_FUZZ: '80' },
      stdout: true,
      stderr: true,
    });
    // of processor time, all of which is the worker's
    const begin = process.cpuUsage().user;
    const timer = setInterval(() => {
      if (process.cpuUsage().user - begin > SECONDS * 1e6) end({ state: 'timeout', by: '' });
    }, 200);
    const end = (result) => {
      clearInterval(timer);
      void worker.terminate();
      resolve(result);
    };
    worker.on('message', (failed) => end(failed ? { state: 'killed', by: failed } : { state: 'survived', by: '' }));
    worker.on('error', (error) => end({ state: 'killed', by: String(error.message).split('\n')[0] }));
  });
}

const files = sources().filter((file) => file.includes(values.only ?? ''));
const all = files.flatMap(changesOf);
const changes = sample(all, COUNT, SEED);
const near = readdirSync(join(ROOT, 'src'), { recursive: true }).filter((name) =>
  /^(core|formats).*\.test\.ts$/.test(name),
);
const suites = readdirSync(join(ROOT, 'test')).filter((name) => /-suite\.test\.ts$/.test(name));
const tests = [...near.map((name) => `src/${name}`), ...suites.map((name) => `test/${name}`)];
await build(changes, tests);

const used = [...new Set(changes.flatMap(({ file }) => related(file, tests)))];
const sound = await trial(-1, used);
if (sound.state !== 'survived') throw new Error(`the tests fail without any change: ${sound.state} ${sound.by}`);

const tally = new Map();
for (const [number, { file, start, from, to }] of changes.entries()) {
  const { state, by } = await trial(number, related(file, tests));
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

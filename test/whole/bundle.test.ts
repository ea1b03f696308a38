// Each package that the bundled program imports when it is needed: a command that needs it gets it.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { UlogWriter, u8, u64 } from '../formats/ulog/writer.ts';
import { SAMPLE, SKEIN } from '../helpers/cli.ts';
import { temporaryFolder } from '../helpers/folder.ts';

const PROGRAM = fileURLToPath(new URL('../../dist/program/', import.meta.url));
const folder = temporaryFolder();
const builtAt = (name: string): number => statSync(join(PROGRAM, '..', name), { throwIfNoEntry: false })?.mtimeMs ?? 0;
const isBuilt = builtAt('program/main.cjs') > builtAt('.tsbuildinfo');

/** Notes what the program imports, found or not, in the file IMPORTED. */
const HOOKS = `import { appendFileSync } from 'node:fs';
export async function resolve(name, context, next) {
  const isOurs = /.dist.program.|.bin.program.js$/.test(context.parentURL) && !/^(node:|[./]|file:)/.test(name);
  try {
    const found = await next(name, context);
    if (isOurs) appendFileSync(process.env.IMPORTED, name + '\\n');
    return found;
  } catch (error) {
    if (isOurs) appendFileSync(process.env.IMPORTED, 'missing ' + name + '\\n');
    throw error;
  }
}`;
/** A terminal, whose first second is over at once. */
const BEFORE = `import { register } from 'node:module';
register(${JSON.stringify(dataUrl(HOOKS))});
const now = performance.now.bind(performance);
performance.now = () => 1e4 * now();
process.stderr.isTTY = true;`;

/** A log whose events are described by a packed file. It is damaged, which shows only when it is unpacked. */
function logWithEvents(): string {
  const path = join(folder, 'events.ulg');
  const fields = 'uint64_t timestamp;uint32_t id;uint16_t event_sequence;uint8_t[25] arguments;uint8_t log_levels;';
  const writer = new UlogWriter()
    .header()
    .flags()
    .multi(0, 'uint8_t[4] metadata_events', u8(0xfd, 1, 2, 3));
  writer.format(`event:${fields}`).subscribe(0, 'event');
  writer.data(0, u64(1e6), u8(7, 0, 0, 1, 1, 0), new Uint8Array(25), u8(0x66));
  writeFileSync(path, writer.bytes());
  return path;
}

const LIVE = ['--duration', '1', '--no-http'];
const COMMANDS: readonly (readonly [packages: readonly string[], command: () => readonly string[]])[] = [
  [['@duckdb/node-api', '@duckdb/node-bindings'], () => ['export', SAMPLE, '--to', 'parquet', '-o', 'tables']],
  [['@nats-io/jetstream', '@nats-io/transport-node'], () => ['live', 'nats://127.0.0.1:9', ...LIVE]],
  [['cli-progress'], () => ['info', SAMPLE]],
  [['serialport'], () => ['devices']],
  [['ws'], () => ['live', 'ws://127.0.0.1:9/', ...LIVE]],
  [['xz-decompress'], () => ['events', logWithEvents()]],
];

function dataUrl(text: string): string {
  return `data:text/javascript,${encodeURIComponent(text)}`;
}

if (!isBuilt) test.skip('(skipped: the modules were built after the program; npm run build:library builds both)');

test.runIf(isBuilt)('there is a command for each package that is imported when it is needed', () => {
  const files = readdirSync(PROGRAM).filter((name) => name.endsWith('.cjs'));
  const texts = files.map((name) => readFileSync(join(PROGRAM, name), 'utf8'));
  const found = texts.flatMap((text) => [...text.matchAll(/\bimportPackage\("([^"]+)"\)/g)].map((each) => each[1]));
  expect([...new Set(found)].sort()).toEqual(COMMANDS.flatMap(([packages]) => packages));
  // nothing else is imported: on Node 20 it could not be
  const others = texts.flatMap((text) => text.match(/\bimport\((?!name\)).*|importPackage\((?!"|name\)).*/g) ?? []);
  expect(others).toEqual([]);
});

test.runIf(isBuilt).each(COMMANDS)('%j: a command gets it', (packages, command) => {
  const imported = join(folder, 'imported');
  writeFileSync(imported, '');
  const { stderr } = spawnSync(process.execPath, ['--import', dataUrl(BEFORE), SKEIN, ...command()], {
    encoding: 'utf8',
    env: { ...process.env, IMPORTED: imported },
    cwd: folder,
    timeout: 60_000,
  });
  expect(readFileSync(imported, 'utf8').split('\n'), stderr).toEqual(expect.arrayContaining([...packages]));
});

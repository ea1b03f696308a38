import { Argument, type Command } from 'commander';
import type { Repair } from '../../lake/repair.ts';
import { EXIT } from '../failure.ts';
import { lakeAt, noticeUnhashed } from '../lake.ts';
import { addReadingOptions, openOptions, type ReadingOptions } from '../load.ts';
import { notice, Output } from '../output.ts';
import { counted } from '../words.ts';

interface LakeOptions extends ReadingOptions {
  readonly lake: string;
  readonly json?: boolean;
}

export const EXAMPLES = `
check compares every file of the lake with its hash in the catalogue. Exit code 3: files are corrupted or missing;
\`skein fleet\` and \`skein sql --lake\` answer from the rest.
repair moves broken files to _quarantine in the lake and ingests their logs again, if these are still at their paths. It
deletes nothing that is not written again. Exit code 3: a log could not be rebuilt; its intact files stay.

Examples:
  skein lake check --lake lake
  skein lake check --lake lake --json
  skein lake repair --lake lake`;

export function build(command: Command): void {
  command
    .addArgument(new Argument('<what>', 'what to do').choices(['check', 'repair']))
    .requiredOption('--lake <folder>', 'lake folder')
    .option('--json', 'one JSON object');
  addReadingOptions(command);
}

export function run(what: string, options: LakeOptions): Promise<number> {
  return what === 'check' ? check(options) : repair(options);
}

async function check({ lake, json }: LakeOptions): Promise<number> {
  const { checkLake } = await import('../../lake/repair.ts');
  const files = await checkLake(lakeAt(lake));
  const { problems, unhashed } = files;
  const output = new Output();
  if (json)
    output.json({
      files: files.count,
      unhashed: unhashed.size,
      broken: [...problems].map(([path, problem]) => ({ path, problem })),
    });
  else for (const [path, problem] of problems) output.write(`${path}: ${problem}\n`);
  await output.flush();
  notice(`${counted(files.count, 'file')} checked, ${problems.size} broken`);
  noticeUnhashed(files);
  return problems.size > 0 ? EXIT.damage : EXIT.well;
}

async function repair(options: LakeOptions): Promise<number> {
  const { repairLake } = await import('../../lake/repair.ts');
  const done = await repairLake(lakeAt(options.lake), { open: await openOptions(options) });
  const output = new Output();
  if (options.json) output.json(done);
  else writeRepair(output, done);
  await output.flush();
  const { files, rebuilt, lost } = done;
  notice(
    `${counted(files.length, 'broken file')}, ${counted(rebuilt.length, 'log')} ingested again, ${lost.length} lost`,
  );
  return lost.length > 0 ? EXIT.damage : EXIT.well;
}

function writeRepair(output: Output, { files, rebuilt, lost }: Repair): void {
  for (const { path, problem, aside } of files)
    output.write(`${path}: ${problem}${aside === null ? '' : `; now ${aside}`}\n`);
  for (const log of rebuilt) output.write(`${log}: ingested again\n`);
  for (const { log, reason } of lost) output.write(`${log}: ${reason}\n`);
}

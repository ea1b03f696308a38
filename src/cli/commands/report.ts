import { basename } from 'node:path';
import { type Command, Option } from 'commander';
import type { Log } from '../../core/log.ts';
import { readText } from '../../node/text-file.ts';
import { type Finding, SEVERITIES } from '../../report/finding.ts';
import { REPORT_LIMITS } from '../../report/limits.ts';
import type { Report } from '../../report/report.ts';
import { DEFAULT_RULES, parseRules, RuleError, type Rules, rulesText } from '../../report/rules.ts';
import { EXIT, sentence, UsageError } from '../failure.ts';
import { addReadingOptions, eachLog, noticeLeftOut, type ReadingOptions } from '../load.ts';
import { addWritingOptions, notice, Output, type WritingOptions, writeOut } from '../output.ts';
import { counted } from '../words.ts';

interface ReportCommandOptions extends ReadingOptions, WritingOptions {
  readonly to: 'text' | 'json' | 'html';
  readonly json?: boolean;
  readonly rules?: string;
  readonly failOn?: 'warn' | 'fail';
  readonly all?: boolean;
  readonly printRules?: boolean;
  readonly vehicle?: string;
}

export const EXAMPLES = `
Exit codes: 0 all well, 3 data was lost (more than a cut last record), 1 failed, 2 wrong usage. --fail-on fail exits with 1
at a failure, --fail-on warn also at a warning.

Examples:
  skein report flight.BIN
  skein report flight.tlog --to html -o report.html
  skein report --fail-on fail *.BIN
  skein report --vehicle 2 swarm.tlog
  skein report --rules strict.json --json flight.BIN | jq '.findings[] | select(.severity == "fail")'
  skein report --print-rules > own.json`;

export function build(command: Command): void {
  command
    .argument('[files...]', 'logs of any format')
    .addOption(new Option('--to <format>', 'output format').choices(['text', 'json', 'html']).default('text'))
    .option('--json', 'as JSON')
    .option('--all', 'include passed checks and checks without data')
    .option('--vehicle <id>', 'only this vehicle, by system id or name: 2 or 2:1')
    .option('--rules <file>', 'your own thresholds (JSON)')
    .option('--print-rules', 'print the built-in thresholds')
    .addOption(
      new Option('--fail-on <severity>', 'exit with 1 at findings of this severity or worse').choices(['warn', 'fail']),
    );
  addWritingOptions(addReadingOptions(command));
}

/** What is needed once a log is open. */
const later = () => Promise.all([import('../../report/report.ts'), import('../report-text.ts')]);

export async function run(files: readonly string[], options: ReportCommandOptions): Promise<number> {
  if (options.printRules) {
    await writeOut([rulesText()], options, '');
    return EXIT.well;
  }
  if (files.length === 0) throw new UsageError('no file: skein report FILE...');
  const to = options.json ? 'json' : options.to;
  if (to === 'html' && files.length > 1)
    throw new UsageError(`--to html writes a page of one log, not ${files.length}`);
  const rules = readRules(options.rules);
  const pieces: string[] = [];
  const all: Record<string, unknown>[] = [];
  const output = new Output();
  let failed = false;
  const use = async (file: string, log: Log): Promise<void> => {
    const [, { reportData, reportText }] = await later();
    const reports = await reportsOf(log, rules, options.vehicle, to === 'html');
    const [made, ...others] = reports;
    noticeLeftOut(file, log);
    failed ||= reports.some((each) => isFailure(each, options.failOn));
    const textOptions = { all: options.all === true, toFile: isFile(options) };
    if (to === 'json') all.push(reportData(file, made, others));
    else if (to === 'html') pieces.push(await htmlPage(file, made, others));
    else for (const each of reports) pieces.push(reportText(file, each, textOptions));
  };
  const code = await eachLog(files, options, use, later);
  if (to === 'json') pieces.push(`${JSON.stringify(files.length === 1 ? all[0] : all, null, 2)}\n`);
  if (isFile(options)) await writeOut(pieces, options, files[0]);
  else {
    for (const piece of pieces) if (output.writeSafe(piece)) await output.flush();
    await output.flush();
  }
  return failed ? EXIT.failed : code;
}

/** The report of the chosen vehicle, or one for each in the log. */
async function reportsOf(log: Log, rules: Rules, vehicle: string | undefined, plots: boolean): Promise<Report[]> {
  const [{ makeReport, makeReports }] = await later();
  if (vehicle === undefined) {
    const reports = await makeReports(log, rules, { plots });
    const left = reports[0].vehicles.length - reports.length;
    if (left > 0) notice(`${counted(left, 'more vehicle')} without a report: choose one with --vehicle`);
    return reports;
  }
  const { factsOf } = await import('../../facts/facts.ts');
  const streams = (await factsOf(log).autopilots()).map(({ table }) => table.stream);
  const stream = streams.find((each) => each === vehicle || each.split(':')[0] === vehicle);
  if (stream !== undefined) return [await makeReport(log, rules, { plots, stream })];
  const known = streams.length === 0 ? 'no vehicles' : streams.slice(0, 12).join(', ');
  throw new UsageError(`--vehicle ${vehicle}: the log has ${known}`);
}

/** Loaded only for pages. */
async function htmlPage(file: string, made: Report, others: readonly Report[]): Promise<string> {
  const { reportPage } = await import('../../report/report-page.ts');
  return reportPage(basename(file), made, others);
}

function isFile({ output }: WritingOptions): boolean {
  return output !== undefined && output !== '-';
}

/** Whether --fail-on makes the command fail. */
function isFailure({ findings }: Report, failOn: 'warn' | 'fail' | undefined): boolean {
  if (failOn === undefined) return false;
  const limit = SEVERITIES.indexOf(failOn);
  return findings.some(({ severity }: Finding) => SEVERITIES.indexOf(severity) <= limit);
}

function readRules(path: string | undefined): Rules {
  if (path === undefined) return DEFAULT_RULES;
  try {
    return parseRules(readText(path, REPORT_LIMITS.ruleCharacters), path);
  } catch (error) {
    throw new UsageError(error instanceof RuleError ? error.message : `--rules ${path}: ${sentence(error)}`);
  }
}

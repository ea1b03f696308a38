import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { addDump } from './commands/dump.ts';
import { addInfo } from './commands/info.ts';
import { EXIT, sentence, UsageError } from './failure.ts';

const HELP = `
Standard output carries data only; what is said about it goes to standard error.
Exit codes: 0 all well, 3 done but damage was found and data was lost, 1 failed, 2 wrong usage.`;

/** Runs the command and promises its exit code. */
export async function main(argv: readonly string[]): Promise<number> {
  let code: number = EXIT.well;
  const done = (found: number): void => {
    code = found;
  };
  const program = new Command('skein')
    .description('Telemetry of drones and navigation sensors: logs, streams and captures on one clock.')
    .usage('FILE... | COMMAND ...')
    .version(version(), '-V, --version')
    .addHelpText('after', HELP)
    .showSuggestionAfterError()
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'skein: ')) })
    .exitOverride();
  for (const add of [addInfo, addDump]) add(program, done);
  for (const command of program.commands) command.copyInheritedSettings(program);
  try {
    await program.parseAsync(argv);
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.well : EXIT.usage;
    process.stderr.write(`skein: ${sentence(error)}\n`);
    return error instanceof UsageError ? EXIT.usage : EXIT.failed;
  }
}

function version(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  return (manifest as { version: string }).version;
}

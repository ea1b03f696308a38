import { existsSync, readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { didYouMean } from '../core/search.ts';
import { EXIT, sentence, UsageError } from './failure.ts';
import { guardStream, notice } from './output.ts';

const HELP = `
Examples:
  skein flight.BIN                               what is in it
  skein report flight.BIN                        what went wrong
  skein export flight.BIN --to parquet -o flight
  skein live --record flights

skein COMMAND --help shows the options of a command.

Standard output carries data only, standard error everything else. --json works on every command.
Exit codes: 0 all well, 3 done but data was lost, 1 failed, 2 wrong usage. A cut last record, which is how a log ends
that was not closed, is well; with --strict it is 3 too.`;

/** A command defines its arguments and options, and gets their values; it resolves to the exit code. */
interface CommandModule {
  readonly EXAMPLES: string;
  build(command: Command): void;
  run(...values: never[]): Promise<number>;
}

type Entry = readonly [description: string, load: () => Promise<CommandModule>];

/** Every command, by what people want to do. Only the one that is called is loaded. */
const GROUPS: Readonly<Record<string, Readonly<Record<string, Entry>>>> = {
  'Look into a log:': {
    info: ['format, vehicle, time, flights, damage and tables of a log', () => import('./commands/info.ts')],
    dump: ['records as JSON lines, in file order', () => import('./commands/dump.ts')],
    events: ['modes, arming, errors, failsafes, texts, gaps', () => import('./commands/events.ts')],
    params: ['parameters of a log or a file, and differences between two', () => import('./commands/params.ts')],
    view: ['Log page in the browser: plots, messages, parameters, damage', () => import('./commands/view.ts')],
  },
  'Judge a flight:': {
    report: ['vehicle health from its log: what failed, what to check, and why', () => import('./commands/report.ts')],
    compare: ['two flights side by side: reports, fields, parameters', () => import('./commands/compare.ts')],
    check: ['strict validation: pass, or the first violation with its offset', () => import('./commands/check.ts')],
  },
  'Convert, query and repair:': {
    export: [
      'tables as CSV, JSON lines, Parquet, Arrow or MCAP; part of a log as a new log',
      () => import('./commands/export.ts'),
    ],
    track: ['flown path as GeoJSON, KML, GPX, WKT or CSV', () => import('./commands/track.ts')],
    sql: ['SQL over the tables of logs, or of a lake', () => import('./commands/sql.ts')],
    repair: ['save what is left of a damaged log as a good one', () => import('./commands/repair.ts')],
  },
  'Fly:': {
    live: ['collect from vehicles: state, status file, recording, API, Live page', () => import('./commands/live.ts')],
    devices: ['serial ports that speak MAVLink, XBUS or NMEA', () => import('./commands/devices.ts')],
    replay: ['send a recording over a link, as the vehicle did', () => import('./commands/replay.ts')],
  },
  'Keep many logs:': {
    ingest: [
      'add logs to a lake: Parquet by table, vehicle and day, and a catalogue',
      () => import('./commands/ingest.ts'),
    ],
    fleet: [
      'flights, hours, findings, trends and parameters of all vehicles in a lake',
      () => import('./commands/fleet.ts'),
    ],
    lake: ['check and repair the files of a lake', () => import('./commands/lake.ts')],
    worker: ['ingest logs on this machine, as jobs from a NATS bus', () => import('./commands/worker.ts')],
    archive: ['write the frames of all collectors on a NATS bus to a lake', () => import('./commands/archive.ts')],
  },
};

const COMMANDS: Readonly<Record<string, Entry>> = Object.assign({}, ...Object.values(GROUPS));
const DEFAULT = 'info';

/** Runs the command; resolves to its exit code. */
export async function main(argv: readonly string[]): Promise<number> {
  let code: number = EXIT.well;
  const program = new Command('skein')
    .description('Telemetry of drones and navigation sensors: logs, streams and captures on one clock.')
    .usage('FILE... | COMMAND ...')
    .version(readVersion(), '-V, --version')
    .addHelpText('after', HELP)
    .showSuggestionAfterError()
    .configureHelp({
      subcommandTerm: (command) => command.name(),
      visibleCommands: ({ commands }) => commands.filter((command) => command.name() !== 'help'),
    })
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'skein: ')) })
    .exitOverride();
  guardStream(process.stdout);
  guardStream(process.stderr);
  const called = calledCommand(argv.slice(2));
  try {
    for (const [group, commands] of Object.entries(GROUPS)) {
      program.commandsGroup(group);
      for (const [name, [description, load]] of Object.entries(commands)) {
        const command = program.command(name, { isDefault: name === DEFAULT }).description(description);
        if (name !== called) continue;
        const { build, run, EXAMPLES } = await load();
        build(command);
        command.addHelpText('after', EXAMPLES).action(async (...values: unknown[]) => {
          code = await (run as (...values: unknown[]) => Promise<number>)(...values);
        });
      }
    }
    if (argv.length <= 2) {
      process.stderr.write(program.helpInformation());
      return EXIT.usage;
    }
    refuseMistyped(argv[2]);
    await program.parseAsync(argv);
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.well : EXIT.usage;
    notice(sentence(error));
    return error instanceof UsageError ? EXIT.usage : EXIT.failed;
  }
}

/** The command that is called: the first word, the one after `help`, or the default for a file. */
function calledCommand(words: readonly string[]): string | undefined {
  // needs no command, and starts sooner without one
  if (words[0] === '-V' || words[0] === '--version') return undefined;
  const [first = '', second = ''] = words.filter((word) => !word.startsWith('-'));
  const named = first === 'help' ? second : first;
  return Object.hasOwn(COMMANDS, named) ? named : DEFAULT;
}

/** A first word that is not a file but looks like a command is a typing mistake. */
function refuseMistyped(word: string): void {
  if (!/^[a-z]+$/i.test(word) || Object.hasOwn(COMMANDS, word) || word === 'help' || existsSync(word)) return;
  const hint = didYouMean(word, Object.keys(COMMANDS));
  if (hint !== '') throw new UsageError(`unknown command ${word}${hint}`);
}

function readVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  return (manifest as { version: string }).version;
}

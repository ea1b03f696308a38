import { existsSync, readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { EXIT, sentence, UsageError } from './failure.ts';
import { guardStream, tell } from './output.ts';
import { nearest } from './words.ts';

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

/** A command defines its arguments, options and action, and passes its exit code to `done`. */
type Build = (command: Command, done: (code: number) => void) => void;

interface Entry {
  readonly description: string;
  readonly load: () => Promise<Build>;
}

/** Every command, by what people want to do. Only the one that is called is loaded. */
const GROUPS: Readonly<Record<string, Readonly<Record<string, Entry>>>> = {
  'Look into a log:': {
    info: {
      description: 'format, vehicle, time, flights, damage and tables of a log',
      load: async () => (await import('./commands/info.ts')).buildInfo,
    },
    dump: {
      description: 'records as JSON lines, in file order',
      load: async () => (await import('./commands/dump.ts')).buildDump,
    },
    events: {
      description: 'modes, arming, errors, failsafes, texts, gaps',
      load: async () => (await import('./commands/events.ts')).buildEvents,
    },
    params: {
      description: 'parameters of a log or a file, and differences between two',
      load: async () => (await import('./commands/params.ts')).buildParams,
    },
    view: {
      description: 'Log page in the browser: plots, messages, parameters, damage',
      load: async () => (await import('./commands/view.ts')).buildView,
    },
  },
  'Judge a flight:': {
    report: {
      description: 'vehicle health from its log: what failed, what to check, and why',
      load: async () => (await import('./commands/report.ts')).buildReport,
    },
    compare: {
      description: 'two flights side by side: reports, fields, parameters',
      load: async () => (await import('./commands/compare.ts')).buildCompare,
    },
    check: {
      description: 'strict validation: pass, or the first violation with its offset',
      load: async () => (await import('./commands/check.ts')).buildCheck,
    },
  },
  'Convert, query and repair:': {
    export: {
      description: 'tables as CSV, JSON lines, Parquet, Arrow or MCAP; part of a log as a new log',
      load: async () => (await import('./commands/export.ts')).buildExport,
    },
    track: {
      description: 'flown path as GeoJSON, KML, GPX, WKT or CSV',
      load: async () => (await import('./commands/track.ts')).buildTrack,
    },
    sql: {
      description: 'SQL over the tables of logs, or of a lake',
      load: async () => (await import('./commands/sql.ts')).buildSql,
    },
    repair: {
      description: 'save what is left of a damaged log as a good one',
      load: async () => (await import('./commands/repair.ts')).buildRepair,
    },
  },
  'Fly:': {
    live: {
      description: 'collect from vehicles: state, status file, recording, API, Live page',
      load: async () => (await import('./commands/live.ts')).buildLive,
    },
    devices: {
      description: 'serial ports that speak MAVLink, XBUS or NMEA',
      load: async () => (await import('./commands/devices.ts')).buildDevices,
    },
    replay: {
      description: 'send a recording over a link, as the vehicle did',
      load: async () => (await import('./commands/replay.ts')).buildReplay,
    },
  },
  'Keep many logs:': {
    ingest: {
      description: 'add logs to a lake: Parquet by table, vehicle and day, and a catalogue',
      load: async () => (await import('./commands/ingest.ts')).buildIngest,
    },
    fleet: {
      description: 'flights, hours, findings, trends and parameters of all vehicles in a lake',
      load: async () => (await import('./commands/fleet.ts')).buildFleet,
    },
    lake: {
      description: 'check and repair the files of a lake',
      load: async () => (await import('./commands/lake.ts')).buildLake,
    },
    worker: {
      description: 'ingest logs on this machine, as jobs from a NATS bus',
      load: async () => (await import('./commands/worker.ts')).buildWorker,
    },
    archive: {
      description: 'write the frames of all collectors on a NATS bus to a lake',
      load: async () => (await import('./commands/archive.ts')).buildArchive,
    },
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
      for (const [name, { description, load }] of Object.entries(commands)) {
        const command = program.command(name, { isDefault: name === DEFAULT }).description(description);
        if (name === called) (await load())(command, (found) => (code = found));
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
    tell(sentence(error));
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
  const meant = nearest(word, Object.keys(COMMANDS));
  if (meant !== undefined) throw new UsageError(`unknown command ${word}: did you mean ${meant}?`);
}

function readVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  return (manifest as { version: string }).version;
}

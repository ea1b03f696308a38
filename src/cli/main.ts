import { existsSync, readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { EXIT, sentence, UsageError } from './failure.ts';
import { guardStream, tell } from './output.ts';
import { nearest } from './words.ts';

const HELP = `
Standard output carries data only; what is said about it goes to standard error.
Exit codes: 0 all well, 3 done but damage was found and data was lost, 1 failed, 2 wrong usage. A cut last record, which
is how a log ends that was not closed, is well; with --strict it is 3 too.`;

/** A command gives itself its arguments, options and action; it hands its exit code to `done`. */
type Build = (command: Command, done: (code: number) => void) => void;

interface Entry {
  readonly description: string;
  readonly load: () => Promise<Build>;
}

/** Every command. Only the one that is called is loaded: starting must cost nothing that is not used. */
const COMMANDS: Readonly<Record<string, Entry>> = {
  info: {
    description: 'what a log holds: vehicle, time, tables, damage',
    load: async () => (await import('./commands/info.ts')).buildInfo,
  },
  dump: {
    description: 'records as JSON lines, in the order of the file',
    load: async () => (await import('./commands/dump.ts')).buildDump,
  },
  track: {
    description: 'the flown path as GeoJSON, KML, GPX, WKT or CSV',
    load: async () => (await import('./commands/track.ts')).buildTrack,
  },
  events: {
    description: 'what happened: modes, arming, errors, failsafes, texts, changes, gaps',
    load: async () => (await import('./commands/events.ts')).buildEvents,
  },
  params: {
    description: 'parameters of a log or a file, and what differs between two',
    load: async () => (await import('./commands/params.ts')).buildParams,
  },
  export: {
    description: 'tables as CSV, JSON lines, Parquet, Arrow or MCAP; part of a log as a new log',
    load: async () => (await import('./commands/export.ts')).buildExport,
  },
  repair: {
    description: 'saves what is left of a damaged log as a good one',
    load: async () => (await import('./commands/repair.ts')).buildRepair,
  },
  compare: {
    description: 'two flights: reports, statistics of common fields, parameters',
    load: async () => (await import('./commands/compare.ts')).buildCompare,
  },
  view: {
    description: 'the Log page in the browser: plots, messages, parameters, damage',
    load: async () => (await import('./commands/view.ts')).buildView,
  },
  check: {
    description: 'strict validation: pass, or the first violation with its place',
    load: async () => (await import('./commands/check.ts')).buildCheck,
  },
  report: {
    description: 'the health of a vehicle by its log: what failed, what to look at, and why',
    load: async () => (await import('./commands/report.ts')).buildReport,
  },
  devices: {
    description: 'which serial ports speak MAVLink, XBUS or NMEA, and who answers',
    load: async () => (await import('./commands/devices.ts')).buildDevices,
  },
  replay: {
    description: 'sends a recording over a link, as a vehicle would',
    load: async () => (await import('./commands/replay.ts')).buildReplay,
  },
  live: {
    description: 'collects from vehicles: state, status file, recording, API',
    load: async () => (await import('./commands/live.ts')).buildLive,
  },
  ingest: {
    description: 'puts many logs into a lake: Parquet by table, vehicle and day, and a catalogue',
    load: async () => (await import('./commands/ingest.ts')).buildIngest,
  },
  archive: {
    description: 'writes the frames of all collectors on a bus to a lake, each once',
    load: async () => (await import('./commands/archive.ts')).buildArchive,
  },
  worker: {
    description: 'reads logs for `skein ingest` on other machines, as jobs from a bus',
    load: async () => (await import('./commands/worker.ts')).buildWorker,
  },
  fleet: {
    description: 'answers from a lake: flights, hours, findings, trends and parameters of all vehicles',
    load: async () => (await import('./commands/fleet.ts')).buildFleet,
  },
  lake: {
    description: 'checks the files of a lake, and repairs it',
    load: async () => (await import('./commands/lake.ts')).buildLake,
  },
  sql: {
    description: 'SQL over the tables of logs, or of a lake',
    load: async () => (await import('./commands/sql.ts')).buildSql,
  },
};

const DEFAULT = 'info';

/** Runs the command and promises its exit code. */
export async function main(argv: readonly string[]): Promise<number> {
  let code: number = EXIT.well;
  const program = new Command('skein')
    .description('Telemetry of drones and navigation sensors: logs, streams and captures on one clock.')
    .usage('FILE... | COMMAND ...')
    .version(readVersion(), '-V, --version')
    .addHelpText('after', HELP)
    .showSuggestionAfterError()
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'skein: ')) })
    .exitOverride();
  guardStream(process.stdout);
  guardStream(process.stderr);
  const called = calledCommand(argv.slice(2));
  try {
    for (const [name, { description, load }] of Object.entries(COMMANDS)) {
      const command = program.command(name, { isDefault: name === DEFAULT }).description(description);
      if (name === called) (await load())(command, (found) => (code = found));
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

/** The command that the words mean: the first of them, or the one that help is wanted about, or that for a file. */
function calledCommand(words: readonly string[]): string | undefined {
  // what is answered here needs no command, and starts the sooner without one
  if (words[0] === '-V' || words[0] === '--version') return undefined;
  const [first = '', second = ''] = words.filter((word) => !word.startsWith('-'));
  const named = first === 'help' ? second : first;
  return Object.hasOwn(COMMANDS, named) ? named : DEFAULT;
}

/** A word that is no file may be a file that is not there, but one that looks like a command is a typing mistake. */
function refuseMistyped(word: string): void {
  if (!/^[a-z]+$/i.test(word) || Object.hasOwn(COMMANDS, word) || word === 'help' || existsSync(word)) return;
  const meant = nearest(word, Object.keys(COMMANDS));
  if (meant !== undefined) throw new UsageError(`no command and no file ${word}: did you mean ${meant}?`);
}

function readVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  return (manifest as { version: string }).version;
}

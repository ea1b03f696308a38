import { type Command, Option } from 'commander';
import type { Log } from '../../core/log.ts';
import { trimDataflash } from '../../export/dataflash.ts';
import { type FrameOptions, writeRaw, writeTlog } from '../../export/frames.ts';
import { PCAP_LINKS, type PcapLink, writePcap } from '../../export/pcap.ts';
import { chooseTables } from '../choose.ts';
import { UsageError } from '../failure.ts';
import { addReadingOptions, codeOf, load, type ReadingOptions } from '../load.ts';
import { addRangeOptions, type RangeOptions, rangeOf } from '../range.ts';
import { addTargetOptions, exportTables, TARGETS, type TargetOptions } from '../targets.ts';
import { addWritingOptions, refuseTerminal, type WritingOptions, writeOut } from '../write.ts';

interface ExportOptions extends ReadingOptions, WritingOptions, RangeOptions, TargetOptions {
  readonly to: string;
  readonly link?: PcapLink;
}

type Write = (log: Log, options: FrameOptions & { readonly link?: PcapLink | undefined }) => AsyncIterable<Uint8Array>;

/** Parts of logs as logs: what a log can be written as, its format says. */
const WRITERS: Readonly<Record<string, Write>> = {
  bin: trimDataflash,
  tlog: writeTlog,
  raw: writeRaw,
  pcap: writePcap,
};

const EXAMPLES = `
A part of a log keeps its definitions, units and parameters, and the record that its time came from.

Tables go to files in the folder of -o, one for each table and stream; one table of CSV, and what is one file anyway,
also to standard output. --zip makes one file of them.

Examples:
  skein export flight.BIN --to parquet -o flight
  skein export flight.BIN --to csv --type GPS,ATT --from +60s -o flight
  skein export flight.BIN --to csv --type BAT --fields Volt,Curr
  skein export flight.BIN --to csv --wide 10 --type GPS,ATT,BAT -o flight.csv
  skein export flight.BIN --to mcap -o flight.mcap
  skein export flight.BIN --to bin --from +60s --until +90s -o part.bin
  skein export flight.BIN --to bin --type GPS,ATT,MSG -o small.bin
  skein export stream.raw --to tlog -o stream.tlog
  skein export flight.pcap --to tlog -o flight.tlog
  skein export flight.tlog --to pcap --link user0 -o flight.pcap`;

export function buildExport(command: Command, done: (code: number) => void): void {
  command
    .argument('<file>', 'a log')
    .addOption(
      new Option(
        '--to <format>',
        'bin: a part of a DataFlash log; tlog, raw, pcap: MAVLink frames as a telemetry log, one behind the other, or as packets; or tables',
      )
        .choices([...Object.keys(WRITERS), ...Object.keys(TARGETS)])
        .makeOptionMandatory(),
    )
    .addOption(
      new Option('--link <kind>', 'with --to pcap: how packets begin; ethernet by default').choices(PCAP_LINKS),
    )
    .option('--type <names>', 'only these, such as GPS,IMU[0]');
  addRangeOptions(addWritingOptions(addReadingOptions(addTargetOptions(command))))
    .addHelpText('after', EXAMPLES)
    .action(async (file: string, options: ExportOptions) => done(await exportLog(file, options)));
}

async function exportLog(file: string, options: ExportOptions): Promise<number> {
  if (Object.hasOwn(TARGETS, options.to)) return exportTables(file, options);
  refuseTerminal(options);
  const log = await load(file, options);
  if (!log.kind?.writes.includes(options.to)) {
    const { FORMATS } = await import('../../formats/index.ts');
    const needed = FORMATS.filter(({ writes }) => writes.includes(options.to)).map(({ name }) => name);
    throw new UsageError(
      `--to ${options.to} needs a log of format ${needed.join(' or ')}, and ${file} is ${log.format}`,
    );
  }
  if (options.link !== undefined && options.to !== 'pcap') throw new UsageError('--link is for --to pcap only');
  const tables = options.type === undefined ? undefined : new Set(await chooseTables(log, options.type));
  await writeOut(
    WRITERS[options.to](log, { tables, link: options.link, ...(await rangeOf(log, options)) }),
    options,
    file,
  );
  return codeOf(log, options);
}

import { type Command, Option } from 'commander';
import type { Log } from '../../core/log.ts';
import { trimDataflash } from '../../export/dataflash.ts';
import { type FrameOptions, writeRaw, writeTlog } from '../../export/frames.ts';
import { PCAP_LINKS, type PcapLink, writePcap } from '../../export/pcap.ts';
import { trimUlog } from '../../export/ulog.ts';
import { chooseTables } from '../choose.ts';
import { UsageError } from '../failure.ts';
import { addReadingOptions, codeOf, load, type ReadingOptions } from '../load.ts';
import { addFormer } from '../options.ts';
import { addWritingOptions, refuseTerminal, type WritingOptions, writeOut } from '../output.ts';
import { addRangeOptions, type RangeOptions, rangeOf } from '../range.ts';
import { addTargetOptions, exportTables, printWritten, TARGETS, type TargetOptions } from '../targets.ts';

interface ExportOptions extends ReadingOptions, WritingOptions, RangeOptions, TargetOptions {
  readonly to: string;
  readonly pcapLink?: PcapLink;
}

type Write = (log: Log, options: FrameOptions & { readonly link?: PcapLink | undefined }) => AsyncIterable<Uint8Array>;

/** Parts of logs as logs: what a log can be written as, its format says. */
const WRITERS: Readonly<Record<string, Write>> = {
  bin: trimDataflash,
  ulg: trimUlog,
  tlog: writeTlog,
  raw: writeRaw,
  pcap: writePcap,
};

export const EXAMPLES = `
Part of a log keeps the definitions, units and parameters, and the record that the clock came from.

Tables go to the folder of -o, one file for each table and stream. A single CSV table, and formats with one file for all,
can also go to standard output. --zip makes one file of them.

Examples:
  skein export flight.BIN --to parquet -o flight
  skein export flight.BIN --to csv --type GPS,ATT --from +60s -o flight
  skein export flight.BIN --to csv --type BAT --fields Volt,Curr
  skein export flight.BIN --to csv --wide 10 --type GPS,ATT,BAT -o flight.csv
  skein export flight.BIN --to mcap -o flight.mcap
  skein export flight.BIN --to bin --from +60s --until +90s -o part.bin
  skein export flight.BIN --to bin --type GPS,ATT,MSG -o small.bin
  skein export flight.ulg --to ulg --type vehicle_attitude --from +60s --until +90s -o part.ulg
  skein export stream.raw --to tlog -o stream.tlog
  skein export flight.pcap --to tlog -o flight.tlog
  skein export flight.tlog --to pcap --pcap-link user0 -o flight.pcap`;

export function build(command: Command): void {
  command
    .argument('<file>', 'a log of any format')
    .addOption(
      new Option(
        '--to <format>',
        'tables as csv, jsonl, parquet, arrow, mcap; bin, ulg: part of a DataFlash log or a ULog as a new log; tlog, raw, pcap: MAVLink frames; param: parameters; others: flown path',
      )
        .choices([...Object.keys(WRITERS), ...Object.keys(TARGETS)])
        .makeOptionMandatory(),
    )
    .addOption(
      new Option('--pcap-link <kind>', 'with --to pcap: link layer of the packets (ethernet)').choices(PCAP_LINKS),
    )
    .option('--json', 'with -o: what was written as JSON')
    .option('--type <names>', 'only these tables, such as GPS,IMU[0]');
  addFormer(command, '--link <kind>', 'pcapLink', 'export --link KIND is now --pcap-link KIND');
  addRangeOptions(addWritingOptions(addReadingOptions(addTargetOptions(command))));
}

export async function run(file: string, options: ExportOptions): Promise<number> {
  if (options.json && (options.output === undefined || options.output === '-'))
    throw new UsageError('--json needs -o: standard output carries the data');
  if (Object.hasOwn(TARGETS, options.to)) return exportTables(file, options);
  refuseTerminal(options);
  const log = await load(file, options);
  if (!log.kind?.writes.includes(options.to)) {
    const { FORMATS } = await import('../../formats/index.ts');
    const needed = FORMATS.filter(({ writes }) => writes.includes(options.to)).map(({ name }) => name);
    throw new UsageError(`--to ${options.to} needs a log of format ${needed.join(' or ')}; ${file} is ${log.format}`);
  }
  if (options.pcapLink !== undefined && options.to !== 'pcap') throw new UsageError('--pcap-link needs --to pcap');
  const tables = options.type === undefined ? undefined : new Set(await chooseTables(log, options.type));
  await writeOut(
    WRITERS[options.to](log, { tables, link: options.pcapLink, ...(await rangeOf(log, options)) }),
    options,
    file,
  );
  if (options.json) await printWritten(file, log, options, [options.output as string]);
  return codeOf(log, options);
}

import type { Command } from 'commander';

/** What a collector with a bus is told beside how to come onto it. */
export function addPublishOptions(command: Command): Command {
  return command
    .option('--bus-name <name>', 'what this collector is called on the bus (the name of the machine)')
    .option('--bus-spool <folder>', 'where frames wait while the bus is away (a folder of the user)')
    .option('--bus-spool-size <size>', 'how much may wait there before the oldest goes (1G)')
    .option('--bus-keep <time>', 'how long the bus keeps frames, if the stream is created (7d)')
    .option('--bus-keep-size <size>', 'and how much (10G)')
    .option('--bus-by-message', 'a subject for each message of a vehicle, not one for all: small batches');
}

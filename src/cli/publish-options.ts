import { homedir, hostname } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import type { BusPublisher, PublisherOptions } from '../bus/publisher.ts';
import { collectorName } from '../bus/subject.ts';
import { isBusToken } from '../live/link-name.ts';
import { FolderTakenError } from '../node/folder-lock.ts';
import type { Settings } from '../session/settings.ts';
import { bytesOf, secondsOf } from './amounts.ts';
import { type BusChoice, busOf } from './bus-options.ts';
import { UsageError } from './failure.ts';

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

/** How the settings come onto the bus. @param address another bus than that of the settings */
export function busOfSettings(settings: Settings, address: string | undefined = settings.bus): BusChoice | undefined {
  const { bus_creds, bus_ca, bus_cert, bus_key, bus_replicas } = settings;
  return busOf(
    {
      ...(bus_creds === undefined ? {} : { busCreds: bus_creds }),
      ...(bus_ca === undefined ? {} : { busCa: bus_ca }),
      ...(bus_cert === undefined ? {} : { busCert: bus_cert }),
      ...(bus_key === undefined ? {} : { busKey: bus_key }),
      ...(bus_replicas === undefined ? {} : { busReplicas: bus_replicas }),
    },
    address,
  );
}

/** Begins to publish, where the settings name a bus. */
export async function publisherOf(
  settings: Settings,
  choice: BusChoice | undefined,
  note: (text: string) => void,
): Promise<BusPublisher | undefined> {
  if (settings.bus === undefined || choice === undefined) return undefined;
  const options = optionsOf(settings, choice);
  // few need it: starting must cost nothing that is not used
  const { BusPublisher } = await import('../bus/publisher.ts');
  return BusPublisher.open(options, note).catch((error: unknown) => {
    if (!(error instanceof FolderTakenError)) throw error;
    throw new UsageError(`${error.message}: give a second collector on this machine another --bus-name`);
  });
}

function optionsOf(settings: Settings, { address, options, replicas }: BusChoice): PublisherOptions {
  const { bus_name: collector = collectorName(hostname()), bus_keep, bus_keep_size, bus_spool_size } = settings;
  if (!isBusToken(collector))
    throw new UsageError(`--bus-name ${collector}: up to 64 letters, digits, - and _ are allowed`);
  return {
    ...{ address, bus: options, collector, replicas, byMessage: settings.bus_by_message },
    spool: settings.bus_spool ?? join(stateFolder(), 'skein', 'spool', collector),
    spoolBytes: bus_spool_size === undefined ? undefined : bytesOf(bus_spool_size, '--bus-spool-size'),
    seconds: bus_keep === undefined ? undefined : secondsOf(bus_keep, '--bus-keep'),
    bytes: bus_keep_size === undefined ? undefined : bytesOf(bus_keep_size, '--bus-keep-size'),
  };
}

/** Where programs keep what must outlive them. */
function stateFolder(): string {
  return process.env.XDG_STATE_HOME || join(homedir(), '.local', 'state');
}

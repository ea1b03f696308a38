import { homedir, hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { type Bus, BusError, type BusOptions, openBus, parseBus } from '../bus/connection.ts';
import { BUS_LIMITS } from '../bus/job-limits.ts';
import type { BusPublisher, PublisherOptions } from '../bus/publisher.ts';
import { collectorName } from '../bus/subject.ts';
import { isBusToken } from '../live/link-name.ts';
import { FolderTakenError } from '../node/folder-lock.ts';
import type { Settings } from '../session/settings.ts';
import { UsageError } from './failure.ts';
import { durationOption, sizeOption } from './options.ts';
import { tell } from './output.ts';

/** The options that every command with a bus has. */
export interface BusFlags {
  readonly bus?: string;
  readonly busCreds?: string;
  readonly busCa?: string;
  readonly busCert?: string;
  readonly busKey?: string;
  readonly busReplicas?: string;
}

/** Which bus is meant, and how to come onto it. */
export interface BusChoice {
  readonly address: string;
  readonly options: Omit<BusOptions, 'name'>;
  /** On how many servers of a cluster streams are kept; undefined where nothing is said: 1 for new ones, others as they are. */
  readonly replicas: number | undefined;
}

export function addBusOptions(command: Command): Command {
  return command
    .option('--bus <address>', 'a NATS bus: nats://HOST:PORT, tls://HOST:PORT, several of a cluster with commas')
    .option('--bus-creds <file>', 'what lets us onto the bus: NATS credentials, the seed of an nkey, or user:password')
    .option('--bus-ca <file>', 'certificates that the one of the bus must be signed by')
    .option('--bus-cert <file>', 'our own certificate, for a bus that asks for it')
    .option('--bus-key <file>', 'the key of our certificate')
    .option('--bus-replicas <n>', 'servers of a cluster that keep a copy of what is on the bus: 1 (default), 3 or 5');
}

/**
 * What the options say; undefined where there is no bus.
 *
 * @param address the bus, where something else than --bus names it
 */
export function busOf(flags: BusFlags, address: string | undefined = flags.bus): BusChoice | undefined {
  const { busCreds, busCa, busCert, busKey } = flags;
  if (address === undefined) {
    if (busCreds ?? busCa ?? busCert ?? busKey ?? flags.busReplicas)
      throw new UsageError('options that begin with --bus- want --bus beside them');
    return undefined;
  }
  if ((busCert === undefined) !== (busKey === undefined)) throw new UsageError('--bus-cert and --bus-key go together');
  try {
    parseBus(address);
  } catch (error) {
    if (error instanceof BusError) throw new UsageError(error.message);
    throw error;
  }
  if (flags.busReplicas !== undefined && !/^[1-5]$/.test(flags.busReplicas))
    throw new UsageError(`--bus-replicas ${flags.busReplicas}: must be 1 to 5`);
  return {
    address,
    replicas: flags.busReplicas === undefined ? undefined : Number(flags.busReplicas),
    options: { credentials: busCreds, authority: busCa, certificate: busCert, certificateKey: busKey },
  };
}

/** Comes onto the bus, and says so where it must wait for it. @param name who we are, for the server's own lists */
export async function comeOntoBus({ address, options }: BusChoice, name: string): Promise<Bus> {
  for (let told = ''; ; ) {
    try {
      return await openBus(address, { name, ...options, giveUp: true });
    } catch (error) {
      if (!(error instanceof BusError) || !error.mayPass) throw error;
      if (error.message !== told) tell(`${error.message}; waiting for it`);
      told = error.message;
      await sleep(BUS_LIMITS.retryMilliseconds);
    }
  }
}

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
    spoolBytes: bus_spool_size === undefined ? undefined : sizeOption(bus_spool_size, '--bus-spool-size'),
    seconds: bus_keep === undefined ? undefined : durationOption(bus_keep, '--bus-keep'),
    bytes: bus_keep_size === undefined ? undefined : sizeOption(bus_keep_size, '--bus-keep-size'),
  };
}

/** Where programs keep what must outlive them. */
function stateFolder(): string {
  return process.env.XDG_STATE_HOME || join(homedir(), '.local', 'state');
}

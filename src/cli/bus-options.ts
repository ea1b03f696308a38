import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { type Bus, BusError, type BusOptions, checkBus, openBus } from '../bus/connection.ts';
import { BUS_LIMITS } from '../bus/limits.ts';
import { UsageError } from './failure.ts';
import { wholeNumber } from './options.ts';
import { notice } from './output.ts';

/** The options that every command with a bus has. */
export interface BusFlags {
  readonly bus?: string;
  readonly busCreds?: string;
  readonly busCa?: string;
  readonly busCert?: string;
  readonly busKey?: string;
  readonly busReplicas?: string;
}

export interface BusChoice {
  readonly address: string;
  readonly options: Omit<BusOptions, 'name'>;
  /** Servers of a cluster that keep each stream. If undefined: 1 for new streams, others unchanged. */
  readonly replicas: number | undefined;
}

export function addBusOptions(command: Command): Command {
  return command
    .option('--bus <address>', 'NATS bus: nats://HOST:PORT, tls://HOST:PORT; several servers of a cluster with commas')
    .option('--bus-creds <file>', 'NATS credentials, nkey seed, or user:password')
    .option('--bus-ca <file>', 'CA certificates of the bus')
    .option('--bus-cert <file>', 'client certificate')
    .option('--bus-key <file>', 'key of the client certificate')
    .option('--bus-replicas <n>', 'servers of a cluster that keep a copy of each stream: 1 (default), 3 or 5');
}

/** The bus of the options; undefined if none. */
export function busOf({ bus: address, busReplicas, ...flags }: BusFlags): BusChoice | undefined {
  const { busCreds: credentials, busCa: authority, busCert: certificate, busKey: certificateKey } = flags;
  try {
    const options = checkBus(address, { credentials, authority, certificate, certificateKey }, busReplicas);
    if (address === undefined || options === undefined) return undefined;
    const replicas = busReplicas === undefined ? undefined : wholeNumber('--bus-replicas', 1, 5)(busReplicas);
    return { address, replicas, options };
  } catch (error) {
    throw error instanceof BusError ? new UsageError(error.message) : error;
  }
}

/** The bus of a command that needs one. */
export function needBus(flags: BusFlags): BusChoice {
  const bus = busOf(flags);
  if (!bus) throw new UsageError('missing bus: --bus nats://HOST:PORT');
  return bus;
}

/** Connects to the bus; waits for it, with a message. @param name our name in the server's lists */
export async function connectBus({ address, options }: BusChoice, name: string): Promise<Bus> {
  for (let reported = ''; ; ) {
    try {
      return await openBus(address, { name, ...options, giveUp: true });
    } catch (error) {
      if (!(error instanceof BusError) || !error.mayPass) throw error;
      if (error.message !== reported) notice(`${error.message}; waiting for it`);
      reported = error.message;
      await sleep(BUS_LIMITS.retryMilliseconds);
    }
  }
}

export function addPublishOptions(command: Command): Command {
  return command
    .option('--bus-name <name>', 'name of this collector on the bus (host name)')
    .option('--bus-spool <folder>', 'folder for frames while the bus is away (in the home folder)')
    .option('--bus-spool-size <size>', 'size limit of the spool; drops the oldest frames (1G)')
    .option('--bus-keep <time>', 'how long a new stream keeps frames (7d)')
    .option('--bus-keep-size <size>', 'size limit of a new stream (10G)')
    .option('--bus-by-message', 'one subject per message type instead of one per vehicle (smaller batches)');
}

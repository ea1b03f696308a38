import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { type Bus, BusError, type BusOptions, openBus, parseBus } from '../bus/connection.ts';
import { BUS_LIMITS } from '../bus/limits.ts';
import { UsageError } from './failure.ts';
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

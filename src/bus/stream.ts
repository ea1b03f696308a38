import type { StreamInfo } from '@nats-io/jetstream';
import { type Bus, BusError, ifThere } from './connection.ts';
import { BUS_LIVE_LIMITS } from './limits.ts';
import { LIVE_SUBJECTS } from './subject.ts';

/** The stream that telemetry is kept in. */
export const LIVE_STREAM = 'SKEIN_LIVE';

/** What a stream that is made keeps. */
export interface Keeping {
  readonly seconds?: number | undefined;
  readonly bytes?: number | undefined;
  readonly replicas?: number | undefined;
}

const NANOSECONDS = 1e9;

/** The stream, made if missing. An existing one stays as it is: its owner may have set other limits. */
export async function liveStream(bus: Bus, keeping: Keeping = {}): Promise<StreamInfo> {
  const { seconds = BUS_LIVE_LIMITS.keepSeconds, bytes = BUS_LIVE_LIMITS.keepBytes, replicas = 1 } = keeping;
  const found = await ifThere(bus, bus.manager.streams.info(LIVE_STREAM));
  if (found) return found;
  const { manager, jetstream } = bus;
  return manager.streams.add({
    name: LIVE_STREAM,
    subjects: [LIVE_SUBJECTS],
    retention: jetstream.RetentionPolicy.Limits,
    discard: jetstream.DiscardPolicy.Old,
    storage: jetstream.StorageType.File,
    max_age: seconds * NANOSECONDS,
    max_bytes: bytes,
    max_msg_size: BUS_LIVE_LIMITS.messageBytes,
    duplicate_window: Math.min(seconds, BUS_LIVE_LIMITS.rememberSeconds) * NANOSECONDS,
    num_replicas: replicas,
  });
}

export async function findLiveStream(bus: Bus): Promise<StreamInfo> {
  const found = await ifThere(bus, bus.manager.streams.info(LIVE_STREAM));
  if (found) return found;
  throw new BusError(`the bus has no stream ${LIVE_STREAM}: skein live --bus makes it`);
}

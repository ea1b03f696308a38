import { kindOfType } from '../analyze/heartbeat.ts';
import type { MessageSlot } from './message-slot.ts';
import type { Outbox, Target } from './outbox.ts';
import type { Rates } from './rates.ts';
import type { Asked } from './request-plan.ts';
import type { VehicleRecord } from './vehicle.ts';

interface Context {
  readonly outbox: Outbox;
  readonly rates: Rates;
  readonly now: () => number;
}

/** What a plan of requests needs of a vehicle: how it is asked, on the link that its state is from, and what came. */
export function askedOf(record: VehicleRecord, { rates, outbox, now }: Context): Asked {
  const slot = (name: string): MessageSlot | undefined => record.autopilot.messages.get(name);
  const target = (): Target => ({
    link: record.system.link,
    system: record.system.id,
    component: record.autopilot.id,
  });
  const heartbeat = (name: 'type' | 'autopilot'): number => record.autopilot.heartbeat?.[name] ?? 0;
  return {
    autopilot: () => heartbeat('autopilot'),
    storesRates: () => kindOfType(heartbeat('type')) === 'Plane',
    rate: (name) => {
      const found = slot(name);
      return found ? rates.rate(found.rate, now()) : 0;
    },
    count: (name) => {
      const found = slot(name);
      return found ? rates.count(found.rate) : 0;
    },
    kinds: (since) => [...record.autopilot.messages.values()].filter(({ time }) => time >= since).length,
    idOf: (name) => outbox.idOf(name),
    command: (command, params, isInt) => outbox.command(target(), command, params, isInt),
    dataStream: (rate) => outbox.dataStream(target(), rate),
  };
}

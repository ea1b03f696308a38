import { kindOfType } from '../../facts/heartbeat.ts';
import { number } from '../battery.ts';
import type { MessageSlot } from '../message.ts';
import type { Rates } from '../rates.ts';
import type { VehicleRecord } from '../vehicle.ts';
import type { FrameSender, Target } from './frame-sender.ts';
import type { Asked } from './request-plan.ts';

/** GPS_FIX_TYPE from which a vehicle has a position in space. */
const FIX_3D = 3;

interface Context {
  readonly sender: FrameSender;
  readonly rates: Rates;
}

/** What a plan of requests needs of a vehicle: how it is asked, on the link that its state is from, and what came. */
export function askedOf(record: VehicleRecord, { rates, sender }: Context): Asked {
  const slot = (name: string): MessageSlot | undefined => record.autopilot.messages.get(name);
  const target = (): Target => ({
    link: record.system.link,
    system: record.system.id,
    component: record.autopilot.id,
    address: record.autopilot.address || undefined,
  });
  const heartbeat = (name: 'type' | 'autopilot'): number => record.autopilot.heartbeat?.[name] ?? 0;
  return {
    readFile: (payload) => sender.readFile(target(), payload),
    autopilot: () => heartbeat('autopilot'),
    storesRates: () => kindOfType(heartbeat('type')) === 'Plane',
    count: (name) => {
      const found = slot(name);
      return found ? rates.count(found.rate) : 0;
    },
    hasFix: () => (number(slot('GPS_RAW_INT')?.data.fix_type) ?? 0) >= FIX_3D,
    idOf: (name) => sender.idOf(name),
    command: (command, params, isInt) => sender.command(target(), command, params, isInt),
    dataStream: (rate) => sender.dataStream(target(), rate),
  };
}

import type { Row } from '../core/table.ts';
import { number } from './battery.ts';
import { Boot } from './boot.ts';
import type { MessageSlot } from './message-slot.ts';
import type { System } from './system.ts';
import { TextJoiner } from './texts.ts';

/** What a heartbeat says. */
export interface Heartbeat {
  /** MAV_TYPE, MAV_AUTOPILOT, MAV_MODE_FLAG (null where it is not said), MAV_STATE. */
  readonly type: number;
  readonly autopilot: number;
  readonly baseMode: number | null;
  readonly customMode: number;
  readonly systemStatus: number;
}

/** What HEARTBEAT says. */
export function heartbeatOf(row: Row): Heartbeat {
  const field = (name: string): number => number(row[name]) ?? 0;
  return {
    type: field('type'),
    autopilot: field('autopilot'),
    baseMode: field('base_mode'),
    customMode: field('custom_mode'),
    systemStatus: field('system_status'),
  };
}

/** One component of a system: an autopilot, a camera, a ground station. */
export class Component {
  readonly system: System;
  readonly id: number;
  /** The latest of each message, by name. */
  readonly messages: Map<string, MessageSlot> = new Map();
  readonly boot: Boot = new Boot();
  readonly texts: TextJoiner;
  /** Names of modes as the component gives them, by number. */
  readonly modeNames: Map<number, string> = new Map();
  heartbeat: Heartbeat | undefined;
  lastHeartbeat: number = Number.NaN;
  /** Whether it was one of those that come over a satellite, seldom. */
  isSeldom = false;

  constructor(system: System, id: number) {
    this.system = system;
    this.id = id;
    this.texts = new TextJoiner(id);
  }

  /** When a message of it came last; NaN before. It is looked up here, so that no message has to say so. */
  get lastActivity(): number {
    let last = Number.NaN;
    for (const { time } of this.messages.values()) if (!(time <= last)) last = time;
    return last;
  }
}

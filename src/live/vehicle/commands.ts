import type { Row } from '../../core/table.ts';
import { number } from '../battery.ts';
import { LIVE_LIMITS } from '../limits.ts';

/** MAV_RESULT of an answer that is not the last one. */
export const IN_PROGRESS = 5;
/** Microseconds after which no answer is expected any more. */
const PATIENCE = 60e6;
/** Microseconds in which a second answer may follow the last. */
const SECOND_ANSWER = 0.5e6;
/** Commands that are open at once; the oldest go. */
const MOST_OPEN = 256;

interface SentCommand {
  readonly vehicle: string;
  /** The component it was sent to; 0 for all. */
  readonly component: number;
  readonly command: number;
  until: number;
}

/** An answer to a command that a client sent. */
export interface CommandResult {
  readonly command: number;
  readonly result: number;
}

/** The unanswered commands of clients, to separate their answers from those to our own requests. */
export class SentCommands {
  private open: SentCommand[] = [];
  private readonly system: number;
  private readonly component: number;

  /** @param system our id, which answers name as their target */
  constructor(system: number, component: number) {
    this.system = system;
    this.component = component;
  }

  add(vehicle: string, component: number, command: number, now: number): void {
    this.open.push({ vehicle, component, command, until: now + PATIENCE });
    this.open = this.open.filter(({ until }) => until > now).slice(-MOST_OPEN);
  }

  /** The result that a COMMAND_ACK gives to a command that is open; undefined if it answers none. */
  answer(vehicle: string, component: number, ack: Row, now: number): CommandResult | undefined {
    const [command, result] = [number(ack.command), number(ack.result)];
    if (command === null || result === null || !this.isOurs(ack)) return undefined;
    const found = this.open.find(
      (each) =>
        each.vehicle === vehicle &&
        each.command === command &&
        each.until > now &&
        (each.component === 0 || each.component === component),
    );
    if (!found) return undefined;
    // PX4 answers twice: "accepted" at once, and some milliseconds later that the mode is not available
    if (result !== IN_PROGRESS) found.until = Math.min(found.until, now + SECOND_ANSWER);
    return { command, result };
  }

  /** Firmware that does not know the two fields leaves them 0. */
  private isOurs(ack: Row): boolean {
    const [system, component] = [number(ack.target_system) ?? 0, number(ack.target_component) ?? 0];
    return (system === 0 || system === this.system) && (component === 0 || component === this.component);
  }
}

const SECOND = 1e6;

/** Commands that may be sent now: never more than one at once, so that they are spread over a second. */
export class CommandBudget {
  private left = 1;
  private lastRefill: number = Number.NaN;

  /** Lets time go by; a clock that was set back gives nothing. */
  refill(time: number): void {
    const passed = Math.max(0, time - this.lastRefill) || 0;
    this.lastRefill = time;
    this.left = Math.min(1, this.left + (passed / SECOND) * LIVE_LIMITS.commandsPerSecond);
  }

  get isLeft(): boolean {
    return this.left >= 1;
  }

  /** Uses one, if one is left. */
  use(): boolean {
    if (!this.isLeft) return false;
    this.left--;
    return true;
  }
}

import { LIVE_LIMITS } from '../limits.ts';

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

  /** Takes one, if there is one left. */
  take(): boolean {
    if (!this.isLeft) return false;
    this.left--;
    return true;
  }
}

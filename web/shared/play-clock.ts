/** A time in microseconds that runs when it is told to, from one end of a flight to the other. */
export class PlayClock {
  /** How fast a flight may be shown. */
  static readonly SPEEDS: readonly number[] = [0.25, 0.5, 1, 2, 4, 8, 16, 32];
  private readonly changed: (time: number) => void;
  private frame = 0;
  private last = 0;
  private from = 0;
  private to = 0;
  private now = 0;
  private factor = 1;

  constructor(changed: (time: number) => void) {
    this.changed = changed;
  }

  get time(): number {
    return this.now;
  }

  get isPlaying(): boolean {
    return this.frame !== 0;
  }

  get speed(): number {
    return this.factor;
  }

  set speed(speed: number) {
    this.factor = PlayClock.SPEEDS.includes(speed) ? speed : 1;
  }

  setRange(from: number, to: number): void {
    this.from = from;
    this.to = Math.max(from, to);
    this.seek(this.now);
  }

  seek(time: number): void {
    this.now = Math.max(this.from, Math.min(this.to, time));
    this.changed(this.now);
  }

  /** At the end it begins anew. */
  play(): void {
    if (this.isPlaying) return;
    if (this.now >= this.to) this.seek(this.from);
    this.last = performance.now();
    this.frame = requestAnimationFrame((at) => this.tick(at));
  }

  pause(): void {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
  }

  private tick(at: number): void {
    // a page that was hidden for a while does not jump
    const step = Math.max(0, Math.min(250, at - this.last));
    this.last = at;
    this.frame = this.now + step * 1000 * this.factor < this.to ? requestAnimationFrame((next) => this.tick(next)) : 0;
    this.seek(this.now + step * 1000 * this.factor);
  }
}

/** Times as fast as it happened. */
export const SPEEDS: readonly number[] = [0.25, 0.5, 1, 2, 4, 8, 16, 32];

interface PlayedMoment {
  readonly cursor: number | null;
  readonly window: { readonly from: number; readonly to: number };
  setCursor(time: number): void;
}

/** Moves the cursor on from where it is; at the end of the window it begins again. */
export class Player {
  isPlaying: boolean = $state(false);
  speed: number = $state(4);
  private readonly page: PlayedMoment;
  private before = 0;

  constructor(page: PlayedMoment) {
    this.page = page;
  }

  toggle(): void {
    this.isPlaying = !this.isPlaying;
    this.before = performance.now();
    const { cursor } = this.page;
    // where it stopped is kept
    if (!this.isPlaying && cursor !== null) this.page.setCursor(cursor);
    if (this.isPlaying) requestAnimationFrame((now) => this.step(now));
  }

  private step(now: number): void {
    if (!this.isPlaying) return;
    const { cursor, window } = this.page;
    const isInside = cursor !== null && cursor >= window.from && cursor < window.to;
    const passed = Math.max(0, now - this.before) * 1000 * this.speed;
    this.before = now;
    this.page.setCursor(isInside ? cursor + passed : window.from);
    requestAnimationFrame((next) => this.step(next));
  }
}

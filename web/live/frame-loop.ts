/** Milliseconds between two beats: texts that change more often cannot be read. */
const BEAT = 250;

/**
 * Draws at most once a frame, however many messages came. Painters are for canvases; texts are made anew at beats. A page
 * that is not seen draws nothing, but beats on.
 */
export class FrameLoop {
  /** Whether something came since the last frame. */
  isStale = true;
  private readonly onBeat: () => void;
  private readonly painters = new Set<(time: number) => void>();
  private request = 0;
  private timer: ReturnType<typeof setInterval> | undefined;

  constructor(onBeat: () => void) {
    this.onBeat = onBeat;
  }

  start(): void {
    const frame = (time: number): void => {
      this.request = requestAnimationFrame(frame);
      for (const paint of this.painters) paint(time);
      this.isStale = false;
    };
    this.request = requestAnimationFrame(frame);
    this.timer = setInterval(() => this.onBeat(), BEAT);
  }

  stop(): void {
    cancelAnimationFrame(this.request);
    clearInterval(this.timer);
  }

  /** Calls a painter at each frame. Returns what ends that. */
  paint(painter: (time: number) => void): () => void {
    this.painters.add(painter);
    return () => this.painters.delete(painter);
  }
}

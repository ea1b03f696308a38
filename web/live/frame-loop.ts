/** Milliseconds between two beats: texts that change more often cannot be read. */
const BEAT = 250;
/** Milliseconds from one frame to the next above which drawing was too much for this machine. */
const SLOW = 34;
/** How many times as long as a slow frame took a painter rests, and the most of it. */
const RESTS = 2;
const LONGEST_REST = 600;

/** Draws something; returns whether there was anything to draw. */
export type Painter = (time: number) => boolean;

interface Painting {
  readonly paint: Painter;
  /** Milliseconds from one picture to the next, at least. */
  readonly interval: () => number;
  dueAt: number;
}

/**
 * Draws at most once a frame, however many messages came. Painters are for canvases; texts are updated at beats. After
 * a frame that took long, drawing rests for twice as long, so that a slow machine stays responsive. A hidden page draws
 * nothing, but beats on.
 */
export class FrameLoop {
  private readonly onBeat: () => void;
  private readonly paintings = new Set<Painting>();
  /** Those that drew in the last frame. */
  private drawn: readonly Painting[] = [];
  private lastFrame = Number.NaN;
  private request = 0;
  private timer: ReturnType<typeof setInterval> | undefined;

  constructor(onBeat: () => void) {
    this.onBeat = onBeat;
  }

  start(): void {
    const frame = (time: number): void => {
      this.request = requestAnimationFrame(frame);
      this.draw(time);
    };
    this.request = requestAnimationFrame(frame);
    this.timer = setInterval(() => this.onBeat(), BEAT);
  }

  /** One frame. @param time milliseconds */
  draw(time: number): void {
    const took = time - this.lastFrame;
    this.lastFrame = time;
    if (took > SLOW) {
      const rest = Math.min(took * RESTS, LONGEST_REST);
      for (const painting of this.drawn) painting.dueAt = Math.max(painting.dueAt, time + rest);
    }
    this.drawn = [...this.paintings].filter((painting) => {
      if (time < painting.dueAt || !painting.paint(time)) return false;
      painting.dueAt = time + painting.interval();
      return true;
    });
  }

  stop(): void {
    cancelAnimationFrame(this.request);
    clearInterval(this.timer);
  }

  /** Calls a painter at frames, as often as the interval says. Returns what ends that. */
  paint(paint: Painter, interval: () => number): () => void {
    const painting: Painting = { paint, interval, dueAt: Number.NEGATIVE_INFINITY };
    this.paintings.add(painting);
    return () => this.paintings.delete(painting);
  }
}

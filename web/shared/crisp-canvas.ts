/** Draws in CSS pixels; the canvas has the pixels of the screen. */
export type Painter = (context: CanvasRenderingContext2D, width: number, height: number) => void;

/** A canvas that is sharp on every screen, fits its box, and is painted once a frame at most. */
export class CrispCanvas {
  readonly element: HTMLCanvasElement = document.createElement('canvas');
  private readonly painter: Painter;
  private readonly observer: ResizeObserver;
  private frame = 0;

  constructor(painter: Painter) {
    this.painter = painter;
    this.observer = new ResizeObserver(() => this.request());
    this.observer.observe(this.element);
  }

  /** Paints in the next frame. */
  request(): void {
    if (this.frame === 0) this.frame = requestAnimationFrame(() => this.paintNow());
  }

  paintNow(): void {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    const { clientWidth: width, clientHeight: height } = this.element;
    const context = this.element.getContext('2d');
    if (!context || width === 0 || height === 0) return;
    const ratio = window.devicePixelRatio || 1;
    const [wide, high] = [Math.round(width * ratio), Math.round(height * ratio)];
    // setting the size clears the canvas, even to what it was
    if (this.element.width !== wide) this.element.width = wide;
    if (this.element.height !== high) this.element.height = high;
    context.setTransform(wide / width, 0, 0, high / height, 0, 0);
    this.painter(context, width, height);
  }

  destroy(): void {
    cancelAnimationFrame(this.frame);
    this.observer.disconnect();
    this.element.remove();
  }
}

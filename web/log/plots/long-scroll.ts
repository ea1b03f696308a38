/** Pixels that an element is high at most: browsers stop somewhere between 17 and 33 million. */
const HIGHEST = 8_000_000;
/** A larger step, in views, is a drag of the scroll bar. */
const JUMP = 4;

/**
 * Scrolling through more than an element can be high. Small steps move by their pixels; the bar goes
 * through all there is. When scrolling ends, the bar is set to its place.
 *
 *     all there is    |--------------------[ view ]-----------|
 *     the element          |----------[ view ]------|              shift = the pixels between the two views
 */
export class LongScroll {
  /** Pixels of all there is, and of what is seen of it. */
  private length = 0;
  private view = 0;
  /** Where the view begins in all there is. */
  top = 0;
  /** What the element was scrolled to when it was last looked at. */
  private place = 0;

  resize(length: number, view: number): void {
    this.length = length;
    this.view = view;
    this.top = this.within(this.top);
  }

  /** Pixels that the element is to be high. */
  get height(): number {
    return Math.min(this.length, HIGHEST);
  }

  /** What is taken away from a place in all there is to have its place in the element. */
  get shift(): number {
    return this.top - this.place;
  }

  isAt(place: number): boolean {
    return this.place === place;
  }

  scrolled(place: number): void {
    const step = place - this.place;
    this.place = place;
    const isBar = Math.abs(step) > JUMP * this.view;
    this.top = this.within(this.isWhole || isBar ? place * this.ratio : this.top + step);
  }

  /** Begins the view elsewhere. */
  show(top: number): void {
    this.top = this.within(top);
  }

  /** Where the bar belongs. Whoever scrolls the element there says what became of it. */
  get rest(): number {
    return this.ratio === 0 ? 0 : this.top / this.ratio;
  }

  rested(place: number): void {
    this.place = place;
  }

  /** Whether the element ends and there is more: it must be put to rest before it can go on. */
  get isStuck(): boolean {
    const isAtEnd = this.place >= this.height - this.view - 1;
    return (this.place <= 0 && this.top > 0) || (isAtEnd && this.top < this.length - this.view);
  }

  private get isWhole(): boolean {
    return this.length <= HIGHEST;
  }

  private get ratio(): number {
    return this.isWhole ? 1 : (this.length - this.view) / (HIGHEST - this.view);
  }

  private within(top: number): number {
    return Math.max(0, Math.min(top, this.length - this.view));
  }
}

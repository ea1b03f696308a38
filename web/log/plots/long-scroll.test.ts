import { describe, expect, test } from 'vitest';
import { LongScroll } from './long-scroll.ts';

const [ROW, VIEW] = [22, 400];

/** An element as browsers have it: it can be scrolled to its end, and no further. */
class Element {
  readonly scroll = new LongScroll();
  place = 0;

  constructor(rows: number) {
    this.scroll.resize(rows * ROW, VIEW);
  }

  to(place: number): void {
    this.place = Math.max(0, Math.min(Math.round(place), this.scroll.height - VIEW));
    this.scroll.scrolled(this.place);
    if (this.scroll.isStuck) this.rest();
  }

  rest(): void {
    this.place = Math.round(this.scroll.rest);
    this.scroll.rested(this.place);
  }
}

describe('scrolling through a table', () => {
  test('that fits into an element is that of the browser', () => {
    const element = new Element(1000);
    expect(element.scroll.height).toBe(1000 * ROW);
    for (const place of [0, 300, 20_000, 1000 * ROW - VIEW]) {
      element.to(place);
      expect([element.scroll.top, element.scroll.shift]).toEqual([place, 0]);
    }
    element.scroll.resize(5 * ROW, VIEW);
    expect(element.scroll.top).toBe(0);
  });

  test('of fifty million rows moves by pixels, and the bar goes through all of it', () => {
    const rows = 50_000_000;
    const element = new Element(rows);
    const { scroll } = element;
    expect(scroll.height).toBeLessThan(17_000_000);
    for (let step = 0; step < 10; step++) element.to(element.place + 100);
    expect(scroll.top).toBe(1000);
    element.to(scroll.height / 2);
    expect(scroll.top / (rows * ROW)).toBeCloseTo(0.5, 3);
    const { top } = scroll;
    element.to(element.place - 60);
    expect(scroll.top).toBe(top - 60);
    element.rest();
    expect(scroll.top).toBe(top - 60);
    element.to(scroll.height);
    expect(scroll.top).toBe(rows * ROW - VIEW);
    // rows stand where the element is
    expect(scroll.top - scroll.shift).toBe(element.place);
  });

  test('has no row that small steps do not reach', () => {
    const rows = 400_000;
    const element = new Element(rows);
    element.scroll.show(rows * ROW - VIEW - 50_000);
    element.rest();
    for (let step = 0; step < 600 && element.scroll.top < rows * ROW - VIEW; step++) element.to(element.place + 90);
    expect(element.scroll.top).toBe(rows * ROW - VIEW);
    for (let step = 0; step < 2000; step++) element.to(element.place - 90);
    expect(element.scroll.top).toBe(rows * ROW - VIEW - 2000 * 90);
    element.scroll.show(50_000);
    element.rest();
    for (let step = 0; step < 600; step++) element.to(element.place - 90);
    expect(element.scroll.top).toBe(0);
  });
});

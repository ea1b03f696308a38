// What is seen: the pixels of a part of a page, of a canvas, or of a picture that a page saved.
import type { Locator, Page } from 'playwright-core';

/** A part of a picture, each side from 0 to 1. */
interface Part {
  readonly left?: number;
  readonly top?: number;
  readonly right?: number;
  readonly bottom?: number;
}

/** How far a pixel may be from a colour in red, green or blue. */
const NEAR = 24;
/** A pixel that is less opaque than this is not counted. */
const OPAQUE = 200;

export class Picture {
  readonly width: number;
  readonly height: number;
  private readonly data: Uint8Array;

  constructor({ width, height, base64 }: { width: number; height: number; base64: string }) {
    this.width = width;
    this.height = height;
    this.data = Buffer.from(base64, 'base64');
  }

  /** How much is drawn at a pixel, 0 to 255. */
  alpha(x: number, y: number): number {
    return this.data[4 * (y * this.width + x) + 3];
  }

  /** How many pixels have about a colour (#rrggbb). */
  count(color: string, part: Part = {}, near: number = NEAR): number {
    return this.places(color, part, near).length;
  }

  /** The middle of all pixels that have exactly a colour. */
  middle(color: string): readonly number[] {
    const places = this.places(color, {}, 0);
    return [0, 1].map((axis) => Math.round(places.reduce((sum, place) => sum + place[axis], 0) / places.length));
  }

  private places(color: string, { left = 0, top = 0, right = 1, bottom = 1 }: Part, near: number): [number, number][] {
    const { width, height, data } = this;
    const wanted = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
    const found: [number, number][] = [];
    for (let y = Math.round(top * height); y < Math.round(bottom * height); y++)
      for (let x = Math.round(left * width); x < Math.round(right * width); x++) {
        const i = 4 * (y * width + x);
        if (data[i + 3] >= OPAQUE && wanted.every((each, k) => Math.abs(each - data[i + k]) <= near))
          found.push([x, y]);
      }
    return found;
  }
}

/** Decodes a PNG in the browser. */
export async function pictureOf(page: Page, png: Uint8Array): Promise<Picture> {
  const read = await page.evaluateHandle(async (text) => {
    const bytes = Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
    return createImageBitmap(new Blob([bytes], { type: 'image/png' }));
  }, Buffer.from(png).toString('base64'));
  return new Picture(await read.evaluate(pixelsOf));
}

/** A part of the page as it is on the screen. */
export async function seen(locator: Locator): Promise<Picture> {
  return pictureOf(locator.page(), await locator.screenshot({ animations: 'disabled' }));
}

/** What is drawn on a canvas. */
export async function drawn(canvas: Locator): Promise<Picture> {
  return new Picture(await canvas.evaluate(pixelsOf as (canvas: Element) => ReturnType<typeof pixelsOf>));
}

/** In the page: a copy, for a canvas that is read itself is slower from then on. */
function pixelsOf(source: ImageBitmap | HTMLCanvasElement | Element): {
  width: number;
  height: number;
  base64: string;
} {
  const { width, height } = source as ImageBitmap;
  const copy = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true });
  if (!copy) throw new Error('this browser cannot draw');
  copy.drawImage(source as ImageBitmap, 0, 0);
  const { data } = copy.getImageData(0, 0, width, height);
  let letters = '';
  for (let at = 0; at < data.length; at += 8192) letters += String.fromCharCode(...data.subarray(at, at + 8192));
  return { width, height, base64: btoa(letters) };
}

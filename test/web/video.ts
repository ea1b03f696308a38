// A video whose pictures tell the second that they show, made in the browser of a test: a bar for each bit of it.
import type { Locator, Page } from 'playwright-core';

const BITS = 5;
const [WIDTH, HEIGHT, RATE] = [16 * BITS, 32, 4];

/** The second that the picture of a video shows. */
export function shownSecond(video: Locator): Promise<number> {
  return video.evaluate((element: HTMLVideoElement, bits) => {
    const context = new OffscreenCanvas(bits, 1).getContext('2d') as OffscreenCanvasRenderingContext2D;
    context.drawImage(element, 0, 0, bits, 1);
    const { data } = context.getImageData(0, 0, bits, 1);
    return Array.from({ length: bits }, (_, bit) => (data[4 * bit] > 127 ? 2 ** bit : 0)).reduce((a, b) => a + b, 0);
  }, BITS);
}

/** An element of WebM with its size in eight bytes: https://www.rfc-editor.org/rfc/rfc8794 */
function element(id: readonly number[], ...content: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(content);
  const size = Buffer.alloc(8);
  size.writeBigUInt64BE(BigInt(body.length));
  size[0] = 1;
  return Buffer.concat([Buffer.from(id), size, body]);
}

function number(id: readonly number[], value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(value));
  return element(id, bytes);
}

const text = (id: readonly number[], value: string): Buffer => element(id, Buffer.from(value));

/** @param page one of a secure origin: there a browser encodes */
export async function webm(page: Page, seconds: number): Promise<Buffer> {
  const frames = await page.evaluate(
    async ({ count, width, height, rate, bits }) => {
      const canvas = new OffscreenCanvas(width, height);
      const context = canvas.getContext('2d') as OffscreenCanvasRenderingContext2D;
      const made: string[] = [];
      const encoder = new VideoEncoder({
        output: (chunk) => {
          const bytes = new Uint8Array(chunk.byteLength);
          chunk.copyTo(bytes);
          made.push(btoa(String.fromCharCode(...bytes)));
        },
        error: (error) => {
          throw error;
        },
      });
      encoder.configure({ codec: 'vp8', width, height });
      for (let i = 0; i < count; i++) {
        for (let bit = 0; bit < bits; bit++) {
          context.fillStyle = (Math.floor(i / rate) >> bit) & 1 ? 'white' : 'black';
          context.fillRect((bit * width) / bits, 0, width / bits, height);
        }
        const frame = new VideoFrame(canvas, { timestamp: (i * 1e6) / rate });
        encoder.encode(frame, { keyFrame: true });
        frame.close();
      }
      await encoder.flush();
      return made;
    },
    { count: seconds * RATE, width: WIDTH, height: HEIGHT, rate: RATE, bits: BITS },
  );
  const duration = Buffer.alloc(8);
  duration.writeDoubleBE(seconds * 1000);
  const info = element(
    [0x15, 0x49, 0xa9, 0x66],
    number([0x2a, 0xd7, 0xb1], 1_000_000),
    element([0x44, 0x89], duration),
  );
  const picture = element([0xe0], number([0xb0], WIDTH), number([0xba], HEIGHT));
  const entry = [number([0xd7], 1), number([0x73, 0xc5], 1), number([0x83], 1), text([0x86], 'V_VP8'), picture];
  const tracks = element([0x16, 0x54, 0xae, 0x6b], element([0xae], ...entry));
  // a cluster for each second
  const clusters = Array.from({ length: seconds }, (_, second) => {
    const blocks = frames.slice(second * RATE, (second + 1) * RATE).map((frame, i) => {
      const head = Buffer.from([0x81, 0, 0, 0x80]);
      head.writeInt16BE((i * 1000) / RATE, 1);
      return element([0xa3], head, Buffer.from(frame, 'base64'));
    });
    return element([0x1f, 0x43, 0xb6, 0x75], number([0xe7], second * 1000), ...blocks);
  });
  const cues = (first: number): Buffer => {
    let at = first;
    const points = clusters.map((cluster, second) => {
      const place = element([0xb7], number([0xf7], 1), number([0xf1], at));
      at += cluster.length;
      return element([0xbb], number([0xb3], second * 1000), place);
    });
    return element([0x1c, 0x53, 0xbb, 0x6b], ...points);
  };
  const before = info.length + tracks.length + cues(0).length;
  const head = element(
    [0x1a, 0x45, 0xdf, 0xa3],
    text([0x42, 0x82], 'webm'),
    number([0x42, 0x87], 2),
    number([0x42, 0x85], 2),
  );
  return Buffer.concat([head, element([0x18, 0x53, 0x80, 0x67], info, tracks, cues(before), ...clusters)]);
}

import { joined } from '../core/bytes.ts';

/** Unpacks xz; rejects what is damaged, or has more than `most` bytes. */
export async function unpackXz(bytes: Uint8Array, most: number): Promise<Uint8Array> {
  // few need it; a package of CommonJS, whose names are in its default
  const { default: xz } = (await import('xz-decompress')) as unknown as { default: typeof import('xz-decompress') };
  const packed = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(bytes);
      controller.close();
    },
  });
  const reader = new xz.XzReadableStream(packed).getReader();
  const parts: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > most) {
      await reader.cancel();
      throw new RangeError(`unpacked file has more than ${most} bytes`);
    }
    parts.push(new Uint8Array(value));
  }
  return joined(parts);
}

import { deflateRawSync } from 'node:zlib';
import { crc32 } from '../../src/core/checksum.ts';
import { concat } from '../suite/random.ts';

const text = (content: string): Uint8Array => new TextEncoder().encode(content);

interface Made {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly method?: number;
  readonly flags?: number;
  readonly sum?: number;
  readonly size?: number;
}

/** A zip file by the book: local headers, then the directory and its end. */
export function zip(
  files: readonly Made[],
  options: { before?: Uint8Array; isCut?: boolean; wide?: boolean } = {},
): Uint8Array {
  const { before = new Uint8Array(0), isCut = false, wide = false } = options;
  const parts: Uint8Array[] = [before];
  const directory: Uint8Array[] = [];
  let at = 0;
  for (const { name, bytes, method = 8, flags = 0, sum = crc32(bytes), size = bytes.length } of files) {
    const packed = method === 8 ? new Uint8Array(deflateRawSync(bytes)) : bytes;
    const title = text(name);
    const common = (extra: number): Uint8Array => {
      const head = new DataView(new ArrayBuffer(26));
      head.setUint16(0, 20, true);
      head.setUint16(2, flags, true);
      head.setUint16(4, method, true);
      head.setUint32(10, sum, true);
      head.setUint32(14, wide && extra > 0 ? 0xffffffff : packed.length, true);
      head.setUint32(18, wide && extra > 0 ? 0xffffffff : size, true);
      head.setUint16(22, title.length, true);
      head.setUint16(24, extra, true);
      return new Uint8Array(head.buffer);
    };
    const local = concat(Uint8Array.of(0x50, 0x4b, 3, 4), common(0), title, packed);
    const extra = wide ? new Uint8Array(20) : new Uint8Array(0);
    if (wide) {
      const view = new DataView(extra.buffer);
      view.setUint16(0, 1, true);
      view.setUint16(2, 16, true);
      view.setBigUint64(4, BigInt(size), true);
      view.setBigUint64(12, BigInt(packed.length), true);
    }
    const rest = new DataView(new ArrayBuffer(14));
    rest.setUint32(10, at, true);
    directory.push(
      concat(Uint8Array.of(0x50, 0x4b, 1, 2, 20, 0), common(extra.length), new Uint8Array(rest.buffer), title, extra),
    );
    parts.push(local);
    at += local.length;
  }
  if (isCut) return concat(...parts);
  const list = concat(...directory);
  const end = new DataView(new ArrayBuffer(22));
  end.setUint32(0, 0x06054b50, true);
  end.setUint16(8, files.length, true);
  end.setUint16(10, files.length, true);
  end.setUint32(12, list.length, true);
  end.setUint32(16, at, true);
  return concat(...parts, list, new Uint8Array(end.buffer));
}

/** A tar file by the book. */
export function tar(files: readonly Made[]): Uint8Array {
  const blocks = files.map(({ name, bytes, size = bytes.length }) => {
    const head = new Uint8Array(512);
    head.set(text(name.slice(0, 100)));
    head.set(text('0000644\0'), 100);
    head.set(text(`${size.toString(8).padStart(11, '0')} `), 124);
    head.set(text('        '), 148);
    head[156] = 0x30;
    head.set(text('ustar\x0000'), 257);
    const sum = head.reduce((total, byte) => total + byte, 0);
    head.set(text(`${sum.toString(8).padStart(6, '0')}\0 `), 148);
    return concat(head, bytes, new Uint8Array(-bytes.length & 511));
  });
  return concat(...blocks, new Uint8Array(1024));
}

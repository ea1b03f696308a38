// The smallest PMTiles archive there is: one tile for the whole world.
// https://github.com/protomaps/PMTiles/blob/main/spec/v3/spec.md
//
//     0         127      +directory   +metadata
//     ┌─────────┬──────────┬──────────┬──────┐
//     │ header  │ directory│ metadata │ tile │
//     └─────────┴──────────┴──────────┴──────┘
const HEADER_BYTES = 127;
const NOT_COMPRESSED = 1;
const PNG = 2;

export function archiveOfOneTile(png: Uint8Array): Uint8Array {
  // one entry, each as a variable-length number: tile id 0, run of 1, length, offset 0 (stored as 1 more)
  const directory = Uint8Array.from([1, 0, 1, ...varint(png.length), 1]);
  const metadata = new TextEncoder().encode('{}');
  const header = new DataView(new ArrayBuffer(HEADER_BYTES));
  new Uint8Array(header.buffer).set(new TextEncoder().encode('PMTiles'));
  header.setUint8(7, 3);
  const metadataAt = HEADER_BYTES + directory.length;
  const tileAt = metadataAt + metadata.length;
  const places = [HEADER_BYTES, directory.length, metadataAt, metadata.length, tileAt, 0, tileAt, png.length, 1, 1, 1];
  for (const [i, value] of places.entries()) header.setBigUint64(8 + i * 8, BigInt(value), true);
  header.setUint8(96, 1);
  header.setUint8(97, NOT_COMPRESSED);
  header.setUint8(98, NOT_COMPRESSED);
  header.setUint8(99, PNG);
  header.setInt32(102, -180e7, true);
  header.setInt32(106, -85e7, true);
  header.setInt32(110, 180e7, true);
  header.setInt32(114, 85e7, true);
  const parts = [new Uint8Array(header.buffer), directory, metadata, png];
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}

function varint(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...varint(value >> 7)];
}

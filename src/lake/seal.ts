import { createHash } from 'node:crypto';
import type { OpenOptions } from '../formats/open.ts';
import { openRegular, readRegular } from '../node/text-file.ts';
import type { VehicleRule } from './vehicle-id.ts';

/** What a log was read with. Dialects and keys are not kept. */
export interface SealedRule extends VehicleRule {
  readonly open?: Pick<OpenOptions, 'leapSeconds' | 'keepInvalid' | 'checksum' | 'weekRollovers'> | undefined;
}

/** The SHA-256 of files of the catalogue, by name: of one log, or of a pack. */
export interface Seal {
  readonly files: Readonly<Record<string, string>>;
  /** Where the log came from, so that it can be ingested again. */
  readonly path?: string | undefined;
  readonly rule?: SealedRule | undefined;
}

/** A line of JSON, and the SHA-256 of that line. */
export function sealText(seal: Seal): string {
  const line = JSON.stringify(seal);
  return `${line}\n${hashOf(line)}\n`;
}

export async function readSeal(path: string): Promise<Seal | null | undefined> {
  const text = await readRegular(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    return '';
  });
  if (text === undefined) return undefined;
  const [line, hash, end, ...more] = text.split('\n');
  if (hash !== hashOf(line) || end !== '' || more.length > 0) return null;
  return JSON.parse(line) as Seal;
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

const CHUNK = 256 << 10;

/** The SHA-256 of a file, hexadecimal. */
export async function hashOfFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  const file = await openRegular(path);
  try {
    const { size } = await file.stat();
    const chunk = Buffer.allocUnsafe(Math.min(CHUNK, size + 1));
    for (;;) {
      const { bytesRead } = await file.read(chunk);
      if (bytesRead === 0) return hash.digest('hex');
      hash.update(chunk.subarray(0, bytesRead));
    }
  } finally {
    await file.close();
  }
}

import { closeSync, fstatSync, openSync } from 'node:fs';
import { SigningKey } from '../formats/mavlink/key.ts';
import { textOf } from './text-file.ts';

/** Variables that may hold a key, so that none is ever on a command line. */
const KEY_VARIABLE = 'SKEIN_SIGNING_KEY';
const PHRASE_VARIABLE = 'SKEIN_SIGNING_PASSPHRASE';

/** Bytes of a file with a key, and of one with credentials. */
export const KEY_BYTES: number = 64 << 10;

/** Bits of a file's mode that let others than its owner read or write it. */
const OTHERS = 0o077;

/** Whether others than its owner may do anything with a file of this mode; Windows has no such bits. */
export function isOpenToOthers(mode: number): boolean {
  return process.platform !== 'win32' && (mode & OTHERS) !== 0;
}

/** A signing key from a file: 64 hexadecimal digits or base64. */
export function readKey(path: string): SigningKey {
  return SigningKey.parse(secretText(path));
}

/** The text of a file with a secret, which only its owner may be able to read. */
export function secretText(path: string): string {
  const descriptor = openSync(path, 'r');
  try {
    const { mode } = fstatSync(descriptor);
    if (isOpenToOthers(mode)) {
      throw new Error(`key file ${path} is readable by others (mode ${(mode & 0o777).toString(8)}): chmod 600 it`);
    }
    return textOf(descriptor, KEY_BYTES, path);
  } finally {
    closeSync(descriptor);
  }
}

export function environmentKey(environment: NodeJS.ProcessEnv = process.env): SigningKey | undefined {
  const key = environment[KEY_VARIABLE];
  if (key) return SigningKey.parse(key);
  const phrase = environment[PHRASE_VARIABLE];
  return phrase ? SigningKey.fromPassphrase(phrase) : undefined;
}

import { constants, createHash, generateKeyPairSync, type KeyObject, publicEncrypt } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { bytesSource } from '../../core/source.ts';
import { decrypted } from './encrypted.ts';

// a key and a nonce of libsodium's tests of XChaCha20
const KEY = Buffer.from('79c99798ac67300bbb2704c95c341e3245f3dcb21761b98e52ff45b24f304fc4', 'hex');
const NONCE = Buffer.from('b33ffd3096479bcfbc9aee49417688a0a2554f8d95389419', 'hex');
const pair = generateKeyPairSync('rsa', { modulusLength: 2048 });
const pem = (type: 'pkcs1' | 'pkcs8', key: KeyObject = pair.privateKey): string =>
  String(key.export({ type, format: 'pem' }));

function encryptedFile(data: Uint8Array, change: (head: Buffer) => void = () => {}): Uint8Array {
  const wrapped = publicEncrypt(
    { key: pair.publicKey, oaepHash: 'sha256', padding: constants.RSA_PKCS1_OAEP_PADDING },
    KEY,
  );
  const head = Buffer.alloc(22);
  head.write('ULogEnc', 'latin1');
  head.set([1], 7);
  head.set([4, 2], 16);
  head.writeUInt16LE(wrapped.length, 18);
  head.writeUInt16LE(NONCE.length, 20);
  change(head);
  return new Uint8Array(Buffer.concat([head, wrapped, NONCE, data]));
}

async function bytesOf(file: Uint8Array, key: string): Promise<Uint8Array> {
  const source = await decrypted(bytesSource(file), key, {});
  return source.read(0, source.size);
}

describe('an encrypted log', () => {
  test.each(['pkcs1', 'pkcs8'] as const)('is what PyCryptodome makes of it, with a key of %s', async (type) => {
    const stream = await bytesOf(encryptedFile(new Uint8Array(300_001)), pem(type));
    expect(Buffer.from(stream.subarray(0, 29)).toString('hex')).toBe(
      'c6e9758160083ac604ef90e712ce6e75d7797590744e0cf060f013739c',
    );
    expect(createHash('sha256').update(stream).digest('hex')).toBe(
      'b2e7dc27adea0ceabc9ad10a095635f8d2b1af6f9f05affbba77193e68fdc515',
    );
  });

  test('is refused with another key, and with what is no key', async () => {
    const other = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
    const file = encryptedFile(new Uint8Array(10));
    await expect(bytesOf(file, pem('pkcs8', other))).rejects.toThrow(/wrapped by public key 2 of the vehicle/);
    for (const text of ['', 'no key', '-----BEGIN PRIVATE KEY-----\nA===\n-----END PRIVATE KEY-----'])
      await expect(bytesOf(file, text)).rejects.toThrow('no RSA private key');
  });

  test('is refused with a header that is cut, or of another kind', async () => {
    const whole = encryptedFile(new Uint8Array(10));
    for (let length = 0; length < 22 + 256 + 24; length += 9)
      await expect(bytesOf(whole.subarray(0, length), pem('pkcs8'))).rejects.toThrow('header is cut');
    for (const at of [7, 16, 18, 19, 20, 21]) {
      const file = encryptedFile(new Uint8Array(10), (head) => {
        head[at] ^= 0x40;
      });
      await expect(bytesOf(file, pem('pkcs8')), `byte ${at}`).rejects.toThrow(/header is cut|does not open it/);
    }
  });
});

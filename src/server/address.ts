import { isIP, isIPv6 } from 'node:net';
import { plainAddress } from '../node/allow.ts';

/** Whether only this machine can reach an address. Anything that is not known to be so is not. */
export function isLoopback(address: string): boolean {
  const plain = plainAddress(address);
  return plain === '::1' || (isIP(plain) === 4 && plain.startsWith('127.'));
}

/** An address as it stands in a URL. */
export function urlHost(address: string): string {
  return isIPv6(address) ? `[${address}]` : address;
}

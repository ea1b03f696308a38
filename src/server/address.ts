import { isIP, isIPv6 } from 'node:net';

/** `192.168.1.5` of `::ffff:192.168.1.5`, as a socket for both families calls it. */
export function plainAddress(address: string): string {
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address;
}

/** Whether only this machine can reach an address. Anything that is not known to be so is not. */
export function isLoopback(address: string): boolean {
  const plain = plainAddress(address);
  return plain === '::1' || (isIP(plain) === 4 && plain.startsWith('127.'));
}

/** An address as it stands in a URL. */
export function urlHost(address: string): string {
  return isIPv6(address) ? `[${address}]` : address;
}

import { BlockList, isIP } from 'node:net';

/** Whether an address may send to us. */
export type IsAllowed = (address: string) => boolean;

/** `192.168.1.5` of `::ffff:192.168.1.5`, as a socket for both families calls it. */
export function plainAddress(address: string): string {
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address;
}

/** Allows addresses of networks (`192.168.1.0/24`) or single ones. Throws a `RangeError` for invalid ones. */
export function allowed(networks: readonly string[]): IsAllowed {
  const list = new BlockList();
  for (const network of networks) {
    const [, address, prefix] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(network) ?? [];
    const version = isIP(address ?? '');
    const bits = Number(prefix ?? (version === 4 ? 32 : 128));
    if (address === undefined || version === 0 || bits > (version === 4 ? 32 : 128))
      throw new RangeError(`${network}: expected an address or a network, such as 192.168.1.0/24`);
    list.addSubnet(address, bits, version === 4 ? 'ipv4' : 'ipv6');
  }
  return (address) => {
    const plain = plainAddress(address).replace(/%.*$/, '');
    return list.check(plain, isIP(plain) === 6 ? 'ipv6' : 'ipv4');
  };
}

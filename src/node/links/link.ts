import type { LinkAddress } from '../../live/link-name.ts';
import type { Link, LinkListener, LinkOptions } from './base.ts';
import { UdpBroadcaster, UdpCaller, UdpListener } from './udp.ts';

export type { Link, LinkListener, LinkOptions } from './base.ts';

/** A link to an address, not open yet. */
export function makeLink(address: LinkAddress, listener: LinkListener, options: LinkOptions = {}): Link {
  switch (address.kind) {
    case 'udpin':
      return new UdpListener(address, listener, options);
    case 'udpout':
      return new UdpCaller(address, listener, options);
    case 'udpbcast':
      return new UdpBroadcaster(address, listener, options);
    default:
      throw new RangeError(`no link of kind ${address.kind}`);
  }
}

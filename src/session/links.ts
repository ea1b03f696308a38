import { type BusLinkOptions, NatsLink } from '../bus/link.ts';
import type { Link, LinkListener } from '../links/base.ts';
import { FileLink } from '../links/file.ts';
import { SerialLink } from '../links/serial.ts';
import { TcpCaller, TcpListener } from '../links/tcp.ts';
import { UdpBroadcaster, UdpCaller, UdpListener } from '../links/udp.ts';
import { WebSocketCaller } from '../links/web-socket.ts';
import type { LinkAddress } from '../live/link-name.ts';

export type { Link, LinkListener, LinkOptions } from '../links/base.ts';

/** A link to an address, not open yet. */
export function makeLink(address: LinkAddress, listener: LinkListener, options: BusLinkOptions = {}): Link {
  switch (address.kind) {
    case 'udpin':
      return new UdpListener(address, listener, options);
    case 'udpout':
      return new UdpCaller(address, listener, options);
    case 'udpbcast':
      return new UdpBroadcaster(address, listener, options);
    case 'tcp':
      return new TcpCaller(address, listener, options);
    case 'tcpin':
      return new TcpListener(address, listener, options);
    case 'serial':
      return new SerialLink(address, listener, options);
    case 'ws':
      return new WebSocketCaller(address, listener, options);
    case 'nats':
      return new NatsLink(address, listener, options);
    case 'file':
      return new FileLink(address, listener, options);
  }
}

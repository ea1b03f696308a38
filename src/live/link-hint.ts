import { hostPort, isLoopback, type LinkAddress, linkText } from './link-name.ts';

/** One sentence what to try while a link is open and nothing comes. */
export function silenceHint(address: LinkAddress): string {
  switch (address.kind) {
    case 'udpin':
      return isLoopback(address.host)
        ? `nothing was sent to ${linkText(address)}, which hears this machine only: udpin:0.0.0.0:${address.port} hears ` +
            `others; if the vehicle itself listens, udpout:HOST:${address.port} calls it`
        : `nothing was sent to ${linkText(address)}: if the vehicle itself listens, udpout:HOST:${address.port} calls it; ` +
            'a firewall may keep it away';
    case 'udpout':
      return `${hostPort(address.host, address.port)} does not answer: if it sends to us instead, udpin:0.0.0.0:${address.port} hears it`;
    case 'udpbcast':
      return `nobody answers the broadcast to ${hostPort(address.host, address.port)}: udpin:0.0.0.0:${address.port} hears who sends by himself`;
    case 'tcp':
      return `${hostPort(address.host, address.port)} is connected but says nothing: it may serve one client at a time and have one already, or speak another protocol`;
    case 'tcpin':
      return `nobody talks to ${linkText(address)}: the other side must connect to it, as tcp:HOST:${address.port}`;
    case 'serial':
      return `${address.path} gives nothing at ${address.baud} baud: usual speeds are 57600 (radio), 115200 (USB) and 921600; skein devices finds it`;
    case 'ws':
      return `${address.url} is connected but says nothing: it may send text, or wait for a subscription`;
    case 'nats':
      return `no collector sends to ${address.servers}: skein live --bus ${address.servers} does`;
    case 'file':
      return `${address.path} gives nothing`;
  }
}

import { hostPort, isLoopback, type LinkAddress, linkText } from './link-name.ts';

export interface SilentLink {
  /** Whether ground stations are at the other end, and not vehicles. */
  readonly isStation?: boolean | undefined;
  /** Whether it received something before. */
  readonly hasReceived?: boolean | undefined;
}

/** One sentence what to try while a link is open and silent. */
export function silenceHint(address: LinkAddress, { isStation = false, hasReceived = false }: SilentLink = {}): string {
  if (isStation) return stationHint(address, hasReceived);
  if (hasReceived) return lostHint(address);
  switch (address.kind) {
    case 'udpin':
      return isLoopback(address.host)
        ? `no data on ${linkText(address)} (loopback only): for other machines use udpin:0.0.0.0:${address.port}; ` +
            `if the vehicle listens, use udpout:HOST:${address.port}`
        : `no data on ${linkText(address)}: if the vehicle listens, use udpout:HOST:${address.port}; check the firewall`;
    case 'udpout':
      return `no answer from ${hostPort(address.host, address.port)}: if it sends to us instead, use udpin:0.0.0.0:${address.port}`;
    case 'udpbcast':
      return `no answer to the broadcast to ${hostPort(address.host, address.port)}: udpin:0.0.0.0:${address.port} receives from any sender`;
    case 'tcp':
      return `connected to ${hostPort(address.host, address.port)}, but no data: it may serve one client only, or use another protocol`;
    case 'tcpin':
      return `no data on ${linkText(address)}: the other side must connect to it, as tcp:HOST:${address.port}`;
    case 'serial':
      return `no data on ${address.path} at ${address.baud} baud: usual baud rates are 57600 (radio), 115200 (USB) and 921600; skein devices finds it`;
    case 'ws':
      return `connected to ${address.url}, but no data: it may send text, or wait for a subscription`;
    case 'nats':
      return `no collector sends to ${address.servers}: start one with skein live --bus ${address.servers}`;
    case 'file':
      return `no data in ${address.path}`;
  }
}

/** The link worked before. */
function lostHint(address: LinkAddress): string {
  switch (address.kind) {
    case 'serial':
      return `no more data on ${address.path}: check the cable, the radio and the vehicle's power`;
    case 'nats':
      return `no more data from ${address.servers}: check its collectors`;
    case 'file':
      return `no more data in ${address.path}`;
    default:
      return `no more data on ${linkText(address)}: check the vehicle's power and its radio or network`;
  }
}

function stationHint(address: LinkAddress, hasReceived: boolean): string {
  const name = linkText(address);
  if (hasReceived) return `the ground station on ${name} no longer sends`;
  switch (address.kind) {
    case 'udpin':
      return `no ground station on ${name}: connect one with udpout:HOST:${address.port}`;
    case 'tcpin':
      return `no ground station on ${name}: connect one with tcp:HOST:${address.port}`;
    default:
      return `the ground station on ${name} has sent nothing; it gets all frames, and need not answer`;
  }
}

import { createSocket, type RemoteInfo, type Socket, type SocketOptions } from 'node:dgram';
import { lookup as lookupLater } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { isIP, isIPv6 } from 'node:net';
import { LINK_LIMITS } from '../live/limits.ts';
import { hostPort, isMulticast, type NetworkAddress } from '../live/link-name.ts';
import { type PeerAddress, Peers } from '../live/peers.ts';
import { TargetReader } from '../live/vehicle/target.ts';
import { BaseLink, codeOf, type LinkListener, type LinkOptions } from './base.ts';
import { droppedAt } from './port-holder.ts';

/** Ticks between two looks at what the system dropped. */
const DROPS_EVERY = 4;
/** Linux says twice what it was asked for, since it counts its own bookkeeping. */
const DOUBLED = process.platform === 'linux' ? 2 : 1;

/** An address is itself: to look it up takes as long as to send to it. */
const lookupNow: NonNullable<SocketOptions['lookup']> = (host, options, found) => {
  const family = isIP(host);
  if (family === 0) lookupLater(host, options, found);
  else found(null, host, family);
};

interface Sender {
  readonly host: string;
  readonly peer: PeerAddress;
}

/** A socket of UDP: `begin` binds it, `send` chooses the receiver. */
abstract class UdpLink extends BaseLink {
  declare readonly address: NetworkAddress;
  protected readonly peers: Peers;
  protected readonly targets: TargetReader = new TargetReader();
  protected socket: Socket | undefined;
  private readonly asked: number;
  /** Recent senders by port, so that an address is not formatted for each datagram. */
  private readonly senders: Map<number, Sender> = new Map();
  private ticks = 0;
  private systemDrops = 0;

  constructor(address: NetworkAddress, listener: LinkListener, options: LinkOptions) {
    super(address, listener, options);
    this.asked = options.receiveBuffer ?? LINK_LIMITS.receiveBuffer;
    const { silence: timeout, keys, stamps, hears } = options;
    this.peers = new Peers({ timeout, keys, stamps, hears, now: () => this.now() / 1000 });
  }

  protected start(): void {
    this.begin().catch((error: unknown) => this.lose(error));
  }

  protected abstract begin(): Promise<void>;

  protected async bind(host: string | undefined, port: number, isV6: boolean, shared = false): Promise<Socket> {
    const socket = createSocket({ type: isV6 ? 'udp6' : 'udp4', reuseAddr: shared, lookup: lookupNow });
    this.socket = socket;
    await new Promise<void>((done, failed) => {
      socket.once('error', failed);
      socket.bind({ port, ...(host === undefined ? {} : { address: host }) }, () => {
        socket.off('error', failed);
        done();
      });
    });
    socket.on('error', (error) => this.lose(error));
    socket.on('message', (bytes, sender) => this.datagram(bytes, sender));
    this.enlarge(socket);
    this.systemDrops = 0;
    return socket;
  }

  /** Asks for a large buffer, and for half of it where the system refuses instead of giving less. */
  private enlarge(socket: Socket): void {
    for (let size = this.asked; size >= 1 << 16; size /= 2) {
      try {
        socket.setRecvBufferSize(Math.floor(size));
        break;
      } catch {}
    }
    this.meter.buffer(this.asked, Math.min(this.asked, Math.floor(socket.getRecvBufferSize() / DOUBLED)));
  }

  protected opened(socket: Socket): void {
    const { address, port } = socket.address();
    this.local = hostPort(address, port);
    this.meter.opened(this.now());
  }

  private datagram(bytes: Uint8Array, sender: RemoteInfo): void {
    const known = this.senders.get(sender.port);
    const met = known !== undefined && known.host === sender.address ? known : this.meet(sender);
    if (!met) {
      this.meter.dropped(1);
      return;
    }
    const { peer } = met;
    // the time is asked for once: at tens of thousands of datagrams a second it is a part of what they cost
    const time = this.now();
    const isMoved = this.peers.receive(bytes, peer, time);
    this.receive(bytes, peer.address, time);
    if (isMoved) this.meter.peer(peerText(this.peers.addresses));
  }

  private meet({ address, port }: RemoteInfo): Sender | undefined {
    // a host that we call may answer
    if (this.address.kind !== 'udpout' && !this.allow(address)) return undefined;
    if (this.senders.size >= LINK_LIMITS.peers) this.senders.clear();
    const sender = { host: address, peer: this.peers.addressOf(hostPort(address, port)) };
    this.senders.set(port, sender);
    return sender;
  }

  protected override tick(): void {
    super.tick();
    if (++this.ticks % DROPS_EVERY === 0) void this.countDrops();
  }

  private async countDrops(): Promise<void> {
    const { socket } = this;
    if (!socket || this.local === null) return;
    const { address, port } = socket.address();
    const drops = await droppedAt(address, port);
    if (socket !== this.socket) return;
    this.meter.dropped(Math.max(0, drops - this.systemDrops));
    this.systemDrops = Math.max(drops, this.systemDrops);
  }

  protected transmit(bytes: Uint8Array, to: string): boolean {
    const { socket } = this;
    const [, host, port] = /^\[?(.*?)\]?:(\d+)$/.exec(to) ?? [];
    if (!socket || this.local === null || !host) return false;
    if (!this.fits(socket.getSendQueueSize(), 0)) return false;
    socket.send(bytes, Number(port), host, (error) => this.sent(bytes.length, error));
    return true;
  }

  protected sent(bytes: number, error: Error | null): void {
    if (error) this.meter.dropped(1);
    else this.meter.sent(bytes);
  }

  protected lose(error: unknown): void {
    this.release();
    if (!this.isOpen) return;
    this.cannotBind(error, this.address, 'udpout', 'end that program, or let it forward to another port');
  }

  private release(): void {
    const { socket } = this;
    this.socket = undefined;
    this.local = null;
    if (!socket) return;
    socket.removeAllListeners();
    socket.on('error', () => undefined);
    try {
      socket.close();
    } catch {}
  }

  protected async stop(): Promise<void> {
    // what was handed in is with the system in a moment
    for (let i = 0; i < 100 && (this.socket?.getSendQueueCount() ?? 0) > 0; i++)
      await new Promise((done) => setTimeout(done, 5));
    this.release();
  }
}

/** Listens at a port and answers each vehicle where it is. */
export class UdpListener extends UdpLink {
  protected async begin(): Promise<void> {
    const { host, port } = this.address;
    const group = isMulticast(host);
    const address = group ? host : (await lookup(host)).address;
    if (!this.isOpen) return;
    const socket = await this.bind(group ? undefined : address, port, isIPv6(address), group);
    if (group) socket.addMembership(host);
    this.opened(socket);
    if (group) this.meter.peer(hostPort(host, port));
  }

  override send(bytes: Uint8Array, to?: string): boolean {
    const { host, port } = this.address;
    if (isMulticast(host)) return this.transmit(bytes, hostPort(host, port));
    if (to !== undefined) return this.transmit(bytes, to);
    const { addresses } = this.peers;
    if (addresses.length === 1) return this.transmit(bytes, addresses[0]);
    const target = this.targets.systemOf(bytes);
    const one = target === 0 ? undefined : this.peers.of(target);
    if (one !== undefined) return this.transmit(bytes, one);
    let isSent = false;
    for (const address of addresses) isSent = this.transmit(bytes, address) || isSent;
    return isSent;
  }
}

/** Calls one host. The socket is connected: it receives from that host only, and learns when its port is closed. */
export class UdpCaller extends UdpLink {
  protected async begin(): Promise<void> {
    const { host, port } = this.address;
    const { address } = await lookup(host);
    if (!this.isOpen) return;
    const socket = await this.bind(undefined, 0, isIPv6(address));
    await new Promise<void>((done, failed) => {
      socket.connect(port, address, ((error?: Error) => (error ? failed(error) : done())) as () => void);
    });
    this.opened(socket);
    this.meter.peer(hostPort(address, port));
  }

  override send(bytes: Uint8Array): boolean {
    const { socket } = this;
    if (!socket || this.local === null) return false;
    if (!this.fits(socket.getSendQueueSize(), 0)) return false;
    try {
      socket.send(bytes, (error) => this.sent(bytes.length, error));
    } catch {
      return false;
    }
    return true;
  }

  /** Connection refused: that may change at any time, so the socket stays. */
  protected override lose(error: unknown): void {
    if (codeOf(error) === 'ECONNREFUSED') this.refused();
    else super.lose(error);
  }

  protected override sent(bytes: number, error: Error | null): void {
    if (error && codeOf(error) === 'ECONNREFUSED') this.refused();
    else super.sent(bytes, error);
  }

  private refused(): void {
    const { host, port } = this.address;
    if (this.state.state === 'receiving') return;
    this.meter.hint(
      `connection refused by ${hostPort(host, port)}: if it sends to us instead, use udpin:0.0.0.0:${port}`,
    );
  }
}

/** Sends to all until vehicles answer, then to these. */
export class UdpBroadcaster extends UdpLink {
  protected async begin(): Promise<void> {
    const socket = await this.bind(undefined, 0, false);
    socket.setBroadcast(true);
    this.opened(socket);
  }

  override send(bytes: Uint8Array, to?: string): boolean {
    const { host, port } = this.address;
    if (to !== undefined) return this.transmit(bytes, to);
    const one = this.peers.of(this.targets.systemOf(bytes)) ?? this.peers.addresses[0];
    return this.transmit(bytes, one ?? hostPort(host, port));
  }
}

function peerText(addresses: readonly string[]): string {
  return addresses.length === 1 ? addresses[0] : `${addresses[0]} and ${addresses.length - 1} more`;
}

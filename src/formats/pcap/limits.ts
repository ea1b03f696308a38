/** What a packet capture may ask for. It may come from anyone, and its content from everyone. */
export interface CaptureLimits {
  /** Bytes of a packet; a length beyond it is damage. */
  readonly packetBytes: number;
  /** Bytes of a block that is looked at as a whole; one without a packet may be longer, and is passed over. */
  readonly blockBytes: number;
  readonly longBlockBytes: number;
  readonly interfaces: number;
  /** Headers inside headers: VLANs, extension headers, tunnels. */
  readonly layers: number;
  /** Packets, and bytes of what they carry, that are gathered before any of it is decoded. */
  readonly batchPackets: number;
  readonly batchBytes: number;
  /** Flows that are kept apart, and how many of them have a decoder each. */
  readonly flows: number;
  readonly flowDecoders: number;
  /** Bytes of a flow that are kept until it is known what they are. */
  readonly undecidedBytes: number;
  /** Bytes of a TCP stream that wait for what is missing before them, and of all streams. */
  readonly waitingBytes: number;
  readonly allWaitingBytes: number;
  /** Packets in fragments that wait for the rest of them, and their bytes. */
  readonly fragmented: number;
  readonly fragmentBytes: number;
}

export const CAPTURE_LIMITS: CaptureLimits = {
  packetBytes: 262_144,
  blockBytes: 1 << 20,
  longBlockBytes: 16 << 20,
  interfaces: 4_096,
  layers: 32,
  batchPackets: 2_048,
  batchBytes: 256 << 10,
  flows: 4_096,
  flowDecoders: 256,
  undecidedBytes: 8 << 10,
  waitingBytes: 256 << 10,
  allWaitingBytes: 8 << 20,
  fragmented: 256,
  fragmentBytes: 4 << 20,
};

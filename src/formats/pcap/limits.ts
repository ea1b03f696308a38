/** What a packet capture may ask for. It may come from anyone, and its content from everyone. */
export const CAPTURE_LIMITS = {
  /** Bytes of a packet; a length beyond it is damage. */
  packetBytes: 262_144,
  /** Bytes of a block that is looked at as a whole; one without a packet may be longer, and is passed over. */
  blockBytes: 1_048_576,
  longBlockBytes: 16_777_216,
  interfaces: 4_096,
  /** Headers inside headers: VLANs, extension headers, tunnels. */
  layers: 32,
  /** Packets, and bytes of what they carry, that are gathered before any of it is decoded. */
  batchPackets: 2_048,
  batchBytes: 262_144,
  /** Flows that are kept apart, and how many of them have a decoder each. */
  flows: 4_096,
  flowDecoders: 256,
  /** Bytes of a flow that are kept until it is known what they are. */
  undecidedBytes: 8192,
  /** Bytes of a TCP stream that wait for what is missing before them, and of all streams. */
  waitingBytes: 262_144,
  allWaitingBytes: 8_388_608,
  /** Packets in fragments that wait for the rest of them, and their bytes. */
  fragmented: 256,
  fragmentBytes: 4_194_304,
} as const;

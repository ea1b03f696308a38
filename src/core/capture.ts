import type { StreamStatistics } from './decoder.ts';

/** What a packet capture tells beside its records. */
export interface Capture {
  /** The kind of file, '' where no header was found. */
  readonly kind: 'pcap' | 'pcapng' | '';
  /** Whether it is records alone, without the header of a file. */
  readonly isHeadless: boolean;
  readonly packets: number;
  /** Microseconds since 1970 of its first and last packet, NaN where none has a time. */
  readonly start: number;
  readonly end: number;
  /** Packets of 802.11 whose data are encrypted. */
  readonly encrypted: number;
  readonly interfaces: readonly CapturedInterface[];
  readonly flows: readonly CapturedFlow[];
  readonly bytes: CapturedBytes;
}

/** Where packets were captured. */
export interface CapturedInterface {
  readonly section: number;
  readonly number: number;
  /** The link type as a number, and what it is called. */
  readonly linkType: number;
  readonly link: string;
  /** Whether messages are looked for in packets of this link type. */
  readonly isRead: boolean;
  readonly name: string;
  readonly snapLength: number;
  readonly packets: number;
  readonly bytes: number;
}

/** What one sender sent to one receiver. */
export interface CapturedFlow {
  /** What carried it: 'bare' for packets without headers, 'ICMP' for UDP packets that were given back to their sender. */
  readonly protocol: 'UDP' | 'TCP' | 'ICMP' | 'bare';
  /** Address and port, '' for packets without any. */
  readonly source: string;
  readonly destination: string;
  readonly interface: number;
  readonly packets: number;
  /** Bytes that it carried. */
  readonly bytes: number;
  /** Microseconds since 1970, NaN where the capture has no times. */
  readonly start: number;
  readonly end: number;
  /** The format of its content, '' where it is none that is known. */
  readonly carries: string;
  readonly records: number;
  readonly faults: number;
  /** Bytes that are known to be missing. */
  readonly missing: number;
  readonly streams: readonly StreamStatistics[];
}

/** What became of each byte of the file: the sum of all is its size. */
export interface CapturedBytes {
  /** Headers of the file, and blocks without a packet. */
  readonly file: number;
  /** Headers of packets, and what fills them up. */
  readonly headers: number;
  /** Packets, and flows, that carry nothing that is known. */
  readonly other: number;
  /** What was sent again. */
  readonly repeated: number;
  readonly records: number;
  readonly faults: number;
}

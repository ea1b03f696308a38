import { type Clock, partClock, type TimePart } from './clock.ts';
import type { Decoder, StreamStatistics } from './decoder.ts';
import { FaultList } from './fault.ts';
import type { Format } from './format.ts';
import type { Source } from './source.ts';
import type { RecordTable } from './table.ts';

/** First and last time of a log in microseconds, or nulls where no record has a time. */
export interface Span {
  readonly start: number | null;
  readonly end: number | null;
}

/** What a log was packed in. */
export interface Packing {
  /** Outermost first: 'gzip', 'zip', 'tar'. */
  readonly layers: readonly string[];
  /** Its name in the archive, if it was in one. */
  readonly entry: string | undefined;
  /** Bytes of the packed file. */
  readonly bytes: number;
}

/** Everything that was found in a source: tables, faults, and the clock that puts them on one time. */
export class Log {
  /** The format's name: 'dataflash', 'tlog' ... ; 'empty' or 'blank' if it has no content. */
  readonly format: string;
  /** The format; undefined if it has no content. */
  readonly kind: Format | undefined;
  readonly source: Source;
  readonly tables: readonly RecordTable[];
  readonly faults: FaultList;
  readonly clock: Clock;
  /** Loss by stream, where the protocol numbers its records. */
  readonly streams: readonly StreamStatistics[];

  /** What holds the records: the source itself, or what was taken out of it where it is a container. */
  readonly data: Source;
  /** What else a packet capture says. */
  readonly capture: Capture | undefined;
  /** What the source was unpacked from, if it was. */
  readonly packing: Packing | undefined;
  /** The log that this one is a part of. */
  whole: Log | undefined;
  private readonly decoder: Decoder | undefined;

  constructor(
    format: Format | 'empty' | 'blank',
    source: Source,
    tables: readonly RecordTable[],
    faults: FaultList,
    clock: Clock,
    decoder?: Decoder,
    packing?: Packing,
  ) {
    this.kind = typeof format === 'string' ? undefined : format;
    this.format = typeof format === 'string' ? format : format.name;
    this.source = source;
    this.tables = tables;
    this.faults = faults;
    this.clock = clock;
    this.decoder = decoder;
    this.packing = packing;
    this.streams = decoder?.streams?.() ?? [];
    this.data = decoder?.source?.() ?? source;
    this.capture = decoder?.capture?.();
    for (const table of tables) table.clock = clock;
  }

  /** Its parts as logs, each with what the source has from its beginning to that of the next; none for a log of a single one. */
  parts(): readonly Log[] {
    const { parts = [] } = this.clock;
    if (parts.length < 2) return [];
    return parts.map((part, k) => this.part(part, k === 0 ? 0 : part.offset, parts[k + 1]?.offset));
  }

  private part(part: TimePart, from: number, to = Number.POSITIVE_INFINITY): Log {
    const origins = new Map<RecordTable, { readonly table: RecordTable; readonly row: number }>();
    for (const table of this.tables) {
      const [first, behind] = [table.offsets.rowFrom(from), table.offsets.rowFrom(to)];
      if (first < behind) origins.set(table.part(first, behind), { table, row: first });
    }
    const faults = new FaultList();
    for (const fault of this.faults.kept) if (fault.offset >= from && fault.offset < to) faults.add(fault);
    const { kind = 'empty', source, decoder, packing } = this;
    const log = new Log(
      kind,
      source,
      [...origins.keys()],
      faults,
      partClock(this.clock, part, origins),
      decoder,
      packing,
    );
    log.whole = this;
    return log;
  }

  /** Where the record at an offset of a table begins in the source. */
  placeOf(offset: number): number {
    return this.decoder?.placeOf?.(offset) ?? offset;
  }

  /** Which packet of a capture completed the record at an offset of a table, counted from 1 on. */
  packetOf(offset: number): number | undefined {
    return this.decoder?.packetOf?.(offset);
  }

  /** Whether the vehicle itself wrote it; otherwise it was recorded from a link. */
  get isOnboard(): boolean {
    return this.kind?.isOnboard === true;
  }

  /** Bytes of the file that the source was unpacked from, if it was. */
  get packedBytes(): number | undefined {
    return this.packing?.bytes;
  }

  get records(): number {
    let sum = 0;
    for (const table of this.tables) sum += table.rows;
    return sum;
  }

  /** The table of that name: of the stream if one is named, else the first one that has rows. */
  table(name: string, stream?: string): RecordTable | undefined {
    const all = this.tablesNamed(name).filter((table) => stream === undefined || table.stream === stream);
    return all.find((table) => table.rows > 0) ?? all[0];
  }

  /** All tables of that name: instances, vehicles, or definitions that changed on the way. */
  tablesNamed(name: string): RecordTable[] {
    return this.tables.filter((table) => table.name === name);
  }
}

/** What a packet capture says beside its records. */
export interface Capture {
  /** The kind of file, '' if no header was found. */
  readonly kind: 'pcap' | 'pcapng' | '';
  /** Whether it is records alone, without the header of a file. */
  readonly isHeadless: boolean;
  readonly packets: number;
  /** Microseconds since 1970 of its first and last packet, NaN if none has a time. */
  readonly start: number;
  readonly end: number;
  /** Packets of 802.11 whose data are encrypted. */
  readonly encrypted: number;
  readonly interfaces: readonly CapturedInterface[];
  readonly flows: readonly CapturedFlow[];
  readonly bytes: CapturedBytes;
}

export interface CapturedInterface {
  readonly section: number;
  readonly number: number;
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
  /** Microseconds since 1970, NaN if the capture has no times. */
  readonly start: number;
  readonly end: number;
  /** The format of its content, '' if unknown. */
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

import { ChunkBuffer } from '../../core/chunk-buffer.ts';
import { Blocks, beginsFile } from './blocks.ts';
import { ClassicRecords } from './classic.ts';
import { type ClassicHeader, FILE_HEADER, readClassicHeader } from './classic-header.ts';
import { guessHeader } from './headless.ts';
import { type CaptureInterface, type PacketSink, Tally } from './packet.ts';

/** What is looked at to detect a file's kind. */
const LOOK = FILE_HEADER;

/** Reads the packets of a pcap or pcapng capture in any chunks; resyncs after damage, which becomes a fault. */
export class PacketReader {
  private readonly chunks: ChunkBuffer;
  private readonly tally: Tally;
  private records: ClassicRecords | Blocks | undefined;
  /** In the file: where the first file header was missed, -1 where it was not, and where the search for it goes on. */
  private missedFrom = -1;
  private place = 0;
  private kind: 'pcap' | 'pcapng' | '' = '';
  /** Whether the file is records alone. */
  isHeadless = false;

  constructor(sink: PacketSink) {
    this.tally = new Tally(sink);
    this.chunks = new ChunkBuffer((bytes, from, base, final) => this.scan(bytes, from, base, final));
  }

  push(bytes: Uint8Array): void {
    this.chunks.push(bytes);
  }

  end(): void {
    this.chunks.end();
  }

  /** Which kind of file it is, '' as long as that is not known. */
  get format(): 'pcap' | 'pcapng' | '' {
    return this.kind;
  }

  get interfaces(): readonly CaptureInterface[] {
    return this.tally.interfaces;
  }

  get packets(): number {
    return this.tally.packets;
  }

  /** Bytes outside packets: of the file itself, around packets, and in faults of the file. */
  get overhead(): { readonly file: number; readonly records: number; readonly faults: number } {
    const { fileBytes: file, recordBytes: records, faultBytes: faults } = this.tally;
    return { file, records, faults };
  }

  private scan(bytes: Uint8Array, from: number, base: number, final: boolean): number {
    let at = from;
    for (;;) {
      if (!this.records) {
        at = this.begin(bytes, at, base, final);
        if (!this.records) return at;
      }
      at = this.records.scan(bytes, at, base, final);
      if (!this.records.isEnded) return at;
      this.records = undefined;
    }
  }

  /** Finds the header of a file; returns where to go on. */
  private begin(bytes: Uint8Array, from: number, base: number, final: boolean): number {
    const size = bytes.length;
    let at = Math.max(from, this.place - base);
    if (base + at === 0 && this.missedFrom < 0 && !beginsFile(bytes, at)) {
      const header = guessHeader(bytes, final);
      if (header === 'wait') return at;
      if (header) return this.beginHeadless(header);
    }
    if (this.missedFrom < 0) this.missedFrom = base + at;
    for (const stop = final ? size : size - LOOK + 1; at < stop; at++) {
      if (!beginsFile(bytes, at)) continue;
      const header = readClassicHeader(bytes, at);
      this.kind ||= header ? 'pcap' : 'pcapng';
      this.miss(base + at);
      const section = (this.tally.interfaces.at(-1)?.section ?? -1) + 1;
      this.records = header ? new ClassicRecords(this.tally, header, section) : new Blocks(this.tally, section);
      if (header) this.tally.fileBytes += FILE_HEADER;
      return header ? at + FILE_HEADER : at;
    }
    this.place = base + at;
    if (final) this.miss(base + size);
    return at;
  }

  /** The file has no header: it begins with a record. */
  private beginHeadless(header: ClassicHeader): number {
    this.kind = 'pcap';
    this.isHeadless = true;
    this.records = new ClassicRecords(this.tally, header, 0);
    return 0;
  }

  /** The bytes before a file's header are not part of it. */
  private miss(offset: number): void {
    const { missedFrom: from } = this;
    this.missedFrom = -1;
    if (from < 0 || offset <= from) return;
    const isAll = this.kind === '';
    const text = `${offset - from} bytes at offset ${from} ${isAll ? 'are not a' : 'precede the'} header of a capture`;
    this.tally.fault('no-header', from, offset - from, true, text);
  }
}

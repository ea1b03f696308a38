import { ChunkBuffer } from './chunk-buffer.ts';
import { type Decoder, RecordBatch, type Sink } from './decoder.ts';

/** Finds records in chunks as they come, and hands them over in batches. */
export abstract class ScanningDecoder implements Decoder {
  protected readonly sink: Sink;
  protected readonly batch: RecordBatch;
  protected readonly chunks: ChunkBuffer;

  /** @param records that are handed over at a time */
  constructor(sink: Sink, records: number) {
    this.sink = sink;
    this.batch = new RecordBatch(records);
    this.chunks = new ChunkBuffer((bytes, from, base, final) => {
      this.batch.bytes = bytes;
      this.batch.base = base;
      const stop = this.scan(bytes, from, base, final);
      this.flush();
      return stop;
    });
  }

  push(bytes: Uint8Array): void {
    this.chunks.push(bytes);
  }

  end(): void {
    this.chunks.end();
  }

  /** As `Scan` of the chunk buffer says. What is in the batch after it is handed over. */
  protected abstract scan(bytes: Uint8Array, from: number, base: number, final: boolean): number;

  /** Hands over the records so far: also before a fault, which comes after them. */
  protected flush(): void {
    if (this.batch.count === 0) return;
    this.sink.records(this.batch);
    this.batch.count = 0;
  }
}

/**
 * Stored bytes with random access. Nothing else in the system knows whether they are a file, a Blob, a URL or a buffer.
 */
export interface Source {
  readonly size: number;
  /**
   * Bytes [offset, offset + length), fewer at the end. They may be the source's own: never to be written to.
   * @param scratch memory that the source may use for its answer, so that reading on and on allocates nothing
   */
  read(offset: number, length: number, scratch?: Uint8Array<ArrayBuffer>): Promise<Uint8Array>;
  /** The same without waiting, for sources that can: who is called by a query engine cannot wait. */
  readNow?(offset: number, length: number, scratch?: Uint8Array<ArrayBuffer>): Uint8Array;
  /** Whether all bytes are in one piece of memory: then reading many of them costs no more than reading few. */
  readonly isInMemory?: boolean;
}

export function bytesSource(bytes: Uint8Array): Source {
  const readNow = (offset: number, length: number): Uint8Array => bytes.subarray(offset, offset + length);
  return { size: bytes.length, read: async (offset, length) => readNow(offset, length), readNow, isInMemory: true };
}

export function blobSource(blob: Blob): Source {
  return {
    size: blob.size,
    read: async (offset, length) => new Uint8Array(await blob.slice(offset, offset + length).arrayBuffer()),
  };
}

import type { Decoder, RecordBatch, Sink } from '../core/decoder.ts';
import type { Fault } from '../core/fault.ts';
import type { Format } from '../core/format.ts';
import { LIMITS } from '../core/limits.ts';
import type { Schema } from '../core/schema.ts';
import { firstIndex } from '../core/search.ts';
import type { Source } from '../core/source.ts';
import type { CaptureOptions } from '../formats/pcap/decoder.ts';
import type { PacketSink } from '../formats/pcap/packet.ts';
import { SECRET } from './frames.ts';

/** Which bytes of a log are records, and which are not. */
interface LossSurvey {
  /** Records; packets of a capture. */
  readonly records: number;
  /** Beginnings and ends, by turns, of what is damaged or belongs to no record, in order. */
  readonly damaged: readonly number[];
  /** Frames with a signing key: never written again. */
  readonly secrets: number;
}

/** Looks at all of a log of some format. Of a capture its packets are looked at, not what they carry. */
export async function survey(source: Source, format: Format, options: CaptureOptions = {}): Promise<LossSurvey> {
  const surveyor = new Surveyor();
  const decoder: Decoder = format.packets?.(surveyor) ?? format.decoder(surveyor, options);
  await decode(source, decoder);
  const next = new Surveyor();
  const again = decoder.again?.(next);
  if (!again) return surveyor.result();
  await decode(source, again);
  return next.result();
}

async function decode(source: Source, decoder: Decoder): Promise<void> {
  const scratch = new Uint8Array(Math.min(source.size, LIMITS.chunkBytes));
  for (let at = 0; at < source.size; ) {
    const bytes = await source.read(at, LIMITS.chunkBytes, scratch);
    if (bytes.length === 0) break;
    decoder.push(bytes);
    at += bytes.length;
  }
  decoder.end();
}

/** What can be saved of a log: a good log. */
export interface Repaired {
  readonly source: Source;
  readonly records: number;
  /** Records of the damaged log that the good one lacks: without the damage around them they mean nothing. */
  readonly lost: number;
  readonly secrets: number;
}

/** Readings after which a log that still has damage is given up. */
const ROUNDS = 4;

/** A log without its damage; undefined if none is left. Checks again messages that relied on removed neighbours. */
export async function repaired(
  damaged: Source,
  format: Format,
  options: CaptureOptions = {},
): Promise<Repaired | undefined> {
  let [source, first, secrets] = [damaged, Number.NaN, 0];
  for (let round = 0; round < ROUNDS; round++) {
    const found = await survey(source, format, options);
    if (round === 0) ({ records: first, secrets } = found);
    if (found.records === 0) return undefined;
    if (found.damaged.length === 0) return { source, records: found.records, lost: first - found.records, secrets };
    source = without(source, found.damaged);
  }
  return undefined;
}

/** A source without some ranges: beginnings and ends by turns, in order. */
function without(source: Source, ranges: readonly number[]): Source {
  // where each stretch that is kept begins here, and in the source
  const [here, there] = [[0], [0]];
  for (let i = 0; i < ranges.length; i += 2) {
    here.push(here[here.length - 1] + ranges[i] - there[there.length - 1]);
    there.push(ranges[i + 1]);
  }
  const size = here[here.length - 1] + source.size - there[there.length - 1];
  return {
    size,
    async read(offset, length) {
      const bytes = new Uint8Array(Math.max(0, Math.min(length, size - offset)));
      for (let at = 0; at < bytes.length; ) {
        const stretch = firstIndex(here.length, (i) => here[i] > offset + at) - 1;
        const end = Math.min(here[stretch + 1] ?? size, offset + bytes.length);
        const piece = await source.read(there[stretch] + offset + at - here[stretch], end - offset - at);
        if (piece.length === 0) return bytes.subarray(0, at);
        bytes.set(piece, at);
        at += piece.length;
      }
      return bytes;
    },
  };
}

class Surveyor implements Sink, PacketSink {
  private readonly ranges: [from: number, to: number][] = [];
  private readonly hidden: Set<number> = new Set();
  private found = 0;
  private secrets = 0;

  table(id: number, { name }: Schema): void {
    if (name === SECRET) this.hidden.add(id);
  }

  records({ base, count, table, start, size }: RecordBatch): void {
    this.found += count;
    if (this.hidden.size === 0) return;
    for (let i = 0; i < count; i++) {
      if (!this.hidden.has(table[i])) continue;
      this.leaveOut(base + start[i], size[i]);
      this.secrets++;
    }
  }

  packet(): void {
    this.found++;
  }

  fault({ offset, length }: Fault): void {
    if (length > 0) this.leaveOut(offset, length);
  }

  private leaveOut(from: number, length: number): void {
    const last = this.ranges.at(-1);
    // of millions of faults most follow each other
    if (last && last[1] === from) last[1] = from + length;
    else this.ranges.push([from, from + length]);
  }

  result(): LossSurvey {
    const damaged: number[] = [];
    for (const [from, to] of this.ranges.sort(([a], [b]) => a - b)) {
      if (damaged.at(-1) === from) damaged[damaged.length - 1] = to;
      else damaged.push(from, to);
    }
    return { records: this.found - this.secrets, damaged, secrets: this.secrets };
  }
}

import type { Codec } from '../../core/codec.ts';
import { type Column, SIZE_BYTES } from '../../core/column.ts';
import type { Sink } from '../../core/decoder.ts';
import type { Field, Schema } from '../../core/schema.ts';
import { UBX_LIMITS } from './limits.ts';
import { ubxName } from './names.ts';

export const RTCM_FIRST = 0xd3;
/** Bytes before the payload, and around it. */
const UBX_HEAD = 6;
const RTCM_HEAD = 3;

/** Room for payloads grows by this, so that it does not change with each message that is a little longer. */
const ROOM = 64;

/** Reads frames of either protocol: how long their payload is, and the payload itself. */
export class PayloadCodec implements Codec {
  read(bytes: Uint8Array, starts: Uint32Array, count: number, columns: readonly Column[], row: number): void {
    for (const { field, bits8, data } of columns) {
      for (let i = 0; i < count; i++) {
        const at = starts[i];
        const isRtcm = bytes[at] === RTCM_FIRST;
        const length = isRtcm ? bytes[at + 1] * 256 + bytes[at + 2] : bytes[at + 4] + bytes[at + 5] * 256;
        if (field.type !== 'bytes') {
          data[row + i] = length;
          continue;
        }
        const from = at + (isRtcm ? RTCM_HEAD : UBX_HEAD);
        const to = (row + i) * field.count;
        const stored = Math.max(0, Math.min(length, field.count - SIZE_BYTES));
        bits8[to] = stored & 0xff;
        bits8[to + 1] = stored >> 8;
        bits8.set(bytes.subarray(from, from + stored), to + SIZE_BYTES);
      }
    }
  }
}

const CODEC = new PayloadCodec();

/** One message, not decoded: its payload as it is, and how many bytes of it there are. */
class PayloadSchema implements Schema {
  readonly name: string;
  readonly size = 0;
  readonly maxSize: number = UBX_LIMITS.frameBytes;
  readonly instance = -1;
  readonly codec: Codec = CODEC;
  readonly fields: readonly Field[];
  private readonly payload: Field & { count: number };

  constructor(name: string) {
    this.name = name;
    this.payload = { ...field('payload', 'bytes'), isSized: true, count: SIZE_BYTES };
    this.fields = [field('length', 'uint16'), this.payload];
  }

  grow(length: number): void {
    const room = SIZE_BYTES + Math.ceil(length / ROOM) * ROOM;
    if (room > this.payload.count) this.payload.count = room;
  }
}

function field(name: string, type: Field['type']): Field {
  return { name, type, count: 1, offset: 0, divisor: 1, unit: '', multiplier: undefined, siUnit: '' };
}

/** The tables of one stream: which of them a frame belongs to. */
export class Tables {
  private readonly sink: Sink;
  private readonly byKey: Map<number, number> = new Map();
  private readonly schemas: PayloadSchema[] = [];

  constructor(sink: Sink) {
    this.sink = sink;
  }

  /** The number of the table of the frame at a place, whose payload has so many bytes. */
  idOf(bytes: Uint8Array, at: number, length: number): number {
    const isRtcm = bytes[at] === RTCM_FIRST;
    const number = isRtcm ? (bytes[at + 3] << 4) | (bytes[at + 4] >> 4) : (bytes[at + 2] << 8) | bytes[at + 3];
    const isLong = length > UBX_LIMITS.shortBytes;
    const key = number * 4 + Number(isRtcm) * 2 + Number(isLong);
    const id = this.byKey.get(key) ?? this.add(key, isRtcm ? String(number) : ubxName(bytes[at + 2], bytes[at + 3]));
    this.schemas[id].grow(length);
    return id;
  }

  private add(wanted: number, name: string): number {
    const isFull = this.schemas.length >= UBX_LIMITS.tables;
    // what there is no room for shares two tables
    const key = isFull ? -1 - (wanted & 1) : wanted;
    const known = this.byKey.get(key);
    if (known !== undefined) return known;
    const id = this.schemas.length;
    this.byKey.set(key, id);
    this.schemas.push(new PayloadSchema(isFull ? 'OTHER' : name));
    this.sink.table(id, this.schemas[id], '');
    return id;
  }
}

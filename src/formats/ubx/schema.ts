import type { Codec } from '../../core/codec.ts';
import { type Column, SIZE_BYTES } from '../../core/column.ts';
import type { Sink } from '../../core/decoder.ts';
import type { Field, Schema } from '../../core/schema.ts';
import { hexDigits, words } from '../../core/text.ts';
import { UBX_LIMITS } from './limits.ts';

export const RTCM_FIRST = 0xd3;
/** Bytes before the payload, and around it. */
const UBX_HEAD = 6;
const RTCM_HEAD = 3;

/** Room for payloads grows by this, so that it does not change with each message that is a little longer. */
const ROOM = 64;

/** Reads frames of either protocol: how long their payload is, and the payload itself. */
export class PayloadCodec implements Codec {
  read(bytes: Uint8Array, starts: Int32Array, count: number, columns: readonly Column[], row: number): void {
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

  /** The number of the table of the frame at a place, by the size of its payload. */
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

/** Classes of UBX messages: number and name, then the ids that have a name: hexadecimal, as u-blox writes them. */
const CLASSES: ReadonlyMap<string, readonly string[]> = new Map(
  [
    '01 NAV 01 POSECEF 02 POSLLH 03 STATUS 04 DOP 05 ATT 06 SOL 07 PVT 09 ODO 10 RESETODO 11 VELECEF 12 VELNED ' +
      '13 HPPOSECEF 14 HPPOSLLH 16 PVAT-OLD 17 PVAT 20 TIMEGPS 21 TIMEUTC 22 CLOCK 23 TIMEGLO 24 TIMEBDS 25 TIMEGAL ' +
      '26 TIMELS 27 TIMEQZSS 28 NMI 30 SVINFO 31 DGPS 32 SBAS 34 ORB 35 SAT 36 COV 39 GEOFENCE 3B SVIN 3C RELPOSNED ' +
      '3D EELL 40 EKFSTATUS 42 SLAS 43 SIG 60 AOPSTATUS 61 EOE 62 PL 63 TIMENAVIC 64 TIMETRUSTED',
    '02 RXM 10 RAW 11 SFRB 13 SFRBX 14 MEASX 15 RAWX 20 SVSI 23 ALM 25 MEAS20 27 MEASC12 29 MEASD12 30 ALM 31 EPH ' +
      '32 RTCM 33 QZSSL6 34 COR 41 PMREQ 59 RLM 61 IMES 72 PMP 73 SPARTN 84 TM 86 MEAS50 88 SPARTN-KEY',
    '04 INF 00 ERROR 01 WARNING 02 NOTICE 03 TEST 04 DEBUG',
    '05 ACK 00 NAK 01 ACK',
    '06 CFG 00 PRT 01 MSG 02 INF 04 RST 06 DAT 07 TP 08 RATE 09 CFG 0E FXN 11 RXM 12 EKF 13 ANT 16 SBAS 17 NMEA ' +
      '19 TMODE 1B USB 1D TMODE2 1E ODO 23 NAVX5 24 NAV5 29 ESFGWT 31 TP5 34 RINV 39 ITFM 3B PM2 3D TMODE2 3E GNSS ' +
      '47 LOGFILTER 53 TXSLOT 56 ESFALG 57 PWR 5C HNR 60 ESRC 61 DOSC 62 SMGR 64 SPT 69 GEOFENCE 70 DGNSS 71 TMODE3 ' +
      '82 ESFWT 84 FIXSEED 85 DYNSEED 86 PMS 88 SENIF 8A VALSET 8B VALGET 8C VALDEL 8D SLAS 93 BATCH',
    '09 UPD 05 FLDET 07 POS 14 SOS 15 SOS',
    '0A MON 01 SCHED 02 IO 04 VER 06 MSGPP 07 RXBUF 08 TXBUF 09 HW 0B HW2 0D PT2 0E USB 21 RXR 27 PATCH 28 GNSS ' +
      '2B SPT 2C TEMP 2E SMGR 2F SPT 31 SPAN 32 BATCH 35 BATCH2 36 COMMS 37 HW3 38 RF 39 SYS 3B TEMP 3C PMP',
    '0B AID 01 INI 02 HUI 05 REQ 10 DATA 30 ALM 31 EPH 32 ALPSRV 33 AOP 50 ALP',
    '0D TIM 01 TP 03 TM2 04 SVIN 06 VRFY 11 DOSC 12 TOS 13 SMEAS 15 VCOCAL 16 FCHG 17 HOC',
    '10 ESF 02 MEAS 03 RAW 10 STATUS 13 CAL 14 ALG 15 INS',
    '13 MGA 00 GPS 02 GAL 03 BDS 05 QZSS 06 GLO 20 ANO 21 FLASH 24 SF 40 INI 60 ACK 80 DBD',
    '21 LOG 03 ERASE 04 STRING 07 CREATE 08 INFO 09 RETRIEVE 0B RETRIEVEPOS 0D RETRIEVESTRING 0E FINDTIME ' +
      '0F RETRIEVEPOSEXTRA 10 BATCH 11 RETRIEVEBATCH',
    '27 SEC 01 SIGN 03 UNIQID 04 SESSID 05 CRC 08 ECSIGN 09 SIG 0A OSNMA 10 SIGLOG',
    '28 HNR 00 PVT 01 ATT 02 INS',
    '29 NAV2 01 POSECEF 02 POSLLH 03 STATUS 04 DOP 07 PVT 09 ODO 11 VELECEF 12 VELNED 17 PVAT 20 TIMEGPS 21 TIMEUTC ' +
      '22 CLOCK 23 TIMEGLO 24 TIMEBDS 25 TIMEGAL 26 TIMELS 27 TIMEQZSS 32 SBAS 35 SAT 36 COV 3B SVIN 3D EELL 42 SLAS ' +
      '43 SIG 61 EOE 63 TIMENAVIC',
  ].map((line) => {
    const [number, ...names] = words(line);
    return [number, names];
  }),
);

/** The name of a UBX message: NAV-PVT; NAV-7F and 77-01 where the id, or the class too, has no name. */
export function ubxName(messageClass: number, id: number): string {
  const [group, ...ids] = CLASSES.get(hexDigits(messageClass)) ?? [hexDigits(messageClass)];
  const at = ids.findIndex((word, i) => i % 2 === 0 && word === hexDigits(id));
  return `${group}-${at < 0 ? hexDigits(id) : ids[at + 1]}`;
}

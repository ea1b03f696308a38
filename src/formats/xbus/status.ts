import type { Codec } from '../../core/codec.ts';
import { bigEndian } from './codec.ts';
import { bits, choices, type FieldSpec, part } from './layout.ts';

/*
 * The status word, https://mtidocs.movella.com/mtdata2. The status byte is its lowest byte.
 *
 *     28 27   26     25 24 23     22 ... 18        16 ... 8        7 6 5    4 3           2    1        0
 *     RTK     1PPS   filter mode  sync, samples    clipped axes    ...      no rotation   fix  filter   self-test
 */
const STATUS_BITS = bits(
  'XBUS_STATUS',
  'selftest_ok filter_valid gnss_fix no_rotation_low no_rotation_high representative_motion clock_synced ' +
    'first_filter_input clip_acc_x clip_acc_y clip_acc_z clip_gyr_x clip_gyr_y clip_gyr_z clip_mag_x clip_mag_y ' +
    'clip_mag_z - retransmitted clipping interpolated sync_in sync_out filter_mode_0 filter_mode_1 filter_mode_2 ' +
    'gnss_time_pulse rtk_0 rtk_1',
);

/** The bit that says that the orientation filter has settled. */
export const FILTER_VALID: number = 1 << 1;

const NO_ROTATION = choices('XBUS_NO_ROTATION', 'off samples_rejected rotation_detected running');

const FILTER_MODE = choices('XBUS_FILTER_MODE', 'without_gnss coasting - with_gnss');

const RTK = choices('XBUS_RTK', 'none float fixed');

/** A number within the word: where it begins and the bits that it has. */
interface BitNumber {
  readonly shift: number;
  readonly mask: number;
}

const NUMBERS: ReadonlyMap<string, BitNumber> = new Map([
  ['no_rotation', { shift: 3, mask: 3 }],
  ['filter_mode', { shift: 23, mask: 7 }],
  ['rtk', { shift: 27, mask: 3 }],
]);

export function statusParts(bytes: 1 | 2 | 4): FieldSpec[] {
  const type = bytes === 1 ? 'uint8' : bytes === 2 ? 'uint16' : 'uint32';
  const inner = [part('no_rotation', 'uint8', { enumeration: NO_ROTATION })];
  if (bytes === 4) inner.push(part('filter_mode', 'uint8', { enumeration: FILTER_MODE }));
  if (bytes === 4) inner.push(part('rtk', 'uint8', { enumeration: RTK }));
  return [part('value', type, { enumeration: STATUS_BITS }), ...inner];
}

/** Reads a status of some bytes at an offset: the word itself, and the numbers within it. */
export function statusCodec(bytes: 1 | 2 | 4, offset: number): Codec {
  return {
    read(data, starts, count, columns, row) {
      const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
      for (const column of columns) {
        const number = NUMBERS.get(column.field.name);
        if (!number) {
          bigEndian.read(data, starts, count, [column], row);
          continue;
        }
        const { shift, mask } = number;
        // all that a shorter status has besides is in its last byte
        for (let i = 0; i < count; i++) {
          const at = starts[i] + offset;
          column.bits8[row + i] = ((bytes === 4 ? view.getInt32(at) : data[at + bytes - 1]) >>> shift) & mask;
        }
      }
    },
  };
}

import { type FieldSpec, part, parts, sizeOf, skip } from './layout.ts';

/*
 * The Configuration message, 98 bytes and 20 for each device, https://mtidocs.movella.com/messages
 *
 *     0        4        6      8          10           12           16     24     32 ... 95    96
 *     master   period   skip   sync mode  sync skip    sync offset  date   time   reserved     devices
 *
 *     98 + 20 k   102 + 20 k   104 + 20 k   106 + 20 k   110 + 20 k
 *     device      length       mode         settings     reserved
 */
const HEAD: readonly FieldSpec[] = [
  part('master', 'uint32'),
  ...parts('period skip sync_mode sync_skip', 'uint16'),
  part('sync_offset', 'uint32'),
  part('date', 'text', { count: 8 }),
  part('time', 'text', { count: 8 }),
  skip(64),
  part('devices', 'uint16'),
];
const DEVICE: readonly FieldSpec[] = [
  part('device', 'uint32'),
  ...parts('length mode', 'uint16'),
  part('settings', 'uint32'),
  skip(8),
];
const HEAD_BYTES = sizeOf(HEAD);
const DEVICE_BYTES = sizeOf(DEVICE);
/** Devices behind one master that the protocol has room for. */
const MOST_DEVICES = 32;

/** The layouts of a Configuration message, one for each number of devices; fields of further devices have a number. */
export const CONFIGURATION_LAYOUTS: readonly (readonly FieldSpec[])[] = Array.from(
  { length: MOST_DEVICES },
  (_, more) => [
    ...HEAD,
    ...DEVICE,
    ...Array.from({ length: more }, (_unused, k) =>
      DEVICE.map((each) => ({ ...each, name: each.name === '' ? '' : `${each.name}_${k + 2}` })),
    ).flat(),
  ],
);

/** What a device was configured to put into MTData: which values, and how they are written. */
export interface OutputSetup {
  readonly mode: number;
  readonly settings: number;
}

/** The set-ups of all devices that the data of a Configuration message name. */
export function setupsIn(bytes: Uint8Array, data: number, length: number): OutputSetup[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const setups: OutputSetup[] = [];
  for (let at = HEAD_BYTES; at + DEVICE_BYTES <= length; at += DEVICE_BYTES) {
    setups.push({ mode: view.getUint16(data + at + 6), settings: view.getUint32(data + at + 8) });
  }
  return setups;
}

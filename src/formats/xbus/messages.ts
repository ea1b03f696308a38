import type { Enumeration } from '../../core/schema.ts';
import { hexDigits } from '../../core/text.ts';
import { CONFIGURATION_LAYOUTS } from './configuration.ts';
import { UTC_PARTS } from './gnss.ts';
import { MOST_DATA } from './header.ts';
import { bits, choices, enumeration, type FieldSpec, part, parts } from './layout.ts';

/** What an error message of a device means, and what helps. */
const ERROR_CODES: Readonly<Record<number, string>> = {
  1: 'the bus has no power',
  2: 'the bus is not ready to measure',
  3: 'invalid period: the period that was set is out of range',
  4: 'invalid message: the device does not know it, or not in this state; go to config first',
  16: 'a slave did not answer when the bus was set up',
  17: 'a slave answered wrongly when the bus was set up',
  18: 'after four scans of the bus devices are still missing',
  20: 'no answer when a bus id was assigned',
  21: 'wrong answer when a bus id was assigned',
  24: 'timer overflow: the period is too short to collect the data of all devices',
  25: 'a device answered with something other than data',
  26: 'the data of all devices are more than a message can hold',
  27: 'timer overflow: a device did not answer within the period; lower the output rate',
  28: 'timer overflow: an answer did not come within the period; lower the output rate',
  29: 'no correct answer from a device while measuring',
  30: 'timer overflow: more output is configured than the device can compute; lower the output rate',
  32: 'invalid baud rate',
  33: 'invalid parameter: a value is invalid or out of range',
  35: 'the send buffer is full',
  36: 'the send buffer cannot hold a whole message',
  40: 'device error: try to update the firmware; if that does not help, the device is faulty',
  41: 'data overflow: the baud rate is too low for the configured output; raise the baud rate or lower the output rate',
  42: 'buffer overflow: samples were lost while the host did not read; read faster or lower the output rate',
  43: 'the external trigger does not come as it was configured; check the sync settings',
  44: 'samples came out of order inside the device',
  45: 'power dip: the supply voltage fell below what the device needs; check the supply and the cable',
};

/** Errors that say that the device could not send what it measured. */
const LOSING: ReadonlySet<number> = new Set([0x18, 0x1a, 0x1b, 0x1c, 0x1e, 0x23, 0x24, 0x29, 0x2a]);

const WARNING_CODES: Readonly<Record<number, string>> = {
  401: 'the GNSS receiver refused its configuration',
  402: 'the GNSS receiver did not answer when it was configured',
  403: 'the GNSS receiver could not be configured',
};

export function errorMeaning(code: number): string {
  return ERROR_CODES[code] ?? 'not known';
}

export function warningMeaning(code: number): string {
  return WARNING_CODES[code] ?? 'not known';
}

export function isLoss(code: number): boolean {
  return LOSING.has(code);
}

/*
 * Messages other than data, https://mtidocs.movella.com/messages. A request and its setting share a number, and the
 * answer has the next one: 18 without data asks for the baud rate, 18 with data sets it, 19 answers both.
 */
export const MT_DATA = 0x32;
export const MT_DATA_2 = 0x36;
export const CONFIGURATION = 0x0d;
export const OUTPUT_MODE_ACK = 0xd1;
export const OUTPUT_SETTINGS_ACK = 0xd3;
export const ERROR = 0x42;
export const WARNING = 0x43;

/** One message: its name, and what its data may be. */
export interface Message {
  readonly name: string;
  /** Layouts, by the length of the data. */
  readonly layouts: readonly (readonly FieldSpec[])[];
  /** The layout of an entry, of which there may be any number. */
  readonly entry?: readonly FieldSpec[] | undefined;
  /** The most bytes of a text or of bytes. */
  readonly text?: number | undefined;
  readonly bytes?: number | undefined;
}

type Data = Partial<Omit<Message, 'name'>>;
type Entries = [id: number, message: Message][];

const EMPTY: readonly FieldSpec[] = [];

function message(id: number, name: string, data: Data = { layouts: [EMPTY] }): Entries {
  return [[id, { name, layouts: [], ...data }]];
}

function request(id: number, name: string, answer: string, data: Data): Entries {
  return [...message(id, name), ...message(id + 1, answer, data)];
}

/** The same data in a message and its answer; either may have none. */
function setting(id: number, name: string, ...layouts: readonly (readonly FieldSpec[])[]): Entries {
  return both(id, name, { layouts: [EMPTY, ...layouts] });
}

function both(id: number, name: string, data: Data): Entries {
  return [...message(id, name, data), ...message(id + 1, `${name}Ack`, data)];
}

function word(name: string, options: Omit<FieldSpec, 'name' | 'type'> = {}): readonly FieldSpec[] {
  return [part(name, 'uint16', options)];
}

export const BAUD_RATES: ReadonlyMap<number, number> = new Map([
  [0x0d, 4_000_000],
  [0x0e, 3_686_400],
  [0x0c, 2_000_000],
  [0x80, 921_600],
  [0x0a, 921_600],
  [0x00, 460_800],
  [0x01, 230_400],
  [0x02, 115_200],
  [0x03, 76_800],
  [0x04, 57_600],
  [0x05, 38_400],
  [0x06, 28_800],
  [0x07, 19_200],
  [0x08, 14_400],
  [0x09, 9_600],
  [0x0b, 4_800],
]);

const BAUD: Enumeration = {
  name: 'XBUS_BAUD',
  bitmask: false,
  names: new Map([...BAUD_RATES].map(([id, rate]) => [id, String(rate)])),
};
const SELFTEST = bits('XBUS_SELFTEST', 'acc_x acc_y acc_z gyr_x gyr_y gyr_z mag_x mag_y mag_z baro gnss');
const ERROR_CODE = part('code', 'uint8', { enumeration: enumeration('XBUS_ERROR', ERROR_CODES) });
const WARNING_CODE = part('code', 'uint32', { enumeration: enumeration('XBUS_WARNING', WARNING_CODES) });
const FIRMWARE = parts('major minor revision', 'uint8');
const OUTPUT = [part('xdi', 'uint16'), part('frequency', 'uint16', { unit: 'Hz' })];
const SYNC = [
  ...parts('function line polarity trigger', 'uint8'),
  ...parts('skip_first skip_factor pulse_width delay', 'uint16'),
];
const ALIGNED = part('frame', 'uint8', { enumeration: choices('XBUS_ALIGNMENT', 'sensor local') });
const ROTATION = parts('w x y z', 'float32');
/** What is sent to a device is never missing. */
const UTC = UTC_PARTS.map((each) => ({ ...each, invalid: undefined }));

export const MESSAGES: ReadonlyMap<number, Message> = new Map([
  ...request(0x00, 'ReqDID', 'DeviceID', { layouts: [[part('id', 'uint32')], [part('id', 'uint64')]] }),
  ...request(0x02, 'InitMT', 'InitMTResults', { bytes: 255 }),
  ...setting(0x04, 'Period', word('period')),
  ...request(0x0a, 'ReqDataLength', 'DataLength', { layouts: [word('length')] }),
  ...request(CONFIGURATION - 1, 'ReqConfiguration', 'Configuration', { layouts: CONFIGURATION_LAYOUTS }),
  ...setting(0x0e, 'RestoreFactoryDef'),
  ...setting(0x10, 'GoToMeasurement'),
  ...request(0x12, 'ReqFWRev', 'FirmwareRev', { layouts: [FIRMWARE, [...FIRMWARE, ...parts('build svn', 'uint32')]] }),
  ...setting(0x18, 'Baudrate', [part('rate', 'uint8', { enumeration: BAUD })]),
  ...request(0x1c, 'ReqProductCode', 'ProductCode', { text: 64 }),
  ...request(0x1e, 'ReqHardwareVersion', 'HardwareVersion', { layouts: [parts('major minor', 'uint8')] }),
  ...setting(0x20, 'ProcessingFlags', [part('flags', 'uint8')], word('flags')),
  ...setting(0x22, 'NoRotation', word('duration', { unit: 's' })),
  ...request(0x24, 'RunSelftest', 'SelftestAck', { layouts: [word('result', { enumeration: SELFTEST })] }),
  ...both(0x2c, 'SyncSettings', { entry: SYNC }),
  ...setting(0x30, 'GoToConfig'),
  ...message(0x34, 'ReqData'),
  ...setting(0x3e, 'WakeUp'),
  ...setting(0x40, 'Reset'),
  ...message(ERROR, 'Error', {
    layouts: [0, 1, 2, 3, 4, 5, 6, 7].map((more) => [
      ERROR_CODE,
      ...(more > 0 ? [part('extra', 'bytes', { count: more })] : []),
    ]),
  }),
  ...message(WARNING, 'Warning', { layouts: [[WARNING_CODE], [WARNING_CODE, part('text', 'text', { count: 128 })]] }),
  ...message(0x46, 'MasterIndication', { bytes: 255 }),
  ...setting(0x48, 'OptionFlags', [part('flags', 'uint32')], parts('set clear', 'uint32')),
  ...setting(0x60, 'UTCTime', UTC),
  ...request(0x62, 'ReqAvailableFilterProfiles', 'AvailableFilterProfiles', {
    entry: [...parts('type version', 'uint8'), part('label', 'text', { count: 20 })],
  }),
  ...setting(0x64, 'FilterProfile', word('profile')),
  ...setting(0x66, 'GravityMagnitude', [part('value', 'float32', { unit: 'm/s²' })]),
  ...setting(0x68, 'GnssLeverArm', parts('x y z', 'float32', { unit: 'm' })),
  ...setting(0x6a, 'MagneticDeclination', [part('value', 'float32', { unit: 'rad' })]),
  ...setting(0x6e, 'LatLonAlt', [
    ...parts('lat lon', 'float64', { unit: 'deg' }),
    part('alt', 'float64', { unit: 'm' }),
  ]),
  ...message(0x74, 'IccCommand', { layouts: [[part('command', 'uint8')]] }),
  ...message(0x75, 'IccCommandAck', { bytes: 255 }),
  ...setting(0x76, 'GnssPlatform', word('platform')),
  ...setting(0x82, 'Heading', [part('value', 'float32')]),
  ...setting(0x84, 'LocationID', word('id')),
  ...setting(0x86, 'ExtOutputMode', word('mode')),
  ...both(0x8c, 'PortConfig', { entry: [part('word', 'uint32')] }),
  ...setting(0x8e, 'StringOutputType', word('types'), [part('types', 'uint32')]),
  ...request(0x90, 'ReqEMTS', 'EMTS', { bytes: MOST_DATA }),
  ...setting(0xa4, 'ResetOrientation', word('code')),
  ...setting(0xa8, 'AdjustUTCTime', [part('ticks', 'int32', { unit: '100 µs' })]),
  ...both(0xc0, 'OutputConfiguration', { entry: OUTPUT }),
  ...setting(0xd0, 'OutputMode', word('mode')),
  ...setting(0xd2, 'OutputSettings', [part('settings', 'uint32')]),
  ...setting(0xd4, 'OutputSkipFactor', word('skip')),
  ...setting(0xda, 'ErrorMode', word('mode')),
  ...setting(0xdc, 'TransmitDelay', word('ticks')),
  ...setting(0xe0, 'ObjectAlignment', parts('a b c d e f g h i', 'float32')),
  ...both(0xe2, 'ForwardGnssData', { bytes: MOST_DATA }),
  ...both(0xe6, 'CanConfig', { entry: [part('word', 'uint32')] }),
  ...both(0xe8, 'CanOutputConfig', { bytes: 255 }),
  ...setting(0xec, 'AlignmentRotation', [ALIGNED], ROTATION, [ALIGNED, ...ROTATION]),
  ...both(0xf0, 'BootLoader', { bytes: MOST_DATA }),
  ...message(0xf2, 'BootLoaderNak', { bytes: 255 }),
]);

const NAMES: readonly string[] = Array.from({ length: 256 }, (_, id) => {
  if (id === MT_DATA) return 'MTData';
  if (id === MT_DATA_2) return 'MTData2';
  return MESSAGES.get(id)?.name ?? `Message_${hexDigits(id)}`;
});

export function messageName(id: number): string {
  return NAMES[id];
}

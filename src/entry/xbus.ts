/**
 * Xsens XBUS: frames of motion sensors, and IMU data.
 *
 * @module skein/xbus
 * @example
 * import { encodeXbusPacket, parseXbusFrame } from 'skein/xbus';
 *
 * const parsed = parseXbusFrame(encodeXbusPacket([{ item: 'PacketCounter', data: { value: 7 } }]));
 * if (parsed.ok) console.log(parsed.frame.items[0].data);
 */

export type { OutputSetup as XbusOutputSetup } from '../formats/xbus/configuration.ts';
export {
  encodeXbusBaudrate,
  encodeXbusFrame,
  encodeXbusMessage,
  encodeXbusOutputConfiguration,
  encodeXbusPacket,
  type XbusFrameOptions,
  type XbusOutgoingItem,
  type XbusOutput,
} from '../formats/xbus/encode.ts';
export {
  IMU_FIELDS,
  IMU_FLAGS,
  type ImuData,
  type ImuField,
  type ImuOptions,
  isValidImu,
} from '../formats/xbus/imu.ts';
export {
  type ParsedXbus,
  parseXbusFrame,
  type XbusFrame,
  type XbusItem,
  type XbusParseOptions,
} from '../formats/xbus/parse.ts';
export type { LocalFrame, NumberFormat } from '../formats/xbus/schema.ts';
export { type ImuTable, readImuBlocks, readImuData } from '../sensors/imu.ts';

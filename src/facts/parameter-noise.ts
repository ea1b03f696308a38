/*
 * Parameters that differ from flight to flight without anybody having changed them: what a vehicle measures when it is
 * started or calibrated, what it counts, and the numbers of its devices.
 */
const NOISE: readonly RegExp[] = [
  // compass and inertial sensors: offsets, scales, motor compensation, temperatures, device numbers
  /^COMPASS_(OFS|DIA|ODI|MOT|SCALE|DEC|DEV_ID|PRIO)/,
  /^INS_.*(OFFS|SCAL|_ID|CALTEMP)/,
  /^INS_(GYR|ACC)\d?_?ID$/,
  // pressure at the ground, offsets of airspeed sensors
  /^(BARO|GND).*(GND_PRESS|ABS_PRESS|GND_TEMP|ALT_OFFSET|_TEMP)$/,
  /^ARSPD\d?_(OFFSET|DEVID)$/,
  /_DEVID\d?$/,
  // counters
  /^STAT_/,
  /^SYS_NUM_RESETS$/,
  /^(MIS|FENCE|RALLY)_TOTAL$/,
  // what firmwares learn in flight
  /^MOT_THST_HOVER$/,
  /^AHRS_TRIM_/,
  // PX4: calibrations, counters
  /^CAL_(ACC|GYRO|MAG|BARO)\d_/,
  /^(LND_FLIGHT_T_(HI|LO)|COM_FLIGHT_UUID)$/,
  /^TC_/,
];

/** Whether a parameter says more of a day or a device than of what somebody wanted. */
export function isNoise(name: string): boolean {
  return NOISE.some((pattern) => pattern.test(name));
}

/** What an error message of a device means, and what helps. */
export const ERROR_CODES: Readonly<Record<number, string>> = {
  1: 'the bus has no power',
  2: 'the bus is not ready to measure',
  3: 'invalid period: the period that was set is out of range',
  4: 'invalid message: the device does not know it, or not in this state; go to config first',
  16: 'a slave did not answer when the bus was set up',
  17: 'a slave answered wrongly when the bus was set up',
  18: 'after four scans of the bus devices are still missing',
  20: 'no answer when a bus id was given out',
  21: 'a wrong answer when a bus id was given out',
  24: 'timer overflow: the period is too short to collect the data of all devices',
  25: 'a device answered with something else than data',
  26: 'the data of all devices are more than a message can hold',
  27: 'timer overflow: a device did not answer within the period; lower the output rate',
  28: 'timer overflow: an answer did not come within the period; lower the output rate',
  29: 'no correct answer from a device while measuring',
  30: 'timer overflow: more output is configured than the device can compute; lower the output rate',
  32: 'invalid baud rate: it is none of the valid ones',
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

export const WARNING_CODES: Readonly<Record<number, string>> = {
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

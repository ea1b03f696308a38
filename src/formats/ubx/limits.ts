/** What a stream of UBX and RTCM 3 may take. */
export const UBX_LIMITS = {
  /** Bytes of a frame: raw measurements of 255 satellites. Longer ones are not frames. */
  frameBytes: 8192,
  /** Bytes that are summed in vain for each byte that comes. */
  triesPerByte: 8,
  /** Messages that have a table; what is more is in the table OTHER. u-blox documents about 200, RTCM 150. */
  tables: 1024,
  /** Payloads beyond this have a table apart, so that one long message does not make room for itself in all rows. */
  shortBytes: 1024,
} as const;

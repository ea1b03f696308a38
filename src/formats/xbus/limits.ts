/** What an XBUS stream may ask for. */
export const XBUS_LIMITS = {
  /** Bytes of data of a frame. The protocol stops at 2,048, the maker's own library at this. */
  dataBytes: 8_192,
  /** Kinds of records with separate tables: items and messages, each by its length. The protocol has about a hundred. */
  kinds: 2_048,
  /** Devices with separate tables: twice as many as a master can have. */
  devices: 64,
} as const;

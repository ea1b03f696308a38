/** What the definitions of a ULog may ask for. */
export const ULOG_LIMITS = {
  /** Nested types, counted from that of the topic. */
  depth: 32,
  /** Fields of one topic, nested types and what is in them included, and of all topics of a log. */
  fields: 65_536,
  allFields: 262_144,
  /** Members of definitions that are looked at in one log, those that are met again counted again. */
  steps: 1_048_576,
  /** Bytes of the fields of a record: what the length of a message has room for. */
  recordBytes: 65_533,
  /** Formats of one name, and subscriptions of one number, kept apart by the size of their records. */
  versions: 4,
  /** Formats of one log: a topic each, and the types nested in them. */
  formats: 4_096,
  /** Logs of a file for which definitions are kept that come after what they define. */
  parts: 64,
  /** Bytes of the first record of a topic that nothing defines, kept to find out what it is. */
  sampleBytes: 4_096,
} as const;

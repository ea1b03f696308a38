/** What an archive may ask for. What is more is not looked at. */
export const ARCHIVE_LIMITS = {
  /** Files that are listed, and bytes of the list. */
  entries: 4_096,
  directoryBytes: 4_194_304,
  nameBytes: 1_024,
  /** Files that are looked at for a log, the largest first. */
  looked: 64,
  /** Things that a log may be packed in, one in the other: gzip, an archive, gzip. */
  layers: 4,
} as const;

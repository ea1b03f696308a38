/** What many logs at a time may take. */
export const LAKE_LIMITS = {
  /** How long files that are being written may stay untouched before they count as left behind. */
  stagingMilliseconds: 86_400_000,
  /** Folders in folders that are looked through for logs. */
  folderDepth: 64,
  /** Logs that are worked on at a time. */
  workers: 64,
  /** Mebibytes of heap for each ingest process. */
  workerMebibytes: 4096,
  /** An ingest packs the catalogue when this many logs have separate files; logs per pack. */
  packAt: 250,
  packLogs: 10_000,
  /** Packs with less than half of that from which on they are made one. */
  smallPacks: 8,
  /** How long files stay that a pack made superfluous. */
  packGraceMilliseconds: 600_000,
  /** Points of the outline of a flight that the catalogue keeps, and degrees that do not matter in it. */
  outlinePoints: 400,
  outlineDegrees: 1e-6,
  /** Flights that a page lists, the newest; and points of all their outlines. */
  listedFlights: 100_000,
  listedPoints: 8_000_000,
  /** Flights that one answer holds, and outlines that may be asked for by name. */
  flightsPerAnswer: 1000,
  namedOutlines: 200,
  /** Problems of a lake that are listed one by one. */
  problems: 20,
} as const;

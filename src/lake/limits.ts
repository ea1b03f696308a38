/** What many logs at a time may take. */
export interface LakeLimits {
  /** How long files that are being written may stay untouched before they count as left behind. */
  readonly stagingMilliseconds: number;
  /** Folders in folders that are looked through for logs. */
  readonly folderDepth: number;
  /** Logs that are worked on at a time. */
  readonly workers: number;
  /** Mebibytes of heap for each ingest process. */
  readonly workerMebibytes: number;
  /** An ingest packs the catalogue when this many logs have separate files; logs per pack. */
  readonly packAt: number;
  readonly packLogs: number;
  /** Packs with less than half of that from which on they are made one. */
  readonly smallPacks: number;
  /** How long files stay that a pack made superfluous. */
  readonly packGraceMilliseconds: number;
  /** Points of the outline of a flight that the catalogue keeps, and degrees that do not matter in it. */
  readonly outlinePoints: number;
  readonly outlineDegrees: number;
  /** Flights that a page lists, the newest; and points of all their outlines. */
  readonly listedFlights: number;
  readonly listedPoints: number;
  /** Flights that one answer holds, and outlines that may be asked for by name. */
  readonly flightsPerAnswer: number;
  readonly namedOutlines: number;
  /** Problems of a lake that are listed one by one. */
  readonly problems: number;
}

export const LAKE_LIMITS: LakeLimits = {
  stagingMilliseconds: 24 * 60 * 60 * 1000,
  folderDepth: 64,
  workers: 64,
  workerMebibytes: 4096,
  packAt: 250,
  packLogs: 10_000,
  smallPacks: 8,
  packGraceMilliseconds: 10 * 60 * 1000,
  outlinePoints: 400,
  outlineDegrees: 1e-6,
  listedFlights: 100_000,
  listedPoints: 8_000_000,
  flightsPerAnswer: 1000,
  namedOutlines: 200,
  problems: 20,
};

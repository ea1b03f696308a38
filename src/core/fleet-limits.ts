/** What many logs at a time may take. */
export interface FleetLimits {
  /** How long files that are being written may stay untouched before they count as left behind. */
  readonly stagingMilliseconds: number;
  /** Folders in folders that are looked through for logs. */
  readonly folderDepth: number;
  /** Logs that are worked on at a time. */
  readonly workers: number;
  /** Mebibytes of the heap of each of those who work on them. */
  readonly workerMebibytes: number;
}

export const FLEET_LIMITS: FleetLimits = {
  stagingMilliseconds: 24 * 60 * 60 * 1000,
  folderDepth: 64,
  workers: 64,
  workerMebibytes: 4096,
};

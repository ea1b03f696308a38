/** What a health report may hold. */
interface ReportLimits {
  /** Vehicles of one log that have a report each. */
  readonly vehicles: number;
  /** Findings of one check with their text. */
  readonly findings: number;
  /** Stretches of time of one finding. */
  readonly ranges: number;
  /** Points of a line of a plot: each is the lowest or the highest value of its time. */
  readonly plotPoints: number;
  readonly plotLines: number;
  readonly ruleCharacters: number;
}

export const REPORT_LIMITS: ReportLimits = {
  vehicles: 16,
  findings: 200,
  ranges: 100,
  plotPoints: 1_200,
  plotLines: 16,
  ruleCharacters: 1 << 20,
};

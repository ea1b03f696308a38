/** What a health report may hold. */
export const REPORT_LIMITS = {
  /** Vehicles of one log that have a report each. */
  vehicles: 16,
  /** Findings of one check with their text. */
  findings: 200,
  /** Stretches of time of one finding. */
  ranges: 100,
  /** Points of a line of a plot: each is the lowest or the highest value of its time. */
  plotPoints: 1_200,
  plotLines: 16,
  ruleCharacters: 1_048_576,
} as const;

/** Ways to write a log that browsers have: tables, and the flown path. */
export const EXPORT_FORMATS = ['csv', 'jsonl', 'parquet', 'geojson', 'kml', 'gpx'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

import type { IngestResult } from './ingest.ts';

/** The result of a job that came to nothing. */
export function failedResult(path: string, bytes: number, reason: string | null): IngestResult {
  return {
    path,
    bytes,
    status: 'failed',
    log: null,
    vehicle: null,
    date: null,
    rows: 0,
    flights: 0,
    lost: false,
    cut: false,
    replaced: [],
    reason,
  };
}

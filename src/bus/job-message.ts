import { createHash } from 'node:crypto';
import { isAbsolute, normalize } from 'node:path';
import type { IngestOptions, IngestResult } from '../lake/ingest.ts';
import { VEHICLE_SOURCES, type VehicleSource } from '../lake/vehicle-id.ts';
import { JOB_LIMITS } from './limits.ts';
import { flag, list, nullable, number, object, oneOf, optional, type Shape, ShapeError, text, whole } from './shape.ts';

/*
 * What goes over the bus is JSON of a known shape. A bus is an input as a file is: whatever comes from there is checked
 * field by field, and rebuilt from what was found.
 */

/** What can be said about reading a log in a job. Definitions and keys are the worker's own. */
export interface JobRule {
  readonly vehicle?: string | undefined;
  readonly from?: readonly VehicleSource[] | undefined;
  readonly leapSeconds?: number | undefined;
  readonly keepInvalid?: boolean | undefined;
  readonly checksum?: 'required' | 'optional' | undefined;
  readonly weekRollovers?: number | undefined;
}

/** A log to ingest, as a message on the bus. */
export interface JobMessage {
  /** The path on the machine that sent the job. */
  readonly path: string;
  readonly bytes: number;
  /** When the file was last written, in milliseconds. */
  readonly modified: number;
  readonly rule: JobRule;
}

/** What became of a job. */
export interface ResultMessage {
  readonly worker: string;
  readonly result: IngestResult;
}

/** A job that was given up. */
export interface DeadMessage {
  readonly reason: string;
  readonly worker: string;
  /** How often it was handed out. */
  readonly tries: number;
  /** When it was given up, in milliseconds. */
  readonly time: number;
  /** The job; or null and the beginning of what came instead. */
  readonly job: JobMessage | null;
  readonly text: string | null;
}

export function encodeMessage(message: JobMessage | ResultMessage | DeadMessage): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(message));
}

/** What a job is known by: the same file in the same state, to be read the same way. */
export function jobId({ path, bytes, modified, rule }: JobMessage): string {
  const { vehicle, from, leapSeconds, keepInvalid, checksum, weekRollovers } = rule;
  const parts = [path, bytes, modified, vehicle, from, leapSeconds, keepInvalid, checksum, weekRollovers];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
}

export function parseJob(bytes: Uint8Array): JobMessage {
  return JOB(parse(bytes), 'job');
}

export function parseResult(bytes: Uint8Array): ResultMessage {
  return RESULT(parse(bytes), 'result');
}

export function parseDead(bytes: Uint8Array): DeadMessage {
  return DEAD(parse(bytes), 'dead job');
}

export function optionsOf({ vehicle, from, ...open }: JobRule): IngestOptions {
  return { vehicle, from, open };
}

/** A result that fits into a message. */
export function shortened(result: IngestResult): IngestResult {
  const { reason, replaced } = result;
  return {
    ...result,
    reason: reason === null ? null : reason.slice(0, JOB_LIMITS.textLength),
    replaced: replaced.slice(0, JOB_LIMITS.replaced),
  };
}

/** Of what the command line takes. */
const MOST_LEAP_SECONDS = 999;
const MOST_ROLLOVERS = 9;

const ANY_TEXT = text(JOB_LIMITS.textLength);
const PATH = text(JOB_LIMITS.pathLength);

const absolutePath: Shape<string> = (value, name) => {
  const path = PATH(value, name);
  if (!path.includes('\0') && isAbsolute(path) && normalize(path) === path) return path;
  throw new ShapeError(`${name} is not an absolute path`);
};

const JOB: Shape<JobMessage> = object<JobMessage>({
  path: absolutePath,
  bytes: number,
  modified: number,
  // what is not said must not replace the worker's own options
  rule: object<JobRule>({
    vehicle: optional(ANY_TEXT),
    from: optional(list(oneOf(VEHICLE_SOURCES), VEHICLE_SOURCES.length)),
    leapSeconds: optional(whole(0, MOST_LEAP_SECONDS)),
    keepInvalid: optional(flag),
    checksum: optional(oneOf(['required', 'optional'])),
    weekRollovers: optional(whole(-MOST_ROLLOVERS, MOST_ROLLOVERS)),
  }),
});

const RESULT: Shape<ResultMessage> = object<ResultMessage>({
  worker: ANY_TEXT,
  result: object<IngestResult>({
    path: PATH,
    status: oneOf(['ingested', 'present', 'outdated', 'empty', 'unknown', 'failed']),
    bytes: number,
    log: nullable(ANY_TEXT),
    vehicle: nullable(ANY_TEXT),
    date: nullable(ANY_TEXT),
    rows: number,
    flights: number,
    lost: flag,
    // workers of versions before do not say it
    cut: (value, name) => value !== undefined && flag(value, name),
    replaced: list(ANY_TEXT, JOB_LIMITS.replaced),
    reason: nullable(ANY_TEXT),
  }),
});

const DEAD: Shape<DeadMessage> = object<DeadMessage>({
  reason: ANY_TEXT,
  worker: ANY_TEXT,
  tries: number,
  time: number,
  job: nullable(JOB),
  text: nullable(ANY_TEXT),
});

function parse(bytes: Uint8Array): unknown {
  if (bytes.length > JOB_LIMITS.messageBytes)
    throw new ShapeError(`the message has ${bytes.length} bytes, at most ${JOB_LIMITS.messageBytes} are accepted`);
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as unknown;
  } catch {
    throw new ShapeError('the message is not valid JSON');
  }
}

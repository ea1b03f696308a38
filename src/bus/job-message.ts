import { createHash } from 'node:crypto';
import { isAbsolute, normalize } from 'node:path';
import type { IngestOptions, IngestResult } from '../lake/ingest.ts';
import { VEHICLE_SOURCES, type VehicleSource } from '../lake/vehicle-id.ts';
import { JOB_LIMITS } from './limits.ts';

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

export class MessageError extends Error {
  override readonly name = 'MessageError';
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
  return jobOf(parse(bytes), 'job');
}

export function parseResult(bytes: Uint8Array): ResultMessage {
  const message = new MessageFields(parse(bytes), 'result');
  const fields = new MessageFields(message.value('result'), 'result.result');
  const nullable = (name: string): string | null => (fields.value(name) === null ? null : fields.text(name));
  return {
    worker: message.text('worker'),
    result: {
      path: fields.text('path', JOB_LIMITS.pathLength),
      status: fields.oneOf('status', STATUSES),
      bytes: fields.count('bytes'),
      log: nullable('log'),
      vehicle: nullable('vehicle'),
      date: nullable('date'),
      rows: fields.count('rows'),
      flights: fields.count('flights'),
      lost: fields.flag('lost'),
      // workers of versions before do not say it
      cut: fields.has('cut') && fields.flag('cut'),
      replaced: fields.list('replaced', JOB_LIMITS.replaced).map((each) => textOf(each, 'result.replaced')),
      reason: nullable('reason'),
    },
  };
}

export function parseDead(bytes: Uint8Array): DeadMessage {
  const message = parse(bytes);
  const fields = new MessageFields(message, 'dead job');
  const [job, text] = [fields.value('job'), fields.value('text')];
  return {
    reason: fields.text('reason'),
    worker: fields.text('worker'),
    tries: fields.count('tries'),
    time: fields.count('time'),
    job: job === null ? null : jobOf(job, 'dead job.job'),
    text: text === null ? null : fields.text('text'),
  };
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

const STATUSES = ['ingested', 'present', 'outdated', 'empty', 'unknown', 'failed'] as const;
const CHECKSUMS = ['required', 'optional'] as const;
/** Of what the command line takes. */
const MOST_LEAP_SECONDS = 999;
const MOST_ROLLOVERS = 9;

function jobOf(value: unknown, name: string): JobMessage {
  const fields = new MessageFields(value, name);
  const rule = new MessageFields(fields.value('rule'), `${name}.rule`);
  const path = fields.text('path', JOB_LIMITS.pathLength);
  if (path.includes('\0') || !isAbsolute(path) || normalize(path) !== path)
    throw new MessageError(`${name}.path is not an absolute path`);
  const from = rule.has('from')
    ? rule.list('from', VEHICLE_SOURCES.length).map((each) => oneOf(each, `${name}.rule.from`, VEHICLE_SOURCES))
    : undefined;
  return {
    path,
    bytes: fields.count('bytes'),
    modified: fields.count('modified'),
    // what is not said must not replace the worker's own options
    rule: {
      ...(rule.has('vehicle') ? { vehicle: rule.text('vehicle') } : {}),
      ...(from ? { from } : {}),
      ...(rule.has('leapSeconds') ? { leapSeconds: rule.integer('leapSeconds', 0, MOST_LEAP_SECONDS) } : {}),
      ...(rule.has('keepInvalid') ? { keepInvalid: rule.flag('keepInvalid') } : {}),
      ...(rule.has('checksum') ? { checksum: rule.oneOf('checksum', CHECKSUMS) } : {}),
      ...(rule.has('weekRollovers')
        ? { weekRollovers: rule.integer('weekRollovers', -MOST_ROLLOVERS, MOST_ROLLOVERS) }
        : {}),
    },
  };
}

function parse(bytes: Uint8Array): unknown {
  if (bytes.length > JOB_LIMITS.messageBytes)
    throw new MessageError(`the message has ${bytes.length} bytes, at most ${JOB_LIMITS.messageBytes} are accepted`);
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as unknown;
  } catch {
    throw new MessageError('the message is not valid JSON');
  }
}

/** An object of a message, whose fields are checked when they are taken. */
class MessageFields {
  private readonly object: Readonly<Record<string, unknown>>;
  private readonly name: string;

  constructor(value: unknown, name: string) {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw new MessageError(`${name} is not an object`);
    this.object = value as Record<string, unknown>;
    this.name = name;
  }

  has(field: string): boolean {
    return Object.hasOwn(this.object, field);
  }

  value(field: string): unknown {
    return this.has(field) ? this.object[field] : undefined;
  }

  text(field: string, longest: number = JOB_LIMITS.textLength): string {
    return textOf(this.value(field), `${this.name}.${field}`, longest);
  }

  count(field: string): number {
    const value = this.value(field);
    if (typeof value !== 'number' || !Number.isFinite(value) || value < 0)
      throw new MessageError(`${this.name}.${field} is not a number of 0 or more`);
    return value;
  }

  integer(field: string, least: number, most: number): number {
    const value = this.value(field);
    if (typeof value !== 'number' || !Number.isInteger(value) || value < least || value > most)
      throw new MessageError(`${this.name}.${field} is not a whole number from ${least} to ${most}`);
    return value;
  }

  flag(field: string): boolean {
    const value = this.value(field);
    if (typeof value !== 'boolean') throw new MessageError(`${this.name}.${field} is neither true nor false`);
    return value;
  }

  oneOf<T extends string>(field: string, allowed: readonly T[]): T {
    return oneOf(this.value(field), `${this.name}.${field}`, allowed);
  }

  list(field: string, longest: number): readonly unknown[] {
    const value = this.value(field);
    if (!Array.isArray(value) || value.length > longest)
      throw new MessageError(`${this.name}.${field} is not a list of at most ${longest}`);
    return value as unknown[];
  }
}

function textOf(value: unknown, name: string, longest: number = JOB_LIMITS.textLength): string {
  if (typeof value !== 'string' || value.length > longest)
    throw new MessageError(`${name} is not a text of at most ${longest} characters`);
  return value;
}

function oneOf<T extends string>(value: unknown, name: string, allowed: readonly T[]): T {
  const found = allowed.find((each) => each === value);
  if (found === undefined) throw new MessageError(`${name} must be one of ${allowed.join(', ')}`);
  return found;
}

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { failedResult } from '../lake/ingest-process.ts';
import { encodeMessage, type JobMessage, jobId, parseDead, parseJob, parseResult } from './job-message.ts';
import { JOB_LIMITS } from './limits.ts';
import { ShapeError } from './shape.ts';

const job: JobMessage = {
  path: '/srv/flights/1.BIN',
  bytes: 5,
  modified: 1_700_000_000_000,
  rule: {
    vehicle: 'falcon',
    from: ['folder'],
    leapSeconds: 18,
    keepInvalid: true,
    checksum: 'required',
    weekRollovers: -1,
  },
};
const bytesOf = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));

describe('a job', () => {
  test('comes back as it was', () => {
    expect(parseJob(encodeMessage(job))).toEqual(job);
    expect(parseJob(encodeMessage({ ...job, rule: { vehicle: undefined } }))).toEqual({ ...job, rule: {} });
  });

  test('is known by all that it says', () => {
    const others = [
      { ...job, path: '/srv/flights/2.BIN' },
      { ...job, bytes: 6 },
      { ...job, modified: 1 },
      ...Object.keys(job.rule).map((key) => ({ ...job, rule: { ...job.rule, [key]: undefined } })),
    ];
    expect(new Set([job, ...others].map(jobId)).size).toBe(others.length + 1);
    expect(jobId(parseJob(encodeMessage(job)))).toBe(jobId(job));
  });

  test.each<[string, unknown]>([
    ['job is not an object', null],
    ['job is not an object', [job]],
    ['job.path is not an absolute path', { ...job, path: 'a/b' }],
    ['job.path is not an absolute path', { ...job, path: '/srv/../etc/passwd' }],
    ['job.path is not an absolute path', { ...job, path: '/srv/a\0b' }],
    ['job.path is not a text of at most 4096 characters', { ...job, path: `/${'a'.repeat(4096)}` }],
    ['job.path is not a text of at most 4096 characters', { ...job, path: ['/a'] }],
    ['job.bytes is not a number of 0 or more', { ...job, bytes: -1 }],
    ['job.modified is not a number of 0 or more', { ...job, modified: '1' }],
    ['job.rule is not an object', { ...job, rule: undefined }],
    ['job.rule.vehicle is not a text of at most 2000 characters', { ...job, rule: { vehicle: { toString: 1 } } }],
    ['job.rule.from is not a list of at most 4', { ...job, rule: { from: Array(5).fill('folder') } }],
    ['job.rule.from must be one of hardware, parameters, system, folder', { ...job, rule: { from: ['toString'] } }],
    ['job.rule.leapSeconds is not a whole number from 0 to 999', { ...job, rule: { leapSeconds: 1.5 } }],
    ['job.rule.weekRollovers is not a whole number from -9 to 9', { ...job, rule: { weekRollovers: 10 } }],
    ['job.rule.keepInvalid is neither true nor false', { ...job, rule: { keepInvalid: 1 } }],
    ['job.rule.checksum must be one of required, optional', { ...job, rule: { checksum: '' } }],
  ])('%s', (message, value) => {
    expect(() => parseJob(bytesOf(value))).toThrow(new ShapeError(message));
  });

  test('has no more bytes than a message may have, and is JSON', () => {
    expect(() => parseJob(new Uint8Array(JOB_LIMITS.messageBytes + 1))).toThrow(/65537 bytes, at most 65536/);
    expect(() => parseJob(new Uint8Array([0x22, 0xff, 0x22]))).toThrow('not valid JSON');
  });

  test('takes nothing over that it does not know', () => {
    const more = { ...job, roots: [{ from: '/', to: '/' }], rule: { ...job.rule, open: { spill: 1 }, roots: [] } };
    expect(parseJob(bytesOf(more))).toEqual(job);
  });
});

test('results and dead jobs come back as they were', () => {
  const result = { worker: 'a-1', result: failedResult('/a', 1, 'no') };
  expect(parseResult(encodeMessage(result))).toEqual(result);
  const dead = { reason: 'no', worker: 'a-1', tries: 4, time: 5, job, text: null };
  expect(parseDead(encodeMessage(dead))).toEqual(dead);
  const other = { ...dead, job: null, text: '{' };
  expect(parseDead(encodeMessage(other))).toEqual(other);
});

test('whatever comes, it is a message or an error that says so', () => {
  const whatever = fc.oneof(
    fc.json().map((text) => new TextEncoder().encode(text)),
    fc.uint8Array({ maxLength: 100 }),
    fc
      .record({ path: fc.anything(), bytes: fc.anything(), modified: fc.anything(), rule: fc.anything() })
      .map((value) => {
        try {
          return bytesOf(value);
        } catch {
          return new Uint8Array();
        }
      }),
  );
  fc.assert(
    fc.property(whatever, (bytes) => {
      for (const parse of [parseJob, parseResult, parseDead]) {
        try {
          parse(bytes);
        } catch (error) {
          expect(error).toBeInstanceOf(ShapeError);
        }
      }
    }),
    { numRuns: 200 },
  );
});

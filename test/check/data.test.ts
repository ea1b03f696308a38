import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { Checker, type CheckOptions, type CheckResult, checkBytes } from '../../src/check/checker.ts';
import { ATTITUDE_POSITION } from '../../src/check/grammars.ts';
import { builtinDialect } from '../../src/formats/mavlink/dialect/builtin.ts';
import { SigningKey } from '../../src/formats/mavlink/key.ts';
import { needShared, sharedData } from '../helpers/need.ts';
import { concat, Random } from '../suite/random.ts';

const read = (...parts: string[]): Uint8Array => new Uint8Array(readFileSync(sharedData(...parts)));

function inPieces(bytes: Uint8Array, options: CheckOptions, random: Random): CheckResult {
  const checker = new Checker(options);
  for (let at = 0; at < bytes.length; ) {
    const size = random.between(1, random.pick([3, 200, 5000, 100_000]));
    if (!checker.push(bytes.subarray(at, at + size))) break;
    at += size;
  }
  return checker.end();
}

/** Level, verdict, violations and how many records or messages were looked at. */
function verdicts(bytes: Uint8Array, options: CheckOptions = {}): [string, string, number, number][] {
  const { levels } = checkBytes(bytes, { all: true, ...options });
  return levels.map(({ level, verdict, violations, checked }) => [level, verdict, violations, checked]);
}

const grammar = ATTITUDE_POSITION;
const header = Uint8Array.from([0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0, ...new Array(8).fill(0), 0, 0, 4, 0, 0, 0, 0, 0]);

needShared(
  describe,
  'pcap',
  'strict',
)('the test files of the strict grammar', () => {
  const names = readdirSync(sharedData('pcap', 'strict')).filter((name) => /^(pass|fail)\./.test(name));

  test('are there', () => {
    expect(names.filter((name) => name.startsWith('pass')).length).toBeGreaterThan(1);
    expect(names.filter((name) => name.startsWith('fail')).length).toBeGreaterThan(1);
  });

  test.each(names)('%s', (name) => {
    const bytes = read('pcap', 'strict', name);
    const wanted = name.split('.')[0];
    expect(checkBytes(bytes, { grammar }).verdict).toBe(wanted);
    // the same as a whole file
    const whole = checkBytes(concat(header, bytes), { grammar });
    expect(whole.verdict).toBe(wanted);
    const [alone] = checkBytes(bytes, { grammar }).violations;
    if (alone) expect(whole.violations).toEqual([{ ...alone, offset: alone.offset + 24 }]);
    const random = new Random(bytes.length);
    expect(inPieces(bytes, { grammar, all: true }, random)).toEqual(checkBytes(bytes, { grammar, all: true }));
  });

  test('the records of the recorded flight are so many', () => {
    const records = (name: string): number => checkBytes(read('pcap', 'strict', name), { grammar }).levels[0].checked;
    expect(['pass.4', 'pass.5', 'pass.6'].map(records)).toEqual([483, 161, 644]);
  });

  test('files that pass do so one behind the other, and a failing one fails where it begins', () => {
    const good = names.filter((name) => name.startsWith('pass')).map((name) => read('pcap', 'strict', name));
    const all = concat(...good);
    expect(checkBytes(all, { grammar }).verdict).toBe('pass');
    for (const name of names.filter((each) => each.startsWith('fail'))) {
      const bad = read('pcap', 'strict', name);
      const [alone] = checkBytes(bad, { grammar }).violations;
      const [behind] = checkBytes(concat(all, bad), { grammar }).violations;
      expect(behind).toEqual({
        ...alone,
        offset: all.length + alone.offset,
        record: all.length / 88 + (alone.record ?? 0),
      });
    }
  });

  test('their records are judged by the other levels too', () => {
    expect(verdicts(read('pcap', 'strict', 'pass.6'), { grammar, levels: ['structure', 'crc'] })).toEqual([
      ['grammar', 'pass', 0, 644],
      ['structure', 'pass', 0, 644],
      ['crc', 'pass', 0, 644],
    ]);
  });
});

needShared(describe, 'pcap')('captures', () => {
  // payloads were made longer with zeros, and kept their old checksums
  test.each([
    ['thayer_run2.24bbef4a.pcap', 801, 313],
    ['thayer_run3.0ea59d0f.pcap', 682, 364],
  ])('%s has %i messages, %i of them with a wrong crc', (name, messages, wrong) => {
    const bytes = read('pcap', name);
    expect(verdicts(bytes)).toEqual([
      ['structure', 'pass', 0, messages],
      ['crc', 'fail', wrong, messages],
    ]);
    const whole = checkBytes(bytes, { all: true });
    expect(whole.violations.filter(({ found }) => found.endsWith('zeros were added after them'))).toHaveLength(wrong);
    expect(inPieces(bytes, { all: true }, new Random(1))).toEqual(whole);
  });

  test.each([
    ['thayer_run2.2ac5f0ea.pcap', 1960],
    ['thayer_rural.041a4a17.pcap', 33_261],
    ['thayer_attitudeAndGPI.37cbe2ce.pcap', 261],
    ['thayer_shorterRun.70b3ebdf.pcap', 801],
    ['jatin_attack3.pcap', 955],
    ['command_long_over_tcp.pcapng', 7],
  ])('%s passes with %i messages', (name, messages) => {
    const { verdict, levels } = checkBytes(read('pcap', name));
    expect([verdict, levels[1].checked]).toEqual(['pass', messages]);
  });

  test('the one of both messages passes all levels, and the grammar', () => {
    const options = { grammar, only: ['ATTITUDE', 'GLOBAL_POSITION_INT'], levels: ['structure', 'crc'] } as const;
    expect(verdicts(read('pcap', 'thayer_attitudeAndGPI.37cbe2ce.pcap'), options)).toEqual([
      ['grammar', 'pass', 0, 261],
      ['structure', 'pass', 0, 261],
      ['crc', 'pass', 0, 261],
      ['messages', 'pass', 0, 261],
    ]);
  });

  test('messages that come in two packets are judged, and what belongs to none is told with its packet', () => {
    const bytes = read('pcap', 'statuscenter_test.pcap');
    const { violations } = checkBytes(bytes, { all: true });
    const view = new DataView(bytes.buffer);
    for (const { offset, record } of violations) {
      let at = 24;
      for (let i = 1; i < (record ?? 0); i++) at += 16 + view.getUint32(at + 8, true);
      expect(offset).toBeGreaterThanOrEqual(at + 16);
      expect(offset).toBeLessThan(at + 16 + view.getUint32(at + 8, true));
    }
    expect(violations.length).toBeGreaterThan(0);
  });

  const wrapped = readdirSync(sharedData('pcap', 'wrapped')).filter((name) => /\.pcap(ng)?$/.test(name));
  const DAMAGED = /^(snaplen|cut_|ng_cut|bad_caplen|empty|header_only)/;
  test.each(wrapped.filter((name) => !DAMAGED.test(name)))('%s: 261 messages with right checksums', (name) => {
    const { levels } = checkBytes(read('pcap', 'wrapped', name), { levels: ['crc'] });
    expect(levels).toMatchObject([{ verdict: 'pass', checked: 261 }]);
  });
  test.each(wrapped.filter((name) => /^(snaplen|cut_mid|ng_cut|bad_caplen)/.test(name)))('%s fails', (name) => {
    expect(checkBytes(read('pcap', 'wrapped', name)).levels[0]).toMatchObject({ level: 'structure', verdict: 'fail' });
  });

  test('all odd ones are judged without a throw, alike in any pieces', () => {
    const random = new Random(2);
    const options = { all: true, grammar, levels: ['structure', 'crc'] } as const;
    let files = 0;
    for (const name of readdirSync(sharedData('pcap', 'odd'), { recursive: true, encoding: 'utf8' })) {
      if (!/\.p?capn?g?$/.test(name)) continue;
      const bytes = read('pcap', 'odd', name);
      if (bytes.length > 200_000) continue;
      files++;
      expect(inPieces(bytes, options, random), name).toEqual(checkBytes(bytes, options));
    }
    expect(files).toBeGreaterThan(10);
  });
});

needShared(describe, 'mavlink')('telemetry logs and streams', () => {
  // checksums that were made before zeros were cut off
  test.each([
    ['mavlink/ardusub_2023-04-18.tlog', 52_103, 1967],
    ['mavlink/ardusub_small.tlog', 35_916, 4],
    ['mavlink/node-mavlink_vtol.tlog', 23_894, 0],
    ['mavlink/synthetic_signed_pymavlink.bin', 404, 0],
    ['flight/copter-mavlink1.raw', 25_086, 0],
    ['flight/copter-square.tlog', 20_174, 0],
    ['pcap/thayer_rural.tlog', 33_261, 0],
  ])('%s has %i messages, %i of them with a wrong crc', (path, messages, wrong) => {
    expect(verdicts(read(...path.split('/')))).toEqual([
      ['structure', 'pass', 0, messages],
      ['crc', wrong > 0 ? 'fail' : 'pass', wrong, messages],
    ]);
    const { violations } = checkBytes(read(...path.split('/')), { all: true });
    expect(violations.every(({ found }) => found.endsWith('zeros were cut off after them'))).toBe(true);
  });

  test('what pymavlink refuses by signature is refused', () => {
    const reference = JSON.parse(
      readFileSync(sharedData('mavlink', 'ref', 'synthetic_signed_pymavlink.bin.json'), 'utf8'),
    ) as { key_hex: string; rejected: [index: number, why: string][] };
    const keys = [SigningKey.parse(reference.key_hex)];
    const bytes = read('mavlink', 'synthetic_signed_pymavlink.bin');
    const { levels, violations } = checkBytes(bytes, { levels: ['signature'], keys, all: true });
    expect(levels).toMatchObject([{ verdict: 'fail', checked: 404 }]);
    expect(violations.map(({ record }) => record)).toEqual(reference.rejected.map(([index]) => index + 1));
  });

  test('only some messages of a flight', () => {
    const bytes = read('flight', 'copter-square.tlog');
    const only = ['ATTITUDE', 'GLOBAL_POSITION_INT'];
    const [violation] = checkBytes(bytes, { only }).violations;
    expect(violation).toMatchObject({ level: 'messages', field: 'message id' });
    const counts = JSON.parse(readFileSync(sharedData('flight', 'ref', 'copter-square.tlog.json'), 'utf8')) as {
      counts: Record<string, number>;
    };
    const others = Object.entries(counts.counts)
      .filter(([name]) => !only.includes(name.split(' ')[1]))
      .reduce((sum, [, count]) => sum + count, 0);
    expect(verdicts(bytes, { only })).toEqual([['messages', 'fail', others, 20_174]]);
  });

  test('all messages of a log, with values as they are defined', () => {
    const only = [...new Set([...builtinDialect().messages.values()].flat().map(({ name }) => name))];
    const found = checkBytes(read('flight', 'px4-quad.tlog'), { only, all: true });
    // a command that no definition has
    expect(new Set(found.violations.map(({ layer, field, found: value }) => `${layer}.${field} ${value}`))).toEqual(
      new Set(['COMMAND_LONG.command 0']),
    );
    expect(checkBytes(read('pcap', 'thayer_rural.tlog'), { only }).verdict).toBe('pass');
  });
});

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { ATTITUDE_POSITION } from '../../src/check/grammars.ts';
import { SAMPLE, shell, skein, skeinHere } from '../helpers/cli.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { needShared, sharedData } from '../helpers/need.ts';
import { concat, Random } from '../suite/random.ts';

const folder = temporaryFolder();
const file = (name: string, content: Uint8Array | string): string => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
};
const TLOG = SAMPLE.replace('.BIN', '.tlog');

/** A record that the strict grammar takes. */
function record(seed: number): Uint8Array {
  const bytes = new Random(seed).bytes(88);
  bytes.set([0x3d, 0x1c], 0);
  bytes.set([72, 0, 0, 0, 72, 0, 0, 0, 2, 0, 0, 0, 0x45], 8);
  bytes.set([0x40, 0x11], 28);
  bytes.set([0x38, 0xd6, 0x38, 0xf4], 40);
  bytes.set([0xfd, 0x1c, 0, 0, 7, 1, 1, 0x1e, 0, 0], 48);
  return bytes;
}

describe('by a grammar', () => {
  const wrong = concat(record(1), record(2), record(3));
  wrong[88 + 53] = 2;
  wrong[176 + 28] = 0x3f;
  const bad = file('bad.bin', wrong);
  const good = file('good.bin', concat(record(1), record(2)));
  const byGrammar = (...args: string[]): ReturnType<typeof skeinHere> =>
    skeinHere('check', '--grammar', 'attitude-position', ...args);

  test('pass is 0 and a line', async () => {
    expect(await byGrammar(good)).toEqual({ code: 0, stdout: 'grammar    pass  2 records\n', stderr: '' });
    const empty = file('empty.bin', '');
    expect(await byGrammar(empty)).toEqual({ code: 0, stdout: 'grammar    pass  0 records\n', stderr: '' });
  });

  test('fail is 1 and the first violation', async () => {
    expect(await byGrammar(bad)).toEqual({
      code: 1,
      stdout:
        'grammar    fail\n  offset 141 (0x8d), record 2, mavlink header, system id: expected one of 01 33 ff, found 02\n',
      stderr: '',
    });
  });

  test('--all tells every one', async () => {
    expect((await byGrammar('--all', bad)).stdout).toBe(
      [
        'grammar: offset 141 (0x8d), record 2, mavlink header, system id: expected one of 01 33 ff, found 02',
        'grammar: offset 204 (0xcc), record 3, ip header, time to live: expected 40, found 3f',
        'grammar    fail  2 violations in 3 records',
        '',
      ].join('\n'),
    );
  });

  test('--json is all of it as data', async () => {
    const run = await byGrammar('--all', '--json', bad);
    expect(run.code).toBe(1);
    expect(JSON.parse(run.stdout)).toEqual({
      file: bad,
      violations: [
        expect.objectContaining({ level: 'grammar', offset: 141, record: 2, expected: 'one of 01 33 ff', found: '02' }),
        expect.objectContaining({ offset: 204, layer: 'ip header', field: 'time to live' }),
      ],
      levels: [{ level: 'grammar', verdict: 'fail', violations: 2, checked: 3, remark: null }],
      verdict: 'fail',
    });
    expect(JSON.parse((await byGrammar('--json', good)).stdout)).toMatchObject({ verdict: 'pass', violations: [] });
  });

  test('--print-grammar prints one that can be used again', async () => {
    const run = await skeinHere('check', '--print-grammar', 'attitude-position');
    expect(JSON.parse(run.stdout)).toEqual(ATTITUDE_POSITION);
    const own = file('own.json', run.stdout.replace('01 33 ff', '01-0f'));
    expect((await skeinHere('check', '--grammar', own, bad)).stdout).toContain('time to live: expected 40, found 3f');
  });

  test('the file is not read further than the verdict needs', () => {
    const large = file('large.bin', concat(...Array.from({ length: 2000 }, (_, i) => record(i + 5)), wrong));
    const run = shell(`$SKEIN check --grammar attitude-position ${large}`);
    expect(run.code).toBe(1);
    expect(run.stdout).toContain(`offset ${2000 * 88 + 141} `);
  });
});

test('levels have a line each', async () => {
  const run = await skeinHere('check', '--level', 'crc,structure', TLOG);
  expect(run).toEqual({
    code: 0,
    stdout: 'structure  pass  20,174 records\ncrc        pass  20,174 messages\n',
    stderr: '',
  });
});

test('only some messages, with definitions of your own', async () => {
  const run = await skeinHere('check', '--only', 'ATTITUDE, GLOBAL_POSITION_INT', TLOG);
  expect(run.code).toBe(1);
  expect(run.stdout).toMatch(
    /^messages {3}fail\n {2}offset \d+ \(0x[0-9a-f]+\), record \d+, mavlink header, message id: expected ATTITUDE \(30\) or GLOBAL_POSITION_INT \(33\), found /,
  );
});

needShared(describe, 'flight')('signatures', () => {
  test('with a key are checked too', async () => {
    const signed = sharedData('flight', 'copter-signed.tlog');
    const phrase = { SKEIN_SIGNING_PASSPHRASE: 'correct horse battery staple' };
    const run = skein(['check', signed], phrase);
    expect(run.stdout).toMatch(
      /^structure {2}pass.*\ncrc {8}pass.*\nsignature {2}fail\n.*unsigned: it is not signed\n$/,
    );
    expect((await skeinHere('check', '--level', 'signature', signed)).stderr).toBe(
      'skein: level signature needs a key\n',
    );
  });
});

describe('wrong usage is 2 and a sentence', () => {
  const any = file('any.bin', record(1));
  test.each<[string[], string]>([
    [[], 'no file: skein check FILE'],
    [['--level', 'x', any], '--level x: must be grammar, structure, crc, signature, messages'],
    [['--level', 'grammar', any], 'level grammar: missing grammar'],
    [['--level', 'messages', any], 'level messages needs the names of those that may occur'],
    [['--only', 'ATTITUD', any], '--only ATTITUD: unknown message: did you mean ATTITUDE?'],
    [['--print-grammar', 'none'], 'unknown grammar none: built in are attitude-position'],
    [['--grammar', 'none', any], '--grammar none: none: no such file; built in are attitude-position'],
    [['--grammar', folder, any], `--grammar ${folder}: ${folder} is not a file`],
    [
      ['--grammar', file('broken.json', '{"name":"a","start":{"sequence":[{"bytes":"0g"}]}}'), any],
      `--grammar ${join(folder, 'broken.json')}: start.sequence[0].bytes: expected bytes such as "02 00 ff", found "0g"`,
    ],
    [
      ['--grammar', file('circle.json', '{"name":"a","start":{"rule":"b"},"rules":{"b":{"rule":"b"}}}'), any],
      `--grammar ${join(folder, 'circle.json')}: rules["b"]: rule b -> b refers to itself`,
    ],
  ])('%j', async (args, text) => {
    expect(await skeinHere('check', ...args)).toEqual({ code: 2, stdout: '', stderr: `skein: ${text}\n` });
  });

  test('a file that is not there is 1', async () => {
    const run = await skeinHere('check', join(folder, 'absent'));
    expect(run).toEqual({ code: 1, stdout: '', stderr: `skein: ${join(folder, 'absent')}: no such file\n` });
  });

  test('a file of another kind fails', async () => {
    const run = await skeinHere('check', SAMPLE);
    expect(run.code).toBe(1);
    expect(run.stdout).toContain('structure  fail\n  offset 0 (0x0), file: expected a capture, a telemetry log');
  });
});

describe('a file that is packed', () => {
  test('is checked by what is in it', async () => {
    const part = readFileSync(TLOG).subarray(0, 100_000);
    const packed = file('packed.tlog.gz', gzipSync(part));
    const [plain, run] = [await skeinHere('check', file('part.tlog', part)), await skeinHere('check', packed)];
    expect(run.stdout).toBe(plain.stdout);
    expect(run.code).toBe(plain.code);
    expect(run.stderr).toContain('unpacked from gzip');
  });

  test('and fails where not all of it is there', async () => {
    const whole = gzipSync(readFileSync(TLOG).subarray(0, 100_000));
    const cut = file('cut.tlog.gz', whole.subarray(0, whole.length - 1000));
    const run = await skeinHere('check', cut);
    expect(run.code).toBe(1);
    expect(run.stderr).toContain('gzip data is damaged');
    expect(run.stdout).not.toContain('pass');
  });
});

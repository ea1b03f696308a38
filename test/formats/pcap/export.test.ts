import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, test } from 'vitest';
import { recordsOf, skeinHere } from '../../helpers/cli.ts';
import { temporaryFolder } from '../../helpers/folder.ts';
import { needCommand, needShared, sharedData } from '../../helpers/need.ts';

const folder = temporaryFolder();
const at = (name: string): string => join(folder, name);
const sample = (name: string): string => fileURLToPath(new URL(`../../../sample/${name}`, import.meta.url));
const TLOG = sample('copter-square.tlog');
const CAPTURE = sample('copter-square.pcap');

async function exported(file: string, to: string, name: string, ...more: readonly string[]): Promise<string> {
  const path = at(name);
  const run = await skeinHere('export', file, '--to', to, '-o', path, ...more);
  // the sample's capture has three bytes of text that are too few to be told from garbage
  expect([0, 3]).toContain(run.code);
  return path;
}

const same = (a: string, b: string): boolean => readFileSync(a).equals(readFileSync(b));

describe('conversions', () => {
  it.each(['ethernet', 'raw', 'user0'])(
    'a telemetry log as a capture (%s) and back is the same to the byte',
    async (link) => {
      const capture = await exported(TLOG, 'pcap', `${link}.pcap`, '--link', link);
      expect(same(await exported(capture, 'tlog', `${link}.tlog`), TLOG)).toBe(true);
    },
  );

  it('a capture gives the frames of the telemetry log of the same flight', async () => {
    const [ours, theirs] = [await exported(CAPTURE, 'raw', 'a.raw'), await exported(TLOG, 'raw', 'b.raw')];
    expect(same(ours, theirs)).toBe(true);
  });

  it('a part of a capture by type and time', async () => {
    const part = await exported(
      CAPTURE,
      'pcap',
      'part.pcap',
      '--type',
      'ATTITUDE',
      '--from',
      '+10s',
      '--until',
      '+20s',
    );
    const whole = await skeinHere('dump', CAPTURE, '--type', 'ATTITUDE', '--from', '+10s', '--until', '+20s');
    const cut = await skeinHere('dump', part);
    const plain = (stdout: string): unknown[] => recordsOf(stdout).map(({ at: _, ...rest }) => rest);
    expect(plain(cut.stdout)).toEqual(plain(whole.stdout));
    expect(plain(cut.stdout).length).toBeGreaterThan(100);
  });

  it('--pcap-link is for captures only, also under its former name', async () => {
    const run = await skeinHere('export', TLOG, '--to', 'raw', '--link', 'raw', '-o', at('never'));
    expect([run.code, run.stderr]).toEqual([
      2,
      'skein: export --link KIND is now --pcap-link KIND; the old form will stop working in the next version\n' +
        'skein: --pcap-link needs --to pcap\n',
    ]);
  });

  needCommand('tshark', test)('tshark reads what is written, with right checksums', async () => {
    const capture = await exported(TLOG, 'pcap', 'tshark.pcap');
    const args = ['-r', capture, '-o', 'ip.check_checksum:TRUE', '-o', 'udp.check_checksum:TRUE', '-T', 'fields'];
    const fields = ['ip.checksum.status', 'udp.checksum.status', 'udp.dstport'];
    const { stdout } = spawnSync('tshark', [...args, ...fields.flatMap((field) => ['-e', field])], {
      encoding: 'utf8',
    });
    const lines = stdout.trim().split('\n');
    expect(lines.length).toBe(20_174);
    expect(new Set(lines)).toEqual(new Set(['1\t1\t14550']));
  });
});

describe('info of a capture', () => {
  it('says who talks to whom, what, and what became of each byte', async () => {
    const { stdout } = await skeinHere('info', CAPTURE);
    expect(stdout).toContain('capture    pcap, 20,183 packets');
    expect(stdout).toContain('interfaces 0/0: Ethernet, 20,183 packets, 1,576,728 bytes');
    expect(stdout).toContain(
      'flows      127.0.0.1:59622 > 127.0.0.1:14650 UDP, 20,042 packets, 725,722 bytes, mavlink: 20,033 records of 1:1, 0 lost',
    );
    expect(stdout).toContain('1:1 in 127.0.0.1:59622 > 127.0.0.1:14650: 20,033 received, 0 lost');
  });

  it('has it all as JSON', async () => {
    const { stdout } = await skeinHere('info', '--json', CAPTURE);
    const { capture, size } = JSON.parse(stdout) as {
      size: number;
      capture: { packets: number; flows: { records: number; start: number }[]; bytes: Record<string, number> };
    };
    expect(capture.packets).toBe(20_183);
    expect(capture.flows.map(({ records }) => records)).toEqual([20_033, 141]);
    const view = new DataView(new Uint8Array(readFileSync(CAPTURE)).buffer);
    expect(capture.flows[0].start).toBe(view.getUint32(24, true) + view.getUint32(28, true) / 1e6);
    expect(Object.values(capture.bytes).reduce((sum, count) => sum + count, 0)).toBe(size);
  });

  it('dump says where in the file each record begins', async () => {
    const { stdout } = await skeinHere('dump', CAPTURE, '--limit', '50');
    const bytes = readFileSync(CAPTURE);
    for (const record of recordsOf(stdout)) expect([0xfd, 0xfe]).toContain(bytes[record.at]);
  });

  needShared(it, 'pcap')('points out what was cut', async () => {
    const { stdout, code } = await skeinHere('info', '--faults', sharedData('pcap', 'wrapped', 'cut_mid_record.pcap'));
    expect(code).toBe(0);
    expect(stdout).toMatch(/cut: frame \w+ at offset 25562 is cut after 23 of 40 bytes: 17 bytes of packet 261/);
  });
});

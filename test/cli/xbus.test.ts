import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { encodeXbusMessage, encodeXbusPacket } from '../../src/entry/xbus.ts';
import { recordsOf, skeinHere } from '../helpers/cli.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { needShared, sharedData } from '../helpers/need.ts';
import { concat } from '../suite/random.ts';

const folder = temporaryFolder();

function fileOf(name: string, ...frames: Uint8Array[]): string {
  const path = join(folder, name);
  writeFileSync(path, concat(...frames));
  return path;
}

const packet = (n: number): Uint8Array =>
  encodeXbusPacket([
    { item: 'PacketCounter', data: { value: n } },
    { item: 'SampleTimeFine', data: { value: n * 10_000 } },
    { item: 'EulerAngles', data: { roll: 180, pitch: 0, yaw: -90 } },
  ]);

const stream = fileOf('stream.xbus', packet(1), packet(2), packet(5), packet(6));

describe('dump', () => {
  test('rows that are made from packets come when they are asked for', async () => {
    const { code, stdout, stderr } = await skeinHere('dump', '--type', 'IMUData', stream);
    expect([code, stderr]).toEqual([0, '']);
    const rows = recordsOf(stdout);
    expect(rows.map(({ type, stream: device, time }) => [type, device, time])).toEqual(
      [1, 2, 5, 6].map((second) => ['IMUData', '255', second]),
    );
    expect(rows[0].data).toMatchObject({
      schema: 1,
      timestamp_us: 1_000_000,
      packet_counter: 1,
      flags: 0x40 | 0x80,
      accel_x: null,
      euler_roll: Math.PI,
      euler_pitch: 0,
      euler_yaw: -Math.PI / 2,
      data_quality: 0,
    });
  });

  test('and not otherwise', async () => {
    const { stdout } = await skeinHere('dump', stream);
    const types = new Set(recordsOf(stdout).map(({ type }) => type));
    expect([...types]).toEqual(['MTData2', 'PacketCounter', 'SampleTimeFine', 'EulerAngles']);
  });

  test('they stand among the records, in the order of the file', async () => {
    const { stdout } = await skeinHere('dump', '--type', 'EulerAngles,IMUData[255],MTData2', stream);
    const records = recordsOf(stdout);
    expect(records.map(({ type }) => type)).toEqual([1, 2, 3, 4].flatMap(() => ['MTData2', 'IMUData', 'EulerAngles']));
    expect(records.map(({ at }) => at)).toEqual(records.map(({ at }) => at).toSorted((a, b) => a - b));
  });

  test('within times and up to a limit', async () => {
    const range = ['--from', '1970-01-01T00:00:02Z', '--to', '1970-01-01T00:00:06Z'];
    const all = await skeinHere('dump', '--type', 'IMUData', ...range, stream);
    expect(recordsOf(all.stdout).map(({ time }) => time)).toEqual([2, 5]);
    const { stdout } = await skeinHere('dump', '--type', 'IMUData', '--limit', '1', ...range, stream);
    expect(recordsOf(stdout).map(({ time }) => time)).toEqual([2]);
    expect((await skeinHere('dump', '--type', 'IMUData', '--limit', '0', stream)).stdout).toBe('');
  });

  test('a name that is none is answered with the nearest', async () => {
    const { code, stderr } = await skeinHere('dump', '--type', 'IMUdata', stream);
    expect(code).toBe(2);
    expect(stderr).toBe('skein: no table IMUdata in this log: did you mean IMUData?\n');
  });

  test('status bits and errors have names', async () => {
    const path = fileOf(
      'names.xbus',
      encodeXbusPacket([{ item: 'StatusWord', data: { value: 0x0180_0107 } }]),
      encodeXbusMessage('Error', { code: 0x29 }),
    );
    const { stdout } = await skeinHere('dump', '--names', '--type', 'StatusWord,Error,IMUData', path);
    const records = recordsOf(stdout);
    expect(records.map(({ type }) => type)).toEqual(['IMUData', 'StatusWord', 'Error']);
    expect(records[1].data).toEqual({
      value: 0x0180_0107,
      value_name: ['selftest_ok', 'filter_valid', 'gnss_fix', 'clip_acc_x', 'filter_mode_0', 'filter_mode_1'],
      no_rotation: 0,
      no_rotation_name: 'off',
      filter_mode: 3,
      filter_mode_name: 'with_gnss',
      rtk: 0,
      rtk_name: 'none',
    });
    expect(records[2].data).toEqual({ code: 0x29, code_name: expect.stringContaining('the baud rate is too low') });
    const plain = recordsOf((await skeinHere('dump', '--type', 'Error', path)).stdout);
    expect(plain[0].data).toEqual({ code: 0x29 });
  });

  test('they cannot be followed', async () => {
    const { code, stderr } = await skeinHere('dump', '--follow', '--type', 'IMUData', stream);
    expect(code).toBe(2);
    expect(stderr).toBe('skein: IMUData is made from other records and cannot be followed\n');
  });
});

describe('info', () => {
  test('tells loss, rates and what can be made', async () => {
    const { code, stdout } = await skeinHere('info', '--tables', stream);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ {2}format +xbus, /m);
    expect(stdout).toMatch(/^ {2}clock +sample-time: no packet has a valid UTC time/m);
    expect(stdout).toMatch(/^ {2}streams +255: 4 received, 2 lost \(33\.33 %\)$/m);
    expect(stdout).toMatch(/^ {2}derived +IMUData\[255\]: see dump --type IMUData$/m);
    expect(stdout).toMatch(/^ {2}EulerAngles\[255:ENU\] +4 +0\.60 Hz +roll deg, pitch deg, yaw deg$/m);
  });

  test('tells the device and its errors, with what helps', async () => {
    const path = fileOf(
      'errors.xbus',
      encodeXbusMessage('DeviceID', { id: 0x07700123 }),
      encodeXbusMessage('FirmwareRev', { major: 1, minor: 2, revision: 3 }),
      encodeXbusMessage('Error', { code: 0x29 }),
      packet(1),
    );
    const { code, stdout } = await skeinHere('info', path);
    expect(code).toBe(3);
    expect(stdout).toMatch(/^ {2}vehicle +Xsens V1\.2\.3, device 07700123$/m);
    expect(stdout).toMatch(/device-error: device 255 reports error 0x29 at offset 17: .*the baud rate is too low/);
    const json = JSON.parse((await skeinHere('info', '--json', path)).stdout);
    expect(json).toMatchObject({ format: 'xbus', firmware: { version: '1.2.3' }, board: 'device 07700123' });
    expect(json.derived).toMatchObject([{ name: 'IMUData', stream: '255' }]);
    expect(json.faults.byCode).toEqual({ 'device-error': 1 });
  });

  test('says which rule the checksums follow, if it is the other one', async () => {
    const frames = [1, 2, 3].map((n) =>
      encodeXbusPacket([{ item: 'PacketCounter', data: { value: n } }], { checksum: 'inverted' }),
    );
    const { code, stdout } = await skeinHere('info', fileOf('inverted.xbus', ...frames));
    expect(code).toBe(0);
    expect(stdout).toMatch(/inverted-checksum: frames from offset 0 on have 0xff minus their sum as checksum/);
    expect(stdout).toMatch(/PacketCounter +3\b/);
  });
});

needShared(describe, 'xbus')('recordings', () => {
  test.each(['1', '2', '4'])('%s has a track', async (name) => {
    const path = sharedData('xbus', name, 'output.bin');
    const { code, stdout, stderr } = await skeinHere('track', path, '--to', 'csv');
    const lines = stdout.trimEnd().split('\n');
    expect(code).toBe(0);
    expect(stderr).toBe(`skein: ${lines.length - 1} points of ${lines.length - 1} records of LatLon[255]\n`);
    for (const line of lines.slice(1)) expect(line).toMatch(/^15479920\d\d\.\d{6},57\.6794\d*,11\.88\d*,4[23]\.\d*,/);
  });
});

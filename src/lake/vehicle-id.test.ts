import { expect, test } from 'vitest';
import { MadeLog } from '../../test/helpers/made-log.ts';
import { openLog } from '../node/open.ts';
import { findVehicleId, hardwareText } from './vehicle-id.ts';

const sample = (name: string): string => new URL(`../../sample/${name}`, import.meta.url).pathname;

test('the log on board and the one of the ground station name the same vehicle', async () => {
  for (const name of ['copter-square.BIN', 'copter-square.tlog', 'copter-square.pcap']) {
    const id = await findVehicleId(await openLog(sample(name)), sample(name));
    expect(id).toEqual({ id: '3d1219c7c4c5404a', source: 'hardware' });
  }
});

test('the number of a processor is written as the log on board writes it', () => {
  // 'CubeOrange 00290036 32395112 39333636': words, of which messages have the bytes with the lowest first
  const bytes = Uint8Array.of(0x36, 0, 0x29, 0, 0x12, 0x51, 0x39, 0x32, 0x36, 0x36, 0x33, 0x39, 0, 0, 0, 0, 0, 0);
  expect(hardwareText(bytes)).toBe('002900363239511239333636');
  const px4 = Uint8Array.of(0, 6, 0, 0, 0, 0, 52, 55, 57, 56, 48, 49, 81, 10, 0, 62, 0, 71);
  expect(hardwareText(px4)).toBe('000600000000343739383031510a003e0047');
});

const PARM = ['QNf', 'TimeUS,Name,Value'] as const;

test('the ways are tried in turn, and the user may say which', async () => {
  const made = new MadeLog().define('PARM', ...PARM).define('MSG', 'QZ', 'TimeUS,Message');
  made.add('PARM', 1, 'SYSID_THISMAV', 7);
  const path = '/logs/falcon 3/1.BIN';
  const idOf = async (rule = {}): Promise<string> => (await findVehicleId(await made.open(), path, rule)).id;
  expect(await idOf()).toBe('system-7');
  made.add('PARM', 2, 'BRD_SERIAL_NUM', 42);
  expect(await idOf()).toBe('serial-42-system-7');
  made.add('MSG', 3, 'CubeOrange 00290036 32395112 39333636');
  expect(await idOf()).toBe('002900363239511239333636');
  expect(await idOf({ from: ['system', 'hardware'] })).toBe('system-7');
  expect(await idOf({ from: ['folder'] })).toMatch(/^falcon_3-[0-9a-f]{8}$/);
  expect(await idOf({ vehicle: 'kestrel' })).toBe('kestrel');
});

test('a log that tells nothing has the name of its folder', async () => {
  const log = await new MadeLog().define('T', 'QB', 'TimeUS,X').add('T', 1, 1).open();
  expect(await findVehicleId(log, '/logs/falcon/1.BIN')).toEqual({ id: 'falcon', source: 'folder' });
});

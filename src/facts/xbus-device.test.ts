import { expect, test } from 'vitest';
import { concat } from '../../test/suite/random.ts';
import { openInput } from '../formats/open.ts';
import { encodeXbusMessage } from '../formats/xbus/encode.ts';
import { xbus } from '../formats/xbus/index.ts';
import { factsOf } from './facts.ts';
import type { Vehicle } from './vehicle.ts';

const vehicleOf = async (...frames: Uint8Array[]): Promise<Vehicle> =>
  factsOf(await openInput(concat(...frames), { format: xbus })).vehicle();

test('a device tells what it is', async () => {
  const found = await vehicleOf(
    encodeXbusMessage('DeviceID', { id: 0x07700123 }),
    encodeXbusMessage('ProductCode', { text: 'MTI-680G-8A8G6     ' }),
    encodeXbusMessage('FirmwareRev', { major: 1, minor: 12, revision: 0, build: 7, svn: 8 }),
  );
  expect(found).toEqual({
    kind: null,
    firmware: { name: 'MTI-680G-8A8G6', version: '1.12.0', git: null, text: 'MTI-680G-8A8G6 V1.12.0' },
    board: 'MTI-680G-8A8G6 device 07700123',
  });
});

test('an id of 64 bits has sixteen digits, and the last answer counts', async () => {
  const found = await vehicleOf(
    encodeXbusMessage('DeviceID', { id: 1 }),
    encodeXbusMessage('DeviceID', { id: 0x123_4567_89ab_cdefn }),
    encodeXbusMessage('FirmwareRev', { major: 2, minor: 3, revision: 4 }),
  );
  expect(found.board).toBe('device 0123456789ABCDEF');
  expect(found.firmware?.text).toBe('Xsens V2.3.4');
});

test('a configuration names the device too', async () => {
  const data = new Uint8Array(118);
  data.set([0x03, 0x60, 0x1a, 0x2b]);
  expect(await vehicleOf(encodeXbusMessage('Configuration', { data }))).toEqual({
    kind: null,
    firmware: null,
    board: 'device 03601A2B',
  });
});

test('a device that tells nothing', async () => {
  expect(await vehicleOf(encodeXbusMessage('GoToConfigAck'))).toEqual({ kind: null, firmware: null, board: null });
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openLog } from '../../../src/entry/browser.ts';
import { SAMPLE } from '../../../test/helpers/cli.ts';
import { MadeLog } from '../../../test/helpers/made-log.ts';
import { bootTime } from './boot-time.ts';

const open = (name: string) => openLog(new Uint8Array(readFileSync(join(SAMPLE, '..', name))));

test('the time of boot is that from which records count', async () => {
  const log = await open('copter-square.BIN');
  const boot = (await bootTime(log)) ?? Number.NaN;
  expect(log.clock.utc).toBe(true);
  for (const name of ['ATT', 'BARO']) {
    const table = log.table(name);
    const [time] = (await table?.times({ from: 50, to: 51 })) ?? [];
    const [since] = (await table?.column('TimeUS', { from: 50, to: 51 }))?.numbers() ?? [];
    expect(time - since).toBe(boot);
  }
});

test('a log without UTC counts from boot itself, and sentences tell no boot', async () => {
  const made = new MadeLog().define('A', 'Qf', 'TimeUS,x').add('A', 5_000_000, 1);
  expect(await bootTime(await openLog(made.bytes()))).toBe(0);
  expect(await bootTime(await open('copter-square.nmea'))).toBeNull();
});

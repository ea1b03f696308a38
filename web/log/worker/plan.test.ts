import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { openLog } from '../../../src/entry/browser.ts';
import { MadeLog } from '../../../test/helpers/made-log.ts';
import { needShared, sharedData } from '../../../test/helpers/need.ts';
import { flightPlan } from './plan.ts';

describe('the plan of a flight', () => {
  test('is read from mission, fence and rally records; the last upload of an item counts', async () => {
    const made = new MadeLog()
      .define('CMD', 'QHHHffffLLfB', 'TimeUS,CTot,CNum,CId,Prm1,Prm2,Prm3,Prm4,Lat,Lng,Alt,Frame')
      .define('FNCE', 'QBBBLLBf', 'TimeUS,Tot,Seq,Type,Lat,Lng,Count,Radius')
      .define('RALY', 'QBBLLhB', 'TimeUS,Tot,Seq,Lat,Lng,Alt,Flags');
    const command = (number: number, id: number, lat: number, lon: number): void => {
      made.add('CMD', number, 4, number, id, 0, 0, 0, 0, lat, lon, 20, 0);
    };
    command(0, 16, 47, 8);
    command(1, 22, 0, 0);
    command(2, 16, 47.1, 8.1);
    command(3, 20, 0, 0);
    command(2, 16, 47.2, 8.2);
    for (const [i, lat] of [47, 48, 47.5].entries()) made.add('FNCE', 10 + i, 4, i, 98, lat, 8 + i, 3, 0);
    made.add('FNCE', 20, 4, 3, 92, 47, 8, 0, 150);
    made.add('RALY', 30, 1, 0, 46, 7, 100, 0);
    const plan = await flightPlan(await openLog(made.bytes()));
    expect(plan.mission).toEqual([{ lat: 47.2, lon: 8.2, label: '2' }]);
    expect(plan.fences).toEqual([
      [
        { lat: 47, lon: 8 },
        { lat: 48, lon: 9 },
        { lat: 47.5, lon: 10 },
      ],
    ]);
    expect(plan.circles).toEqual([{ lat: 47, lon: 8, radius: 150 }]);
    expect(plan.rally).toEqual([{ lat: 46, lon: 7 }]);
  });

  needShared(test, 'mavlink/node-mavlink_vtol.tlog')('of a telemetry log is that of its mission messages', async () => {
    const log = await openLog(new Uint8Array(readFileSync(sharedData('mavlink', 'node-mavlink_vtol.tlog'))));
    const { mission, home } = await flightPlan(log);
    // it was sent twice, and the second time in degrees
    const last = new Map<number, { time: number; lat: number }>();
    for (const name of ['MISSION_ITEM_INT', 'MISSION_ITEM']) {
      const table = log.table(name);
      const { times, columns } = (await table?.timedColumns(['seq', 'x'])) ?? { times: [], columns: [] };
      const [seq, x] = columns.map((column) => column.numbers());
      for (const [row, time] of times.entries()) {
        const lat = name === 'MISSION_ITEM' ? x[row] : x[row] / 1e7;
        if (time >= (last.get(seq[row])?.time ?? 0)) last.set(seq[row], { time, lat });
      }
    }
    expect(mission.length).toBeGreaterThan(1);
    for (const { label, lat } of mission) expect(lat).toBeCloseTo(last.get(Number(label))?.lat ?? Number.NaN, 6);
    const homes = log.table('HOME_POSITION');
    const latitudes = (await homes?.column('latitude'))?.numbers() ?? [];
    expect(home?.lat).toBeCloseTo(latitudes[latitudes.length - 1] / 1e7, 6);
  });
});

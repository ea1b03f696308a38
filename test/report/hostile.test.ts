// Logs that define the tables of the report in any way that a file can: texts where numbers are wanted, arrays, times that
// go to and fro.
import { expect, test } from 'vitest';
import type { Value } from '../../src/core/column.ts';
import { makeReport } from '../../src/report/report.ts';
import { reportPage } from '../../src/report/report-page.ts';
import { DEFAULT_RULES } from '../../src/report/rules.ts';
import { MadeLog } from '../helpers/made-log.ts';
import { Random } from '../suite/random.ts';

const TABLES: Readonly<Record<string, string>> = {
  VIBE: 'VibeX,VibeY,VibeZ,Clip,Clip0',
  MAG: 'MagX,MagY,MagZ,OfsX,OfsY,OfsZ',
  XKF4: 'SV,SP,SH,SM,PI',
  GPS: 'Status,GMS,GWk,NSats,HDop,Lat,Lng,Alt,Spd',
  BAT: 'Volt,Curr,RemPct,Res',
  BCL: 'Volt,V1,V2,V3',
  POWR: 'Vcc,Flags',
  RCOU: 'C1,C2,C3,C4,C5',
  ATT: 'DesRoll,Roll,DesPitch,Pitch',
  RATE: 'RDes,R,ROut,PDes,P',
  CTUN: 'ThO,Alt,BAlt,CRt,DCRt',
  PM: 'Load,NLon,NL,MaxT,InE',
  DSF: 'Dp',
  EV: 'Id',
  ERR: 'Subsys,ECode',
  MODE: 'Mode,ModeNum,Rsn',
  IMU: 'GyrX,GyrY,GyrZ,AccX,AccY,AccZ,GH,AH',
  IMU2: 'GyrX,GyrY,GyrZ,AccX,AccY,AccZ',
  RCIN: 'C3',
  RSSI: 'RXRSSI',
  RAD: 'RSSI,Noise',
  MSG: 'Message',
};
const CHARACTERS = 'bBhHiIfdnNZcCeELMqQag';
const NUMBERS = [0, 1, -1, 2, 3, 5, 10, 28, 100, 255, 1e4, 6e4, 2 ** 31, 1e12, Number.NaN, Number.POSITIVE_INFINITY];

function anyValue(character: string, random: Random): Value {
  if ('nNZ'.includes(character)) return random.pick(['', 'ArduCopter V4.5.7', '<b>', '7']);
  if (character === 'a') return Array.from({ length: 32 }, () => random.below(100));
  const number = random.pick(NUMBERS);
  if ('fdg'.includes(character)) return number;
  const whole = Number.isFinite(number) ? number % 100 : 0;
  return 'BHICEMQ'.includes(character) ? Math.abs(whole) : whole;
}

function hostileLog(seed: number): MadeLog {
  const random = new Random(seed);
  const made = new MadeLog();
  const kinds = Object.entries(TABLES).map(([name, columns]) => {
    const count = columns.split(',').length;
    // mostly numbers, so that checks get far
    const isNamed = /^(EV|ERR|MODE)$/.test(name);
    const odd = isNamed ? 'BHI' : random.chance(0.3) ? CHARACTERS : 'fBHIfc';
    const format = Array.from({ length: count }, () => random.pick([...odd])).join('');
    const isTimed = random.chance(0.9);
    made.define(name, isTimed ? `Q${format}` : format, isTimed ? `TimeUS,${columns}` : columns);
    return { name, format, isTimed };
  });
  let time = random.below(1e6);
  for (let row = 0; row < 800; row++) {
    time = random.chance(0.005) ? random.below(1e8) : time + random.below(50_000);
    const { name, format, isTimed } = random.pick(kinds);
    made.add(name, ...(isTimed ? [time] : []), ...[...format].map((character) => anyValue(character, random)));
  }
  return made;
}

test.each(Array.from({ length: 15 }, (_, seed) => seed))('any log has a report, seed %i', async (seed) => {
  const report = await makeReport(await hostileLog(seed).open(), DEFAULT_RULES, { plots: true });
  expect(JSON.parse(JSON.stringify(report.findings))).toEqual(report.findings);
  expect(report.findings.length).toBeGreaterThan(10);
  const odd = [...reportPage('a', report).matchAll(/.{0,60}(NaN|Infinity|undefined).{0,30}/g)].map(([text]) => text);
  expect(odd.slice(0, 3)).toEqual([]);
});

test('time grows with the log, not with its square', async () => {
  const made = (rows: number): Uint8Array => {
    const log = new MadeLog()
      .define('EV', 'QB', 'TimeUS,Id')
      .define('ATT', 'Qcccc', 'TimeUS,DesRoll,Roll,DesPitch,Pitch')
      .define('CTUN', 'Qfff', 'TimeUS,ThO,Alt,CRt')
      .define('VIBE', 'QfffI', 'TimeUS,VibeX,VibeY,VibeZ,Clip')
      .define('GPS', 'QBBcLLef', 'TimeUS,Status,NSats,HDop,Lat,Lng,Alt,Spd');
    for (let row = 0; row < rows; row++) {
      // armed and in the air again and again, with a clock that goes back
      const time = row % 2 === 0 ? row * 1000 : row * 500;
      if (row % 100 < 4) log.add('EV', time, [10, 28, 18, 11][row % 4]);
      log.add('ATT', time, 0, (row % 3) * 90, 0, 0);
      log.add('CTUN', time, row % 5 === 0 ? 0 : 1, row % 9, -1);
      log.add('VIBE', time, row % 4 === 0 ? 0 : 99, 0, 0, row);
      log.add('GPS', time, row % 3, 5, row % 7 === 0 ? 0 : 9, 46 + (row % 2), 7, 0, 0);
    }
    return log.bytes();
  };
  const cost = async (bytes: Uint8Array): Promise<number> => {
    const log = await new MadeLog().raw(bytes).open();
    const before = process.cpuUsage();
    const report = await makeReport(log, DEFAULT_RULES, { plots: true });
    reportPage('a', report);
    const { user, system } = process.cpuUsage(before);
    return user + system;
  };
  const [few, many] = [made(1000), made(8000)];
  await cost(few);
  const once = await cost(few);
  // eight times as many rows would cost sixty-four times as much
  expect((await cost(many)) / once).toBeLessThan(30);
});

import { expect, test } from 'vitest';
import { DataflashDecoder } from '../../../src/formats/dataflash/frame.ts';
import { openInput } from '../../../src/formats/open.ts';
import { sampleFile } from '../../suite/sample.ts';

test('nearly all records of a good log are taken the usual way, which is several times as fast', () => {
  const { bytes } = sampleFile('copter-square.BIN');
  let records = 0;
  const decoder = new DataflashDecoder({
    table: () => {},
    records: (batch) => {
      records += batch.count;
    },
    fault: () => {},
  });
  const ways = decoder as unknown as { decide(...args: unknown[]): number };
  const careful = ways.decide.bind(decoder);
  let count = 0;
  ways.decide = (...args) => {
    count++;
    return careful(...args);
  };
  decoder.push(bytes);
  decoder.end();
  expect(records).toBeGreaterThan(1000);
  expect(count).toBeLessThan(records / 20);
});

test('a text log may give units and multipliers another meaning', async () => {
  const lines = [
    'FMT, 128, 89, FMT, BBnNZ, Type,Length,Name,Format,Columns',
    'FMT, 129, 20, MULT, Qbd, TimeUS,Id,Mult',
    'FMT, 130, 44, FMTU, QBNN, TimeUS,FmtType,UnitIds,MultIds',
    'FMT, 131, 76, UNIT, QbZ, TimeUS,Id,Label',
    'FMT, 132, 15, A, Qf, TimeUS,v',
    'MULT, 1, 66, 0.5',
    'UNIT, 2, 109, furlong',
    'FMTU, 3, 132, sm, FB',
    'A, 4, 1.5',
    '',
  ];
  const log = await openInput(new TextEncoder().encode(lines.join('\n')));
  expect(log.table('A')?.field('v')).toMatchObject({ unit: '0.5 furlong', siUnit: 'furlong', multiplier: 0.5 });
  expect(log.table('A')?.field('TimeUS')).toMatchObject({ unit: 'µs', siUnit: 's', multiplier: 1e-6 });
});

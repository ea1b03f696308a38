import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { fieldFacts } from '../worker/field-facts.ts';
import { OpenLog } from '../worker/open-log.ts';
import { fieldNotes } from './field-notes.ts';
import { searchFields } from './field-search.ts';

const sample = (name: string): Promise<OpenLog> =>
  OpenLog.open(new Blob([readFileSync(new URL(`../../../sample/${name}`, import.meta.url))]), () => {});

describe('what fields mean', () => {
  test('is told in words for records of ArduPilot, and found by them', async () => {
    const noteOf = fieldNotes();
    expect(noteOf('ATT', 'Roll')).toContain('right side down');
    expect(noteOf('RCOU', 'C14')).toContain('motor or servo');
    expect([noteOf('RCOU', 'Other'), noteOf('Mine', 'Roll'), noteOf('toString', 'constructor')]).toEqual(['', '', '']);
    const { tables } = await (await sample('copter-square.BIN')).summary();
    const texts = (query: string): string[] => searchFields(tables, query, noteOf).map(({ text }) => text);
    expect(texts('charge used battery')[0]).toBe('BAT[0].CurrTot');
    expect(texts('climb rate desired')).toContain('CTUN.DCRt');
    // most of what is plotted daily has a note
    for (const name of ['ATT', 'RATE', 'GPS', 'BAT', 'BARO', 'IMU', 'MAG', 'XKF1', 'XKF4', 'CTUN', 'VIBE', 'PSCD']) {
      const fields = tables.find((table) => table.name === name)?.fields ?? [];
      const noted = fields.filter((field) => noteOf(name, field.name) !== '');
      expect(noted.length / fields.length, name).toBeGreaterThan(0.6);
    }
  });

  test('is told by the log itself: how numbers are stored, and what values are called', async () => {
    const flight = await sample('copter-square.BIN');
    const [battery, gps] = ['BAT', 'GPS'].map(
      (name) => new Map(fieldFacts(flight.tablesOf(name, '0')).map((f) => [f.name, f])),
    );
    expect(battery.get('CurrTot')?.stored).toBe('float32, 1 mAh = 0.001 Ah');
    expect(gps.get('Lat')?.stored).toBe('int32, in steps of 1/10000000');
    const link = await sample('copter-square.tlog');
    const raw = fieldFacts(link.tablesOf('GPS_RAW_INT', '1:1')).find(({ name }) => name === 'fix_type');
    expect(raw?.values).toMatch(/^0 NO_GPS, 1 NO_FIX, 2 /);
    const [status] = fieldFacts(link.tablesOf('HEARTBEAT', '1:1')).filter(({ name }) => name === 'base_mode');
    expect(status.values).toMatch(/^bits: 1 /);
  });
});

import { describe, expect, test } from 'vitest';
import { damageOf, type Fault, FaultList } from './fault.ts';
import { LIMITS } from './limits.ts';
import type { Source } from './source.ts';

const fault = (change: Partial<Fault> = {}): Fault => ({
  code: 'garbage',
  offset: 0,
  length: 10,
  lost: true,
  text: 'ten bytes are not part of a record',
  ...change,
});

describe('a list of faults', () => {
  test('counts by code, and what was lost', () => {
    const list = new FaultList();
    expect([list.count, list.lost, list.lostBytes]).toEqual([0, false, 0]);
    list.add(fault());
    list.add(fault({ length: 5 }));
    list.add(fault({ code: 'padding', length: 100, lost: false }));
    expect(list.count).toBe(3);
    expect(list.lostBytes).toBe(15);
    expect(Object.fromEntries(list.byCode)).toEqual({
      garbage: { count: 2, bytes: 15 },
      padding: { count: 1, bytes: 100 },
    });
  });

  test('knows a loss that covers no byte', () => {
    const list = new FaultList();
    list.add(fault({ code: 'padding', lost: false }));
    expect(list.lost).toBe(false);
    list.add(fault({ length: 0 }));
    expect([list.lost, list.lostBytes]).toEqual([true, 0]);
  });

  test('counts by subject within a code', () => {
    const list = new FaultList();
    for (const subject of ['type 1', 'type 2', 'type 1']) list.add(fault({ code: 'unknown-type', subject }));
    list.add(fault({ code: 'damaged-record', subject: 'type 1' }));
    expect([...list.bySubject.values()]).toEqual([
      { code: 'unknown-type', subject: 'type 1', count: 2, bytes: 20 },
      { code: 'unknown-type', subject: 'type 2', count: 1, bytes: 10 },
      { code: 'damaged-record', subject: 'type 1', count: 1, bytes: 10 },
    ]);
  });

  test('keeps the first ones, and counts all', () => {
    const list = new FaultList();
    for (let i = 0; i < LIMITS.faultsKept + 50; i++) list.add(fault({ offset: i, subject: `type ${i}` }));
    expect(list.kept).toHaveLength(LIMITS.faultsKept);
    expect(list.kept.at(-1)?.offset).toBe(LIMITS.faultsKept - 1);
    expect(list.count).toBe(LIMITS.faultsKept + 50);
    expect(list.bySubject.size).toBe(LIMITS.faultSubjects);
    expect(list.byCode.get('garbage')).toEqual({ count: LIMITS.faultsKept + 50, bytes: 10 * (LIMITS.faultsKept + 50) });
  });

  test('takes codes and subjects of any name', () => {
    const list = new FaultList();
    for (const name of ['__proto__', 'constructor', 'toString', '', '\0', '\ud800'])
      list.add(fault({ code: name, subject: name }));
    expect([...list.byCode.keys()]).toEqual(['__proto__', 'constructor', 'toString', '', '\0', '\ud800']);
    expect([...list.bySubject.values()].map((each) => each.subject)).toEqual([...list.byCode.keys()]);
  });
});

describe('damage', () => {
  const damage = (records: number, ...faults: Partial<Fault>[]): string => {
    const list = new FaultList();
    for (const each of faults) list.add(fault(each));
    return damageOf({ faults: list, source: { size: 1000 } as Source, records });
  };
  const cut = { code: 'truncated', offset: 990, length: 10 };

  test('is none where nothing is lost', () => {
    expect(damage(5)).toBe('none');
    expect(damage(5, { code: 'padding', lost: false })).toBe('none');
  });

  test('is a cut where the end of the log cuts its last record and nothing before it is lost', () => {
    expect(damage(5, cut)).toBe('cut');
    expect(damage(5, { code: 'text', lost: false }, cut)).toBe('cut');
    // the last packet of a capture, and the message in it
    expect(damage(5, { ...cut, length: 0 }, { code: 'cut', offset: 994, length: 3 })).toBe('cut');
  });

  test.each([
    ['a loss before', 5, [{ offset: 100 }, cut]],
    ['a loss before, found after', 5, [cut, { offset: 100, length: 0 }]],
    ['a stream of a capture that ends before the capture', 5, [{ ...cut, offset: 500 }]],
    ['such a stream and another damage', 5, [{ ...cut, offset: 500 }, { offset: 700 }, cut]],
    ['nothing but the cut record', 0, [cut]],
    ['no cut', 5, [{ offset: 990 }]],
  ])('is a loss with %s', (_, records, faults) => {
    expect(damage(records, ...faults)).toBe('lost');
  });
});

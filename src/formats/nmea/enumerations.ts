import type { Enumeration } from '../../core/schema.ts';

function enumeration(name: string, names: Readonly<Record<number, string>>): [string, Enumeration] {
  return [name, { name, bitmask: false, names: new Map(Object.entries(names).map(([n, text]) => [Number(n), text])) }];
}

/** Names of numbers that sentences use. */
export const ENUMERATIONS: ReadonlyMap<string, Enumeration> = new Map([
  enumeration('quality', {
    0: 'no fix',
    1: 'GPS',
    2: 'differential',
    3: 'PPS',
    4: 'RTK fixed',
    5: 'RTK float',
    6: 'estimated',
    7: 'manual',
    8: 'simulated',
  }),
  enumeration('fix', { 1: 'no fix', 2: '2D', 3: '3D' }),
  enumeration('system', { 1: 'GPS', 2: 'GLONASS', 3: 'Galileo', 4: 'BeiDou', 5: 'QZSS', 6: 'NavIC' }),
]);

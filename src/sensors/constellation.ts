/** Systems of satellites, at the place of the number that u-blox and gpsd give them. */
export const CONSTELLATIONS = ['GPS', 'SBAS', 'Galileo', 'BeiDou', 'IMES', 'QZSS', 'GLONASS', 'NavIC'] as const;

export type Constellation = (typeof CONSTELLATIONS)[number];

/** A satellite by its system and the number that it has there. */
export interface SatelliteId {
  readonly constellation: Constellation;
  readonly svid: number;
}

/** Numbers [from, to] of satellites in sentences, their system, and what to add for the number there. */
type NumberBlock = readonly [from: number, to: number, constellation: Constellation, add: number];

/** Numbers with one meaning for every talker, and makers' ranges; only Quectel's BeiDou and QZSS overlap. */
const RANGES: readonly NumberBlock[] = [
  [1, 32, 'GPS', 0],
  [33, 64, 'SBAS', 87],
  [65, 96, 'GLONASS', -64],
  [101, 136, 'Galileo', -100],
  [152, 158, 'SBAS', 0],
  [173, 182, 'IMES', -172],
  [193, 200, 'QZSS', -192],
  [201, 264, 'BeiDou', -200],
  [301, 336, 'Galileo', -300],
  [401, 463, 'BeiDou', -400],
  [500, 509, 'NavIC', -500],
  [901, 918, 'NavIC', -900],
];

/** Numbers that systems use for their own satellites: from 1 on, as high as they have any. */
const OWN: Readonly<Record<Constellation, number>> = {
  GPS: 32,
  SBAS: 0,
  Galileo: 36,
  BeiDou: 64,
  IMES: 10,
  QZSS: 10,
  GLONASS: 32,
  NavIC: 15,
};

const TALKERS: Readonly<Record<string, Constellation>> = {
  GP: 'GPS',
  GL: 'GLONASS',
  GA: 'Galileo',
  GB: 'BeiDou',
  BD: 'BeiDou',
  GQ: 'QZSS',
  QZ: 'QZSS',
  PQ: 'QZSS',
  GI: 'NavIC',
  IM: 'IMES',
};

const SYSTEMS: readonly (Constellation | undefined)[] = [
  undefined,
  'GPS',
  'GLONASS',
  'Galileo',
  'BeiDou',
  'QZSS',
  'NavIC',
];

/** The system that a system id of version 4.10 or a talker means; undefined for GN and what is not known. */
export function constellationOf(talker: string, systemId: number = Number.NaN): Constellation | undefined {
  return SYSTEMS[systemId] ?? (Object.hasOwn(TALKERS, talker) ? TALKERS[talker] : undefined);
}

/** The satellite of a number in GSV or GSA: by system id, then talker, then ranges. */
export function satelliteOf(prn: number, talker: string, systemId?: number): SatelliteId | undefined {
  const constellation = constellationOf(talker, systemId);
  if (constellation && prn >= 1 && prn <= OWN[constellation]) return { constellation, svid: prn };
  // receivers of GPS alone call SBAS satellites by the numbers of their codes, which Quectel has for Galileo
  if (constellation === 'GPS' && prn >= 120 && prn <= 158) return { constellation: 'SBAS', svid: prn };
  const range = RANGES.find(([from, to]) => prn >= from && prn <= to);
  if (!range) return undefined;
  // where QZSS goes on, Quectel's BeiDou begins
  if (constellation === 'QZSS' && prn > 192 && prn <= 202) return { constellation, svid: prn - 192 };
  return { constellation: range[2], svid: prn + range[3] };
}

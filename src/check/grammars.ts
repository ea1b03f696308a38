import type { Grammar, GrammarNode } from './grammar.ts';

/** How a capture file may begin: in microseconds, in nanoseconds, and as modified captures do; of either byte order. */
const MAGICS = ['d4 c3 b2 a1', 'a1 b2 c3 d4', '4d 3c b2 a1', 'a1 b2 3c 4d', '34 cd b2 a1', 'a1 b2 cd 34'];

/**
 * Captures that hold ATTITUDE and GLOBAL_POSITION_INT messages and nothing else, each in its own datagram, from
 * the autopilot's port to the ground station's on one machine. The test files of this grammar are the records of a
 * capture without its file header; a file header is skipped.
 *
 *     0 ... 15        16 ... 19   20 ... 39   40 ... 47   48 ... 57        58 ... 85   86, 87
 *     record header   family      IPv4        UDP         MAVLink header   payload     crc
 */
export const ATTITUDE_POSITION: Grammar = {
  name: 'attitude-position',
  title: 'captures of nothing but ATTITUDE and GLOBAL_POSITION_INT, with or without a file header',
  start: { sequence: [{ optional: { rule: 'file header' } }, { repeat: { rule: 'record' } }] },
  rules: {
    'file header': {
      layer: 'file header',
      sequence: [
        {
          field: 'magic',
          choice: MAGICS.map((bytes) => ({ bytes })),
        },
        ...any(4, 'version', 'time zone', 'accuracy', 'snap length', 'link type'),
      ],
    },
    record: {
      record: true,
      length: { at: 8, number: 'uint32', order: 'little', plus: 16 },
      sequence: [
        {
          layer: 'record header',
          sequence: [...any(4, 'seconds', 'fraction of the second', 'captured length', 'original length')],
        },
        { layer: 'link header', field: 'family', bytes: '02 00 00 00' },
        { rule: 'ip header' },
        { rule: 'udp header' },
        { rule: 'mavlink header' },
        { choice: [{ rule: 'ATTITUDE' }, { rule: 'GLOBAL_POSITION_INT' }] },
        { layer: 'mavlink', field: 'crc', any: 2 },
      ],
    },
    'ip header': {
      layer: 'ip header',
      sequence: [
        { field: 'version and header length', bytes: '45' },
        { field: 'differentiated services', any: 1 },
        ...any(2, 'total length', 'identification', 'flags and fragment offset'),
        { field: 'time to live', bytes: '40' },
        { field: 'protocol', bytes: '11' },
        { field: 'checksum', any: 2 },
        ...any(4, 'source address', 'destination address'),
      ],
    },
    'udp header': {
      layer: 'udp header',
      sequence: [
        { field: 'source port', bytes: '38 d6' },
        { field: 'destination port', bytes: '38 f4' },
        ...any(2, 'length', 'checksum'),
      ],
    },
    'mavlink header': {
      layer: 'mavlink header',
      sequence: [
        { field: 'magic', bytes: 'fd' },
        { field: 'payload length', bytes: '1c' },
        { field: 'incompatibility flags', bytes: '00' },
        { field: 'compatibility flags', bytes: '00' },
        { field: 'sequence', any: 1 },
        { field: 'system id', set: '01 33 ff' },
        { field: 'component id', set: '01 44 be' },
      ],
    },
    ATTITUDE: {
      sequence: [
        { layer: 'mavlink header', field: 'message id', bytes: '1e 00 00' },
        {
          layer: 'ATTITUDE',
          sequence: [...any(4, 'time_boot_ms', 'roll', 'pitch', 'yaw', 'rollspeed', 'pitchspeed', 'yawspeed')],
        },
      ],
    },
    GLOBAL_POSITION_INT: {
      sequence: [
        { layer: 'mavlink header', field: 'message id', bytes: '21 00 00' },
        {
          layer: 'GLOBAL_POSITION_INT',
          sequence: [
            ...any(4, 'time_boot_ms', 'lat', 'lon', 'alt', 'relative_alt'),
            ...any(2, 'vx', 'vy', 'vz', 'hdg'),
          ],
        },
      ],
    },
  },
};

export const GRAMMARS: readonly Grammar[] = [ATTITUDE_POSITION];

export function grammarNamed(name: string): Grammar | undefined {
  return GRAMMARS.find((grammar) => grammar.name === name);
}

/** Fields of any content, each with this number of bytes. */
function any(bytes: number, ...fields: string[]): GrammarNode[] {
  return fields.map((field) => ({ field, any: bytes }));
}

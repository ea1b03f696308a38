// The same random, generated and damaged bytes, decoded by us and by packages that others wrote.
import { expect, test } from 'vitest';
import type { Value } from '../../src/core/column.ts';
import type { Format } from '../../src/core/format.ts';
import { builtinDialect } from '../../src/formats/mavlink/dialect/builtin.ts';
import { NMEA_LIMITS } from '../../src/formats/nmea/limits.ts';
import { mavlinkCase } from '../formats/mavlink/case.ts';
import { nmeaCase } from '../formats/nmea/case.ts';
import { ubxCase } from '../formats/ubx/case.ts';
import { many } from '../helpers/long.ts';
import { needPeers, type PeerFields, type PeerRecord, type PeerValue, peerDecode } from '../helpers/peers.ts';
import type { FormatCase } from '../suite/format-suite.ts';
import { decode, type Found } from '../suite/found.ts';
import { fuzzInput } from '../suite/fuzz.ts';
import { valuesOf } from '../suite/plain.ts';

const INPUTS = Number(process.env.SKEIN_FUZZ ?? many(900, 150));
const FIRST_SEED = Number(process.env.SKEIN_SEED ?? 20_261_118);

interface Peer {
  readonly of: FormatCase;
  /** What of our records the package knows. */
  readonly isKnown?: (name: string) => boolean;
  /** What the package calls our record. */
  readonly name: (found: Found, i: number) => string;
  /** How values differ, undefined where they do not. */
  readonly difference: (ours: ReadonlyMap<string, Value>, theirs: PeerFields, record: string) => string | undefined;
  /** Why the package takes what we refuse. */
  readonly lenient: readonly (readonly [reason: string, applies: (name: string, bytes: number) => boolean])[];
  /** Why it has not what we take, by its errors. */
  readonly strict: Readonly<Record<string, string>>;
}

function inputsOf({ of }: Peer): Uint8Array[] {
  const options = { ...of, samples: of.samples.map(({ bytes }) => bytes) };
  const made = Array.from({ length: INPUTS }, (_, i) => fuzzInput(FIRST_SEED + i, options));
  return [...options.samples, ...made];
}

/** Numbers as they were sent, also those that mean "missing". */
function keeping(format: Format): Format {
  return { ...format, decoder: (sink) => format.decoder(sink, { keepInvalid: true }) };
}

/** Compares one input: what differs without a reason. The tally counts what is the same, and each reason. */
function compare(peer: Peer, bytes: Uint8Array, theirs: readonly PeerRecord[], tally: Map<string, number>): string[] {
  const count = (what: string): void => void tally.set(what, (tally.get(what) ?? 0) + 1);
  const found = decode(keeping(peer.of.format), bytes);
  const values = valuesOf(bytes, found);
  const said: string[] = [];
  const met = new Set<number>();
  for (const [offset, length, name, fields] of theirs) {
    if (name === null) continue;
    // ours may begin earlier: with a tag block
    const i = found.offsets.findIndex((at, n) => at <= offset && offset < at + found.sizes[n]);
    const label = `${name} at ${offset} of ${length} bytes`;
    if (i < 0) {
      const reason = peer.lenient.find(([, applies]) => applies(name, length));
      if (reason) count(reason[0]);
      else said.push(`only theirs: ${label}`);
      continue;
    }
    met.add(i);
    if (peer.name(found, i) !== name) said.push(`${label}: ours is ${found.label(i)}`);
    const difference = peer.difference(new Map(values[i]), fields, latin1(bytes.subarray(offset, offset + length)));
    if (difference === undefined) count('same');
    else said.push(`${label}: ${difference}`);
  }
  for (let i = 0; i < found.count; i++) {
    if (met.has(i) || peer.isKnown?.(found.name(i)) === false) continue;
    const why = whyNot(theirs, found.offsets[i], found.offsets[i] + found.sizes[i]);
    const reason = why && peer.strict[why];
    if (reason) count(reason);
    else said.push(`only ours: ${found.label(i)}, theirs ${why}`);
  }
  return said;
}

/** Why they do not have what lies between two places: all that a false start claims is thrown away, and what never ends. */
function whyNot(theirs: readonly PeerRecord[], from: number, to: number): string | undefined {
  const [last = 0, size = 0] = theirs.at(-1) ?? [];
  if (to > last + size) return 'unfinished';
  const stretch = theirs.find(([at, bytes, name]) => name === null && at < to && at + bytes > from);
  return stretch && String(stretch[3].why);
}

const LONGEST = new Map([...builtinDialect().messages.values()].flat().map((each) => [each.name, each.length]));
const SKIPPING = 'it skips all that a false start claims';

const PEERS: Readonly<Record<string, Peer>> = {
  mavlink: {
    of: mavlinkCase,
    name: (found, i) => found.name(i),
    difference: (ours, theirs) => {
      // what signs frames is never shown
      const isShown = (name: string): boolean => name !== 'secret_key';
      const differs = Object.entries(theirs).find(
        ([name, value]) => isShown(name) && text(plain(ours.get(name))) !== text(value),
      );
      return differs && `${differs[0]} is ${text(plain(ours.get(differs[0])))}, theirs ${text(differs[1])}`;
    },
    lenient: [['it takes frames longer than their message', (name, bytes) => bytes > (LONGEST.get(name) ?? 0) + 12]],
    strict: {
      BAD_DATA: SKIPPING,
      UNKNOWN: 'it takes frames of unknown messages whatever their checksum, and what lies in them',
      unfinished: 'it waits for bytes that never come',
    },
  },
  nmea: {
    of: nmeaCase,
    // subtypes are part of our names
    name: (found, i) => `${found.streams[found.ids[i]]}${found.name(i)}`.replace(/^(PUBX|PSTI|PTNL|PASHR).*/, '$1'),
    difference: (ours, theirs, record) => {
      for (const [name, side, most] of [
        ['lat', 'NS', 90],
        ['lon', 'EW', 180],
      ] as const) {
        const [own, value] = [ours.get(name), theirs[name]];
        if (typeof value !== 'number' || own === undefined) continue;
        // it takes degrees and minutes that no place has, and places without a hemisphere
        const isPlace =
          Math.abs(value) <= most && !/60\.\d*[1-9]/.test(record) && /^[NSEW]$/i.test(String(theirs[side]));
        if (own === null && !isPlace) continue;
        if (typeof own !== 'number' || Math.abs(own - value) > 1e-9) return `${name} is ${own}, theirs ${value}`;
      }
      return undefined;
    },
    lenient: [
      ['it takes addresses of any length', (name) => name.length < 3 || name.length > 24],
      ['it takes sentences of any length', (_, bytes) => bytes > NMEA_LIMITS.sentenceBytes],
    ],
    strict: {
      unknown: 'it does not know the sentence',
      skipped: 'it knows sentences that begin with $ only',
      NMEAParseError: 'it refuses a sentence for one value that it cannot read',
      NMEATypeError: 'it refuses a sentence for one value that it cannot read',
      IndexError: 'it fails at short sentences',
      NMEAStreamError: 'it waits for a line break',
      unfinished: 'it waits for a line break',
    },
  },
  ubx: {
    of: ubxCase,
    // RTCM has numbers
    isKnown: (name) => name.includes('-'),
    name: (found, i) => found.name(i),
    difference: () => undefined,
    lenient: [],
    strict: {
      skipped: SKIPPING,
      'wrong checksum': SKIPPING,
      UBXStreamError: 'it waits for bytes that never come',
      UBXParseError: SKIPPING,
      UnicodeDecodeError: 'it takes all up to a line break for a sentence',
    },
  },
};

const text = JSON.stringify;
const latin1 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');

/** As JSON of the package has it. */
function plain(value: Value | undefined): PeerValue {
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  if (typeof value === 'bigint') return value > 2n ** 53n || value < -(2n ** 53n) ? String(value) : Number(value);
  if (value === null || value === undefined) return 'missing';
  return typeof value === 'object' ? Array.from(value as ArrayLike<Value>, plain) : value;
}

needPeers('pymavlink, pynmeagps, pyubx2')('packages that others wrote', () => {
  test.each(Object.entries(PEERS))('%s: what differs has a reason', (protocol, peer) => {
    const inputs = inputsOf(peer);
    const tally = new Map<string, number>();
    const said = peerDecode(protocol, inputs).flatMap((theirs, i) =>
      compare(peer, inputs[i], theirs, tally).map((each) => `input ${i}: ${each}`),
    );
    console.log(`${protocol}, ${inputs.length} inputs`, Object.fromEntries(tally));
    expect(said.slice(0, 20)).toEqual([]);
    expect(tally.get('same')).toBeGreaterThan(INPUTS);
  });
});

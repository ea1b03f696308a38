import { builtinDialect } from '../../../src/formats/mavlink/dialect/builtin.ts';
import type { MessageDefinition } from '../../../src/formats/mavlink/dialect/definition.ts';
import type { Random } from '../../suite/random.ts';
import { type FrameParts, frameBytes, StreamWriter, stampBytes } from './stream.ts';

const definitions: readonly MessageDefinition[] = [...builtinDialect().messages.values()].flat();
const byName = (name: string): MessageDefinition =>
  definitions.find((definition) => definition.name === name) as MessageDefinition;
/** What streams have most of, short and long, with extensions and without. */
const USUAL = ['HEARTBEAT', 'ATTITUDE', 'STATUSTEXT', 'BATTERY_STATUS', 'DISTANCE_SENSOR', 'PARAM_VALUE', 'PING'].map(
  byName,
);
/** Ids that nobody defines, and one that somebody else defines too. */
const UNKNOWN_IDS = [7_000_000, 49_999, 255];
const TIMES = [0, 47e6, 1_700_000_000_000_000, 4_294_967_295e6];

/** A stream that could be one: frames of every kind with random content, and some damage between them. */
export function randomMavlink(random: Random): Uint8Array {
  return randomStream(random, false);
}

/** The same as a telemetry log. */
export function randomTlog(random: Random): Uint8Array {
  return randomStream(random, true);
}

function randomStream(random: Random, isLog: boolean): Uint8Array {
  const stream = new StreamWriter(isLog, random.pick(TIMES));
  const senders = [
    [1, 1],
    [1, 100],
    [255, 190],
  ];
  for (let n = random.between(1, 40); n > 0; n--) {
    const [system, component] = random.pick(senders);
    const kind = random.below(100);
    const parts = { ...randomFrame(random), system, component };
    if (kind < 60) stream.frame(parts);
    else if (kind < 66)
      stream.frame({ ...parts, version: 2, payload: cutOf(parts.payload), summed: parts.payload.length });
    else if (kind < 72)
      stream.frame({ ...parts, version: 2, id: random.pick(UNKNOWN_IDS), extra: random.pick([7, 7, 7, 9]) });
    else if (kind < 76) stream.frame({ ...parts, extra: random.pick([33, 33, 34]) });
    else if (kind < 79) stream.frame({ ...parts, version: 2, flags: random.pick([1, 2, 3, 255]) });
    else if (kind < 82) stream.frame({ ...parts, payload: random.bytes(random.below(256)) });
    else if (kind < 85) stream.bare(parts);
    else if (kind < 88) stream.at(random.pick([...TIMES, 0x10_0000_0000_0000]));
    else damage(random, stream, parts, isLog);
  }
  const bytes = stream.bytes();
  return random.chance(0.3) ? bytes.slice(0, Math.max(0, bytes.length - random.below(60))) : bytes;
}

function damage(random: Random, stream: StreamWriter, parts: FrameParts, isLog: boolean): void {
  const kind = random.below(7);
  const frame = frameBytes(parts);
  if (kind === 0) stream.raw(random.bytes(random.between(1, 40)));
  else if (kind === 1) stream.raw(new Uint8Array(random.between(1, 40)).fill(random.pick([0, 255, 0xfd, 0xfe])));
  else if (kind === 2) stream.text('Init ArduPilot\r\n'.slice(0, random.between(1, 16)));
  else if (kind === 3) stream.raw(frame.subarray(0, random.below(frame.length)));
  else if (kind === 4) stream.raw(isLog ? stampBytes(random.pick(TIMES)).subarray(0, random.between(1, 8)) : [0xfd]);
  else if (kind === 5) stream.raw(frame.map((byte, i) => (i === frame.length - 3 ? byte ^ 4 : byte)));
  else stream.raw([0xfd, random.below(256), random.below(3), 0, 0, 1, 1, random.below(256), 0, 0]);
}

function randomFrame(random: Random): FrameParts & { readonly payload: Uint8Array } {
  const { id, baseLength, length, crcExtra } = random.pick(random.chance(0.8) ? USUAL : definitions);
  const version = id < 256 && random.chance(0.4) ? 1 : 2;
  const payload = random.bytes(version === 1 ? baseLength : length);
  // zeros at the end, in whole fields and in parts of them
  if (random.chance(0.5)) payload.fill(0, random.below(payload.length + 1));
  if (random.chance(0.1)) payload[random.below(payload.length)] = 0xfd;
  return { version, id, payload: version === 2 && random.chance(0.7) ? cutOf(payload) : payload, extra: crcExtra };
}

/** Without the zeros at its end, but for the first byte. */
function cutOf(payload: ArrayLike<number>): Uint8Array {
  const bytes = Uint8Array.from(payload);
  let { length } = bytes;
  while (length > 1 && bytes[length - 1] === 0) length--;
  return bytes.subarray(0, length);
}

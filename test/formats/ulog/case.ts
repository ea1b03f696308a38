import { ulog } from '../../../src/formats/ulog/index.ts';
import type { FormatCase } from '../../suite/format-suite.ts';
import type { Random } from '../../suite/random.ts';
import { plainUlog } from './reference.ts';
import { f32, i32, smallHead, smallLog, u8, u16, u64 } from './writer.ts';

const latin1 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');

/** A log whose messages are whole and whose content is random. */
function randomUlog(random: Random): Uint8Array {
  const writer = smallHead();
  let time = random.below(1e9);
  for (let n = random.below(60); n > 0; n--) {
    time += random.below(50_000);
    const id = random.below(6);
    const steps: readonly (() => unknown)[] = [
      () => writer.data(0, u64(time), random.bytes(17)),
      () => writer.data(1, u64(time), u16(n), i32(n), random.bytes(4), i32(-n), random.bytes(4)),
      () => writer.data(2, u64(time), random.bytes(32)),
      () => writer.data(id, u64(random.pick([0, time, time])), random.bytes(random.below(40))),
      () => writer.data(9, u64(time), f32(1)),
      () => writer.text(random.below(8), time, 'a text of some words'.slice(0, random.below(20))),
      () => writer.tagged(random.below(8), n, time, 'tagged'),
      () => writer.dropout(n),
      () => writer.sync(),
      () => writer.parameter('int32_t SYS_AUTOSTART', n),
      () => writer.multi(n & 1, 'uint8_t[9] bytes', random.bytes(9)),
      () => writer.subscribe(id, random.pick(['attitude', 'names', 'esc', 'none']), random.below(3)),
      () => writer.unsubscribe(id),
      () =>
        writer.format(
          random.pick(['late:uint64_t timestamp;float x;', 'attitude:uint64_t timestamp;loop a;', 'loop:loop l;']),
        ),
      () => writer.header(random.below(3)).flags([random.below(3)], [random.below(3000), random.below(3000)]),
      () => writer.raw(random.bytes(random.below(30))),
      () => writer.raw(u8(...new Array<number>(random.below(200)).fill(0))),
    ];
    random.pick(steps)();
  }
  return writer.bytes();
}

export const ulogCase: FormatCase = {
  format: ulog,
  reference: plainUlog,
  structured: randomUlog,
  alphabet: [0, 1, 2, 3, 8, 0x2f, 0x55, 0x20, ...Buffer.from('BFIMPQARDLCSO')],
  samples: [
    { name: 'with sync messages', bytes: smallLog(40).bytes() },
    { name: 'without', bytes: smallLog(40, false).bytes() },
  ],
  wrongByte: {
    most: 2,
    // a flag that is not known forbids to read the log
    head: 59,
    defines: (name, record) => {
      // a format or a subscription with a wrong byte may cost the records of its topic
      if (name === 'FORMAT') return latin1(record.subarray(3)).split(':')[0].replace(/^esc$/, 'esc_status');
      if (name === 'SUBSCRIPTION') return latin1(record.subarray(6));
      return undefined;
    },
  },
  share: 0.5,
  // without the letters of types there is no message
  garbage: (random, length) => random.bytes(length).map((byte) => (byte >= 0x41 && byte <= 0x6f ? 0x80 | byte : byte)),
};

import type { Flood } from '../../suite/hostile.ts';
import { concat, repeat } from '../../suite/random.ts';
import { f32, message, smallHead, smallLog, UlogWriter, u8, u16, u64 } from './writer.ts';

/** Definitions first, then a pattern over and over. */
function after(head: UlogWriter, pattern: ArrayLike<number>, length: number): Uint8Array {
  const bytes = head.bytes();
  return concat(bytes, repeat(pattern, Math.max(0, length - bytes.length)));
}

const text = (words: string): Uint8Array => new TextEncoder().encode(words);

/** What makes a ULog decoder work: heads in every place, sizes that lead far, messages that are weighed one by one. */
export const ulogFloods: readonly Flood[] = [
  { name: 'data', make: (length) => after(smallHead(), message('D', u16(0), u64(5000), new Uint8Array(17)), length) },
  { name: 'a log again and again', make: (length) => repeat(smallLog(20).bytes(), length) },
  { name: 'headers', make: (length) => repeat(new UlogWriter().header().bytes(), length) },
  { name: 'types of data', make: (length) => after(smallHead(), [0x44], length) },
  { name: 'data of no topic', make: (length) => after(smallHead(), message('D', u16(99), u64(5000), f32(1)), length) },
  {
    name: 'data that nothing follows',
    make: (length) =>
      after(smallHead(), concat(message('D', u16(0), u64(5000), new Uint8Array(17)), u8(1, 2, 3)), length),
  },
  {
    name: 'texts that nothing follows',
    make: (length) =>
      after(smallHead(), concat(message('L', u8(0x31), u64(9), text('x'.repeat(90))), u8(1, 2, 3)), length),
  },
  {
    name: 'long texts, one inside of the other',
    make: (length) => after(smallHead(), [0xff, 0xff, 0x4c, 0x30, 1, 2, 3, 4, 5, 0, 0, 0], length),
  },
  { name: 'long keys', make: (length) => after(smallHead(), [0x49, 0x02, 0x49, 0xff, ...text('float[1] a')], length) },
  {
    name: 'formats',
    make: (length) =>
      repeat(concat(...Array.from({ length: 500 }, (_, i) => message('F', text(`f${i}:int8_t a;`)))), length),
  },
  {
    name: 'data before their format, and formats that do not help',
    make: (length) =>
      after(
        smallHead()
          .subscribe(7, 'wide')
          .format(`wide:${Array.from({ length: 400 }, (_, i) => `int8_t a${i}`).join(';')};x y;`),
        concat(
          ...Array.from({ length: 200 }, (_, i) =>
            concat(message('D', u16(7), u64(5000), f32(1)), message('F', text(`g${i}:int8_t a;`))),
          ),
        ),
        length,
      ),
  },
  {
    name: 'subscriptions',
    make: (length) =>
      after(
        smallHead(),
        concat(...Array.from({ length: 256 }, (_, i) => message('A', u8(i), u16(i * 7), text('attitude')))),
        length,
      ),
  },
];

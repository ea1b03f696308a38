import { expect, test } from 'vitest';
import { MessageReader } from '../live/message.ts';
import { TextJoiner } from '../live/texts.ts';
import { Notes } from './notes.ts';

/** The text as whoever reads a recording joins it. */
function read(frames: readonly Uint8Array[]): { text: string | undefined; sender: string } {
  const joiner = new TextJoiner(190);
  let [text, sender]: [string | undefined, string] = [undefined, ''];
  const reader = new MessageReader(
    (name) => name === 'STATUSTEXT',
    ({ data, system, component }) => {
      const piece = new TextEncoder().encode(String(data.text));
      const whole = joiner.push(Number(data.severity), piece, Number(data.id), Number(data.chunk_seq), 0);
      if (whole) text = whole.text;
      sender = `${system}:${component}`;
    },
  );
  for (const frame of frames) reader.push(frame);
  return { text, sender };
}

test('a note is a status text of ours, in pieces where it is long', () => {
  const notes = new Notes(254, 190);
  for (const length of [0, 1, 44, 45, 46, 94, 95, 96, 200]) {
    const text = 'abcdefghij'.repeat(20).slice(0, length);
    const frames = notes.frames(text);
    expect(frames).toHaveLength(length <= 45 ? 1 : Math.floor((length + 5) / 50) + 1);
    expect(read(frames)).toEqual({ text: `MARK ${text}`, sender: '254:190' });
  }
});

test('a note holds what it is given, up to the end', () => {
  expect(read(new Notes(254, 190).frames('gust\0 of 12 m/s')).text).toBe('MARK gust  of 12 m/s');
});

import { describe, expect, it } from 'vitest';
import { StreamWriter } from '../../../test/formats/mavlink/stream.ts';
import { Random } from '../../../test/suite/random.ts';
import { sampleFile } from '../../../test/suite/sample.ts';
import { FORMATS } from '../index.ts';

const HEARTBEAT = { id: 0, payload: [0, 0, 0, 0, 2, 3, 81, 4, 3], extra: 50 };

/** The name of the format that is surest. */
function best(bytes: Uint8Array): string {
  const scores = FORMATS.map((format) => [format.name, format.detect(bytes)] as const);
  const [name, score] = scores.toSorted((a, b) => b[1] - a[1])[0];
  return score > 0 ? name : '';
}

function stream(isLog: boolean, frames: number): StreamWriter {
  const writer = new StreamWriter(isLog);
  for (let n = 0; n < frames; n++) writer.frame(HEARTBEAT);
  return writer;
}

describe('a format by its content', () => {
  it.each([
    ['a stream', 'mavlink', stream(false, 5).bytes()],
    ['a log', 'tlog', stream(true, 5).bytes()],
    ['one frame', 'mavlink', stream(false, 1).bytes()],
    ['one record', 'tlog', stream(true, 1).bytes()],
    ['a stream of MAVLink 1', 'mavlink', new StreamWriter().frame({ ...HEARTBEAT, version: 1 }).bytes()],
    [
      'a stream with a console before it',
      'mavlink',
      new StreamWriter().text('boot\n'.repeat(900)).frame(HEARTBEAT).frame(HEARTBEAT).bytes(),
    ],
    ['a stream from the middle of a frame on', 'mavlink', stream(false, 9).bytes().subarray(13)],
    ['a log from the middle of a time on', 'tlog', stream(true, 9).bytes().subarray(32)],
    ['text', '', new TextEncoder().encode('nothing but text, and no end of it '.repeat(99))],
    ['random bytes', '', new Random(1).bytes(65_536)],
    ['nothing', '', new Uint8Array(0)],
  ])('%s: %s', (_, name, bytes) => {
    expect(best(bytes)).toBe(name);
  });

  it.each([
    ['copter-square.tlog', 'tlog'],
    ['copter-square.BIN', 'dataflash'],
  ])('%s anywhere in it', (file, name) => {
    const { bytes } = sampleFile(file);
    for (let part = 0; part < 8; part++) {
      const from = Math.floor((bytes.length / 8) * part);
      expect(best(bytes.subarray(from, from + 65_536)), `from ${from} on`).toBe(name);
    }
  });

  it('frames without a right checksum are a stream where each leads to the next', () => {
    const wrong = new StreamWriter();
    for (let n = 0; n < 20; n++) wrong.frame({ ...HEARTBEAT, extra: 51 });
    expect(best(wrong.bytes())).toBe('mavlink');
  });
});

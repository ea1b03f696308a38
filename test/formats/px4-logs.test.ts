// What PX4 says in its own way, in logs: a checksum among the parameters, and tabs at the end of texts.
import { expect, test } from 'vitest';
import { factsOf } from '../../src/facts/facts.ts';
import { openInput } from '../../src/formats/open.ts';
import { openLog } from '../../src/node/open.ts';
import { fieldCapture, needRecordings } from '../live/recorded.ts';
import { concat } from '../suite/random.ts';
import { readRecording } from '../vehicle/recording.ts';

needRecordings('a capture of PX4', () => {
  test('has 870 parameters, and its checksum is none of them', async () => {
    const parameters = await factsOf(await openLog(fieldCapture('px4/params.pcapng'))).parameters();
    expect(parameters.size).toBe(870);
    expect(parameters.has('_HASH_CHECK')).toBe(false);
  });

  test('has texts without a tab at their end', async () => {
    const texts = (await factsOf(await openLog(fieldCapture('px4/arm-refused.pcapng'))).messages()).map(
      ({ text }) => text,
    );
    expect(texts).toContain('Arming denied: Resolve system health failures first');
    expect(texts).toContain('RTL: start return at 495 m (6 m above destination)');
    expect(texts.filter((text) => /\s$/.test(text))).toEqual([]);
  });

  test('has its events with their texts where a ground station read the definitions from the vehicle', async () => {
    const framesOf = (name: string): Uint8Array[] =>
      readRecording(name).flatMap(({ bytes }) => (bytes[0] === 0xfd ? [bytes] : []));
    const texts = async (...frames: Uint8Array[]): Promise<string[]> => {
      const events = await factsOf(await openInput(concat(...frames))).events();
      return events.filter(({ table }) => table === 'EVENT').map(({ text }) => text);
    };
    const flight = framesOf('px4/arm-refused.pcapng');
    expect(await texts(...flight)).toEqual([]);
    const told = await texts(...framesOf('px4/ftp.pcapng'), ...flight);
    expect(told).toContain('check failed: GPS fix too low');
    expect(told.filter((text) => !text.startsWith('check '))).toEqual(
      expect.arrayContaining(['Armed by external command', 'RTL: start return at 495 m (6 m above destination)']),
    );
    // what is sent again is told once
    expect(await texts(...framesOf('px4/ftp.pcapng'), ...flight.flatMap((frame) => [frame, frame]))).toEqual(told);
  });
});

// What PX4 says in its own way, in logs: a checksum among the parameters, and tabs at the end of texts.
import { expect, test } from 'vitest';
import { factsOf } from '../../src/facts/facts.ts';
import { openLog } from '../../src/node/open.ts';
import { fieldCapture, needRecordings } from '../live/recorded.ts';

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
});

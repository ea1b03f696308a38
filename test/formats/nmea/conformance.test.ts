import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Value } from '../../../src/core/column.ts';
import { readRecords } from '../../../src/core/records.ts';
import { type ParsedSentence, parseSentence } from '../../../src/formats/nmea/parse.ts';
import { openInput } from '../../../src/formats/open.ts';
import { needShared, sharedData } from '../../helpers/need.ts';

const FILES = ['gps.js.txt', 'nmea-simple.txt', 'pynmea2.txt', 'signalk-nmea0183.txt'];

/** Lines of a file: a sentence, whether its checksum is right, and whose test it comes from. */
function casesIn(file: string): { sentence: string; verdict: string }[] {
  const lines = readFileSync(sharedData('nmea', 'conformance', file), 'latin1').split('\n');
  return lines.filter(Boolean).map((line) => {
    const [sentence, verdict] = line.split('\t');
    return { sentence, verdict };
  });
}

needShared(
  describe,
  'nmea',
  'conformance',
)('sentences from the tests of other projects', () => {
  test.each(FILES)('%s: each is read, or refused for a reason', (file) => {
    for (const { sentence, verdict } of casesIn(file)) {
      const parsed = parseSentence(sentence);
      if (verdict === 'ok') expect(parsed, sentence).toMatchObject({ valid: true, checked: true });
      else expect(parsed, sentence).toEqual({ valid: false, reason: expect.stringMatching(/^checksum of \w+ is /) });
    }
  });

  test.each(FILES)('%s: the same in a stream, and nothing is lost but what has a wrong checksum', async (file) => {
    const cases = casesIn(file);
    const log = await openInput(new TextEncoder().encode(cases.map(({ sentence }) => `${sentence}\r\n`).join('')));
    const right = cases.filter(({ verdict }) => verdict === 'ok');
    expect(log.records).toBe(right.length);
    // sentences of many receivers, one after the other, do not agree on the time
    const known = ['bad-checksum', 'time-outlier'];
    expect([...log.faults.byCode.keys()].filter((code) => !known.includes(code))).toEqual([]);
    const streamed: { name: string; talker: string; data: Record<string, Value> }[] = [];
    for await (const { table, data } of readRecords(log))
      streamed.push({ name: table.name, talker: table.stream, data });
    right.forEach(({ sentence }, i) => {
      const { name, talker, data } = parseSentence(sentence) as ParsedSentence;
      expect(streamed[i], sentence).toMatchObject({ name, talker });
      for (const [field, value] of Object.entries(data))
        expect(asOne(streamed[i].data[field]), field).toEqual(asOne(value));
    });
  });

  test('line by line, with and without a checksum that is required', () => {
    for (const file of FILES) {
      for (const { sentence } of casesIn(file)) {
        const bare = sentence.replace(/\*[0-9A-Fa-f]{2}$/, '');
        expect(parseSentence(bare)).toMatchObject({ valid: true, checked: false });
        expect(parseSentence(bare, { checksum: 'required' })).toMatchObject({ valid: false });
      }
    }
  });
});

/** A field of repetitions has as many elements as the longest sentence of its table: what is missing there is null. */
function asOne(value: Value): unknown {
  const elements = Array.isArray(value) ? value : [value];
  return elements.slice(0, elements.findLastIndex((element) => element !== null) + 1);
}

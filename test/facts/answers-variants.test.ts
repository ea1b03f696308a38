// No answer that cannot be true on real logs that are cut, joined, turned around, or begin with zeros.
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { UnknownFormatError } from '../../src/core/format.ts';
import { openInput } from '../../src/formats/open.ts';
import { violationsIn } from '../helpers/answers.ts';
import { many } from '../helpers/long.ts';
import { needShared, sharedData } from '../helpers/need.ts';
import { concat, Random } from '../suite/random.ts';

const FIELD = ['..', 'field'];
const LOGS: readonly (readonly string[])[] = [
  ['dataflash', 'LA-mechanical_fail.log'],
  ['dataflash', 'akj127-1.BIN'],
  ['dataflash', 'edancain-5.BIN'],
  ['dataflash', 'erle-rover_27-8-2014_51.BIN'],
  ['dataflash', 'spark404-log.bin'],
  ['flight', 'copter-serial-boot.raw'],
  ['flight', 'rover.tlog'],
  ['mavlink', 'EAICS_flight.tlog.raw'],
  ['nmea', 'gpsd', 'garmin15x.log'],
  ['nmea', 'gpsd', 'quectel-eg25-g.log'],
  ['pcap', 'jatin_attack3.pcap'],
  ['pcap', 'thayer_run3.0ea59d0f.pcap'],
  ['xbus', '1', 'output.bin'],
  [...FIELD, 'autopilot', 'ardupilot', 'arm-refused.pcapng'],
  [...FIELD, 'faults', 'copter-06.tlog.gz'],
  [...FIELD, 'wild', 'DependableSystemsLab-c3c8fd.BIN'],
];

/** What may become of a log on its way to us. */
const CHANGES: Readonly<Record<string, (bytes: Uint8Array, random: Random, other: Uint8Array) => Uint8Array>> = {
  'without its head': (bytes, random) => bytes.subarray(random.below((bytes.length * 9) / 10)),
  'without its tail': (bytes, random) => bytes.subarray(0, bytes.length - random.below((bytes.length * 9) / 10)),
  'behind zeros': (bytes, random) => concat(new Uint8Array(random.below(200_000)), bytes),
  'without a piece': (bytes, random) => {
    const at = random.below(bytes.length);
    return concat(bytes.subarray(0, at), bytes.subarray(at + random.below(bytes.length / 8)));
  },
  'with a piece twice': (bytes, random) => {
    const at = random.below(bytes.length);
    return concat(bytes.subarray(0, at), bytes.subarray(Math.max(0, at - 30_000)));
  },
  'second half first': (bytes, random) => {
    const at = random.below(bytes.length);
    return concat(bytes.subarray(at), bytes.subarray(0, at));
  },
  twice: (bytes) => concat(bytes, bytes),
  'before another': (bytes, _, other) => concat(bytes, other),
};

needShared(describe, ...FIELD)('answers on damaged logs', () => {
  test('can be true', async () => {
    const logs = LOGS.map((path) => {
      const bytes = readFileSync(sharedData(...path));
      return new Uint8Array(path.at(-1)?.endsWith('.gz') ? gunzipSync(bytes) : bytes);
    });
    const kinds = Object.entries(CHANGES);
    for (let seed = 1; seed <= many(48, 160); seed++) {
      const random = new Random(seed);
      const at = random.below(logs.length);
      const [what, change] = kinds[seed % kinds.length];
      // the next log of the same kind
      const other = logs[LOGS[at + 1]?.at(-1)?.slice(-4) === LOGS[at].at(-1)?.slice(-4) ? at + 1 : at];
      const name = `${LOGS[at].at(-1)} ${what}, seed ${seed}`;
      try {
        const log = await openInput(change(logs[at], random, other));
        expect([name, await violationsIn(name, log)]).toEqual([name, []]);
      } catch (error) {
        // of what is left no format can be told
        if (!(error instanceof UnknownFormatError)) throw error;
      }
    }
  }, 300_000);
});

// Two logs in one file, as `cat a.BIN b.BIN` makes: each is a part with the conclusions that it has alone.
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { Log } from '../../src/core/log.ts';
import { factsOf } from '../../src/facts/facts.ts';
import { partsOf } from '../../src/facts/span.ts';
import { openInput } from '../../src/formats/open.ts';
import { makeReport } from '../../src/report/report.ts';
import { needShared, sharedData } from '../helpers/need.ts';
import { concat } from '../suite/random.ts';

const FIELD = ['..', 'field'];
const PILOT = [...FIELD, 'autopilot'];

/** Small logs of all ages, by what they are. */
const LOGS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  'DataFlash logs': [
    ['dataflash', 'edancain-5.BIN'],
    ['dataflash', 'erle-copter_19-4-2015_7.BIN'],
    ['dataflash', 'erle-copter_27-9-2014_70.BIN'],
    ['dataflash', 'erle-rover_27-8-2014_51.BIN'],
    ['dataflash', 'pbarker-6.BIN'],
    ['dataflash', 'pymavlink-test.BIN'],
    [...FIELD, 'wild', 'DependableSystemsLab-c3c8fd.BIN'],
    [...FIELD, 'wild', 'joeydouglas-cdeda4.bin.gz'],
    [...PILOT, 'ardupilot', 'remote-log.BIN'],
  ],
  'DataFlash text logs': [
    ['dataflash', 'LA-mechanical_fail.log'],
    ['dataflash', 'LA-octo_PM.log'],
    [...FIELD, 'wild', 'tradheli_brownout.log'],
  ],
  'telemetry logs': [
    ['mavlink', 'EAICS_flight.tlog'],
    ['flight', 'rover.tlog'],
    [...FIELD, 'faults', 'copter-01.tlog.gz'],
    [...FIELD, 'wild', 'code-lever-3e8aaf.tlog.gz'],
  ],
  captures: [
    ['pcap', 'ipal_MAVLink.pcap'],
    ['pcap', 'jatin_attack3.pcap'],
    ['pcap', 'thayer_run3.0ea59d0f.pcap'],
    [...PILOT, 'ardupilot', 'arm-refused.pcapng'],
    [...PILOT, 'px4', 'mission.pcapng'],
  ],
  'NMEA logs': [
    ['nmea', 'gpsd', 'bu353s4.log'],
    ['nmea', 'gpsd', 'rx210.log'],
    ['nmea', 'gpsd', 'telit-pls83-w.log'],
    ['flight', 'copter-square.nmea'],
  ],
};

function bytesOf(path: readonly string[]): Uint8Array {
  const bytes = readFileSync(sharedData(...path));
  return new Uint8Array(path.at(-1)?.endsWith('.gz') ? gunzipSync(bytes) : bytes);
}

/** What is concluded from a log, in words; times that begin a log may hang on what is before it by some ms. */
async function conclusions(log: Log): Promise<Record<'parts' | 'flights' | 'modes' | 'events', string[]>> {
  const facts = factsOf(log);
  const parts = partsOf(log, await facts.span());
  const modes: string[] = [];
  for (const [stream] of await facts.kinds())
    for (const { mode, start, end } of await facts.modes(stream)) modes.push(`${mode} ${seconds(end - start)}`);
  const events = (await facts.events()).filter(
    ({ kind, text }) => kind !== 'reboot' && !/^(clock went|another log begins)/.test(text),
  );
  return {
    parts: parts.map(({ start, end }) => `${log.clock.utc ? seconds(start) : ''} ${seconds(end - start)}`),
    flights: (await facts.flights()).map(({ duration, inAir, distance }) =>
      [duration, inAir, distance].map((each) => each?.toFixed(1)).join(' '),
    ),
    modes,
    events: events.map(({ kind, text }) => `${kind} ${text}`),
  };
}

function seconds(micros: number): string {
  return (micros / 1e6).toFixed(1);
}

interface Known {
  readonly bytes: Uint8Array;
  readonly utc: boolean;
  readonly found: Awaited<ReturnType<typeof conclusions>>;
}

const KNOWN = new Map<string, Promise<Known>>();

/** A log alone, read once. */
function known(path: readonly string[]): Promise<Known> {
  const key = path.join('/');
  const read = async (): Promise<Known> => {
    const bytes = bytesOf(path);
    const log = await openInput(bytes);
    return { bytes, utc: log.clock.utc, found: await conclusions(log) };
  };
  const found = KNOWN.get(key) ?? read();
  KNOWN.set(key, found);
  return found;
}

/** Where a log without UTC begins, beside one with it, is not known. */
function durations(parts: readonly string[]): (string | undefined)[] {
  return parts.map((part) => part.split(' ')[1]);
}

for (const [what, paths] of Object.entries(LOGS))
  needShared(describe, ...FIELD)(`two ${what} in one file`, () => {
    test.each(paths.flatMap((a) => paths.filter((b) => b !== a).map((b) => [a.at(-1), b.at(-1), a, b] as const)))(
      '%s and %s',
      async (_, __, a, b) => {
        const [one, two] = [await known(a), await known(b)];
        const log = await openInput(concat(one.bytes, two.bytes));
        const [first, second, both] = [one.found, two.found, await conclusions(log)];
        expect(log.parts().length).toBe(first.parts.length + second.parts.length);
        for (const of of ['flights', 'modes', 'events'] as const)
          expect(both[of].toSorted()).toEqual([...first[of], ...second[of]].toSorted());
        if (one.utc && two.utc) expect(both.parts).toEqual([...first.parts, ...second.parts]);
        else expect(durations(both.parts)).toEqual(durations([...first.parts, ...second.parts]));
      },
    );
  });

needShared(
  describe,
  'dataflash',
  'pbarker-6.BIN',
)('the report of two logs in one file', () => {
  test('lasts as long as both, not the years between them', async () => {
    const [one, two] = ['pbarker-6.BIN', 'edancain-5.BIN'].map((name) => bytesOf(['dataflash', name]));
    const [{ duration: first }, { duration: second }] = [
      await makeReport(await openInput(one)),
      await makeReport(await openInput(two)),
    ];
    const { duration, parts } = await makeReport(await openInput(concat(one, two)));
    expect([duration, parts]).toEqual([first + second, 2]);
  });
});

needShared(
  describe,
  'flight',
  'copter-mavlink1.raw',
)('two boots in a stream', () => {
  const later = bytesOf(['flight', 'copter-mavlink1.raw']);

  test('each has its own base and modes, also one that never learned the date', async () => {
    const boot = bytesOf(['flight', 'copter-serial-boot.raw']);
    const [one, two] = [await openInput(later), await openInput(boot)];
    const log = await openInput(concat(later, boot));
    const [first, second, both] = [await conclusions(one), await conclusions(two), await conclusions(log)];
    expect(durations(both.parts)).toEqual(durations([...first.parts, ...second.parts]));
    expect(both.parts[0]).toBe(first.parts[0]);
    expect(both.modes).toEqual([...first.modes, ...second.modes]);
  });
});

/*
 * What is known of every log of the shared data, and what the report must and must not say of it. Known by: a label or
 * README beside the log, its own records and texts, its name (checked against the data), or our own reading of it.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Log } from '../../src/core/log.ts';
import { openInput } from '../../src/formats/open.ts';
import { openLog } from '../../src/node/open.ts';
import type { Finding } from '../../src/report/finding.ts';
import { makeReport, type Report } from '../../src/report/report.ts';
import { need, sharedData } from '../helpers/need.ts';
import {
  withoutSimulatorMessages,
  withoutSimulatorRecords,
  withoutSimulatorUlog,
} from '../helpers/without-simulator.ts';

interface Truth {
  /** Below the shared folder; several logs of one kind have a pattern. */
  readonly file: string | RegExp;
  readonly known: string;
  readonly by: 'label' | 'README' | 'its own records' | 'name' | 'our reading';
  /** bad: something went wrong, and must be found. good: nothing did. odd: either may be said. */
  readonly is: 'bad' | 'good' | 'odd';
  /** Titles of warnings or failures that must be there. */
  readonly must?: readonly RegExp[];
  /** Titles that must not be warnings or failures. */
  readonly not?: readonly RegExp[];
  /** The first step of the chain: its title, and when it is, in seconds from the start of the log. */
  readonly first?: readonly [title: RegExp, seconds?: number];
  /** What the verdict must be, where that is known. */
  readonly verdict?: Report['verdict'];
  /** Whether it cannot be opened at all. */
  readonly refused?: true;
}

const FAULTS = 'field/faults';
const TUNING = 'field/tuning';
const WILD = 'field/wild';
const ULOG = 'field/ulog';
const FLASH = 'data/dataflash';
/** Checks of a flight: not one of them may raise its voice where nothing flew. */
const OF_A_FLIGHT = [/tracking/, /Thrust/, /Motor/, /Lean/, /hover/, /Compass/, /GPS/, /Battery/, /Vibration/];

const TRUTHS: readonly Truth[] = [
  {
    file: /\/outputconfig\.bin$|\.pck$|\/dacabdi-/,
    known: 'settings, a hex dump: not a log that can be read',
    by: 'name',
    is: 'odd',
    refused: true,
  },
  { file: /^field\/faults\/copter-01\./, known: 'nothing injected', by: 'label', is: 'good', verdict: 'ok' },
  {
    file: `${FAULTS}/copter-02.BIN.gz`,
    known: 'motor 3 stops',
    by: 'label',
    is: 'bad',
    must: [/Motors saturated/, /Lean/, /Impact/],
  },
  {
    file: `${FAULTS}/copter-03.BIN.gz`,
    known: 'GPS receiver silent',
    by: 'label',
    is: 'bad',
    must: [/GPS 0: fix/, /EKF failsafe/],
    first: [/GPS/],
  },
  {
    file: `${FAULTS}/copter-03.tlog.gz`,
    known: 'GPS receiver silent',
    by: 'label',
    is: 'bad',
    must: [/GPS: fix/, /EKF failsafe/i],
    first: [/GPS/],
  },
  {
    file: `${FAULTS}/copter-04.BIN.gz`,
    known: 'battery voltage falls',
    by: 'label',
    is: 'bad',
    must: [/Battery failsafe/],
    first: [/Battery/],
  },
  {
    file: `${FAULTS}/copter-05.BIN.gz`,
    known: 'compass 1 disturbed',
    by: 'label',
    is: 'bad',
    must: [/Compass 0/, /EKF variances/],
  },
  {
    file: `${FAULTS}/copter-06.BIN.gz`,
    known: 'RC lost',
    by: 'label',
    is: 'bad',
    must: [/Radio failsafe/],
    first: [/Radio/],
  },
  {
    file: `${FAULTS}/copter-06.tlog.gz`,
    known: 'RC lost',
    by: 'label',
    is: 'bad',
    must: [/Radio failsafe/i],
    first: [/Radio|rc receiver/],
  },
  {
    file: `${FAULTS}/copter-07.BIN.gz`,
    known: 'strong wind',
    by: 'label',
    is: 'bad',
    must: [/Strong wind/],
    first: [/wind/],
  },
  {
    file: `${FAULTS}/copter-08.BIN.gz`,
    known: 'vibration',
    by: 'label',
    is: 'bad',
    must: [/Vibration/],
    first: [/Vibration/],
  },
  {
    file: `${FAULTS}/copter-09.BIN.gz`,
    known: 'both gyros biased',
    by: 'label',
    is: 'bad',
    must: [/EKF variances/, /EKF failsafe/, /Impact/],
    first: [/EKF variances/],
  },
  {
    file: `${FAULTS}/copter-10.BIN.gz`,
    known: 'battery too weak',
    by: 'label',
    is: 'bad',
    must: [/Battery/, /Motors saturated/, /Thrust/],
    first: [/Battery/],
  },
  {
    file: `${FAULTS}/plane-01.BIN.gz`,
    known: 'engine stops',
    by: 'label',
    is: 'bad',
    must: [/Engine/],
    first: [/Engine/],
  },
  {
    file: `${FAULTS}/plane-02.BIN.gz`,
    known: 'aileron at its end',
    by: 'label',
    is: 'bad',
    must: [/Roll tracking/, /Impact/],
    first: [/Roll tracking/],
  },
  { file: `${FAULTS}/px4-01.ulg.gz`, known: 'nothing injected', by: 'label', is: 'good', verdict: 'ok' },
  {
    file: `${FAULTS}/px4-02.ulg.gz`,
    known: 'motor 1 stops',
    by: 'label',
    is: 'bad',
    must: [/Motor switched off/, /Lean/, /Impact/],
    first: [/Motor switched off/],
  },
  {
    file: `${FAULTS}/px4-03.ulg.gz`,
    known: 'GPS lost',
    by: 'label',
    is: 'bad',
    must: [/GPS 0: fix/, /Position aiding/, /Failsafe/],
    first: [/GPS/],
  },
  {
    file: `${FAULTS}/px4-04.ulg.gz`,
    known: 'battery empties in 40 s',
    by: 'label',
    is: 'bad',
    must: [/Battery: drain/, /Battery: warning/, /Failsafe/],
    first: [/Battery: drain/],
  },
  {
    file: `${FAULTS}/px4-05.ulg.gz`,
    known: 'thrust of all motors halves',
    by: 'label',
    is: 'bad',
    must: [/Thrust/],
    first: [/Lift|Thrust/],
  },
  {
    file: `${ULOG}/frs-motor_failure-1.9.ulg`,
    known: 'a healthy flight, whatever its name says',
    by: 'README',
    is: 'good',
    verdict: 'ok',
  },
  {
    file: `${ULOG}/pyulog-appended-hardfault.ulg`,
    known: 'the processor crashed three times',
    by: 'its own records',
    is: 'bad',
    must: [/^Hard fault$/],
    not: OF_A_FLIGHT,
  },
  {
    file: `${ULOG}/roboto-fmuv5-1.12.ulg`,
    known: 'a hop with a bad battery, in which the estimator changes four times for a filter fault',
    by: 'its own records',
    is: 'bad',
    must: [/EKF: primary/],
    not: [/GPS/, /Vibration/, /Battery/],
  },
  {
    file: `${ULOG}/f16-plane-1.11.3.ulg.gz`,
    known: 'the field of the compass is twice what it was, and the estimator refuses it',
    by: 'our reading',
    is: 'bad',
    must: [/Compass 0/, /EKF variances/],
    not: [/Vibration/],
  },
  {
    file: `${ULOG}/erdem-hitl-1.17.ulg.gz`,
    known: 'ten seconds in the air with vibration of 12 m/s² on two IMUs, and a dropout',
    by: 'our reading',
    is: 'bad',
    must: [/Vibration of IMU 0/, /Vibration of IMU 1/],
    not: [/tracking/, /GPS/, /Motor/],
  },
  {
    file: `${ULOG}/mengchaoheng-dropouts-1.13.1.ulg.gz`,
    known: 'an indoor flight without GPS; eight dropouts of 0.8 s',
    by: 'our reading',
    is: 'good',
    verdict: 'ok',
  },
  {
    file: new RegExp(`^${ULOG}/pyulog-(events|sitl-2016)`),
    known: 'a simulated flight without a fault, the second cut in the air',
    by: 'README',
    is: 'good',
    verdict: 'ok',
  },
  {
    file: new RegExp(`^${ULOG}/(toopazo-octo|pyulog-vtol)`),
    known: 'armed for seconds, never in the air for long',
    by: 'its own records',
    is: 'good',
    not: OF_A_FLIGHT,
  },
  {
    file: `${ULOG}/tv3-rocket-1.16.1.ulg.gz`,
    known: 'a rocket that hovers in a simulator: few of our checks know it',
    by: 'README',
    is: 'good',
    verdict: 'no data',
  },
  {
    file: new RegExp(`^${ULOG}/(auterion|battery-rig|pyulog-sample|pyulog-tagged|yule)`),
    known: 'never armed, or not by PX4',
    by: 'README',
    is: 'good',
    verdict: 'no data',
  },
  {
    file: `${TUNING}/rate-03.BIN.gz`,
    known: 'limit cycle of 23.4 Hz on roll and pitch',
    by: 'README',
    is: 'bad',
    must: [/Roll oscillation/, /Pitch oscillation/],
  },
  {
    file: /^field\/tuning\/(bat|mag|rate|vib)-\d+\.BIN\.gz$/,
    known: 'flown as planned',
    by: 'README',
    is: 'good',
    verdict: 'ok',
  },
  {
    file: /^data\/flight\/(copter-square\.|px4-quad\.|rover\.|copter-mavlink1)/,
    known: 'flown as planned',
    by: 'README',
    is: 'good',
    verdict: 'ok',
  },
  {
    file: /^data\/flight\/copter-(signed|serial-boot)\./,
    known: 'never armed',
    by: 'its own records',
    is: 'good',
    verdict: 'no data',
  },

  {
    file: `${WILD}/tradheli_brownout.log`,
    known: 'ends armed at 53 m: brown-out; fence breached before',
    by: 'README',
    is: 'bad',
    must: [/End of the log/, /Fence/],
    not: [/Gaps/],
  },
  {
    file: `${WILD}/issue_servo_signal.BIN`,
    known: 'bench test: RC channels drop to 0, a gyro has an offset',
    by: 'README',
    is: 'bad',
    must: [/RC input/, /gyro offset/],
    not: [/tracking/, /Motor/],
  },
  {
    file: `${WILD}/erlerobot-0729cc.BIN.gz`,
    known: 'bench test with a wrong height estimate',
    by: 'README',
    is: 'bad',
    must: [/Altitude: barometer/],
    not: [/Thrust/, /Motors/],
  },
  {
    file: `${WILD}/erlerobot-ed86c3.bin.gz`,
    known: 'crash in the first flight, GPS glitch in the second',
    by: 'README',
    is: 'bad',
    must: [/Crash check/, /GPS: glitch/],
    not: [/Gaps/],
    first: [/tracking|Lean/, 28],
  },
  {
    file: `${WILD}/erlerobot-b29cdb.BIN.gz`,
    known: 'the GPS receiver stops, then it flips and crashes',
    by: 'README',
    is: 'bad',
    must: [/GPS/, /Lean/, /Crash check/],
    first: [/GPS/, 39.1],
  },
  {
    file: `${WILD}/BeastAyyG-17312d.bin.gz`,
    known: 'mechanical failure: rates run away at 77.5 s',
    by: 'README',
    is: 'bad',
    must: [/Lean/, /End of the log/],
    first: [/Lean|tracking/, 77.5],
  },
  { file: `${WILD}/code-lever-3e8aaf.tlog.gz`, known: 'a good flight', by: 'README', is: 'good' },
  { file: `${WILD}/joeydouglas-e0b831.bin.gz`, known: 'a good flight', by: 'README', is: 'good', verdict: 'ok' },
  {
    file: `${WILD}/joeydouglas-cdeda4.bin.gz`,
    known: 'a good flight whose log was cut',
    by: 'README',
    is: 'good',
    verdict: 'ok',
  },
  { file: `${WILD}/Mason-Moffitt-2151a9.tlog.gz`, known: 'nothing wrong is known', by: 'README', is: 'good' },
  {
    file: `${WILD}/LesterThomas-7d8f46.raw.gz`,
    known: 'armed four times, never in the air',
    by: 'README',
    is: 'good',
    not: OF_A_FLIGHT,
  },
  {
    file: `${WILD}/Manikanth-N-dcc7f7.BIN.gz`,
    known: 'armed for 10 s, never in the air; seals between records',
    by: 'README',
    is: 'odd',
    not: [...OF_A_FLIGHT, /Gyros/, /ESC/],
  },
  {
    file: `${WILD}/ab31mohit-c802b2.BIN.gz`,
    known: 'records overlay each other; positions in steps of 4 m',
    by: 'README',
    is: 'odd',
  },
  {
    file: `${WILD}/Avalanche-MQP-b58570.raw.gz`,
    known: 'two boots; failsafe, and connection to a computer lost',
    by: 'its own records',
    is: 'odd',
  },
  { file: `${WILD}/AeroRust-8edb64.log.gz`, known: 'a receiver, the same log twice', by: 'README', is: 'odd' },
  {
    file: new RegExp(
      `^${WILD}/(Dependable|brunoolivieri|DigitalSarcasm|Chaitya|Daniel|0oCybrao0|Artemish|semuconsulting)`,
    ),
    known: 'never armed, or no vehicle',
    by: 'README',
    is: 'good',
    verdict: 'no data',
  },
  {
    file: `${WILD}/muramura-5fda7c.tlog.gz`,
    known: 'one second, never armed, after 880,642 blank bytes',
    by: 'README',
    is: 'good',
    verdict: 'no data',
  },

  {
    file: `${FLASH}/LA-mechanical_fail.log`,
    known: 'mechanical failure: turns over and falls',
    by: 'name',
    is: 'bad',
    must: [/Lean/, /Impact/],
  },
  { file: `${FLASH}/LA-octo_PM.log`, known: 'slow loops', by: 'name', is: 'bad', must: [/Slow loops/] },
  {
    file: `${FLASH}/LA-underpowered.log`,
    known: 'not enough thrust',
    by: 'name',
    is: 'bad',
    must: [/Thrust/, /Throttle in hover/],
  },
  {
    file: `${FLASH}/erle-copter_6-11-2014_GPS_issues1.BIN`,
    known: 'the GPS receiver pauses, GPS failsafe, crash',
    by: 'its own records',
    is: 'bad',
    must: [/GPS: pauses/, /Crash check/],
    first: [/GPS/, 76.5],
  },
  { file: `${FLASH}/delorean-130.BIN`, known: 'fence breached', by: 'its own records', is: 'bad', must: [/Fence/] },
  {
    file: `${FLASH}/edancain-5.BIN`,
    known: 'the field of compass 1 goes with the throttle',
    by: 'our reading',
    is: 'bad',
    must: [/Compass 1: motors/],
  },
  {
    file: `${FLASH}/macs-214.BIN`,
    known: 'hit by something at 11.3 s: leans 91 deg, flies on',
    by: 'our reading',
    is: 'bad',
    must: [/Lean/],
    first: [/Lean/, 11.4],
  },
  {
    file: `${FLASH}/pbarker-1.BIN`,
    known: 'battery failsafe in the last flight',
    by: 'its own records',
    is: 'bad',
    must: [/Battery/],
    not: [/Gaps/],
  },
  {
    file: `${FLASH}/erle-copter_PXFv2.0b+Rpi.BIN`,
    known: 'EKF check fails, heights run away',
    by: 'its own records',
    is: 'bad',
    must: [/EKF check/, /EKF variances/],
  },
  {
    file: `${FLASH}/erle-erlebrain_APM_7.BIN`,
    known: 'battery failsafe from arming on, slow loops',
    by: 'its own records',
    is: 'bad',
    must: [/Battery failsafe/, /Slow loops/],
  },
  {
    file: `${FLASH}/erle-plane_4-12-2014_329.BIN`,
    known: 'position refused by the estimator for 30 s',
    by: 'our reading',
    is: 'bad',
    must: [/EKF variances/],
  },
  {
    file: `${FLASH}/bluerov-1.BIN`,
    known: 'turns over and spins in a simulator',
    by: 'our reading',
    is: 'bad',
    must: [/Roll tracking/],
  },
  {
    file: `${FLASH}/erle-copter_6-3-2014_7.BIN`,
    known: 'motors 3 and 4 work harder; height runs off at the second take-off',
    by: 'our reading',
    is: 'odd',
    not: [/tracking/],
  },
  {
    file: `${FLASH}/px4-dragon-log001.px4log`,
    known: 'board voltage swings by 0.26 V',
    by: 'our reading',
    is: 'odd',
    not: [/tracking/],
  },
  {
    file: `${FLASH}/px4-coolkesword-log001.bin`,
    known: 'carried by hand: the barometer stays, demands are 0',
    by: 'our reading',
    is: 'odd',
    not: OF_A_FLIGHT,
  },
  {
    file: `${FLASH}/pbarker-6.BIN`,
    known: 'armed on the ground, EKF check fails',
    by: 'its own records',
    is: 'bad',
    must: [/EKF check/],
    not: OF_A_FLIGHT,
  },
  {
    file: new RegExp(`^${FLASH}/(beast-sample|spark404|akj127|abdullah|auvc|maikbasso)`),
    known: 'nothing went wrong',
    by: 'our reading',
    is: 'good',
  },
  {
    file: new RegExp(`^${FLASH}/(1202martin|erle-copter_19-4)`),
    known: 'armed, never in the air',
    by: 'its own records',
    is: 'good',
    not: OF_A_FLIGHT,
  },
  {
    file: new RegExp(`^${FLASH}/(erle-copter_27-9|erle-rover|pbarker-5|pymavlink-test|skapila|soaring)`),
    known: 'never armed, or about a second',
    by: 'its own records',
    is: 'good',
    verdict: 'no data',
  },
  {
    file: new RegExp(`^${FLASH}/corrupt/(zeros|empty)`),
    known: 'nothing is in it',
    by: 'README',
    is: 'good',
    verdict: 'no data',
  },
  {
    file: `${FLASH}/corrupt/data_only.BIN`,
    known: 'begins in the middle: hardly anything can be read',
    by: 'README',
    is: 'odd',
  },
  {
    file: `${FLASH}/corrupt/bad_format_char.BIN`,
    known: 'macs-214 without its attitude, whose format is not known',
    by: 'README',
    is: 'bad',
    must: [/Motors saturated/],
  },
  {
    file: new RegExp(`^${FLASH}/corrupt/`),
    known: 'macs-214 with damage',
    by: 'README',
    is: 'bad',
    must: [/Lean|Most of the file/],
  },
  { file: new RegExp(`^${FLASH}/synth/`), known: 'made records, no flight', by: 'name', is: 'odd', not: OF_A_FLIGHT },

  {
    file: 'data/mavlink/MACS_uav-cyber-sim_mav.tlog',
    known: 'the vehicle says that it crashed',
    by: 'its own records',
    is: 'bad',
    must: [/Crash/, /PrecLand: Failsafe/],
  },
  {
    file: 'data/mavlink/node-mavlink_vtol.tlog',
    known: 'the vehicle says that gyros and AHRS were not healthy',
    by: 'its own records',
    is: 'bad',
    must: [/Sensor: 3d gyro/],
  },
  { file: 'data/mavlink/ardusub_small.tlog', known: 'nothing went wrong', by: 'our reading', is: 'good' },
  {
    file: /^data\/mavlink\//,
    known: 'never armed, or no vehicle',
    by: 'its own records',
    is: 'good',
    verdict: 'no data',
  },
  {
    file: /^data\/pcap\/thayer_(run2\.24|run3)/,
    known: 'most messages of the capture are broken',
    by: 'our reading',
    is: 'odd',
  },
  {
    file: /^data\/pcap\/thayer_rural/,
    known: 'a flight in which one IMU clips now and then',
    by: 'our reading',
    is: 'odd',
    not: [/tracking/, /Motor/],
  },
  { file: /^data\/pcap\/[^/]*$/, known: 'nothing went wrong', by: 'our reading', is: 'good' },
  {
    file: 'data/pcap/wrapped/bad_caplen.pcap',
    known: 'nearly all bytes lost by one wrong length',
    by: 'README',
    is: 'bad',
    must: [/Most of the file is lost/],
  },
  {
    file: /^data\/pcap\/(odd|strict|wrapped)\//,
    known: 'packets for the test of a format, no flight',
    by: 'README',
    is: 'good',
    verdict: 'no data',
  },
  { file: /^field\/autopilot\//, known: 'nothing went wrong', by: 'README', is: 'good' },
  { file: /^field\/ubx\//, known: 'a receiver without a vehicle', by: 'README', is: 'good', verdict: 'no data' },
  { file: /^data\/nmea\//, known: 'a receiver without a vehicle: some have a poor fix', by: 'README', is: 'odd' },
  {
    file: /^data\/xbus\/\d+\/output\.bin$/,
    known: 'a sensor without a vehicle',
    by: 'README',
    is: 'good',
    not: OF_A_FLIGHT.filter((each) => !each.test('GPS')),
  },
];

/** What stands beside the logs: words about them, and what others made of them. */
const BESIDE =
  /(^|\/)(ref|definitions|conformance)\/|\.(md|json|jsonl|tsv|txt|chk|golden|sha256|xml)$|(COPYING|LICENSE)|\/xbus\/\d\/.*\.xs/;

const shared = (file: string): string => sharedData('..', file);
const isLoud = ({ severity }: Finding): boolean => severity === 'fail' || severity === 'warn';
const loud = (report: Report): string[] => report.findings.filter(isLoud).map(({ title }) => title);
const truthOf = (file: string): Truth | undefined =>
  TRUTHS.find((each) => (typeof each.file === 'string' ? each.file === file : each.file.test(file)));

/** A log, without what only a simulator writes. */
async function openReal(file: string): Promise<Log> {
  if (!file.startsWith(FAULTS) && !file.startsWith(TUNING)) return openLog(shared(file));
  const bytes = gunzipSync(readFileSync(shared(file)));
  if (file.includes('.ulg')) return openInput(withoutSimulatorUlog(bytes));
  return openInput(file.includes('.tlog') ? withoutSimulatorMessages(bytes) : withoutSimulatorRecords(bytes));
}

interface Score {
  readonly file: string;
  readonly truth: Truth;
  readonly report: Report;
}

need(
  describe,
  existsSync(shared(FAULTS)) && existsSync(shared(FLASH)),
  'no ../shared/data and ../shared/field',
)('what the report says of every log', () => {
  const files = ['data', 'field'].flatMap((root) =>
    readdirSync(shared(root), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(root, relative(shared(root), parentPath), name))
      .filter((file) => !BESIDE.test(file)),
  );
  const scores: Score[] = [];

  test('something is known of each', () => {
    expect(files.length).toBeGreaterThan(700);
    expect(files.filter((file) => !truthOf(file))).toEqual([]);
  });

  test.each(files)('%s', async (file) => {
    const truth = truthOf(file) as Truth;
    if (truth.refused) {
      await expect(openReal(file)).rejects.toThrow();
      return;
    }
    const log = await openReal(file);
    const report = await makeReport(log);
    scores.push({ file, truth, report });
    const titles = loud(report);
    for (const must of truth.must ?? []) expect(titles).toEqual(expect.arrayContaining([expect.stringMatching(must)]));
    for (const not of truth.not ?? []) expect(titles).not.toEqual(expect.arrayContaining([expect.stringMatching(not)]));
    if (truth.is === 'good') expect(titles).toEqual([]);
    if (truth.is === 'bad') expect(titles).not.toEqual([]);
    if (truth.verdict) expect(report.verdict).toBe(truth.verdict);
    if (titles.length === 0) expect(report.chain).toEqual([]);
    const times = report.chain.map(({ from }) => from);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    if (truth.first) {
      const [step] = report.chain;
      expect(step?.title).toMatch(truth.first[0]);
      if (truth.first[1] !== undefined)
        expect(Math.abs((step.from - (report.start ?? 0)) / 1e6 - truth.first[1])).toBeLessThan(1.5);
    }
    // nothing that was never armed, and no sensor alone, fails a flight
    const { armed, armedSource } = report.phases;
    const isSensor = report.findings.some(({ title }) => title === 'No autopilot');
    // what counts on the ground, too
    const isAlways = ({ title }: Finding): boolean => title === 'Most of the file is lost' || title === 'Hard fault';
    for (const { severity, title } of report.findings.filter((each) => !isAlways(each))) {
      if (armedSource !== null && armed.length === 0) expect([title, severity]).not.toContain('warn');
      if ((armedSource !== null && armed.length === 0) || isSensor) expect([title, severity]).not.toContain('fail');
    }
    // a bench test is judged by no measure of a flight
    if (report.phases.flying.length === 0 && report.phases.armedSource !== null)
      for (const { severity, title, text } of report.findings)
        if (/tracking|^Thrust/.test(title)) expect([title, severity, text]).toContain('no data');
    for (const { text, advice } of report.findings)
      if (!/^(dataflash|ulog)/.test(report.format)) expect(text + advice).not.toMatch(/faster card/);
  });

  test('docs/report.md has the figures of this run', () => {
    const known = scores.filter(({ truth }) => truth.is !== 'odd');
    const alarms = known.filter(({ report }) => loud(report).length > 0);
    const right = alarms.filter(({ truth }) => truth.is === 'bad').length;
    const bad = known.filter(({ truth }) => truth.is === 'bad').length;
    const used = known.filter(({ report }) => report.phases.armed.length > 0).length;
    const musts = scores.flatMap(({ truth, report }) =>
      (truth.must ?? []).map((must) => loud(report).some((title) => must.test(title))),
    );
    const named = musts.filter(Boolean).length;
    const figures = [
      `| logs that are known to be good or bad | ${known.length}, ${used} of them of a vehicle that was armed; ${bad} bad |`,
      `| alarms (a failure or warning) that are right: precision | ${right} of ${alarms.length} |`,
      `| bad logs with an alarm: recall | ${right} of ${bad} |`,
      `| known causes that are named | ${named} of ${musts.length} |`,
    ];
    process.stdout.write(`${files.length} files\n${figures.join('\n')}\n`);
    const docs = readFileSync(new URL('../../docs/report.md', import.meta.url), 'utf8');
    for (const figure of figures) expect(docs).toContain(figure);
  });
});

need(
  describe,
  existsSync(shared(FAULTS)),
  'no ../shared/field/faults',
)('what came first in flights with one fault', () => {
  const lines = ['labels.tsv', 'labels-px4.tsv'].flatMap((name) =>
    existsSync(shared(`${FAULTS}/${name}`)) ? readFileSync(shared(`${FAULTS}/${name}`), 'utf8').split('\n') : [],
  );
  const labels = lines
    .filter((line) => /^\S+\.(BIN|ulg)\.gz\t/.test(line))
    .map((line) => line.split('\t'))
    .map(([file, , fault, time]) => ({ file, fault, time: Number(time) }));
  const offs = new Map<string, number>();

  test.each(labels)('$file: $fault', async ({ file, fault, time }) => {
    const log = await openReal(`${FAULTS}/${file}`);
    const report = await makeReport(log);
    if (fault === 'none') {
      expect(report.chain).toEqual([]);
      expect(loud(report)).toEqual([]);
      return;
    }
    const table = log.table('ATT') ?? log.table('vehicle_attitude');
    if (!table) throw new Error('no attitude');
    const { times, columns } = await table.timedColumns([table.name === 'ATT' ? 'TimeUS' : 'timestamp']);
    const injected = times[0] - columns[0].numbers()[0] + time;
    const off = (report.chain[0].from - injected) / 1e6;
    offs.set(`${file} (${fault}): ${report.chain[0].title}`, off);
    expect(off).toBeGreaterThan(-1);
    expect(off).toBeLessThan(4);
    // nothing failed before anything was wrong
    for (const finding of report.findings.filter(({ severity }) => severity === 'fail'))
      expect(finding.from ?? injected).toBeGreaterThan(injected - 1e6);
  });

  beforeAll(() => expect(labels.filter(({ fault }) => fault !== 'none').length).toBeGreaterThanOrEqual(15));
  afterAll(() => {
    for (const [name, off] of offs) process.stdout.write(`first step of ${name}, ${off.toFixed(1)} s after\n`);
  });
});

import { nearest } from '../core/search.ts';
import { REPORT_LIMITS } from './limits.ts';

/** One number that a check compares with. */
export interface Rule {
  readonly value: number;
  readonly unit: string;
  /** What it decides. */
  readonly text: string;
  /** Where the number comes from. */
  readonly source: string;
}

const WIKI = 'ArduPilot wiki, Diagnosing problems using logs';
const LA = 'dronekit-la';
const ANALYZER = "ArduPilot's LogAnalyzer";
const REVIEW = "PX4's Flight Review";
const OURS = 'our experience';

const rule = (value: number, unit: string, text: string, source: string): Rule => ({ value, unit, text, source });

/** Every threshold of the health report: a section for each check, a rule for each number. */
const RULE_LIST: Readonly<Record<string, Readonly<Record<string, Rule>>>> = {
  ending: {
    height: rule(5, 'm', 'a log that ends in flight higher than this ends in the air', LA),
    sink: rule(5, 'm/s', 'a sink from this on that ends at once, without a climb after it: an impact', OURS),
  },
  vibration: {
    warn: rule(30, 'm/s²', 'vibration of an axis above this', WIKI),
    fail: rule(60, 'm/s²', 'vibration of an axis above this', WIKI),
    hold: rule(1, 's', 'for at least this long', OURS),
    riseLeast: rule(15, 'm/s²', 'vibration that rose in flight counts above this', OURS),
    rise: rule(8, 'times', 'what it was in the same flight, and stays so: warns', OURS),
    imuRate: rule(40, 'Hz', 'samples of an IMU from which vibration is computed if the log has none', OURS),
    metricWarn: rule(4.905, 'm/s²', "PX4's vibration metric above this", REVIEW),
    metricFail: rule(9.81, 'm/s²', "PX4's vibration metric above this", REVIEW),
    clipWarn: rule(5, '', 'different seconds of flight in which an accelerometer clipped: this many warn', OURS),
    clipFail: rule(10, '%', 'of the seconds of flight in which an accelerometer clipped: this many fail', OURS),
  },
  compass: {
    lowWarn: rule(120, 'mGauss', 'field below this', WIKI),
    lowFail: rule(100, 'mGauss', 'field below this', LA),
    highWarn: rule(550, 'mGauss', 'field above this', WIKI),
    highFail: rule(600, 'mGauss', 'field above this', LA),
    changeWarn: rule(25, '%', 'field away from what it was after take-off by more than this', LA),
    changeFail: rule(35, '%', 'field away from what it was after take-off by more than this', LA),
    hold: rule(1, 's', 'for at least this long', OURS),
    throttleWarn: rule(30, '%', 'change of the field that goes with the throttle', WIKI),
    throttleFail: rule(60, '%', 'change of the field that goes with the throttle', WIKI),
    correlation: rule(0.5, '', 'correlation with the throttle from which that counts', OURS),
    offsets: rule(850, 'mGauss', 'length of the offsets above this warns, unless COMPASS_OFFS_MAX is set', OURS),
  },
  ekf: {
    warn: rule(0.5, '', 'variance (innovation test ratio) from this on', LA),
    fail: rule(1, '', 'variance (innovation test ratio) from this on', LA),
    hold: rule(1, 's', "for at least this long, as ArduPilot's own EKF check waits", OURS),
    warnHold: rule(5, 's', 'above ekf.warn, below which measurements are taken, for at least this long', OURS),
    aidingHold: rule(1, 's', 'without any aiding of the position', OURS),
    resets: rule(3, '', 'resets of yaw or altitude in one flight: this many warn', OURS),
  },
  gps: {
    hdopWarn: rule(1.5, '', 'HDOP above this', WIKI),
    hdopFail: rule(2, '', 'HDOP above this', WIKI),
    satsWarn: rule(12, '', 'fewer satellites than this; only a note unless there were more before', WIKI),
    worse: rule(1.5, '', 'HDOP this many times its best, or satellites this many times fewer: it got worse', OURS),
    hdopPoor: rule(4, '', 'HDOP above this warns even if it was like this from the start', OURS),
    satsFail: rule(6, '', 'fewer satellites than this', LA),
    speedWarn: rule(1, 'm/s', 'speed accuracy above this', LA),
    speedFail: rule(1.5, 'm/s', 'speed accuracy above this', LA),
    hold: rule(3, 's', 'for at least this long', OURS),
    fixLost: rule(1, 's', 'without a fix in three dimensions in flight: shorter warns, longer fails', OURS),
    jamWarn: rule(40, '', 'jamming indicator of u-blox above this, if it was below before', "PX4's Flight Review"),
    jumpWarn: rule(10, 'm', 'step from fix to fix beyond what the speed explains', OURS),
    jumpFail: rule(25, 'm', 'step from fix to fix beyond what the speed explains', "ArduPilot's EK3_GLITCH_RAD"),
    gapWarn: rule(1, 's', 'time between two GPS records of a DataFlash log', OURS),
    gapFail: rule(4, 's', 'time between two GPS records of a DataFlash log', "ArduPilot's GPS timeout"),
  },
  battery: {
    cellWarn: rule(3.5, 'V', 'voltage of a cell below this, if the vehicle sets no limit', OURS),
    cellFail: rule(3.3, 'V', 'voltage of a cell below this, if the vehicle sets no limit', OURS),
    hold: rule(3, 's', 'for at least this long', OURS),
    cellFull: rule(4.25, 'V', 'voltage that no cell exceeds: gives the cell count', OURS),
    remainingWarn: rule(15, '%', 'charge left below this', LA),
    remainingFail: rule(10, '%', 'charge left below this', OURS),
    drainWarn: rule(1, '%/s', 'charge that falls faster than this, in a flight that began with less', OURS),
    drainTimes: rule(4, '', 'times as fast as at the start of the flight', OURS),
    drainFast: rule(2, '%/s', 'charge that falls faster than this in a log that begins with it', OURS),
    drainHold: rule(8, 's', 'for at least this long', OURS),
    sagWarn: rule(0.6, 'V', 'drop of a cell from rest to its lowest in the first minute of flight', OURS),
    stepWarn: rule(0.35, 'V', 'drop of a cell at once, that stays and that no current explains', OURS),
    resistanceWarn: rule(30, 'mΩ', 'resistance of a cell above this', OURS),
    spreadWarn: rule(0.15, 'V', 'difference between cells of a pack', OURS),
    spreadFail: rule(0.3, 'V', 'difference between cells of a pack', OURS),
  },
  position: {
    far: rule(3, 'm', 'horizontally away from where the controller wanted a multicopter', OURS),
    high: rule(2, 'm', 'above or below where the controller wanted a multicopter', OURS),
    hold: rule(3, 's', 'for at least this long, after it was nearer in the same flight', OURS),
  },
  power: {
    swingWarn: rule(0.15, 'V', 'swing of the board voltage in flight', WIKI),
    swingFail: rule(0.3, 'V', 'swing of the board voltage in flight', OURS),
    lowWarn: rule(4.7, 'V', 'board voltage below this', OURS),
    lowFail: rule(4.3, 'V', 'board voltage below this', "ArduPilot's BRD_VBUS_MIN"),
  },
  motors: {
    balanceWarn: rule(100, 'µs', 'difference between the means of the motors in hover; good vehicles reach 60', OURS),
    balanceFail: rule(250, 'µs', 'difference between the means of the motors in hover', OURS),
    hoverTurn: rule(10, '°/s', 'turn above which it is not hover: motors of one direction then work harder', OURS),
    hoverSeconds: rule(5, 's', 'of hover that are needed', OURS),
    hoverLean: rule(10, '°', 'lean above which it is not hover', OURS),
    hoverClimb: rule(0.5, 'm/s', 'climb or sink above which it is not hover', OURS),
    full: rule(0.97, '', 'part of the range from which a motor is saturated', OURS),
    alone: rule(120, 'µs', 'more than before, for one motor while the others stay as they were', OURS),
    aloneHold: rule(5, 's', 'for at least this long in all', OURS),
    fullWarn: rule(1, 's', 'a motor saturated for this long', OURS),
    fullFail: rule(3, 's', 'a motor saturated for this long', OURS),
  },
  esc: {
    stopped: rule(
      10,
      '%',
      'of the speed of the other motors, below which a motor that is commanded to turn has stopped',
      OURS,
    ),
    slow: rule(50, '%', 'of their speed, below which a motor commanded as much as they are has lost sync', OURS),
    commanded: rule(5, '%', 'of its range from which an output commands a motor to turn', OURS),
    hold: rule(0.3, 's', 'for at least this long, and in two records', OURS),
    balanceWarn: rule(15, '%', 'speed of a motor in hover away from the median of all', OURS),
    balanceFail: rule(30, '%', 'speed of a motor in hover away from the median of all', OURS),
    hotWarn: rule(90, '°C', 'temperature of an ESC above this', "INAV's osd_esc_temp_alarm_max"),
    hotFail: rule(110, '°C', 'temperature of an ESC above this', OURS),
    motorWarn: rule(100, '°C', 'temperature of a motor above this', OURS),
    motorFail: rule(120, '°C', 'temperature of a motor above this', OURS),
    hotHold: rule(1, 's', 'too hot for at least this long', OURS),
    errorWarn: rule(10, '%', 'of the telemetry of an ESC bad, for a second or longer', OURS),
    errorSeconds: rule(5, '', 'seconds of flight in which an ESC counted errors: this many warn', OURS),
  },
  thrust: {
    full: rule(0.9, '', 'throttle from which it is nearly all', OURS),
    climb: rule(0.2, 'm/s', 'climb below which such a throttle does not lift', OURS),
    hold: rule(1, 's', 'for at least this long: warns', OURS),
    fail: rule(2, 's', 'this long in total: fails', OURS),
    lean: rule(20, '°', 'lean above which thrust does not count, since it goes to the side', ANALYZER),
    sink: rule(2, 'm/s', 'a sink above this at such a throttle counts at any lean', OURS),
    hoverWarn: rule(0.7, '', 'throttle in hover above this', ANALYZER),
    lift: rule(30, '%', 'less lift than before at the same throttle', OURS),
    liftHold: rule(3, 's', 'for at least this long', OURS),
  },
  wind: {
    lean: rule(0.98, '', 'part of the greatest lean from which it is at its limit', OURS),
    hold: rule(5, 's', 'at the limit for at least this long in all, in a mode that holds a position or a path', OURS),
    slowed: rule(0.8, '', 'part of the greatest speed over ground below which it was slowed', OURS),
    hoverLean: rule(0.6, '', 'part of the greatest lean that a vehicle at rest needs in strong wind only', OURS),
    rest: rule(3, 'm/s', 'speed over ground below which it rests', OURS),
    still: rule(0.2, 'm/s', 'speed over ground below which it does not move at all', OURS),
    stuck: rule(8, 's', 'at its limit without moving for this long: something holds it', OURS),
    drift: rule(0.6, '', 'part of the usual airspeed by which speed over ground differs from it in strong wind', OURS),
    speed: rule(15, 'm/s', 'wind as the estimator of the vehicle finds it, above this', OURS),
    speedHold: rule(5, 's', 'this wind for at least this long', OURS),
  },
  airspeed: {
    low: rule(0.4, '', 'part of the usual airspeed below which no wing flies', OURS),
    ground: rule(0.7, '', 'part of the usual speed over ground from which it does fly', OURS),
    hold: rule(2, 's', 'for at least this long', OURS),
  },
  engine: {
    full: rule(0.95, '', 'part of the throttle from which it is full', OURS),
    hold: rule(3, 's', 'full throttle while height and speed together fall, for this long: warns', OURS),
    fail: rule(6, 's', 'the same for this long in total: fails', OURS),
    loss: rule(1, 'm/s', 'energy lost as a sink at the same speed, above this', OURS),
  },
  drive: {
    hold: rule(3, 's', 'throttle forward, slower than desired and not getting faster, for this long: warns', OURS),
    fail: rule(5, 's', 'the same, or not turning as the steering commands, for this long in total: fails', OURS),
    turn: rule(15, '°/s', 'turn rate off the desired one', OURS),
    turnShare: rule(50, '%', 'of the desired turn rate, by which it may be off', OURS),
    turnHold: rule(1.5, 's', 'for at least this long', OURS),
  },
  attitude: {
    warn: rule(5, '°', 'roll or pitch off the desired attitude', LA),
    fail: rule(10, '°', 'roll or pitch off the desired attitude', LA),
    hold: rule(0.25, 's', 'for at least this long', LA),
    lost: rule(
      30,
      '°',
      'roll or pitch this far off the desired attitude: out of control, fails',
      "ArduPilot's crash check",
    ),
    lostHold: rule(0.5, 's', 'out of control, or beyond the lean, for at least this long', OURS),
    shareFail: rule(10, '%', 'of the flight beyond attitude.fail: fails', OURS),
    shareWarn: rule(4, '%', 'of the flight beyond attitude.fail: warns', OURS),
    shareNear: rule(25, '%', 'of the flight of a multicopter beyond attitude.warn: warns', OURS),
    shareLeast: rule(5, 's', 'in all, that a share of the flight must be', OURS),
    lag: rule(0.5, 's', 'desired attitudes of a multicopter up to this long ago count', OURS),
    wingLag: rule(2, 's', 'desired attitudes of others up to this long ago count: wings turn slowly', OURS),
    leanBeyond: rule(15, '°', 'lean beyond what the parameters of a multicopter allow', OURS),
    spin: rule(120, '°/s', 'yaw rate of a multicopter off the desired rate: out of control, fails', OURS),
    spinHold: rule(1.5, 's', 'this yaw rate for at least this long', OURS),
    oscillationWarn: rule(15, '°/s', 'swing of the rate around the desired rate (rms)', OURS),
    oscillationFail: rule(30, '°/s', 'swing of the rate around the desired rate (rms)', OURS),
    oscillationHold: rule(3.5, 's', 'this swing for at least this long', OURS),
  },
  altitude: {
    warn: rule(7, 'm', 'estimate away from the barometer; the wind of flight alone makes 5', OURS),
    fail: rule(15, 'm', 'estimate away from the barometer', OURS),
    hold: rule(2, 's', 'for at least this long', OURS),
    window: rule(
      10,
      's',
      'over which the barometer is compared with the climb that the GPS measures, by the same limits',
      OURS,
    ),
    gpsWarn: rule(15, 'm', 'estimate away from the GPS, both above take-off', OURS),
    gpsFail: rule(40, 'm', 'estimate away from the GPS, both above take-off', OURS),
  },
  cpu: {
    load: rule(80, '%', 'load above this warns', OURS),
    memory: rule(98, '%', 'memory in use above this warns', OURS),
    slowWarn: rule(6, '%', 'loops that took too long', ANALYZER),
    slowFail: rule(10, '%', 'loops that took too long', ANALYZER),
    slowShare: rule(10, '%', 'of the records above these limits: fewer are only a note', OURS),
  },
  logging: {
    gap: rule(1, 's', 'no record of the tables that are logged most, in flight', OURS),
    damageWarn: rule(2, '%', 'of the bytes damaged or lost: more than this warns', OURS),
    damageFail: rule(50, '%', 'of the bytes damaged or lost: more than this fails', OURS),
    loss: rule(5, '%', "of the autopilot's messages lost on the way: more than this warns", OURS),
    dropoutWarn: rule(1, 's', 'dropouts of a ULog in flight, longer than this in all', OURS),
    step: rule(0.1, 's', 'between two samples of the IMU in a log that has all of them', OURS),
    slip: rule(0.1, 's', 'by which the clock of the estimator parts from that of the log in flight', OURS),
    silence: rule(5, 's', 'without a heartbeat of the autopilot in flight', OURS),
  },
  imu: {
    gyroWarn: rule(0.09, 'rad/s', 'difference between gyros, averaged', LA),
    gyroFail: rule(0.1, 'rad/s', 'difference between gyros, averaged', LA),
    accelWarn: rule(1.5, 'm/s²', 'difference between accelerometers, averaged', OURS),
    accelFail: rule(4, 'm/s²', 'difference between accelerometers, averaged', OURS),
    window: rule(2, 's', 'over which it is averaged, and for at least this long', LA),
    offset: rule(0.03, 'rad/s', 'rate that a gyro reads at rest: more than this warns', OURS),
  },
  radio: {
    signalWarn: rule(40, '%', 'strength of the RC signal below this', OURS),
    signalFail: rule(20, '%', 'strength of the RC signal below this', OURS),
    hold: rule(2, 's', 'for at least this long', OURS),
    marginWarn: rule(3, 'dB', 'signal of the telemetry radio above its noise, less than this', OURS),
    marginHold: rule(10, 's', 'for at least this long', OURS),
    dropped: rule(1, '%', 'of the RC input with a channel at 0 that has a value otherwise', OURS),
    lostFail: rule(1, 's', 'RC signal lost in flight for this long', OURS),
  },
};

/** The thresholds of a report: of each check its numbers by name; null for a check that is left out. */
export type Rules = ReadonlyMap<string, ReadonlyMap<string, Rule> | null>;

/** A rule file that cannot be used: the sentence says what is wrong with it. */
export class RuleError extends Error {
  override readonly name = 'RuleError';
}

/** Checks that compare with no number, but may be left out too. */
const PLAIN_CHECKS: readonly string[] = ['failsafe', 'sensors'];

export const DEFAULT_RULES: Rules = new Map([
  ...Object.entries(RULE_LIST).map(([check, rules]) => [check, new Map(Object.entries(rules))] as const),
  ...PLAIN_CHECKS.map((check) => [check, new Map<string, Rule>()] as const),
]);

/** The rules, changed by those of a file: `{"vibration": {"warn": 20}, "compass": false}`; false skips a check. */
export function parseRules(text: string, name: string): Rules {
  if (text.length > REPORT_LIMITS.ruleCharacters)
    throw new RuleError(`${name}: ${text.length} characters, at most ${REPORT_LIMITS.ruleCharacters}`);
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch (error) {
    throw new RuleError(`${name}: no JSON: ${(error as Error).message}`);
  }
  if (!isObject(data))
    throw new RuleError(`${name}: expected an object of checks, such as {"vibration": {"warn": 20}}`);
  const rules = new Map(DEFAULT_RULES);
  for (const [check, section] of Object.entries(data)) {
    const known = DEFAULT_RULES.get(check);
    if (!known) throw new RuleError(`${name}: no check ${check}${meant(check, [...DEFAULT_RULES.keys()])}`);
    if (section === false) rules.set(check, null);
    else if (section !== true) rules.set(check, sectionOf(section, check, known, name));
  }
  return rules;
}

function sectionOf(
  section: unknown,
  check: string,
  known: ReadonlyMap<string, Rule>,
  name: string,
): ReadonlyMap<string, Rule> {
  if (!isObject(section)) throw new RuleError(`${name}: ${check} is neither an object of numbers nor true or false`);
  const rules = new Map(known);
  for (const [key, value] of Object.entries(section)) {
    const rule = known.get(key);
    if (!rule) throw new RuleError(`${name}: ${check} has no rule ${key}${meant(key, [...known.keys()])}`);
    if (typeof value !== 'number' || !Number.isFinite(value))
      throw new RuleError(`${name}: ${check}.${key} is ${JSON.stringify(value)}, expected a number`);
    rules.set(key, { ...rule, value, source: name });
  }
  return rules;
}

export function rulesText(rules: Rules = DEFAULT_RULES): string {
  const data = [...rules].map(([check, section]) => [
    check,
    section && Object.fromEntries([...section].map(([key, { value }]) => [key, value])),
  ]);
  return `${JSON.stringify(Object.fromEntries(data.map(([check, section]) => [check, section ?? false])), null, 2)}\n`;
}

function meant(word: string, known: readonly string[]): string {
  const near = nearest(word, known);
  return near === undefined ? `: there are ${known.join(', ') || 'none'}` : `: did you mean ${near}?`;
}

function isObject(data: unknown): data is Record<string, unknown> {
  return typeof data === 'object' && data !== null && !Array.isArray(data);
}

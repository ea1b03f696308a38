import type { ReportBuilder } from '../report-builder.ts';
import type { VehicleFacts } from '../vehicle-facts.ts';
import { checkAirspeed } from './airspeed.ts';
import { checkAltitude } from './altitude.ts';
import { checkAttitude, checkLean, checkRates } from './attitude.ts';
import { checkBattery, checkCells } from './battery.ts';
import { checkCompass } from './compass.ts';
import { checkCpu } from './cpu.ts';
import { checkEkf } from './ekf.ts';
import { checkEnding } from './ending.ts';
import { checkEngine } from './engine.ts';
import { checkEsc } from './esc.ts';
import { checkFailsafe, checkResets } from './failsafe.ts';
import { checkGps } from './gps.ts';
import { checkImu } from './imu.ts';
import { checkLogging } from './logging.ts';
import { checkMotors } from './motors.ts';
import { checkPower } from './power.ts';
import { checkRadio } from './radio.ts';
import { checkSensors } from './sensors.ts';
import { checkThrust } from './thrust.ts';
import { checkVibration } from './vibration.ts';
import { checkWind } from './wind.ts';

/** One or several functions that look at the same thing. */
export interface Check {
  /** As its section of the rules is called. */
  readonly name: string;
  readonly title: string;
  /** Whether it makes sense for a log without an autopilot. */
  readonly sensors?: true;
  readonly run: readonly ((facts: VehicleFacts, report: ReportBuilder) => Promise<void>)[];
}

/** Every check, in the order in which findings of one severity are told. */
export const CHECKS: readonly Check[] = [
  { name: 'ending', title: 'End of the log', run: [checkEnding] },
  { name: 'failsafe', title: 'Failsafes', run: [checkFailsafe] },
  { name: 'attitude', title: 'Attitude', run: [checkLean, checkAttitude, checkRates] },
  { name: 'airspeed', title: 'Airspeed', run: [checkAirspeed] },
  { name: 'engine', title: 'Engine', run: [checkEngine] },
  { name: 'wind', title: 'Wind', run: [checkWind] },
  { name: 'thrust', title: 'Thrust', run: [checkThrust] },
  { name: 'motors', title: 'Motors', run: [checkMotors] },
  { name: 'esc', title: 'ESCs', run: [checkEsc] },
  { name: 'vibration', title: 'Vibration', run: [checkVibration] },
  { name: 'battery', title: 'Battery', run: [checkBattery, checkCells] },
  { name: 'power', title: 'Power', run: [checkPower] },
  { name: 'ekf', title: 'EKF', run: [checkEkf, checkResets] },
  { name: 'altitude', title: 'Altitude', run: [checkAltitude] },
  { name: 'gps', title: 'GPS', sensors: true, run: [checkGps] },
  { name: 'compass', title: 'Compass', run: [checkCompass] },
  { name: 'imu', title: 'IMUs', run: [checkImu] },
  { name: 'sensors', title: 'Sensors', run: [checkSensors] },
  { name: 'radio', title: 'RC and radio', run: [checkRadio] },
  { name: 'cpu', title: 'Processor', run: [checkCpu] },
  { name: 'logging', title: 'Logging', run: [checkLogging] },
];

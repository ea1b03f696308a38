import type { ReportBuilder } from '../report-builder.ts';
import type { VehicleFacts } from '../vehicle-facts.ts';
import { checkAirspeed } from './airspeed.ts';
import { checkAltitude } from './altitude.ts';
import { checkAttitude, checkLean, checkRates } from './attitude.ts';
import { checkBattery, checkCells } from './battery.ts';
import { checkCompass } from './compass.ts';
import { checkCpu } from './cpu.ts';
import { checkDrive } from './drive.ts';
import { checkAiding, checkEkf, checkPrimary } from './ekf.ts';
import { checkEnding, checkHardFault } from './ending.ts';
import { checkEngine } from './engine.ts';
import { checkEsc } from './esc.ts';
import { checkFailsafe, checkFlags, checkResets } from './failsafe.ts';
import { checkGps, checkJamming } from './gps.ts';
import { checkImu, checkSpread } from './imu.ts';
import { checkDropouts, checkLogging, checkSampling } from './logging.ts';
import { checkMotors, checkSwitchedOff } from './motors.ts';
import { checkPosition } from './position.ts';
import { checkPower } from './power.ts';
import { checkRadio } from './radio.ts';
import { checkSensors, checkSilence } from './sensors.ts';
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

/** Every check, in the order of findings of one severity. */
export const CHECKS: readonly Check[] = [
  { name: 'ending', title: 'End of the log', run: [checkHardFault, checkEnding] },
  { name: 'failsafe', title: 'Failsafes', run: [checkFailsafe, checkFlags] },
  { name: 'attitude', title: 'Attitude', run: [checkLean, checkAttitude, checkRates] },
  { name: 'airspeed', title: 'Airspeed', run: [checkAirspeed] },
  { name: 'engine', title: 'Engine', run: [checkEngine] },
  { name: 'drive', title: 'Drive', run: [checkDrive] },
  { name: 'wind', title: 'Wind', run: [checkWind] },
  { name: 'thrust', title: 'Thrust', run: [checkThrust] },
  { name: 'motors', title: 'Motors', run: [checkMotors, checkSwitchedOff] },
  { name: 'esc', title: 'ESCs', run: [checkEsc] },
  { name: 'vibration', title: 'Vibration', run: [checkVibration] },
  { name: 'battery', title: 'Battery', run: [checkBattery, checkCells] },
  { name: 'power', title: 'Power', run: [checkPower] },
  { name: 'ekf', title: 'EKF', run: [checkEkf, checkPrimary, checkAiding, checkResets] },
  { name: 'position', title: 'Position', run: [checkPosition] },
  { name: 'altitude', title: 'Altitude', run: [checkAltitude] },
  { name: 'gps', title: 'GPS', sensors: true, run: [checkGps, checkJamming] },
  { name: 'compass', title: 'Compass', run: [checkCompass] },
  { name: 'imu', title: 'IMUs', run: [checkImu, checkSpread] },
  { name: 'sensors', title: 'Sensors', run: [checkSensors, checkSilence] },
  { name: 'radio', title: 'RC and radio', run: [checkRadio] },
  { name: 'cpu', title: 'Processor', run: [checkCpu] },
  { name: 'logging', title: 'Logging', run: [checkLogging, checkDropouts, checkSampling] },
];

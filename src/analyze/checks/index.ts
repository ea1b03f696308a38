import type { Examination } from '../examination.ts';
import { checkBattery, checkCells } from './battery.ts';
import { checkCompass } from './compass.ts';
import { checkEkf } from './ekf.ts';
import { checkGps } from './gps.ts';
import { checkPower } from './power.ts';
import { checkVibration } from './vibration.ts';

/** One or several functions that look at the same thing. */
export interface Check {
  /** As its section of the rules is called. */
  readonly name: string;
  readonly title: string;
  /** Whether it makes sense for a log without an autopilot. */
  readonly sensors?: true;
  readonly run: readonly ((exam: Examination) => Promise<void>)[];
}

/** Every check, in the order in which findings of one severity are told. */
export const CHECKS: readonly Check[] = [
  { name: 'power', title: 'Power', run: [checkPower] },
  { name: 'vibration', title: 'Vibration', run: [checkVibration] },
  { name: 'ekf', title: 'Estimator', run: [checkEkf] },
  { name: 'gps', title: 'GPS', sensors: true, run: [checkGps] },
  { name: 'compass', title: 'Compass', run: [checkCompass] },
  { name: 'battery', title: 'Battery', run: [checkBattery, checkCells] },
];

import { words } from '../../core/text.ts';
import { ARDUPILOT, PX4 } from '../../facts/heartbeat.ts';

/** Which messages a vehicle is asked for: how often, and which only once. */
export interface Profile {
  /** Times a second by the name of the message. */
  readonly rates: Readonly<Record<string, number>>;
  /** Messages that are asked for until they came. */
  readonly once: readonly string[];
  /** Those of `rates` that are lowered too where more come, because the user said so. */
  readonly exact?: readonly string[] | undefined;
}

const BASIC: Profile = { rates: { SYS_STATUS: 10, BATTERY_STATUS: 1 }, once: ['AUTOPILOT_VERSION'] };

/** All that state and page show, HEARTBEAT excepted, which comes unasked. */
const STANDARD: Profile = {
  rates: {
    ...BASIC.rates,
    GLOBAL_POSITION_INT: 4,
    ATTITUDE: 4,
    VFR_HUD: 2,
    GPS_RAW_INT: 1,
    GPS2_RAW: 1,
    EKF_STATUS_REPORT: 1,
    ESTIMATOR_STATUS: 1,
    RC_CHANNELS: 1,
    MISSION_CURRENT: 1,
    SYSTEM_TIME: 1,
    VIBRATION: 1,
    EXTENDED_SYS_STATE: 1,
  },
  once: [...BASIC.once, 'HOME_POSITION'],
};

/** `basic` is what the status file needs, `default` all that state and page show, `full` the same more often. */
export const PROFILES: Readonly<Record<string, Profile>> = {
  none: { rates: {}, once: [] },
  basic: BASIC,
  default: STANDARD,
  full: {
    rates: {
      ...STANDARD.rates,
      ATTITUDE: 10,
      GLOBAL_POSITION_INT: 10,
      VFR_HUD: 4,
      GPS_RAW_INT: 2,
      RC_CHANNELS: 2,
    },
    once: STANDARD.once,
  },
};

/** What an autopilot has, as real ones answered. */
interface Offer {
  /** Never sent: asking ArduPilot for one prints an error on every ground station. */
  readonly lacks: readonly string[];
  /** Sent unasked, and refused at an interval. */
  readonly unasked: readonly string[];
  /** Accepted at an interval; where there are any, others are asked for once first, which prints nothing. */
  readonly has: readonly string[];
}

const OFFERS: ReadonlyMap<number, Offer> = new Map([
  [
    ARDUPILOT,
    {
      lacks: ['ESTIMATOR_STATUS', 'ODOMETRY', 'EVENT', 'CURRENT_EVENT_SEQUENCE'],
      unasked: [],
      has: words(
        'SYS_STATUS SYSTEM_TIME GPS_RAW_INT ATTITUDE GLOBAL_POSITION_INT MISSION_CURRENT RC_CHANNELS VFR_HUD ' +
          'BATTERY_STATUS EKF_STATUS_REPORT VIBRATION HIGHRES_IMU EXTENDED_SYS_STATE',
      ),
    },
  ],
  [PX4, { lacks: ['EKF_STATUS_REPORT', 'AHRS'], unasked: ['MISSION_CURRENT'], has: [] }],
]);

/** Whether an autopilot is known never to send a message. */
export function isLacking(autopilot: number, message: string): boolean {
  return OFFERS.get(autopilot)?.lacks.includes(message) ?? false;
}

/** Whether it sends a message unasked and refuses to be asked for it. */
export function isUnasked(autopilot: number, message: string): boolean {
  return OFFERS.get(autopilot)?.unasked.includes(message) ?? false;
}

/** Whether an interval may be asked for before such a message ever came. */
export function isKnownToHave(autopilot: number, message: string): boolean {
  const has = OFFERS.get(autopilot)?.has ?? [];
  return has.length === 0 || has.includes(message);
}

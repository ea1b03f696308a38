/** Which messages a vehicle is asked for: how often, and which only once. */
export interface Profile {
  /** Times a second by the name of the message. */
  readonly rates: Readonly<Record<string, number>>;
  /** Messages that are asked for until they came. */
  readonly once: readonly string[];
}

const BASIC: Profile = { rates: { SYS_STATUS: 10, BATTERY_STATUS: 1 }, once: ['AUTOPILOT_VERSION'] };

const STANDARD: Profile = {
  rates: {
    ...BASIC.rates,
    GLOBAL_POSITION_INT: 4,
    ATTITUDE: 4,
    VFR_HUD: 2,
    GPS_RAW_INT: 1,
  },
  once: [...BASIC.once, 'HOME_POSITION'],
};

/** `basic` is what is needed for the status file, `default` adds place and attitude, `full` all that a state has. */
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
      EKF_STATUS_REPORT: 1,
      ESTIMATOR_STATUS: 1,
      RC_CHANNELS: 2,
      MISSION_CURRENT: 1,
      SYSTEM_TIME: 1,
      VIBRATION: 1,
      EXTENDED_SYS_STATE: 1,
    },
    once: STANDARD.once,
  },
};

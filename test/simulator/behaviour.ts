import type { ReadMessage } from '../../src/live/message-reader.ts';

/** In what the two differ that matters to a listener. */
export interface Behaviour {
  readonly autopilot: number;
  /** What a console gets while it starts, in the middle of the frames. */
  readonly bootText: string;
  /** Messages that are sent without being asked for, with their rates in Hz. */
  readonly defaults: ReadonlyMap<number, number>;
  /** Groups of REQUEST_DATA_STREAM; none where it is not known at all. */
  readonly streams: ReadonlyMap<number, readonly number[]>;
  /** Why a SET_MESSAGE_INTERVAL is refused: a MAV_RESULT, or undefined where it is not. */
  refuses(id: number, data: ReadMessage['data'], isKnown: boolean): number | undefined;
  /** What a request for a message gets that there is not. */
  readonly noSuchMessage: number;
}

const DENIED = 2;
const UNSUPPORTED = 3;
const FAILED = 4;

const zeroOrNone = (value: unknown): boolean => value === null || value === undefined || Number(value) === 0;

/** Only heartbeats until asked; the last of stream request and interval holds. */
const ARDUPILOT: Behaviour = {
  autopilot: 3,
  bootText: 'Init ArduCopter V4.8.0-dev\n\nFree RAM: 131072\nFirmware change: erasing EEPROM...\n',
  defaults: new Map(),
  streams: new Map([
    [2, [1, 24]],
    [3, [65]],
    [6, [33]],
    [10, [30]],
    [11, [74]],
    [12, [2, 147, 241]],
  ]),
  refuses(_, data, isKnown) {
    return zeroOrNone(data.param3) && isKnown ? undefined : DENIED;
  },
  noSuchMessage: FAILED,
};

/** Sends at once, and knows no stream requests. The rates are those of the link to a ground station. */
const PX4: Behaviour = {
  autopilot: 12,
  bootText: '',
  defaults: new Map([
    [30, 15],
    [33, 5],
    [24, 5],
    [74, 4],
    [65, 5],
    [1, 1],
    [147, 0.5],
    [245, 1],
    [241, 0.1],
    [436, 0.5],
  ]),
  streams: new Map(),
  refuses(id, data, isKnown) {
    if (id === 0) return DENIED;
    const isPlain = [data.param3, data.param4, data.param7].every(zeroOrNone);
    return isPlain && isKnown ? undefined : DENIED;
  },
  noSuchMessage: UNSUPPORTED,
};

export const BEHAVIOURS: { readonly ardupilot: Behaviour; readonly px4: Behaviour } = {
  ardupilot: ARDUPILOT,
  px4: PX4,
};

import {
  type DeviceIdentity,
  type DeviceState,
  DeviceVerifier,
  type MavlinkIdentity,
} from '../live/device-verifier.ts';
import { OUR_COMPONENT, OUR_SYSTEM } from '../live/options.ts';
import { FrameSender, REQUEST_MESSAGE } from '../live/vehicle/frame-sender.ts';
import { deviceHolder } from './port-holder.ts';
import { closeSerialPort, NoSerialError, openSerialPort, serialFailure } from './serial-port.ts';

/** Baud rates in the order in which they are tried: the usual ones of radios, USB ports and companions first. */
export const PROBE_SPEEDS: readonly number[] = [
  57_600, 115_200, 921_600, 500_000, 1_500_000, 9_600, 19_200, 38_400, 460_800,
];

/** What probing needs of a port. */
export interface ProbePort {
  write(bytes: Uint8Array): void;
  close(): Promise<void>;
}

/** Opens a port: so that a test can be the device. */
export type OpenPort = (
  path: string,
  baud: number,
  hear: (bytes: Uint8Array) => void,
  gone: (error: Error) => void,
) => Promise<ProbePort>;

export interface ProbeOptions {
  readonly speeds?: readonly number[] | undefined;
  /** Milliseconds at each speed: heartbeats come once a second. */
  readonly patience?: number | undefined;
  /** Send a heartbeat and ask for the firmware. Without it nothing is sent at all. */
  readonly ask?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called whenever more is known. */
  readonly changed?: ((probed: Probed) => void) | undefined;
  readonly open?: OpenPort | undefined;
}

/** What is known of a port. */
export interface Probed {
  readonly path: string;
  readonly state: DeviceState;
  /** The speed that it speaks at, or that is tried now; null if it does not matter. */
  readonly baud: number | null;
  readonly identity: DeviceIdentity | null;
  /** Bytes that came at all speeds together. */
  readonly bytes: number;
  readonly error: string;
  readonly hint: string;
}

const PATIENCE = 1500;
/** Where a port gave nothing at the first speed, it is silent: the others are only glanced at. */
const GLANCE = 250;
/** Milliseconds for a vehicle to answer with its firmware. */
const ANSWER = 1500;
const LOOK = 20;
/** The message with the firmware. */
const AUTOPILOT_VERSION = 148;

/** Listens on a port at one baud rate after the other until a device is verified. It never throws. */
export async function probe(path: string, options: ProbeOptions = {}): Promise<Probed> {
  const { speeds = PROBE_SPEEDS, signal } = options;
  let probed: Probed = { path, state: 'unknown', baud: null, identity: null, bytes: 0, error: '', hint: '' };
  const update = (change: Partial<Probed>): void => {
    probed = { ...probed, ...change };
    options.changed?.(probed);
  };
  for (const baud of speeds) {
    if (signal?.aborted) break;
    const before = probed.bytes;
    try {
      const verifier = await listenAt(path, baud, before > 0 || baud === speeds[0], options, (state, bytes) => {
        if (state !== probed.state) update({ state, baud, bytes: before + bytes });
      });
      const { identity, bytes } = verifier;
      if (verifier.state === 'verified') {
        update({ state: 'verified', baud, identity, bytes: before + bytes });
        return probed;
      }
      probed = { ...probed, bytes: before + bytes };
    } catch (error) {
      if (error instanceof NoSerialError) throw error;
      const failure = serialFailure(path, error);
      const holder = failure.error.endsWith('is in use') ? await deviceHolder(path) : '';
      update({
        state: 'unknown',
        baud: null,
        ...failure,
        ...(holder === '' ? {} : { error: `${path} is in use${holder}` }),
      });
      return probed;
    }
  }
  update({
    state: probed.bytes > 0 ? 'other' : 'unknown',
    baud: null,
    hint: probed.bytes > 0 ? '' : silenceHint(options),
  });
  return probed;
}

function silenceHint({ ask }: ProbeOptions): string {
  return ask ? 'no answer to a heartbeat and a request' : 'silent; --ask sends a heartbeat and a request';
}

async function listenAt(
  path: string,
  baud: number,
  isWorthIt: boolean,
  options: ProbeOptions,
  update: (state: DeviceState, bytes: number) => void,
): Promise<DeviceVerifier> {
  const { patience = PATIENCE, ask, signal } = options;
  const verifier = new DeviceVerifier();
  let gone: Error | undefined;
  const hear = (bytes: Uint8Array): void => {
    verifier.push(bytes);
    update(verifier.state, verifier.bytes);
  };
  const port = await (options.open ?? openPort)(path, baud, hear, (error) => {
    gone ??= error;
  });
  try {
    const sender = new FrameSender({
      send: (_, frame) => port.write(frame),
      ...{ system: OUR_SYSTEM, component: OUR_COMPONENT },
    });
    if (ask) sender.heartbeat(path);
    const isDone = (): boolean => verifier.isComplete || gone !== undefined || signal?.aborted === true;
    const start = Date.now();
    while (!isDone()) {
      // bytes of any kind show a device that may be verified at this baud rate
      const limit = isWorthIt || verifier.bytes > 0 ? patience : Math.min(GLANCE, patience);
      if (Date.now() - start > limit) break;
      await pause(LOOK);
    }
    if (gone && verifier.state !== 'verified') throw gone;
    const { identity } = verifier;
    // the vehicle that was found, never all that hear it
    if (ask && identity && 'system' in identity && identity.autopilot !== null)
      await askFirmware(sender, path, identity, verifier);
  } finally {
    await port.close();
  }
  return verifier;
}

async function askFirmware(
  sender: FrameSender,
  link: string,
  { system, component }: MavlinkIdentity,
  verifier: DeviceVerifier,
): Promise<void> {
  const hasFirmware = (): boolean => {
    const { identity } = verifier;
    return identity !== null && 'firmware' in identity && identity.firmware?.version != null;
  };
  sender.command({ link, system, component }, REQUEST_MESSAGE, [AUTOPILOT_VERSION], false);
  for (const end = Date.now() + ANSWER; Date.now() < end && !hasFirmware(); ) await pause(LOOK);
}

const openPort: OpenPort = async (path, baud, hear, gone) => {
  const port = await openSerialPort(path, baud);
  port.on('data', hear);
  port.on('error', gone);
  port.on('close', (error: Error | null) => gone(error ?? new Error(`${path} was closed`)));
  return { write: (bytes) => void port.write(bytes), close: () => closeSerialPort(port) };
};

function pause(milliseconds: number): Promise<void> {
  return new Promise((done) => setTimeout(done, milliseconds));
}

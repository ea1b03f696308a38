import type { Duplex } from 'node:stream';
import { linuxPorts } from './linux-ports.ts';

/** A port as the system describes it; what it does not know is undefined. */
export interface SerialPortInfo {
  readonly path: string;
  readonly manufacturer?: string | undefined;
  readonly serialNumber?: string | undefined;
  readonly vendorId?: string | undefined;
  readonly productId?: string | undefined;
  /** Where it is plugged in, and the name that the system makes of all this. */
  readonly locationId?: string | undefined;
  readonly pnpId?: string | undefined;
}

/** What we use of a port of the package serialport, whose own types do not resolve everywhere. */
export interface SerialPort extends Duplex {
  readonly isOpen: boolean;
  drain(done: () => void): void;
  close(done?: () => void): void;
}

/** The package for serial ports is optional, since it is built for each system, and loaded when a port is asked for. */
export class NoSerialError extends Error {
  override readonly name = 'NoSerialError';
}

async function loadSerial(): Promise<typeof import('serialport')> {
  try {
    return await import('serialport');
  } catch (error) {
    const cause = error instanceof Error ? error.message.split('\n')[0] : String(error);
    throw new NoSerialError(`serial ports need the package serialport: npm install serialport (${cause})`);
  }
}

/** Every serial port of the machine. Pseudo terminals are not among them. */
export async function listSerialPorts(): Promise<SerialPortInfo[]> {
  const { SerialPort } = await loadSerial();
  try {
    return await SerialPort.list();
  } catch (error) {
    // it asks udev, which containers and small systems do not have
    if (process.platform === 'linux') return linuxPorts();
    throw error;
  }
}

/** Opens a port: 8 data bits, no parity, 1 stop bit, nobody else beside us. */
export async function openSerialPort(path: string, baudRate: number): Promise<SerialPort> {
  const { SerialPort } = await loadSerial();
  const port = new SerialPort({ path, baudRate, autoOpen: false });
  await new Promise<void>((done, failed) => port.open((error) => (error ? failed(error) : done())));
  return port;
}

/** Milliseconds for what is still to be sent. */
const LAST_WORDS = 500;

export async function closeSerialPort(port: SerialPort): Promise<void> {
  if (!port.isOpen) return;
  if (port.writableLength > 0) {
    await new Promise<void>((done) => {
      port.drain(() => done());
      setTimeout(done, LAST_WORDS).unref();
    });
  }
  if (!port.isOpen) return;
  await new Promise<void>((done) => port.close(() => done()));
}

/** What to say about a port that cannot be opened: the cause, and what to do. */
export function serialFailure(path: string, error: unknown): { readonly error: string; readonly hint: string } {
  const text = error instanceof Error ? error.message : String(error);
  if (/permission denied|EACCES|access denied/i.test(text)) {
    const hint = 'sudo usermod -aG dialout $USER, then log in again, lets this user use serial ports';
    return { error: `${path} may not be used by this user`, hint };
  }
  if (/lock|busy|EBUSY|temporarily unavailable/i.test(text))
    return { error: `${path} is in use`, hint: 'another program has it open: end that one, or let it forward' };
  if (/no such file|ENOENT|file not found|cannot find/i.test(text))
    return { error: `${path} is not there`, hint: 'plug the device in; skein devices lists what there is' };
  if (/ENXIO|no such device|ENODEV|ENOTTY|inappropriate ioctl/i.test(text))
    return { error: `${path}: not a serial port, or unplugged`, hint: '' };
  return { error: text.replace(/^Error:? */, ''), hint: '' };
}

import { readdir, readFile, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Duplex } from 'node:stream';
import { errorText } from '../core/text.ts';

/** A port as the system describes it; what it does not know is undefined. */
export interface SerialPortInfo {
  readonly path: string;
  readonly manufacturer?: string | undefined;
  readonly serialNumber?: string | undefined;
  readonly vendorId?: string | undefined;
  readonly productId?: string | undefined;
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

/** Opens a port: 8 data bits, no parity, 1 stop bit, exclusively. */
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
  const text = errorText(error);
  if (/permission denied|EACCES|access denied/i.test(text)) {
    const hint = 'sudo usermod -aG dialout $USER, then log in again, allows serial ports for this user';
    return { error: `${path}: permission denied`, hint };
  }
  if (/lock|busy|EBUSY|temporarily unavailable/i.test(text))
    return { error: `${path} is in use`, hint: 'another program has it open: end that one, or let it forward' };
  if (/no such file|ENOENT|file not found|cannot find/i.test(text))
    return { error: `${path}: no such port`, hint: 'plug the device in; skein devices lists all ports' };
  if (/ENXIO|no such device|ENODEV|ENOTTY|inappropriate ioctl/i.test(text))
    return { error: `${path}: not a serial port, or unplugged`, hint: '' };
  return { error: text.replace(/^Error:? */, ''), hint: '' };
}

const ROOT = '/sys/class/tty';

/**
 * The serial ports of a Linux machine without udev, such as a container: /sys has a folder for each that has a driver,
 * and the folder of a USB device somewhere above it names the maker.
 *
 *     /sys/class/tty/ttyACM0/device -> /sys/devices/.../usb1/1-2/1-2:1.0
 *     /sys/devices/.../usb1/1-2/idVendor, idProduct, serial, manufacturer
 */
export async function linuxPorts(root: string = ROOT): Promise<SerialPortInfo[]> {
  const ports: SerialPortInfo[] = [];
  for (const name of (await readdir(root).catch(() => [])).sort()) {
    const device = await realpath(join(root, name, 'device')).catch(() => undefined);
    // those of the serial core are sockets on the board that may be empty
    if (device === undefined || /serial8250|\/serial-base\//.test(device)) continue;
    ports.push({ path: `/dev/${name}`, ...(await usbAbove(device)) });
  }
  return ports;
}

async function usbAbove(device: string): Promise<Omit<SerialPortInfo, 'path'>> {
  for (let folder = device; folder !== dirname(folder); folder = dirname(folder)) {
    const vendorId = await textOf(folder, 'idVendor');
    if (vendorId === undefined) continue;
    return {
      vendorId,
      productId: await textOf(folder, 'idProduct'),
      serialNumber: await textOf(folder, 'serial'),
      manufacturer: await textOf(folder, 'manufacturer'),
    };
  }
  return {};
}

async function textOf(folder: string, name: string): Promise<string | undefined> {
  const text = await readFile(join(folder, name), 'utf8').catch(() => undefined);
  return text?.trim() || undefined;
}

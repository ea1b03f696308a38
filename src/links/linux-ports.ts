import { readdir, readFile, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { SerialPortInfo } from './serial-port.ts';

const ROOT = '/sys/class/tty';

/**
 * The serial ports of a Linux machine without udev, such as a container: /sys has a folder for each that has a driver,
 * and the folder of a USB device somewhere above it says who made it.
 *
 *     /sys/class/tty/ttyACM0/device -> /sys/devices/.../usb1/1-2/1-2:1.0
 *     /sys/devices/.../usb1/1-2/idVendor, idProduct, serial, manufacturer
 */
export async function linuxPorts(root: string = ROOT): Promise<SerialPortInfo[]> {
  const ports: SerialPortInfo[] = [];
  for (const name of (await readdir(root).catch(() => [])).sort()) {
    const device = await realpath(join(root, name, 'device')).catch(() => undefined);
    // those of the serial core stand for sockets on the board that may be empty
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

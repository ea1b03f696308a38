import { existsSync } from 'node:fs';
import { type Probed, type ProbeOptions, probe } from './device-probe.ts';
import { listSerialPorts, type SerialPortInfo } from './serial-port.ts';

/** What the USB plug of a device says. */
export interface UsbIdentity {
  readonly vendorId: string;
  readonly productId: string;
  readonly manufacturer: string | null;
  readonly serialNumber: string | null;
}

/** Something that is plugged in, with all its ports: a flight controller often has two. */
export interface Device {
  readonly usb: UsbIdentity | null;
  /** The port that says most comes first. */
  readonly ports: readonly Probed[];
}

export interface FindOptions extends ProbeOptions {
  /** The ports of the machine. */
  readonly list?: (() => Promise<readonly SerialPortInfo[]>) | undefined;
}

/** Milliseconds between two looks for new ports, and before one that could not be opened is tried again. */
const LOOK = 1000;
const AGAIN = 5000;

const WORTH: readonly Probed['state'][] = ['verified', 'other', 'verifying', 'unknown', 'removed'];

/** Ports that the machine could have but has not: opening them gives this. */
const ABSENT = /input\/output error|EIO|no such device or address|ENXIO/i;

/** Probes all serial ports, or only the named ones, at once. */
export async function findDevices(paths: readonly string[], options: FindOptions = {}): Promise<Device[]> {
  const infos = await listed(paths, options);
  const probed = await Promise.all(infos.map(({ path }) => probe(path, options)));
  return grouped(infos, new Map(probed.map((each) => [each.path, each])));
}

async function listed(paths: readonly string[], { list = listSerialPorts }: FindOptions): Promise<SerialPortInfo[]> {
  const all = await list();
  if (paths.length === 0) return all.filter(({ path }) => isThere(path));
  // a port that the system does not list, a pseudo terminal, may be named all the same
  return paths.map((path) => all.find((info) => info.path === path) ?? { path });
}

/** On systems where ports are files, an unplugged one is gone. */
function isThere(path: string): boolean {
  return !path.startsWith('/') || existsSync(path);
}

/** Ports of one USB device together, and of one autopilot with a unique id. */
function grouped(infos: readonly SerialPortInfo[], probed: ReadonlyMap<string, Probed>): Device[] {
  const devices = new Map<string, { usb: UsbIdentity | null; ports: Probed[] }>();
  for (const info of infos) {
    const port = probed.get(info.path);
    if (!port || (info.vendorId === undefined && ABSENT.test(port.error))) continue;
    const key = keyOf(info, port);
    const device = devices.get(key);
    if (device) device.ports.push(port);
    else devices.set(key, { usb: usbOf(info), ports: [port] });
  }
  const rank = ({ state }: Probed): number => WORTH.indexOf(state);
  for (const { ports } of devices.values()) ports.sort((a, b) => rank(a) - rank(b) || (a.path < b.path ? -1 : 1));
  return [...devices.values()].sort(
    (a, b) => rank(a.ports[0]) - rank(b.ports[0]) || (a.ports[0].path < b.ports[0].path ? -1 : 1),
  );
}

function keyOf(info: SerialPortInfo, { identity, path }: Probed): string {
  const { vendorId, productId, serialNumber } = info;
  // without a serial number, two of the same make would look the same
  if (vendorId !== undefined && serialNumber) return `usb ${vendorId} ${productId} ${serialNumber}`;
  if (identity && 'firmware' in identity && identity.firmware?.uid) return `uid ${identity.firmware.uid}`;
  return path;
}

function usbOf({ vendorId, productId, manufacturer, serialNumber }: SerialPortInfo): UsbIdentity | null {
  if (vendorId === undefined || productId === undefined) return null;
  return { vendorId, productId, manufacturer: manufacturer ?? null, serialNumber: serialNumber ?? null };
}

/** Watches ports until the signal: a new one is probed, a gone one is removed; `changed` gets the steps between. */
export async function watchDevices(
  paths: readonly string[],
  found: (probed: Probed) => void,
  options: FindOptions & { readonly signal: AbortSignal; readonly every?: number | undefined },
): Promise<void> {
  const { signal, every = LOOK } = options;
  const known = new Map<string, { probed: Probed | undefined; at: number }>();
  while (!signal.aborted) {
    const infos = (await listed(paths, options)).filter(({ path }) => isThere(path));
    const here = new Set(infos.map(({ path }) => path));
    for (const [path, { probed }] of known) {
      if (here.has(path) || !probed) continue;
      known.delete(path);
      found({ ...probed, state: 'removed', error: '', hint: '' });
    }
    for (const path of here) {
      const one = known.get(path);
      const isAgain = one?.probed !== undefined && one.probed.error !== '' && Date.now() - one.at > AGAIN;
      if (one && !isAgain) continue;
      known.set(path, { probed: undefined, at: Date.now() });
      const report = (probed: Probed): void => {
        const last = one?.probed;
        known.set(path, { probed, at: Date.now() });
        // the same error is reported once
        if (!signal.aborted && (last?.error !== probed.error || probed.error === '')) found(probed);
      };
      probe(path, options).then(report, () => known.delete(path));
    }
    await new Promise((done) => setTimeout(done, every));
  }
}

import type { Command } from 'commander';
import { PROBE_SPEEDS, type Probed } from '../../links/device-probe.ts';
import { type Device, type FindOptions, findDevices, watchDevices } from '../../links/devices.ts';
import type { DeviceIdentity } from '../../live/device-verifier.ts';
import { EXIT, stopSignal } from '../failure.ts';
import { positiveNumber } from '../options.ts';
import { notice, Output } from '../output.ts';

interface DevicesOptions {
  readonly ask?: boolean;
  readonly watch?: boolean;
  readonly baud?: readonly number[];
  readonly patience: number;
  readonly json?: boolean;
}

export const EXAMPLES = `
Nothing is sent to a device unless --ask is given.

Examples:
  skein devices
  skein devices /dev/ttyUSB0 /dev/ttyACM0
  skein devices --ask --json
  skein devices --watch`;

export function build(command: Command): void {
  command
    .argument('[paths...]', 'only these ports, listed or not')
    .option('--ask', 'send a heartbeat and request the firmware version')
    .option('--watch', 'keep running and report ports as they come and go')
    .option('--baud <speeds>', `baud rates to try, ${PROBE_SPEEDS.join(',')} by default`, (text) =>
      text.split(',').map(positiveNumber('--baud')),
    )
    .option('--patience <seconds>', 'how long to listen at each baud rate', positiveNumber('--patience'), 1.5)
    .option('--json', 'as JSON; with --watch one line per change');
}

export async function run(paths: readonly string[], options: DevicesOptions): Promise<number> {
  const probing = { ask: options.ask, speeds: options.baud, patience: options.patience * 1000 };
  const output = new Output();
  if (options.watch) return watch(paths, probing, options, output);
  if (process.stderr.isTTY) notice('listening on all ports ...');
  const found = await findDevices(paths, probing);
  if (options.json) output.json(found.map(deviceData), 2);
  else for (const device of found) output.write(deviceText(device));
  await output.flush();
  if (found.length === 0) notice('no serial ports found');
  // a named port that cannot be opened is a failure
  const isMissing = paths.length > 0 && found.some(({ ports }) => ports.some(({ error }) => error !== ''));
  return isMissing ? EXIT.failed : EXIT.well;
}

async function watch(
  paths: readonly string[],
  probing: FindOptions,
  { json }: DevicesOptions,
  output: Output,
): Promise<number> {
  const { signal, stop, release } = stopSignal();
  const print = (probed: Probed): void => {
    if (json) output.json(portData(probed));
    else output.write(`${portText(probed)}\n`);
    output.flush().catch(stop);
    if (output.closed) stop();
  };
  await watchDevices(paths, print, { ...probing, signal });
  release();
  return EXIT.well;
}

function deviceData({ usb, ports }: Device): unknown {
  return { usb, ...(portData(ports[0]) as object), ports: ports.map(portData) };
}

function portData({ path, state, baud, identity, bytes, error, hint }: Probed): unknown {
  return { path, state, baud, identity, bytes, error: error || null, hint: hint || null };
}

function deviceText({ usb, ports }: Device): string {
  const name =
    usb && [usb.manufacturer, `${usb.vendorId}:${usb.productId}`, usb.serialNumber].filter(Boolean).join(' ');
  const [first, ...others] = ports.map(portText);
  return [first + (name ? `  [${name}]` : ''), ...others.map((text) => `  also ${text}`)]
    .map((line) => `${line}\n`)
    .join('');
}

function portText({ path, state, baud, identity, error, hint, bytes }: Probed): string {
  const about =
    identity === null
      ? [error, state === 'other' ? `${bytes} bytes of an unknown protocol` : '', hint]
      : [identityText(identity), baud === null ? '' : `${baud} baud`];
  return `${path}  ${state}  ${about.filter(Boolean).join('; ')}`.trimEnd();
}

function identityText(identity: DeviceIdentity): string {
  if (!('system' in identity)) {
    const { protocol, streams, messages } = identity;
    const from = streams.filter(Boolean).join(', ');
    return `${protocol.toUpperCase()}${from === '' ? '' : ` from ${from}`}: ${messages.slice(0, 8).join(', ')}`;
  }
  const { system, component, version, firmware, vehicle, message } = identity;
  const release = firmware?.version
    ? ` ${firmware.version}${firmware.type === 'official' ? '' : `-${firmware.type}`}`
    : '';
  const what = firmware ? `${firmware.name}${release}${vehicle ? `, ${vehicle}` : ''}` : `first message ${message}`;
  return `MAVLink ${version}, system ${system} component ${component}, ${what}`;
}

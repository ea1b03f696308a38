import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { type OpenPort, type Probed, probe } from '../../src/links/device-probe.ts';
import { findDevices, watchDevices } from '../../src/links/devices.ts';
import { linuxPorts } from '../../src/links/serial-port.ts';
import { systemMicros } from '../../src/node/wall-clock.ts';
import { SKEIN, skein } from '../helpers/cli.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { needCommand } from '../helpers/need.ts';
import { until } from '../helpers/until.ts';
import { Random } from '../suite/random.ts';
import { SimulatedVehicle, type VehicleOptions } from '../vehicle/vehicle.ts';
import { listen } from './listen.ts';

const folder = temporaryFolder();
const open: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

/** Ports of made up devices: what they say at their own speed, and noise at any other. */
class Bench {
  /** Bytes that were sent to each device. */
  readonly sent: Map<string, number> = new Map();
  private readonly devices: Map<string, { baud: number; options: VehicleOptions } | Error | 'silent' | 'noise'> =
    new Map();

  plug(path: string, device: { baud: number; options: VehicleOptions } | Error | 'silent' | 'noise'): this {
    this.devices.set(path, device);
    return this;
  }

  readonly open: OpenPort = async (path, baud, hear) => {
    const device = this.devices.get(path);
    if (device instanceof Error) throw device;
    if (!device) throw new Error(`Error: No such file or directory, cannot open ${path}`);
    const random = new Random(baud);
    const vehicle = new SimulatedVehicle(hear, typeof device === 'object' ? device.options : {});
    const isRight = typeof device === 'object' && device.baud === baud;
    const timer = setInterval(() => {
      // its heartbeats are four times as fast as usual, so that nobody has to wait
      if (isRight) vehicle.tick(systemMicros() * 4);
      else if (device !== 'silent') hear(random.bytes(60));
    }, 5);
    return {
      write: (bytes) => {
        this.sent.set(path, (this.sent.get(path) ?? 0) + bytes.length);
        if (isRight) vehicle.receive(bytes);
      },
      close: async () => clearInterval(timer),
    };
  };
}

describe('probing', () => {
  test('finds the speed among all, several ports at once, and sends nothing', async () => {
    const bench = new Bench()
      .plug('/dev/a', { baud: 57_600, options: { system: 1 } })
      .plug('/dev/b', { baud: 460_800, options: { system: 2, firmware: 'px4', up: 60 } })
      .plug('/dev/c', 'noise')
      .plug('/dev/d', 'silent');
    const states: string[] = [];
    const start = Date.now();
    const devices = await findDevices(['/dev/a', '/dev/b', '/dev/c', '/dev/d'], {
      open: bench.open,
      list: async () => [],
      patience: 400,
      changed: ({ path, state }) => path === '/dev/b' && states.push(state),
    });
    // one after the other they would take three times as long
    expect(Date.now() - start).toBeLessThan(9 * 400 * 2);
    const ports = devices.flatMap((device) => device.ports);
    expect(ports.map(({ path, state, baud }) => [path, state, baud])).toEqual([
      ['/dev/a', 'verified', 57_600],
      ['/dev/b', 'verified', 460_800],
      ['/dev/c', 'other', null],
      ['/dev/d', 'unknown', null],
    ]);
    expect(ports[1].identity).toMatchObject({ system: 2, firmware: { name: 'PX4', version: null } });
    expect(ports[3].hint).toContain('--ask');
    expect(states.slice(0, 1)).toEqual(['verifying']);
    expect(states.at(-1)).toBe('verified');
    expect(bench.sent.size).toBe(0);
  });

  test('asks for the firmware when told to', async () => {
    const bench = new Bench().plug('/dev/a', { baud: 115_200, options: { release: [4, 6, 1, 255] } });
    const found = await probe('/dev/a', { open: bench.open, ask: true, patience: 400 });
    expect(found).toMatchObject({ state: 'verified', baud: 115_200, identity: { firmware: { version: '4.6.1' } } });
    expect(bench.sent.get('/dev/a')).toBeGreaterThan(0);
  });

  test('a flight controller with two ports is one device, also by its own id; two of a kind are two', async () => {
    const usb = { vendorId: '1209', productId: '5741', manufacturer: 'ArduPilot' };
    const infos = [
      { path: '/dev/a0', ...usb, serialNumber: '1' },
      { path: '/dev/a1', ...usb, serialNumber: '1' },
      { path: '/dev/b0', ...usb, serialNumber: '2' },
      { path: '/dev/c' },
      { path: '/dev/d' },
    ];
    const bench = new Bench().plug('/dev/a0', 'silent').plug('/dev/a1', { baud: 57_600, options: { system: 1 } });
    bench.plug('/dev/b0', { baud: 57_600, options: { system: 1 } });
    for (const path of ['/dev/c', '/dev/d']) bench.plug(path, { baud: 57_600, options: { system: 5 } });
    const list = async (): Promise<typeof infos> => infos;
    const paths = infos.map(({ path }) => path);
    const asked = await findDevices(paths, { open: bench.open, list, ask: true, patience: 400, speeds: [57_600] });
    const names = asked.map(({ ports }) => ports.map(({ path }) => path));
    expect(names).toEqual([['/dev/a1', '/dev/a0'], ['/dev/b0'], ['/dev/c', '/dev/d']]);
    expect(asked[0].usb).toEqual({ ...usb, serialNumber: '1' });
  });

  test('ports that cannot be opened say why and what to do', async () => {
    const bench = new Bench()
      .plug('/dev/a', new Error('Error: Permission denied, cannot open /dev/a'))
      .plug('/dev/b', new Error('Error Resource temporarily unavailable Cannot lock port'));
    const [a, b, c] = await Promise.all(
      ['/dev/a', '/dev/b', '/dev/c'].map((path) => probe(path, { open: bench.open })),
    );
    expect(a).toMatchObject({ state: 'unknown', error: '/dev/a: permission denied' });
    expect(a.hint).toContain('dialout');
    expect(b).toMatchObject({ error: '/dev/b is in use' });
    expect(c).toMatchObject({ error: '/dev/c: no such port' });
  });

  test('watching tells what comes and goes', async () => {
    const bench = new Bench()
      .plug('port1', { baud: 57_600, options: {} })
      .plug('port2', { baud: 57_600, options: { system: 2 } });
    let infos = [{ path: 'port1' }];
    const told: Probed[] = [];
    const stop = new AbortController();
    const watching = watchDevices([], (probed) => told.push(probed), {
      open: bench.open,
      list: async () => infos,
      signal: stop.signal,
      patience: 400,
      every: 20,
    });
    await until(() => told.length === 1);
    infos = [{ path: 'port1' }, { path: 'port2' }];
    await until(() => told.length === 2);
    infos = [{ path: 'port2' }];
    await until(() => told.length === 3);
    infos = [{ path: 'port1' }, { path: 'port2' }];
    await until(() => told.length === 4);
    stop.abort();
    await watching;
    expect(told.map(({ path, state }) => `${path} ${state}`)).toEqual([
      'port1 verified',
      'port2 verified',
      'port1 removed',
      'port1 verified',
    ]);
  });
});

test('ports of a system without udev come from /sys', async () => {
  const root = join(folder, 'sys');
  const device = join(root, 'devices/usb1/1-2');
  mkdirSync(join(device, '1-2:1.0'), { recursive: true });
  for (const [name, text] of Object.entries({
    idVendor: '1209',
    idProduct: '5741',
    serial: '42',
    manufacturer: 'Maker',
  }))
    writeFileSync(join(device, name), `${text}\n`);
  for (const name of ['ttyACM0', 'tty0', 'ttyAMA0']) mkdirSync(join(root, 'class', name), { recursive: true });
  symlinkSync(join(device, '1-2:1.0'), join(root, 'class/ttyACM0/device'));
  mkdirSync(join(root, 'devices/platform/uart'), { recursive: true });
  symlinkSync(join(root, 'devices/platform/uart'), join(root, 'class/ttyAMA0/device'));
  expect(await linuxPorts(join(root, 'class'))).toEqual([
    { path: '/dev/ttyACM0', vendorId: '1209', productId: '5741', serialNumber: '42', manufacturer: 'Maker' },
    { path: '/dev/ttyAMA0' },
  ]);
  expect(await linuxPorts(join(root, 'nowhere'))).toEqual([]);
});

needCommand('socat')('skein devices', () => {
  test('a vehicle at a real pty: as text, as JSON, watched until it is gone', async () => {
    const ends = [join(folder, 'vehicle'), join(folder, 'port')];
    const cable = spawn(
      'socat',
      ends.map((end) => `pty,raw,echo=0,link=${end}`),
    );
    open.push(() => cable.kill());
    await until(() => ends.every((end) => existsSync(end)));
    const line = listen(`serial:${ends[0]}:57600`);
    open.push(() => line.link.close());
    await until(() => line.link.state.state === 'waiting');
    const vehicle = new SimulatedVehicle((bytes) => line.link.send(bytes), { system: 12, release: [4, 8, 0, 0] });
    const timer = setInterval(() => {
      for (const { bytes } of line.pieces.splice(0)) vehicle.receive(bytes);
      vehicle.tick(systemMicros());
    }, 5);
    open.push(() => clearInterval(timer));
    const child = spawn(process.execPath, [SKEIN, 'devices', ends[1], '--json', '--ask']);
    let output = '';
    child.stdout.on('data', (text) => (output += text));
    await until(() => child.exitCode !== null, 20);
    const [device] = JSON.parse(output) as Record<string, unknown>[];
    expect(device).toMatchObject({
      path: ends[1],
      state: 'verified',
      baud: 57_600,
      identity: {
        system: 12,
        component: 1,
        version: 2,
        vehicle: 'Copter',
        firmware: { name: 'ArduCopter', version: '4.8.0' },
      },
    });
    const watching = spawn(process.execPath, [SKEIN, 'devices', ends[1], '--watch']);
    let lines = '';
    watching.stdout.on('data', (text) => (lines += text));
    open.push(() => watching.kill());
    await until(() => lines.includes('verified  MAVLink 2, system 12 component 1, ArduCopter'), 20);
    clearInterval(timer);
    await line.link.close();
    cable.kill();
    await until(() => lines.includes(`${ends[1]}  removed`));
    watching.kill('SIGINT');
    await until(() => watching.exitCode !== null);
    expect(watching.exitCode).toBe(0);
  });

  test('a port that is not there, and wrong usage', () => {
    const { code, stdout } = skein(['devices', '/dev/no-such-port']);
    expect(code).toBe(1);
    expect(stdout).toContain('/dev/no-such-port  unknown  /dev/no-such-port: no such port; plug the device in');
    expect(skein(['devices', '--baud', 'fast']).code).toBe(2);
  });
});

import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { systemMicros } from '../../src/node/wall-clock.ts';
import { SimulatedVehicle, type VehicleOptions } from './vehicle.ts';

/** A simulated vehicle on a real socket. */
export interface RunningVehicle {
  readonly vehicle: SimulatedVehicle;
  /** Its own port. */
  readonly port: number;
  close(): Promise<void>;
}

/** Milliseconds between two ticks. */
const TICK = 5;

interface Address {
  readonly address: string;
  readonly port: number;
}

/**
 * Sends to a ground station's port and receives what comes back, as simulations and vehicles on a network do. After a
 * reboot it has another port, as ArduPilot has; PX4 keeps its own.
 */
export function vehicleOverUdp(station: number, options: VehicleOptions = {}, port = 0): Promise<RunningVehicle> {
  return vehicleAtSocket(options, port, () => ({ address: '127.0.0.1', port: station }));
}

/** Waits at a port for a station's first datagram, as `udpout` needs it. */
export function vehicleBehindUdp(options: VehicleOptions = {}, port = 0): Promise<RunningVehicle> {
  return vehicleAtSocket(options, port, (caller) => caller);
}

/** @param target to whom it sends, given the last caller */
async function vehicleAtSocket(
  options: VehicleOptions,
  port: number,
  target: (caller: Address | undefined) => Address | undefined,
): Promise<RunningVehicle> {
  let caller: Address | undefined;
  let socket: UdpSocket;
  const open = (at: number): UdpSocket => {
    const opened = createSocket('udp4');
    opened.on('message', (bytes, from) => {
      caller = from;
      vehicle.receive(bytes);
    });
    opened.on('error', () => undefined);
    opened.bind(at, '127.0.0.1');
    return opened;
  };
  const vehicle = new SimulatedVehicle(
    (bytes) => {
      const to = target(caller);
      // a station that is not there yet does not matter
      if (to) socket.send(bytes, to.port, to.address, () => undefined);
    },
    {
      ...options,
      restarted: () => {
        if (port !== 0 || options.firmware === 'px4') return;
        socket.close();
        socket = open(0);
      },
    },
  );
  socket = open(port);
  await once(socket, 'listening');
  const timer = setInterval(() => vehicle.tick(systemMicros()), TICK);
  return {
    vehicle,
    get port() {
      return socket.address().port;
    },
    close: async () => {
      clearInterval(timer);
      await new Promise<void>((done) => socket.close(() => done()));
    },
  };
}

/** Serves all connections as one link, as ArduPilot's simulation does at port 5760. */
export async function vehicleOverTcp(options: VehicleOptions = {}, port = 0): Promise<RunningVehicle> {
  const clients = new Set<Socket>();
  const vehicle = new SimulatedVehicle((bytes) => {
    for (const client of clients) client.write(bytes);
  }, options);
  const server = createServer((socket) => {
    clients.add(socket);
    socket.on('data', (bytes) => vehicle.receive(bytes));
    socket.on('error', () => undefined);
    socket.on('close', () => clients.delete(socket));
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const timer = setInterval(() => vehicle.tick(systemMicros()), TICK);
  return {
    vehicle,
    port: (server.address() as AddressInfo).port,
    close: async () => {
      clearInterval(timer);
      for (const client of clients) client.destroy();
      await new Promise<void>((done) => server.close(() => done()));
    },
  };
}

/** Milliseconds between two bursts of numbers, and between two heartbeats. */
const BURST = 20;
const HEARTBEAT = 500;

/** A vehicle on a UDP socket whose messages carry a running number, so that each can be found where they end up. */
export class NumberedVehicle {
  /** The number that was sent last, and all frames. */
  number = 0;
  frames = 0;
  private readonly socket = createSocket('udp4');
  private readonly vehicle: SimulatedVehicle;
  private timer: NodeJS.Timeout | undefined;
  private elapsed = 0;

  constructor(port: number, system: number) {
    this.vehicle = new SimulatedVehicle(
      (bytes) => {
        this.frames++;
        this.socket.send(bytes, port, '127.0.0.1');
      },
      { system, mode: 0 },
    );
  }

  /** Sends numbers at a rate per second until it pauses. */
  start(rate: number): void {
    const each = Math.max(1, Math.round((rate * BURST) / 1000));
    this.timer = setInterval(() => {
      for (let i = 0; i < each; i++) {
        this.number++;
        this.vehicle.say('NAMED_VALUE_INT', { time_boot_ms: this.number, name: 'number', value: this.number });
      }
      if (this.elapsed % HEARTBEAT === 0) {
        this.vehicle.say('HEARTBEAT', { type: 2, autopilot: 3, base_mode: 1, system_status: 4 });
      }
      this.elapsed += BURST;
    }, BURST);
  }

  pause(): void {
    clearInterval(this.timer);
  }

  async close(): Promise<void> {
    this.pause();
    this.socket.close();
    await once(this.socket, 'close');
  }
}

import { createSocket } from 'node:dgram';
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

/** Milliseconds between two looks at what is due. */
const TICK = 5;

interface Caller {
  readonly address: string;
  readonly port: number;
}

/** Sends to a ground station's port and hears what comes back, as simulations and vehicles on a network do. */
export function vehicleOverUdp(station: number, options: VehicleOptions = {}, port = 0): Promise<RunningVehicle> {
  return vehicleAtSocket(options, port, () => ({ address: '127.0.0.1', port: station }));
}

/** Waits at a port for those who call: `udpout` hears nothing before it has sent something. */
export function vehicleBehindUdp(options: VehicleOptions = {}, port = 0): Promise<RunningVehicle> {
  return vehicleAtSocket(options, port, (caller) => caller);
}

/** @param target to whom it sends, given who called last */
async function vehicleAtSocket(
  options: VehicleOptions,
  port: number,
  target: (caller: Caller | undefined) => Caller | undefined,
): Promise<RunningVehicle> {
  const socket = createSocket('udp4');
  socket.bind(port, '127.0.0.1');
  await once(socket, 'listening');
  let caller: Caller | undefined;
  const vehicle = new SimulatedVehicle((bytes) => {
    const to = target(caller);
    // a station that is not there yet is none of its business
    if (to) socket.send(bytes, to.port, to.address, () => undefined);
  }, options);
  socket.on('message', (bytes, from) => {
    caller = from;
    vehicle.receive(bytes);
  });
  socket.on('error', () => undefined);
  const timer = setInterval(() => vehicle.tick(systemMicros()), TICK);
  return {
    vehicle,
    port: socket.address().port,
    close: async () => {
      clearInterval(timer);
      await new Promise<void>((done) => socket.close(() => done()));
    },
  };
}

/** Serves one connection after the other, as ArduPilot's simulation does at port 5760. */
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

// What a client sends through the server reaches the vehicle that it named, and no other.
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { parseLink } from '../../src/live/link-name.ts';
import { systemMicros } from '../../src/node/wall-clock.ts';
import { type RunningServer, serve } from '../../src/server/server.ts';
import { SessionView } from '../../src/server/session-view.ts';
import { LiveSession, type SessionOptions } from '../../src/session/session.ts';
import { until } from '../helpers/until.ts';
import { vehicleOverUdp } from '../vehicle/sockets.ts';
import { SimulatedVehicle, type VehicleOptions } from '../vehicle/vehicle.ts';

const closing: (() => Promise<void>)[] = [];
/** Of what several tests use. */
const shared: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

afterAll(async () => {
  for (const close of shared.splice(0).reverse()) await close();
});

interface Answer {
  readonly sent?: string;
  readonly vehicle?: string;
  readonly ack?: { readonly result: number; readonly name: string } | null;
  readonly note?: string;
  readonly state?: { readonly mode: string; readonly armed: boolean };
  readonly vehicles?: Readonly<Record<string, Answer>>;
  readonly error?: { readonly status: number; readonly message: string };
}

/** A server over a session that listens at a free port. */
class Station {
  readonly session: LiveSession;
  readonly server: RunningServer;
  readonly port: number;

  static async start(options: Partial<SessionOptions> = {}, mayCommand = true): Promise<Station> {
    const session = new LiveSession({
      links: [parseLink('udpin:127.0.0.1:0')],
      requests: false,
      allowCommands: mayCommand,
      ...options,
    });
    closing.push(() => session.stop());
    session.start();
    await until(() => session.links[0].local !== null);
    const server = await serve(new SessionView(session, mayCommand));
    closing.push(() => server.close());
    return new Station(session, server);
  }

  private constructor(session: LiveSession, server: RunningServer) {
    this.session = session;
    this.server = server;
    this.port = Number(session.links[0].local?.split(':').at(-1));
  }

  async vehicle(options: VehicleOptions): Promise<SimulatedVehicle> {
    const { vehicle, close } = await vehicleOverUdp(this.port, options);
    closing.push(close);
    await this.sees(options.system ?? 1);
    return vehicle;
  }

  async behindOneAddress(...all: readonly VehicleOptions[]): Promise<SimulatedVehicle[]> {
    const socket = createSocket('udp4').bind(0, '127.0.0.1');
    await once(socket, 'listening');
    const vehicles = all.map(
      (options) => new SimulatedVehicle((bytes) => socket.send(bytes, this.port, '127.0.0.1'), options),
    );
    socket.on('message', (bytes) => {
      for (const vehicle of vehicles) vehicle.receive(bytes);
    });
    const timer = setInterval(() => {
      for (const vehicle of vehicles) vehicle.tick(systemMicros());
    }, 10);
    closing.push(async () => {
      clearInterval(timer);
      socket.close();
    });
    return vehicles;
  }

  async sees(system: number): Promise<void> {
    await until(() => this.session.collector.vehicles.has(String(system)));
  }

  async send(vehicle: string | undefined, message: string, data: unknown): Promise<Answer> {
    const answer = await fetch(`${this.server.url}/v1/actions/send`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${this.server.token}` },
      body: JSON.stringify({ vehicle, message, data }),
    });
    return (await answer.json()) as Answer;
  }

  command(vehicle: string, command: string | number, ...params: (string | number)[]): Promise<Answer> {
    const fields = Object.fromEntries(params.map((value, i) => [`param${i + 1}`, value]));
    return this.send(vehicle, 'COMMAND_LONG', { command, ...fields });
  }
}

/** What a vehicle was sent besides heartbeats, with the targets. */
function received({ requests }: SimulatedVehicle): unknown[] {
  return requests
    .filter(({ name }) => name !== 'HEARTBEAT')
    .map(({ name, data }) => [name, data.target_system, data.target_component]);
}

const SET_MODE = 'MAV_CMD_DO_SET_MODE';
const CUSTOM = 'MAV_MODE_FLAG_CUSTOM_MODE_ENABLED';

describe('of two vehicles on one port', () => {
  test('the one that was named changes its mode, and the other receives nothing', async () => {
    const station = await Station.start();
    const [first, second] = [await station.vehicle({ system: 1 }), await station.vehicle({ system: 2 })];
    expect(await station.command('1', SET_MODE, CUSTOM, 'COPTER_MODE_ALT_HOLD')).toEqual({
      sent: 'COMMAND_LONG',
      vehicle: '1',
      ack: { result: 0, name: 'MAV_RESULT_ACCEPTED' },
      state: { mode: 'ALT_HOLD', armed: false },
    });
    expect([first, second].map(({ situation }) => situation.customMode)).toEqual([2, 0]);
    expect(received(first)).toEqual([['COMMAND_LONG', 1, 1]]);
    expect(received(second)).toEqual([]);
  });

  test('a message without a target goes to the address of the one that was named', async () => {
    const station = await Station.start();
    const [first, second] = [await station.vehicle({ system: 1 }), await station.vehicle({ system: 2 })];
    expect(await station.send('2', 'VISION_POSITION_ESTIMATE', { x: 1 })).toEqual({
      sent: 'VISION_POSITION_ESTIMATE',
      vehicle: '2',
    });
    await until(() => received(second).length > 0);
    expect(received(second)).toEqual([['VISION_POSITION_ESTIMATE', undefined, undefined]]);
    expect(received(first)).toEqual([]);
  });

  test('behind one address the target tells them apart, and a message without one is refused', async () => {
    const station = await Station.start();
    const vehicles = await station.behindOneAddress({ system: 1 }, { system: 2 });
    await station.sees(1);
    await station.sees(2);
    const { ack, state } = await station.command('2', SET_MODE, 1, 5);
    expect([ack?.result, state?.mode]).toEqual([0, 'LOITER']);
    expect(vehicles.map(({ situation }) => situation.customMode)).toEqual([0, 5]);
    expect((await station.send('2', 'VISION_POSITION_ESTIMATE', { x: 1 })).error).toEqual({
      status: 400,
      message:
        'message VISION_POSITION_ESTIMATE has no target and would also reach vehicle 1: ' +
        'to send to all, give "vehicle": "all"',
    });
    expect(received(vehicles[0])).toEqual([['COMMAND_LONG', 2, 1]]);
  });

  test('with one id behind one address both obey, and the answer says so', async () => {
    const station = await Station.start({ requests: true });
    await station.behindOneAddress({ system: 1, up: 60 }, { firmware: 'px4', system: 1, up: 600 });
    await until(() => station.session.collector.vehicles.get('1')?.conflict);
    const address = station.session.collector.vehicles.get('1')?.components.get(1)?.address;
    const { note } = await station.command('1', 'MAV_CMD_REQUEST_MESSAGE', 1);
    expect(note).toContain(`two vehicles with system id 1 send from ${address}: values are mixed`);
  });

  test('all are commanded only if the client says so', async () => {
    const station = await Station.start();
    const vehicles = [await station.vehicle({ system: 1 }), await station.vehicle({ system: 2 })];
    const { sent, vehicle, vehicles: answers } = await station.command('all', SET_MODE, 1, 5);
    expect([sent, vehicle]).toEqual(['COMMAND_LONG', 'all']);
    const answer = { ack: { result: 0, name: 'MAV_RESULT_ACCEPTED' }, state: { mode: 'LOITER', armed: false } };
    expect(answers).toEqual({ 1: answer, 2: answer });
    expect(vehicles.map(({ situation }) => situation.customMode)).toEqual([5, 5]);
  });
});

describe('what would reach another vehicle, or cannot be encoded', () => {
  let station: Station;
  let vehicles: SimulatedVehicle[];
  beforeAll(async () => {
    station = await Station.start();
    vehicles = [await station.vehicle({ system: 1 }), await station.vehicle({ system: 2 })];
    shared.push(...closing.splice(0));
  });

  test.each<[string | undefined, string, object, string]>([
    ['1', 'COMMAND_LONG', { target_system: 2, command: 176 }, 'target_system 2 is not the named vehicle'],
    ['1', 'COMMAND_LONG', { target_system: 0, command: 176 }, 'target_system 0 addresses every vehicle'],
    ['1', 'COMMAND_LONG', { target_component: 100, command: 176 }, 'target_component 100 is not a component'],
    ['1', 'MANUAL_CONTROL', { target: 2 }, 'target 2 is not the named vehicle'],
    ['all', 'COMMAND_LONG', { target_system: 2, command: 176 }, 'target_system 2 names one vehicle'],
    [
      '1',
      'COMMAND_LONG',
      { target: 1, command: 176 },
      'message COMMAND_LONG has no field target: it has target_system',
    ],
    [
      '1',
      'COMMAND_LONG',
      { command: 'MAV_CMD_NO_SUCH' },
      'command: unknown name "MAV_CMD_NO_SUCH": expected MAV_CMD_NAV',
    ],
    ['1', 'COMMAND_LONG', { command: 176, param1: 'NO_SUCH' }, 'param1: unknown name "NO_SUCH"'],
    ['1', 'COMMAND_LONG', { command: 176, confirmation: 'x' }, 'confirmation: expected a number, not "x"'],
    ['1', 'COMMAND_LONG', { command: true }, 'command: expected a number'],
    ['1', 'COMMAND_LONG', { command: 70_000 }, 'COMMAND_LONG.command is 70000, uint16 holds 0 to 65535'],
    ['1', 'NO_SUCH', {}, 'unknown message NO_SUCH'],
    ['9', 'COMMAND_LONG', { command: 176 }, 'vehicle: unknown id'],
    [undefined, 'COMMAND_LONG', { command: 176 }, 'missing vehicle: give its id, or "all"'],
    ['1', 'COMMAND_LONG', [], 'message and data: expected'],
  ])('to %s %s %j is refused, and nothing is sent', async (vehicle, message, data, sentence) => {
    const { error } = await station.send(vehicle, message, data);
    expect(error?.message).toContain(sentence);
    await wait(50);
    expect(vehicles.flatMap(received)).toEqual([]);
  });
});

describe('the fields of a message', () => {
  let station: Station;
  let vehicle: SimulatedVehicle;
  beforeAll(async () => {
    station = await Station.start();
    vehicle = await station.vehicle({ system: 1, answer: () => 3 });
    shared.push(...closing.splice(0));
  });

  test.each<[string, object, object]>([
    ['COMMAND_INT', { frame: 'MAV_FRAME_GLOBAL', command: 'MAV_CMD_DO_REPOSITION', x: 5 }, { frame: 0, command: 192 }],
    ['SET_MODE', { base_mode: ['MAV_MODE_FLAG_CUSTOM_MODE_ENABLED'], custom_mode: 5 }, { base_mode: 1 }],
    ['SET_MODE', { base_mode: 'MAV_MODE_FLAG_CUSTOM_MODE_ENABLED | MAV_MODE_FLAG_SAFETY_ARMED' }, { base_mode: 129 }],
    [
      'PARAM_SET',
      { param_id: 'WPNAV_SPEED', param_value: 500, param_type: 'MAV_PARAM_TYPE_REAL32' },
      { param_type: 9 },
    ],
    ['MANUAL_CONTROL', { x: 100 }, { target: 1, x: 100 }],
    ['TIMESYNC', { ts1: '9007199254740993' }, { ts1: 9007199254740993n }],
  ])('of %s are taken by name: %j', async (message, data, expected) => {
    vehicle.requests.length = 0;
    const answer = station.send('1', message, data).catch(() => undefined);
    await until(() => vehicle.requests.some(({ name }) => name === message));
    expect(vehicle.requests.findLast(({ name }) => name === message)?.data).toMatchObject(expected);
    await answer;
  });
});

describe('the answer', () => {
  test('of a PX4 that accepts a mode and stays in its own is its second one, and says what the heartbeat says', async () => {
    const station = await Station.start();
    const vehicle = await station.vehicle({ firmware: 'px4', system: 1, mode: 0x3040000 });
    Object.assign(vehicle.situation, { armed: true, flying: true });
    await until(() => station.session.collector.vehicles.get('1')?.armed === true);
    // as recorded: ALTCTL in flight without sticks
    expect(await station.command('1', SET_MODE, 1, 2)).toEqual({
      sent: 'COMMAND_LONG',
      vehicle: '1',
      ack: { result: 1, name: 'MAV_RESULT_TEMPORARILY_REJECTED' },
      state: { mode: 'AUTO_LOITER', armed: true },
    });
  });

  test('that says accepted is not the state: the heartbeat is', async () => {
    const station = await Station.start();
    await station.vehicle({ system: 1, answer: (command) => (command === 176 ? 0 : undefined), mode: 0 });
    const stubborn = await vehicleOverUdp(station.port, { firmware: 'px4', system: 2, mode: 0x3040000 });
    closing.push(stubborn.close);
    await station.sees(2);
    // the second answer is lost
    const { vehicle } = stubborn;
    Object.assign(vehicle.situation, { armed: true, flying: true });
    const lossy = vehicle as unknown as {
      setPx4Mode: (main: number, sub: number, ack: (result: number) => void) => void;
    };
    lossy.setPx4Mode = (_main, _sub, ack) => ack(0);
    expect(await station.command('2', SET_MODE, 1, 3, 2)).toEqual({
      sent: 'COMMAND_LONG',
      vehicle: '2',
      ack: { result: 0, name: 'MAV_RESULT_ACCEPTED' },
      note: 'accepted, but the heartbeat says AUTO_LOITER, not Position Slow',
      state: { mode: 'AUTO_LOITER', armed: true },
    });
  });

  test('of an ArduPilot that refuses to arm has its result and what the heartbeat says', async () => {
    const station = await Station.start();
    await station.vehicle({ system: 1 });
    expect(await station.command('1', 'MAV_CMD_COMPONENT_ARM_DISARM', 1)).toEqual({
      sent: 'COMMAND_LONG',
      vehicle: '1',
      ack: { result: 4, name: 'MAV_RESULT_FAILED' },
      state: { mode: 'STABILIZE', armed: false },
    });
  });

  test('that does not come is null, and one in progress is waited for', async () => {
    const station = await Station.start();
    let results: (number | null)[] = [];
    const vehicle = await station.vehicle({ system: 1, answer: () => results[0] });
    results = [null];
    expect(await station.command('1', 241, 1)).toMatchObject({ ack: null, note: 'no COMMAND_ACK within 3 s' });
    results = [5];
    const answer = station.command('1', 241, 1);
    await until(() => received(vehicle).length === 2);
    await wait(200);
    results = [3];
    void station.command('1', 241, 1).catch(() => undefined);
    expect(await answer).toEqual({
      sent: 'COMMAND_LONG',
      vehicle: '1',
      ack: { result: 3, name: 'MAV_RESULT_UNSUPPORTED' },
    });
  });

  test('without --allow-commands is a refusal that names the option, and the action is not listed', async () => {
    const station = await Station.start({}, false);
    await station.vehicle({ system: 1 });
    expect((await station.command('1', 176, 1, 5)).error).toEqual({
      status: 403,
      message: 'commands are off: start skein live with --allow-commands to send messages',
    });
    const { actions } = (await (await fetch(`${station.server.url}/v1/actions`)).json()) as {
      actions: { name: string }[];
    };
    expect(actions.map(({ name }) => name)).not.toContain('send');
  });
});

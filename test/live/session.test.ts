// The collector with real sockets: simulated vehicles, the sample's telemetry log, the status file.
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';
import { builtinDialect } from '../../src/formats/mavlink/dialect/builtin.ts';
import { Encoder } from '../../src/formats/mavlink/encode.ts';
import type { LiveEvent } from '../../src/live/events.ts';
import { parseLink } from '../../src/live/link-name.ts';
import { serve } from '../../src/server/server.ts';
import { SessionView } from '../../src/server/session-view.ts';
import { LiveSession, type SessionOptions } from '../../src/session/session.ts';
import type { Status } from '../../src/session/status.ts';
import { type TlogFrame, tlogFrames } from '../formats/tlog/frames.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { until } from '../helpers/until.ts';
import { vehicleBehindUdp, vehicleOverTcp, vehicleOverUdp } from '../vehicle/sockets.ts';

const folder = temporaryFolder();
const TLOG = fileURLToPath(new URL('../../sample/copter-square.tlog', import.meta.url));
const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** A session that listens at a free port, and its port. */
async function listening(options: Partial<SessionOptions> = {}): Promise<{ session: LiveSession; port: number }> {
  const session = new LiveSession({ links: [parseLink('udpin:127.0.0.1:0')], ...options });
  closing.push(() => session.stop());
  session.start();
  await until(() => session.links[0].local !== null);
  return { session, port: Number(session.links[0].local?.split(':').at(-1)) };
}

describe('a session', () => {
  test('finds an ArduPilot over UDP, asks by intervals and gets what it asked for', async () => {
    const { session, port } = await listening();
    const events: LiveEvent[] = [];
    session.subscribe((event) => events.push(event));
    const { vehicle, close } = await vehicleOverUdp(port, { firmware: 'ardupilot', system: 7 });
    closing.push(close);
    await until(() => session.collector.requests('7').filter(({ state }) => state === 'accepted').length >= 6);
    const names = vehicle.requests.map(({ name, data }) => (name === 'COMMAND_LONG' ? `${data.command}` : name));
    // a vehicle that accepts intervals gets no stream request, which would set all rates of its link
    expect(names).not.toContain('REQUEST_DATA_STREAM');
    expect(names).toContain('511');
    expect(vehicle.intervals.get(1)).toBe(100_000);
    expect(vehicle.intervals.get(147)).toBe(1_000_000);
    const state = session.collector.vehicles.get('7');
    expect(state).toMatchObject({ system: 7, kind: 'Copter', connected: true });
    await until(() => (session.collector.latest('7', 1, 'SYS_STATUS')?.count ?? 0) > 10);
    expect(state?.battery.voltage).toBeGreaterThan(5);
    expect(state?.position?.lat).toBeCloseTo(47.4, 1);
    expect(state?.firmware.version).toMatch(/^\d+\.\d+\.\d+$/);
    expect(events.map(({ type }) => type)).toEqual(expect.arrayContaining(['link', 'vehicle', 'firmware']));
  });

  test('finds a PX4 that must be called, and one over TCP', async () => {
    const behind = await vehicleBehindUdp({ firmware: 'px4', system: 3 });
    const tcp = await vehicleOverTcp({ firmware: 'ardupilot', system: 4, type: 10 });
    closing.push(behind.close, tcp.close);
    const links = [parseLink(`udpout:127.0.0.1:${behind.port}`), parseLink(`tcp:127.0.0.1:${tcp.port}`)];
    const session = new LiveSession({ links });
    closing.push(() => session.stop());
    session.start();
    await until(() => session.collector.vehicles.size === 2);
    await until(() => session.collector.latest('3', 1, 'SYS_STATUS') !== undefined);
    await until(() => session.collector.latest('4', 1, 'SYS_STATUS') !== undefined);
    expect(session.collector.vehicles.get('3')?.firmware.name).toBe('PX4');
    expect(session.collector.vehicles.get('4')?.firmware.name).toBe('ArduRover');
    expect(behind.vehicle.requests.some(({ name }) => name === 'REQUEST_DATA_STREAM')).toBe(false);
  });

  test('stands between a vehicle and a ground station', async () => {
    const station = createSocket('udp4');
    station.bind(0, '127.0.0.1');
    await once(station, 'listening');
    closing.push(() => new Promise<void>((done) => station.close(() => done())));
    const heard: number[] = [];
    let back: { port: number; address: string } | undefined;
    station.on('message', (bytes, from) => {
      heard.push(bytes[5]);
      back = from;
    });
    const forward = [parseLink(`udpout:127.0.0.1:${station.address().port}`)];
    const { session, port } = await listening({ forward, requests: false });
    const { vehicle, close } = await vehicleOverUdp(port, { firmware: 'px4', system: 6 });
    closing.push(close);
    await until(() => heard.filter((system) => system === 6).length > 20);
    // only a heartbeat tells where a vehicle is
    await until(() => session.collector.vehicles.has('6'));
    // our own heartbeats are for vehicles, not for the station
    expect(new Set(heard)).toEqual(new Set([6]));
    const encoder = new Encoder(builtinDialect('common'), { system: 255, component: 190 });
    const request = encoder.message('COMMAND_LONG', { target_system: 6, command: 512, param1: 148 });
    if (back) station.send(request, back.port, back.address);
    await until(() => vehicle.requests.some(({ system, name }) => system === 255 && name === 'COMMAND_LONG'));
    await until(() => session.collector.vehicles.get('6')?.firmware.version !== null);
    expect([...session.collector.vehicles.keys()]).toEqual(['6']);
  });

  test('is shown by the server, with streams and what may be sent', async () => {
    const { session, port } = await listening({ allowCommands: true, record: join(folder, 'shown') });
    const { vehicle, close } = await vehicleOverUdp(port, { firmware: 'ardupilot', system: 5 });
    closing.push(close);
    const server = await serve(new SessionView(session, true), {});
    closing.push(() => server.close());
    await until(() => session.collector.latest('5', 1, 'GLOBAL_POSITION_INT') !== undefined);
    const get = async (path: string): Promise<string> => (await fetch(`${server.url}${path}`)).text();
    expect(JSON.parse(await get('/v1/vehicles'))).toMatchObject({
      vehicles: [{ id: '5', class: 'Copter', mode: 'STABILIZE' }],
    });
    expect(await get('/v1/vehicles/5')).toContain('"attitude"');
    expect(await get('/v1/mavlink/vehicles/5/components/1/messages/GLOBAL_POSITION_INT')).toContain('"lat"');
    expect(await get('/v1/links')).toContain('receiving');
    expect(await get('/v1/statistics')).toContain('"5:1"');
    await until(() => session.recorder?.state.state === 'recording');
    expect(await get('/v1/recordings')).toContain('.tlog');
    expect(await get('/metrics')).toMatch(/skein_vehicle\w*\{[^}]*5/);
    const send = (body: unknown): Promise<Response> =>
      fetch(`${server.url}/v1/actions/send`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${server.token}` },
        body: JSON.stringify(body),
      });
    expect((await send({ vehicle: '5', message: 'NO_SUCH', data: {} })).status).toBe(400);
    expect((await send({ vehicle: '9', message: 'PARAM_REQUEST_LIST', data: {} })).status).toBe(404);
    expect((await send({ vehicle: '5', message: 'PARAM_REQUEST_LIST', data: { target_system: 5 } })).status).toBe(200);
    await until(() => vehicle.requests.some(({ name }) => name === 'PARAM_REQUEST_LIST'));
  });

  test('loses a vehicle that ends, and finds it again', async () => {
    const { session, port } = await listening({ heartbeatTimeout: 1500 });
    const first = await vehicleOverUdp(port, { system: 1 });
    await until(() => session.collector.vehicles.get('1')?.connected === true);
    await first.close();
    await until(() => session.collector.vehicles.get('1')?.connected === false);
    const again = await vehicleOverUdp(port, { system: 1 });
    closing.push(again.close);
    await until(() => session.collector.vehicles.get('1')?.connected === true);
    expect(session.collector.vehicles.get('1')?.lostCount).toBe(1);
  });
});

describe("the sample's telemetry log, sent twenty times as fast as it was flown", () => {
  test('arrives whole, and the status file is right at each second', async () => {
    const statusFile = join(folder, 'status.json');
    const historyFile = join(folder, 'history.jsonl');
    const record = join(folder, 'recorded');
    const { session, port } = await listening({ statusFile, historyFile, record, requests: false });
    const frames = tlogFrames(TLOG);
    const socket = createSocket('udp4');
    socket.bind(0, '127.0.0.1');
    await once(socket, 'listening');
    closing.push(() => new Promise<void>((done) => socket.close(() => done())));
    const began = performance.now();
    for (const { time, frame } of frames) {
      const due = (time - frames[0].time) / 20_000;
      if (due - (performance.now() - began) > 2) await wait(due - (performance.now() - began));
      socket.send(frame, port, '127.0.0.1');
    }
    await until(() => session.collector.statistics().messages === frames.length);
    const { streams, faults } = session.collector.statistics().links[0];
    expect(streams['1:1']).toMatchObject({ lost: 0, duplicated: 0 });
    expect(faults).toEqual({});
    await session.stop();
    const recorded = session.recorder?.state.files.flatMap(({ path }) => tlogFrames(path)) ?? [];
    const bytesOf = (list: readonly TlogFrame[]): Buffer => Buffer.concat(list.map(({ frame }) => frame));
    expect(Buffer.compare(bytesOf(recorded), bytesOf(frames))).toBe(0);
    expectHistory(historyFile, recorded);
    const status = JSON.parse(readFileSync(statusFile, 'utf8')) as Status;
    const last = frames.filter(({ id, system }) => id === 1 && system === 1).at(-1);
    expect(status).toEqual({
      system_id: 1,
      component_id: 1,
      armed: false,
      flight_mode: 'RTL',
      battery_voltage: (last?.payload.getUint16(14, true) ?? 0) / 1000,
      battery: expect.stringMatching(/^\d+\.\ds ago$/),
      firmware: 'ArduCopter 4.8.0',
      heartbeat: expect.stringMatching(/^\d+\.\ds ago$/),
      last_activity: expect.stringMatching(/^\d+\.\ds ago$/),
      messages_per_sec: expect.any(Number),
      last_update: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
      recorder: { state: 'closed', file: expect.stringMatching(/\.tlog$/), records: recorded.length, lost: 0 },
    });
  });
});

const MODES: Readonly<Record<number, string>> = { 0: 'STABILIZE', 4: 'GUIDED', 6: 'RTL' };

/** Each second has its line, and in it what the frames say that had come by then. */
function expectHistory(path: string, frames: readonly TlogFrame[]): void {
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  expect(lines.length).toBeGreaterThan(5);
  const modes = new Set<string>();
  for (const line of lines) {
    const { time, ...status } = JSON.parse(line) as Status & { time: number };
    const come = frames.filter((each) => each.system === 1 && each.time <= Math.round(time * 1e6));
    const heartbeat = come.findLast(({ id }) => id === 0);
    expect(status.last_update).toBe(new Date(time * 1000).toISOString().slice(0, 19).replace('T', ' '));
    if (!heartbeat) {
      expect(Object.keys(status)).toEqual(['last_update']);
      continue;
    }
    const voltage = (come.findLast(({ id }) => id === 1)?.payload.getUint16(14, true) ?? 0) / 1000;
    const ago = (last: TlogFrame | undefined): string =>
      `${((Math.round(time * 1e6) - (last?.time ?? 0)) / 1e6).toFixed(1)}s ago`;
    expect(status).toMatchObject({
      system_id: 1,
      component_id: 1,
      armed: (heartbeat.payload.getUint8(6) & 128) !== 0,
      flight_mode: MODES[heartbeat.payload.getUint32(0, true)],
    });
    expect(status.battery_voltage).toBe(voltage === 0 ? undefined : voltage);
    expect(status.firmware).toBe(come.some(({ id }) => id === 148) ? 'ArduCopter 4.8.0' : 'ArduPilot');
    expect(status.heartbeat).toBe(ago(heartbeat));
    expect(status.last_activity).toBe(ago(come.at(-1)));
    modes.add(status.flight_mode ?? '');
    // over the last five seconds, or since the first one
    const from = Math.max(come[0].time, time * 1e6 - 5e6);
    const rate = come.filter((each) => each.time >= from).length / ((time * 1e6 - from) / 1e6);
    expect(Math.abs((status.messages_per_sec ?? 0) - rate)).toBeLessThan(0.5 * rate + 20);
  }
  expect([...modes]).toEqual(['STABILIZE', 'GUIDED', 'RTL']);
}

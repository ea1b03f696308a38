// What the collector makes of real flights, against values that a plain reader takes from the same bytes.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { LiveCollector } from '../../src/live/collector.ts';
import type { LiveEvent } from '../../src/live/events.ts';
import type { LiveVehicle } from '../../src/live/vehicle.ts';
import { type TlogFrame, tlogFrames } from '../formats/tlog/frames.ts';
import { needShared, sharedData } from '../helpers/need.ts';

const HEARTBEAT = 0;
const SYS_STATUS = 1;
const ATTITUDE = 30;
const GLOBAL_POSITION_INT = 33;
const VFR_HUD = 74;

/** Pushes a telemetry log into a collector at its own times; `at` is called at every full second of it. */
function replay(
  frames: readonly TlogFrame[],
  at: (collector: LiveCollector, time: number, seen: number) => void = () => undefined,
): { collector: LiveCollector; events: LiveEvent[] } {
  const events: LiveEvent[] = [];
  const collector = new LiveCollector({ send: () => undefined });
  collector.subscribe(
    (event) => events.push(event),
    ['vehicle', 'firmware', 'reboot', 'lost', 'mode', 'armed', 'text'],
  );
  let tick = frames[0].time;
  let second = frames[0].time + 1e6;
  for (const [i, { time, frame }] of frames.entries()) {
    for (; tick <= time; tick += 1e5) collector.tick(tick);
    for (; second <= time; second += 1e6) at(collector, second, i);
    collector.receive('log', frame, time);
  }
  collector.tick(tick);
  return { collector, events };
}

/** The last frame of a message before an index. */
function lastOf(frames: readonly TlogFrame[], before: number, id: number, system: number): TlogFrame | undefined {
  for (let i = before - 1; i >= 0; i--) if (frames[i].id === id && frames[i].system === system) return frames[i];
  return undefined;
}

interface Expected {
  readonly file: string;
  readonly system: number;
  readonly firmware: { readonly name: string; readonly version: string; readonly type: string; readonly git: string };
  readonly modes: readonly string[];
  readonly reboots: number;
}

const FLIGHTS: readonly Expected[] = [
  {
    file: 'copter-square.tlog',
    system: 1,
    firmware: { name: 'ArduCopter', version: '4.8.0', type: 'dev', git: 'c82f57f0' },
    modes: ['STABILIZE', 'GUIDED', 'RTL'],
    reboots: 0,
  },
  {
    file: 'rover.tlog',
    system: 3,
    firmware: { name: 'ArduRover', version: '4.8.0', type: 'dev', git: 'c82f57f0' },
    modes: ['INITIALISING', 'MANUAL', 'GUIDED', 'HOLD'],
    reboots: 0,
  },
  {
    file: 'px4-quad.tlog',
    system: 1,
    firmware: { name: 'PX4', version: '1.18.0', type: 'beta', git: '0ba760d7a1' },
    modes: ['AUTO_LOITER', 'AUTO_TAKEOFF', 'AUTO_LOITER', 'AUTO_RTL', 'AUTO_LOITER'],
    reboots: 0,
  },
];

for (const { file, system, firmware, modes, reboots } of FLIGHTS) {
  needShared(
    describe,
    'flight',
    file,
  )(`live state of ${file}`, () => {
    const frames = tlogFrames(sharedData('flight', file));

    test('is that of the last messages at every second', () => {
      let seconds = 0;
      replay(frames, (collector, _time, seen) => {
        const vehicle = collector.vehicles.get(String(system));
        const heartbeat = lastOf(frames, seen, HEARTBEAT, system);
        expect(vehicle === undefined).toBe(heartbeat === undefined);
        if (!vehicle || !heartbeat) return;
        seconds++;
        expect(vehicle.armed).toBe((heartbeat.payload.getUint8(6) & 128) !== 0);
        expect(vehicle.modeNumber).toBe(heartbeat.payload.getUint32(0, true));
        expect(vehicle.lastHeartbeat).toBe(heartbeat.time);
        expectMotion(vehicle, frames, seen, system);
        const own = frames.slice(0, seen).filter((each) => each.system === system);
        expect(vehicle.lastActivity).toBe(own.at(-1)?.time);
        expect(vehicle.messageCount).toBe(own.length);
      });
      expect(seconds).toBeGreaterThan(60);
    });

    test('has firmware, modes, texts and counts', () => {
      const { collector, events } = replay(frames);
      expect([...collector.vehicles.keys()]).toEqual([String(system)]);
      const vehicle = collector.vehicles.get(String(system)) as LiveVehicle;
      expect(vehicle.firmware).toMatchObject(firmware);
      const changes = events.flatMap((event) => (event.type === 'mode' ? [event] : []));
      expect([changes[0].previous, ...changes.map(({ mode }) => mode)]).toEqual(modes);
      expect(vehicle.reboots).toBe(reboots);
      expect(events.filter(({ type }) => type === 'lost')).toEqual([]);
      const armed = events.flatMap((event) => (event.type === 'armed' ? [event.armed] : []));
      expect(armed.slice(0, 1)).toEqual([true]);
      expectCounts(collector, file, system);
    });

    test('has the texts that were said', () => {
      const { collector } = replay(frames);
      const texts = (collector.vehicles.get(String(system)) as LiveVehicle).texts.map(({ text }) => text);
      const said = plainTexts(frames.filter((each) => each.id === 253 && each.system === system));
      expect(texts).toEqual(said);
      expect(said.length).toBeGreaterThan(5);
    });

    test('measures rates', () => {
      const { collector } = replay(frames);
      const last = frames.at(-1)?.time ?? 0;
      const recent = frames.filter((each) => each.id === ATTITUDE && each.time > last - 4e6).length / 4;
      const rate = collector.latest(String(system), 1, 'ATTITUDE')?.rate ?? 0;
      expect(Math.abs(rate - recent)).toBeLessThan(0.2 * recent);
    });
  });
}

function textAt(payload: DataView, at: number): string {
  const bytes = new Uint8Array(payload.buffer, at, 50);
  const end = bytes.indexOf(0);
  return new TextDecoder().decode(bytes.subarray(0, end < 0 ? 50 : end));
}

/** Pieces of one id that follow each other are one text; PX4 ends it with a tab. */
function plainTexts(frames: readonly TlogFrame[]): string[] {
  const texts: string[] = [];
  let open = 0;
  for (const { payload } of frames) {
    const id = payload.getUint16(51, true);
    if (id !== 0 && id === open) texts.push(texts.pop() + textAt(payload, 1));
    else texts.push(textAt(payload, 1));
    open = id;
  }
  return texts.map((text) => text.replace(/\t$/, ''));
}

function expectMotion(vehicle: LiveVehicle, frames: readonly TlogFrame[], seen: number, system: number): void {
  const position = lastOf(frames, seen, GLOBAL_POSITION_INT, system)?.payload;
  if (position && position.getInt32(4, true) !== 0) {
    expect(vehicle.position?.lat).toBe(position.getInt32(4, true) / 1e7);
    expect(vehicle.position?.lon).toBe(position.getInt32(8, true) / 1e7);
    expect(vehicle.position?.alt).toBe(position.getInt32(12, true) / 1000);
    expect(vehicle.position?.relativeAlt).toBe(position.getInt32(16, true) / 1000);
    expect(vehicle.position?.heading).toBe(position.getUint16(26, true) / 100);
  } else if (!position) expect(vehicle.position?.source).not.toBe('GLOBAL_POSITION_INT');
  const attitude = lastOf(frames, seen, ATTITUDE, system)?.payload;
  expect(vehicle.attitude?.roll).toBe(attitude && (attitude.getFloat32(4, true) * 180) / Math.PI);
  expect(vehicle.attitude?.yaw).toBe(attitude && (attitude.getFloat32(12, true) * 180) / Math.PI);
  const speed = lastOf(frames, seen, VFR_HUD, system)?.payload;
  if (speed) expect(vehicle.speed?.ground).toBe(speed.getFloat32(4, true));
  const status = lastOf(frames, seen, SYS_STATUS, system)?.payload;
  const millivolts = status?.getUint16(14, true) ?? 0;
  if (millivolts > 0 && millivolts < 65535) expect(vehicle.battery.voltage).toBe(millivolts / 1000);
}

/** The trusted tool's counts of each message. */
function expectCounts(collector: LiveCollector, file: string, system: number): void {
  const reference: unknown = JSON.parse(readFileSync(sharedData('flight', 'ref', `${file}.json`), 'utf8'));
  const { counts } = reference as { counts: Record<string, number> };
  let compared = 0;
  for (const [key, count] of Object.entries(counts)) {
    const [sender, name] = key.split(' ');
    if (sender !== `${system}/1`) continue;
    expect([name, collector.latest(String(system), 1, name)?.count]).toEqual([name, count]);
    compared++;
  }
  expect(compared).toBeGreaterThan(25);
  const [{ streams, faults }] = collector.statistics().links;
  expect(streams[`${system}:1`]).toMatchObject({ lost: 0, duplicated: 0, reordered: 0 });
  expect(faults).toEqual({});
}

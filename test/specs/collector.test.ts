// What a reader of the description of the collector may expect of its status file, over a real socket.
import { createSocket } from 'node:dgram';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { LiveSession, parseLink, type Status } from '../../src/entry/live.ts';
import { builtinDialect, Encoder, MavlinkParser } from '../../src/entry/mavlink.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { until } from '../helpers/until.ts';

const folder = temporaryFolder();

test('before a vehicle answers, only heartbeats of a ground station are sent', async () => {
  const socket = createSocket('udp4');
  const parser = new MavlinkParser();
  const beats: Uint8Array[] = [];
  const names = new Set<string>();
  socket.on('message', (frame) => {
    beats.push(frame);
    const { name, system, component } = parser.parse(frame);
    names.add(`${name} of ${system}:${component}`);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  const session = new LiveSession({ links: [parseLink(`udpout:127.0.0.1:${socket.address().port}`)] });
  try {
    session.start();
    await until(() => beats.length >= 3);
    expect([...names]).toEqual(['HEARTBEAT of 254:190']);
    // MAV_TYPE_GCS, MAV_AUTOPILOT_INVALID, base mode 0: behind the 10 bytes of the header and custom_mode
    for (const beat of beats) expect([...beat.subarray(14, 17)]).toEqual([6, 8, 0]);
  } finally {
    await session.stop();
    socket.close();
  }
});

test.each([
  { autopilot: 3, type: 2, name: 'ArduPilot', version: 'ArduCopter 4.5.7' },
  { autopilot: 12, type: 2, name: 'PX4', version: 'PX4 4.5.7' },
  { autopilot: 0, type: 2, name: 'generic autopilot', version: 'generic autopilot 4.5.7' },
])('the first heartbeat names the autopilot: $name', async ({ autopilot, type, name, version }) => {
  const statusFile = join(folder, `status-${autopilot}.json`);
  const session = new LiveSession({ links: [parseLink('udpin:127.0.0.1:0')], statusFile });
  const socket = createSocket('udp4');
  try {
    session.start();
    const local = await until(() => session.links[0].local);
    const vehicle = new Encoder(builtinDialect(), { system: 7, component: 1 });
    const send = (frame: Uint8Array): void => socket.send(frame, Number(local.split(':').at(-1)), '127.0.0.1');
    const beat = (): void => send(vehicle.message('HEARTBEAT', { type, autopilot, base_mode: 81, system_status: 4 }));
    const status = (): Status | undefined => {
      const told = existsSync(statusFile) ? (JSON.parse(readFileSync(statusFile, 'utf8')) as Status) : undefined;
      return told?.system_id === undefined ? undefined : told;
    };
    beat();
    // nothing but that heartbeat was sent
    expect(await until(status)).toMatchObject({ system_id: 7, component_id: 1, armed: false, firmware: name });
    expect(readFileSync(statusFile, 'utf8')).not.toContain('autopilot 0');
    send(vehicle.message('AUTOPILOT_VERSION', { flight_sw_version: 0x040507ff }));
    await until(() => status()?.firmware === version);
  } finally {
    socket.close();
    await session.stop();
  }
});

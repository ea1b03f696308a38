// The simulator against recordings of real autopilots: each recorded request is replayed, at its time, and what the
// simulator answers is compared with what the autopilot answered.
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { MessageReader, type ReadMessage } from '../../src/live/message.ts';
import { type Block, need } from '../helpers/need.ts';
import { type Datagram, readFiles, readParameters, readRecording, recordingPath } from './recording.ts';
import { SimulatedVehicle, type VehicleOptions } from './vehicle.ts';

const SECOND = 1e6;
const STEP = 5000;
const START = 1_780_000_000 * SECOND;
/** UDP ports of stations in the recordings. */
const STATIONS = [14780, 14781, 14550];

function needRecordings(block: Block): Block {
  return need(block, existsSync(recordingPath('ardupilot')), 'no ../shared/field/autopilot');
}

function needBytes(name: string): Uint8Array {
  return existsSync(recordingPath(name)) ? new Uint8Array(readFileSync(recordingPath(name))) : new Uint8Array(0);
}

/** The text in a payload of MAVFTP. */
function textOf({ data }: ReadMessage): string {
  const payload = Uint8Array.from(data.payload as number[]);
  return new TextDecoder().decode(payload.subarray(12, 12 + payload[4]));
}

/** The size of a file as a recorded list has it. */
function sizeIn(datagrams: readonly Datagram[], name: string): number {
  const lists = datagrams.map(({ message }) => (message?.name === 'FILE_TRANSFER_PROTOCOL' ? textOf(message) : ''));
  return Number(new RegExp(`F${name}\t(d+)`).exec(lists.join(''))?.[1]);
}

/** One frame or text from a vehicle. */
interface Said {
  readonly time: number;
  /** The station's port. */
  readonly to: number;
  readonly text: string | undefined;
  readonly message: ReadMessage | undefined;
}

/** What the real vehicle said. */
function recorded(datagrams: readonly Datagram[]): Said[] {
  return datagrams
    .filter(({ to }) => STATIONS.includes(to))
    .map(({ time, to, bytes, message }) => ({
      time,
      to,
      message,
      text: message ? undefined : new TextDecoder().decode(bytes),
    }));
}

/** What the simulator says to the same requests at the same times. */
function simulated(datagrams: readonly Datagram[], options: VehicleOptions, restarts: readonly number[] = []): Said[] {
  const said: Said[] = [];
  let now = 0;
  const listen = (to: number): ((bytes: Uint8Array) => void) => {
    let message: ReadMessage | undefined;
    const reader = new MessageReader(
      () => true,
      (found) => {
        message = found;
      },
    );
    return (bytes) => {
      message = undefined;
      if (bytes[0] === 0xfd) reader.push(bytes);
      said.push({ time: now, to, message, text: message ? undefined : new TextDecoder().decode(bytes) });
    };
  };
  const stations = [...new Set(datagrams.map(({ to }) => to))].filter((port) => STATIONS.includes(port));
  const vehicle = new SimulatedVehicle(listen(stations[0]), options);
  const channels = new Map(stations.slice(1).map((port) => [port, vehicle.connect(listen(port))] as const));
  // after a reboot the station also sends to the old port, where nothing is left
  const ports = new Map<number, number>();
  for (const { from, to, time } of datagrams)
    if (STATIONS.includes(to)) ports.set(from, Math.max(ports.get(from) ?? 0, time));
  const run = (until: number): void => {
    for (; now <= until; now += STEP) vehicle.tick(START + now);
    now -= STEP;
  };
  const again = [...restarts];
  for (const { time, from, to, bytes } of datagrams) {
    if (again.length > 0 && again[0] * SECOND <= time) {
      const at = (again.shift() ?? 0) * SECOND;
      run(at - STEP);
      vehicle.isSilent = true;
      // the next frame of the recording is that of a new process
      const next = datagrams.find((each) => STATIONS.includes(each.to) && each.time > at + SECOND);
      run((next?.time ?? 0) - STEP);
      vehicle.isSilent = false;
      vehicle.reboot();
    }
    if (!STATIONS.includes(from) || time > (ports.get(to) ?? 0)) continue;
    run(time);
    vehicle.receive(bytes, channels.get(from));
  }
  run(datagrams[datagrams.length - 1].time);
  return said;
}

/** Names of what is sent at an interval, compared by rate and not one by one. */
const ANSWERS = new Set([
  'COMMAND_ACK',
  'COMMAND_LONG',
  'MESSAGE_INTERVAL',
  'STATUSTEXT',
  'PARAM_VALUE',
  'AUTOPILOT_VERSION',
  'AVAILABLE_MODES',
  'GPS_GLOBAL_ORIGIN',
  'MISSION_COUNT',
  'PING',
  'EVENT',
  'PROTOCOL_VERSION',
  'COMPONENT_INFORMATION',
  'COMPONENT_METADATA',
]);

/** What is an answer only where the vehicle hands it on. */
const OWN = new Set(['PING', 'COMMAND_LONG']);

/** An answer as a line: what matters of it. */
function line({ message, text }: Said): string {
  if (!message) return `console ${JSON.stringify(text)}`;
  const { name, system, data } = message;
  const fields: Record<string, readonly string[]> = {
    COMMAND_ACK: ['command', 'result', 'target_system', 'target_component'],
    COMMAND_LONG: ['command', 'target_system'],
    MESSAGE_INTERVAL: ['message_id', 'interval_us'],
    STATUSTEXT: ['severity', 'text'],
    PARAM_VALUE: ['param_id', 'param_type', 'param_index'],
    AUTOPILOT_VERSION: ['capabilities', 'flight_sw_version', 'flight_custom_version', 'uid', 'uid2'],
    AVAILABLE_MODES: ['number_modes', 'mode_index', 'standard_mode', 'custom_mode', 'properties', 'mode_name'],
    EVENT: ['id', 'log_levels', 'arguments'],
  };
  const values = (fields[name] ?? []).map((field) => String(data[field]));
  // which of two estimators is first is chance, and a log is named after its time
  const shown = values
    .join(' ')
    .replace(/IMU[01]/, 'IMU')
    .replace(/\d\d_\d\d_\d\d/, 'TIME');
  return `${system} ${name} ${shown}`;
}

const answers = (said: readonly Said[], to: number): string[] =>
  said
    .filter(
      ({ message }) => !message || (ANSWERS.has(message.name) && !(message.system === 1 && OWN.has(message.name))),
    )
    .filter((each) => each.to === to)
    .map(line);

/** Armed, mode and state in heartbeats, without repeats. */
function states(said: readonly Said[]): string[] {
  const all = said
    .filter(({ message }) => message?.name === 'HEARTBEAT' && message.system === 1)
    .map(({ message }) => `${message?.data.base_mode} ${message?.data.custom_mode} ${message?.data.system_status}`);
  return all.filter((state, i) => state !== all[i - 1]);
}

/** How many of each message came from the vehicle in a span of seconds, answers and chance left out. */
function counts(said: readonly Said[], from: number, to: number): Record<string, number> {
  const found: Record<string, number> = {};
  for (const { time, message } of said) {
    const isIn = time >= from * SECOND && time < to * SECOND;
    if (!isIn || !message || message.system !== 1 || ANSWERS.has(message.name)) continue;
    found[message.name] = (found[message.name] ?? 0) + 1;
  }
  return found;
}

/** The same kinds come, and each as often, give or take one and a twentieth. */
function expectSameRates(
  real: readonly Said[],
  ours: readonly Said[],
  from: number,
  to: number,
  without: readonly string[] = [],
): void {
  const [left, right] = [counts(real, from, to), counts(ours, from, to)];
  for (const name of without) {
    delete left[name];
    delete right[name];
  }
  expect(Object.keys(right).sort()).toEqual(Object.keys(left).sort());
  for (const [name, count] of Object.entries(left)) {
    expect(Math.abs(right[name] - count), `${name}: ${count} recorded, ${right[name]} simulated`).toBeLessThanOrEqual(
      1 + count * 0.05,
    );
  }
}

needRecordings(describe)('as ArduPilot', () => {
  const options = (): VehicleOptions => ({ parameters: readParameters('ardupilot/params.pcapng', false) });

  test('boot, intervals, requests, streams and reboot are as recorded', () => {
    const datagrams = readRecording('ardupilot/boot-and-requests.pcapng');
    const [real, ours] = [recorded(datagrams), simulated(datagrams, options())];
    expect(answers(ours, 14780)).toEqual(answers(real, 14780));
    expect(states(ours)).toEqual(states(real));
    // before anything was asked, with intervals, with a stream request, and after the reboot
    expectSameRates(real, ours, 0, 7);
    expectSameRates(real, ours, 15.5, 21.5, ['HOME_POSITION']);
    expectSameRates(real, ours, 22, 28.8, ['TERRAIN_REQUEST']);
    expectSameRates(real, ours, 29.5, 66, ['HOME_POSITION']);
    expectSameRates(real, ours, 68.5, 74);
  });

  test('two stations: each gets the answers to its own requests, and what the vehicle hands on', () => {
    const datagrams = readRecording('ardupilot/two-stations.pcapng');
    const [real, ours] = [recorded(datagrams), simulated(datagrams, options())];
    const frames = (said: readonly Said[], to: number): string[] =>
      answers(said, to).filter((each) => !each.startsWith('console'));
    for (const port of [14780, 14781]) expect(frames(ours, port)).toEqual(frames(real, port));
    expect(states(ours)).toEqual(states(real));
    for (const port of [14780, 14781]) {
      const at = (said: readonly Said[]): Said[] => said.filter(({ to }) => to === port);
      expectSameRates(at(real), at(ours), 14, 33.5, ['HOME_POSITION']);
    }
  });

  test('arming is refused with the same reasons, modes too, and a flight says the same', () => {
    const datagrams = readRecording('ardupilot/arm-refused.pcapng');
    const [real, ours] = [recorded(datagrams), simulated(datagrams, options())];
    // counters of a flight, and a text of the console that was lost
    const said = (all: readonly Said[]): string[] =>
      answers(all, 14780).filter((each) => !/STAT_|MOT_THST_HOVER|AP_Logger/.test(each));
    expect(said(ours)).toEqual(said(real));
    expect(states(ours)).toEqual(states(real));
  });

  test('parameters: the list in order, by name, by index, and silence for what is not there', () => {
    const datagrams = readRecording('ardupilot/params.pcapng');
    const of = (said: readonly Said[]): string[] =>
      said
        .filter(({ message, time }) => message?.name === 'PARAM_VALUE' && time > 6 * SECOND)
        .map(({ message }) => JSON.stringify(message?.data));
    const [real, ours] = [recorded(datagrams), simulated(datagrams, options())];
    expect(of(real)).toHaveLength(1393);
    expect(of(ours)).toEqual(of(real));
  });
});

/** The payloads of MAVFTP that a vehicle sent, as far as they have a meaning; files of a folder come in any order. */
function ftpAnswers(said: readonly Said[]): string[] {
  return said.flatMap(({ message }) => {
    const payload = (message?.name === 'FILE_TRANSFER_PROTOCOL' ? message.data.payload : []) as number[];
    return payload.length > 0 && payload[5] !== 3 ? [payload.slice(0, 12 + payload[4]).join(' ')] : [];
  });
}

/** What a vehicle said by the log protocol, without what is in its buffer after the bytes that count. */
function logMessages(said: readonly Said[]): string[] {
  return said.flatMap(({ message }) => {
    const { name = '', data = {} } = message ?? {};
    if (name === 'LOG_ENTRY') return [JSON.stringify(data)];
    if (name !== 'LOG_DATA') return [];
    return [JSON.stringify({ ...data, data: (data.data as number[]).slice(0, Number(data.count)) })];
  });
}

needRecordings(describe)('logs as ArduPilot', () => {
  const bytes = needBytes('ardupilot/log-protocol.BIN');

  test('files are listed, opened, read and summed up as recorded, with the same errors', () => {
    // the size of a list of parameters is a guess, which is not simulated
    const all = readRecording('ardupilot/ftp.pcapng');
    const isParameters = ({ message }: Datagram): boolean =>
      message?.name === 'FILE_TRANSFER_PROTOCOL' && textOf(message).startsWith('@PARAM');
    const datagrams = all.slice(0, all.findIndex(isParameters));
    const files = new Map([
      ['/APM/LOGS/00000002.BIN', new Uint8Array(sizeIn(all, '00000002.BIN'))],
      ['/APM/LOGS/00000001.BIN', readFiles('ardupilot/ftp.pcapng').get('/APM/LOGS/00000001.BIN') ?? bytes],
      ['/APM/LOGS/LASTLOG.TXT', new Uint8Array(3)],
    ]);
    const [real, ours] = [recorded(datagrams), simulated(datagrams, { up: 60, files })];
    expect(ftpAnswers(real).length).toBeGreaterThan(1200);
    expect(ftpAnswers(ours)).toEqual(ftpAnswers(real));
  });

  test('entries and bytes come as recorded: gaps, a request too early, the end, and a list that does not end', () => {
    const datagrams = readRecording('ardupilot/log-protocol.pcapng');
    const listed = recorded(datagrams).filter(({ message }) => message?.name === 'LOG_ENTRY');
    const logs = [1, 2].map((id) => {
      const { size, time_utc } = listed.find(({ message }) => message?.data.id === id)?.message?.data ?? {};
      return { time: Number(time_utc), bytes: Number(size) === bytes.length ? bytes : new Uint8Array(Number(size)) };
    });
    const [real, ours] = [recorded(datagrams), simulated(datagrams, { up: 60, logs })];
    // how many entries come before the end of that list is chance
    const known = (said: readonly Said[]): string[] =>
      logMessages(said).filter((each) => !/"id":[3-9],"num|"id":\d\d+,"num/.test(each));
    expect(known(real).length).toBeGreaterThan(1000);
    expect(known(ours)).toEqual(known(real));
    expect(logMessages(ours).length).toBeGreaterThan(known(ours).length + 8);
  });
});

needRecordings(describe)('logs as PX4', () => {
  test('entries and bytes come as recorded', () => {
    const datagrams = readRecording('px4/log-protocol.pcapng');
    const listed = recorded(datagrams).filter(({ message }) => message?.name === 'LOG_ENTRY');
    const bytes = needBytes('px4/20_01_18.ulg');
    const logs = [0, 1, 2].map((id) => {
      const { size, time_utc } = listed.find(({ message }) => message?.data.id === id)?.message?.data ?? {};
      return { time: Number(time_utc), bytes: Number(size) === bytes.length ? bytes : new Uint8Array(Number(size)) };
    });
    const [real, ours] = [recorded(datagrams), simulated(datagrams, { firmware: 'px4', up: 9.4, logs })];
    // the log that is being written grows, and how far a transfer came before another request replaced it is chance
    const still = (said: readonly Said[]): string[] =>
      [...new Set(logMessages(said).filter((each) => !each.startsWith('{"id":0,')))].sort();
    expect(still(real).length).toBeGreaterThan(750);
    expect(still(ours)).toEqual(still(real));
  });
});

needRecordings(describe)('as PX4', () => {
  const options = (more: VehicleOptions = {}): VehicleOptions => ({
    firmware: 'px4',
    parameters: readParameters('px4/params.pcapng', true),
    ...more,
  });

  test('boot, requests, intervals, and a new process after kill -9 are as recorded', () => {
    const datagrams = readRecording('px4/boot.pcapng');
    const [real, ours] = [recorded(datagrams), simulated(datagrams, options(), [9.28])];
    // a calibration sends its parameters when it is done; their indexes and the time of the start differ each time
    const said = (all: readonly Said[]): string[] =>
      answers(all, 14550)
        .filter((each) => !/CAL_BARO0/.test(each))
        .map((each) => each.replace(/(PARAM_VALUE \S+ \d+) \d+|(EVENT 17980399) .*/, '$1$2'));
    expect(said(ours)).toEqual(said(real));
    expect(states(ours)).toEqual(states(real));
    expectSameRates(real, ours, 2.7, 4.9);
    expectSameRates(real, ours, 5.6, 9.2);
    expectSameRates(real, ours, 19, 26);
  });

  test('arming and modes are refused as recorded, and a flight says the same', () => {
    const datagrams = readRecording('px4/arm-refused.pcapng');
    const parameters = readParameters('px4/params.pcapng', true).map((each) =>
      each.name === 'SIM_GPS_USED' ? { ...each, value: 0 } : each,
    );
    const [real, ours] = [recorded(datagrams), simulated(datagrams, options({ up: 9.4, parameters }))];
    const said = (all: readonly Said[]): string[] => answers(all, 14550).filter((each) => !/PARAM_VALUE/.test(each));
    expect(said(ours)).toEqual(said(real));
    expect(states(ours)).toEqual(states(real));
  });

  test('files are opened, read and closed as recorded, with the same errors', () => {
    const datagrams = readRecording('px4/ftp.pcapng');
    // a list would need all files of its disk, unless its number makes it a repeated request
    const isSimulated = ([, , , opcode]: readonly number[]): boolean => [1, 2, 4, 5, 14, 15].includes(opcode);
    let number = -1;
    const kept = datagrams.filter(({ from, message }) => {
      if (from !== 14550 || message?.name !== 'FILE_TRANSFER_PROTOCOL') return true;
      const payload = message.data.payload as number[];
      const isAgain = payload[0] === number;
      number = payload[0];
      return isAgain || isSimulated(payload);
    });
    const files = readFiles('px4/ftp.pcapng');
    expect([...files].map(([path, { length }]) => [path, length])).toContainEqual([
      '/etc/extras/all_events.json.xz',
      15_956,
    ]);
    const answered = (all: readonly Said[]): string[] =>
      all.flatMap(({ message }) => {
        const payload = (message?.name === 'FILE_TRANSFER_PROTOCOL' ? message.data.payload : []) as number[];
        const isAnswer = payload.length > 0 && isSimulated([0, 0, 0, payload[5]]);
        return isAnswer ? [payload.slice(0, 12 + payload[4]).join(' ')] : [];
      });
    const [real, ours] = [recorded(datagrams), simulated(kept, options({ up: 9.4, files }))];
    expect(answered(ours)).toEqual(answered(real));
    expect(answered(real).length).toBeGreaterThan(600);
  });

  test('parameters: the hash first, the list in order, a second list from the start, and silence', () => {
    const datagrams = readRecording('px4/params.pcapng');
    const of = (said: readonly Said[]): string[] =>
      said.filter(({ message }) => message?.name === 'PARAM_VALUE').map(({ message }) => JSON.stringify(message?.data));
    const [real, ours] = [recorded(datagrams), simulated(datagrams, options({ up: 9.4 }))];
    // the second list is asked for while the first is being sent: how far that was is chance
    const whole = (all: readonly string[]): string[] => [...all.slice(0, 871 + 6), ...all.slice(-870)];
    expect(whole(of(ours))).toEqual(whole(of(real)));
  });
});

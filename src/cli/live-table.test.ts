import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { builtinDialect } from '../formats/mavlink/dialect/builtin.ts';
import { Encoder } from '../formats/mavlink/encode.ts';
import { LiveCollector } from '../live/collector.ts';
import { LinkMeter, type LinkState } from '../live/link-state.ts';
import type { RecorderState } from '../session/recorder.ts';
import { type Style, type TableContent, tableLines } from './live-table.ts';

const NOW = 1_760_000_000e6;
const SAMPLE = new URL('../../sample/copter-square.tlog', import.meta.url);

function made(
  text: string,
  values: { relative_alt?: number; fix_type?: number; autopilot?: number } = {},
): TableContent {
  const { relative_alt = 20_100, fix_type = 3, autopilot = 3 } = values;
  const collector = new LiveCollector({ send: () => undefined });
  const encoder = new Encoder(builtinDialect('common'), { system: 12, component: 1 });
  const send = (frame: Uint8Array): boolean => collector.receive('a', frame, NOW);
  send(encoder.message('HEARTBEAT', { type: 2, autopilot, base_mode: 128, custom_mode: 6 }));
  send(encoder.message('SYS_STATUS', { voltage_battery: 11_870, battery_remaining: 61 }));
  send(encoder.message('GLOBAL_POSITION_INT', { lat: -353_632_621, lon: 1_491_652_374, relative_alt, hdg: 9000 }));
  send(encoder.message('GPS_RAW_INT', { fix_type, satellites_visible: 14 }));
  send(encoder.message('STATUSTEXT', { severity: 4, text }));
  return { vehicles: [...collector.vehicles.values()], links: [link()], notes: ['API at x'], now: NOW + 1.4e6 };
}

function link(name = 'udpin:127.0.0.1:14550'): LinkState {
  const meter = new LinkMeter(name, 'udpin', NOW, () => undefined);
  meter.opened(NOW);
  meter.received(100, NOW);
  return meter.state;
}

/** The state after some seconds of a real flight, and so many seconds later. */
function flown(seconds: number, later = 0.2): TableContent {
  const bytes = readFileSync(SAMPLE);
  const collector = new LiveCollector({ send: () => undefined });
  const start = Number(bytes.readBigUInt64BE(0));
  let time = start;
  let ticked = start;
  for (let at = 0; at < bytes.length; ) {
    const next = Number(bytes.readBigUInt64BE(at));
    if (next > start + seconds * 1e6) break;
    time = next;
    const frame = at + 8;
    const end = frame + bytes[frame + 1] + (bytes[frame] === 0xfd ? 12 : 8);
    collector.receive('udpin:127.0.0.1:14550', bytes.subarray(frame, end), time);
    at = end;
    if (time - ticked < 1e5) continue;
    collector.tick(time);
    ticked = time;
  }
  const now = time + later * 1e6;
  for (; time < now; time += 1e5) collector.tick(time);
  return { vehicles: [...collector.vehicles.values()], links: [link()], notes: [], now };
}

/** Marks what has a style. */
const marked = (text: string, style: Style): string => `<${style}>${text}</>`;

describe('the live table', () => {
  test('shows vehicles, links, texts and notes', () => {
    const text = tableLines(made('Battery 1 low'), 200).join('\n');
    expect(text).toMatch(/^id +mode +armed +alt +speed +gps +heartbeat +msg\/s +battery +kind +position$/m);
    expect(text).toMatch(
      /^12 +RTL +ARMED +20\.1 m +0\.0 m\/s +3D fix 14 +1\.4 s +\d+ +11\.87 V 61 % +ArduCopter +-35\.363262 149\.165237$/m,
    );
    expect(text).toMatch(/udpin:127\.0\.0\.1:14550 +receiving +100 +0 +0 +-/);
    expect(text).toContain('12 warning: Battery 1 low');
    expect(text).toContain('API at x');
  });

  test.each([60, 80, 120, 200])('shows everything of a real flight at %s columns, and no line is wider', (width) => {
    const content = flown(70);
    const lines = tableLines(content, width);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(width);
    const [vehicle] = content.vehicles;
    const { position, speed, gps, battery } = vehicle;
    expect([position?.relativeAlt, vehicle.messageRate].every((each) => Number(each) > 5)).toBe(true);
    const text = lines.join('\n');
    for (const part of [
      vehicle.mode,
      'ARMED',
      `${position?.relativeAlt?.toFixed(1)} m`,
      `${speed?.ground?.toFixed(1)} m/s`,
      `RTK fixed ${gps?.satellites}`,
      ` ${vehicle.messageRate.toFixed(0)}`,
      `${battery.voltage?.toFixed(2)} V`,
      `${position?.lat.toFixed(6)} ${position?.lon.toFixed(6)}`,
      vehicle.firmware.name,
    ])
      expect(text).toContain(part);
    // at 80 columns what a pilot looks at is in one line
    const head = lines[0].split(/ {2,}/);
    const first = ['id', 'mode', 'armed', 'alt', 'speed', 'gps', 'heartbeat', 'msg/s'];
    if (width >= 80) expect(head.slice(0, first.length)).toEqual(first);
  });

  test('has the important columns at 80 columns with the longest words, too', () => {
    const [vehicle] = made('').vehicles;
    const position = { ...vehicle.position, relativeAlt: -1234.5 };
    const long = { mode: { value: 'LOITER_ALT_QLAND' }, position: { value: position }, lastHeartbeat: { value: NOW } };
    const vehicles = [Object.create(vehicle, long) as typeof vehicle];
    const lines = tableLines({ ...made('', { fix_type: 6 }), vehicles }, 80);
    expect(lines[0]).toMatch(/^id +mode +armed +alt +speed +gps +heartbeat +msg\/s/);
  });

  test('has them where all of a flight is stale and has its age, too', () => {
    const content = flown(70, 4);
    const lines = tableLines(content, 80, marked);
    // the age of what comes ten times a second is that of the last message, within a second
    expect(lines[0]).toMatch(/^id +mode +armed +alt +speed +gps +heartbeat +msg\/s$/);
    expect(lines[1]).toMatch(
      /^1 +<dim>GUIDED *<\/><dim>ARMED *<\/><dim>[\d.]+ m \([345]s\) *<\/><dim>[\d.]+ m\/s \([345]s\) *<\/><dim>RTK fixed \d+ \([345]s\) *<\/>[45]\.\d s/,
    );
    expect(Math.max(...tableLines(content, 80).map(({ length }) => length))).toBeLessThan(80);
  });

  test('what is lost is red, and says for how long', () => {
    const lines = tableLines(flown(120, 30), 80, marked);
    expect(lines[1]).toMatch(/^<red>1 +<\/>.*<red>LOST 3\d s *<\/>/);
    expect(lines[1]).not.toContain('<dim>');
  });

  test('what is stale is dimmed and has its age, what is not known is -', () => {
    const collector = new LiveCollector({ send: () => undefined });
    const encoder = new Encoder(builtinDialect('common'), { system: 1, component: 1 });
    const heartbeat = { type: 2, autopilot: 3, base_mode: 0, custom_mode: 0 };
    for (let second = 0; second <= 20; second++) {
      collector.receive('a', encoder.message('HEARTBEAT', heartbeat), NOW + second * 1e6);
      if (second <= 8)
        collector.receive('a', encoder.message('VFR_HUD', { groundspeed: 4, airspeed: 5 }), NOW + second * 1e6);
    }
    const now = NOW + 20e6;
    collector.tick(now);
    const content = { vehicles: [...collector.vehicles.values()], links: [], notes: [], now };
    const [, line] = tableLines(content, 120, marked);
    expect(line).toMatch(/<dim>4\.0 m\/s \(12s\) *<\/>/);
    expect(line).toMatch(/^1 +STABILIZE +no +- /);
  });

  test.each([
    [0, 'no GPS 14'],
    [5, 'RTK float 14'],
    [6, 'RTK fixed 14'],
  ])('fix %s is %s', (fix_type, words) => {
    expect(tableLines(made('', { fix_type }), 80)[1]).toContain(` ${words} `);
  });

  test('never says -0.0 m or autopilot 0', () => {
    const text = tableLines(made('', { relative_alt: -20, autopilot: 0 }), 200).join('\n');
    expect(text).toMatch(/ 0\.0 m /);
    expect(text).not.toMatch(/-0\.0|autopilot 0/);
    expect(tableLines(made('', { relative_alt: -60 }), 200).join('\n')).toContain(' -0.1 m ');
  });

  test('has rows for forwards and for the recorder', () => {
    const state: RecorderState = {
      folder: 'flights',
      recording: 'flights/1.tlog',
      state: 'recording',
      error: '',
      files: [
        { path: 'flights/1.tlog', link: '', started: NOW },
        { path: 'flights/1.raw', link: 'a', started: NOW },
      ],
      frames: 1234,
      bytes: 56_789,
      acknowledged: 0,
      acknowledgedBytes: 0,
      dropped: 0,
      secrets: 0,
      skippedBytes: 0,
    };
    const content = { ...made(''), forwards: [link('udpout:10.0.0.2:14550')], recorder: { state } };
    const lines = tableLines(content, 80, marked);
    expect(lines).toContain('recorder recording  flights/1.tlog  1,234 frames  56,789 bytes');
    expect(lines.some((line) => /^forward udpout:10\.0\.0\.2:14550 +receiving +100 +0/.test(line))).toBe(true);
    const failed = { ...content, recorder: { state: { ...state, state: 'failed' as const, error: 'disk is full' } } };
    expect(tableLines(failed, 80, marked)).toContain('<red>recorder: disk is full</>');
    expect(tableLines({ ...content, recorder: { state: undefined } }, 80)).toContain('recorder off');
  });

  test('conflicts, notices of signatures and errors of links are red rows, whole at any width', () => {
    const notice = '243 frames refused: bad signature';
    const conflict = 'system id 12 is also used from 127.0.0.1:5001: not shown';
    const base = made('');
    const [vehicle] = base.vehicles;
    const vehicles = [Object.create(vehicle, { conflict: { value: conflict } }) as typeof vehicle];
    const notices = new Map([['udpin:127.0.0.1:14550', notice]]);
    for (const width of [40, 80]) {
      const lines = tableLines({ ...base, vehicles, notices }, width, marked);
      const red = lines.flatMap((line) => /^<red>(.*)<\/>$/.exec(line)?.[1] ?? []).map((part) => part.trim());
      expect(red.join(' ')).toContain(`12: ${conflict}`);
      expect(red.join(' ')).toContain(`udpin:127.0.0.1:14550: ${notice}`);
    }
  });

  test('lets nothing through that moves the cursor, and is no wider than the terminal', () => {
    for (const width of [1, 7, 20, 60]) {
      const lines = tableLines(made('\x1b[2J\x1b]52;c;x\x07\r\n\u202eevil'), width);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it is about
      for (const line of lines) expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/);
      expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(Math.max(2, width));
    }
  });

  test('leaves out texts first where the terminal has few lines', () => {
    const content = made('Battery 1 low');
    const all = tableLines(content, 80);
    expect(tableLines(content, 80, String, all.length)).toEqual(all);
    const fewer = tableLines(content, 80, String, all.length - 1).join('\n');
    expect(fewer).toContain('API at x');
    expect(fewer).not.toContain('Battery 1 low');
    expect(tableLines(content, 80, String, 3)).toEqual(all.slice(0, 3));
  });

  test('says when there is no vehicle', () => {
    expect(tableLines({ vehicles: [], links: [], notes: [], now: NOW }, 80)[0]).toBe('no vehicle yet');
  });
});

import { describe, expect, test } from 'vitest';
import { builtinDialect } from '../formats/mavlink/builtin.ts';
import { Encoder } from '../formats/mavlink/encode.ts';
import { LiveCollector } from '../live/collector.ts';
import { LinkMeter } from '../live/link-state.ts';
import { tableLines } from './live-table.ts';

const NOW = 1_760_000_000e6;

function content(text: string): Parameters<typeof tableLines>[0] {
  const collector = new LiveCollector({ send: () => undefined });
  const encoder = new Encoder(builtinDialect('common'), { system: 12, component: 1 });
  collector.receive('a', encoder.message('HEARTBEAT', { type: 2, autopilot: 3, base_mode: 128, custom_mode: 6 }), NOW);
  collector.receive('a', encoder.message('SYS_STATUS', { voltage_battery: 11_870, battery_remaining: 61 }), NOW);
  const place = { lat: -353_632_621, lon: 1_491_652_374, relative_alt: 20_100, hdg: 9000 };
  collector.receive('a', encoder.message('GLOBAL_POSITION_INT', place), NOW);
  collector.receive('a', encoder.message('STATUSTEXT', { severity: 4, text }), NOW);
  const meter = new LinkMeter('udpin:127.0.0.1:14550', 'udpin', NOW, () => undefined);
  meter.opened(NOW);
  meter.received(100, NOW);
  return { vehicles: [...collector.vehicles.values()], links: [meter.state], notes: ['API at x'], now: NOW + 1.4e6 };
}

describe('the live table', () => {
  test('shows vehicles, links, texts and notes', () => {
    const text = tableLines(content('Battery 1 low'), 200).join('\n');
    expect(text).toMatch(/12 +ArduCopter +RTL +ARMED +11\.87 V 61 % +-35\.363262 149\.165237 +20\.1 m/);
    expect(text).toMatch(/1\.4 s/);
    expect(text).toMatch(/udpin:127\.0\.0\.1:14550 +receiving +- +100/);
    expect(text).toContain('12 warning: Battery 1 low');
    expect(text).toContain('API at x');
  });

  test('lets nothing through that moves the cursor, and is no wider than the terminal', () => {
    const lines = tableLines(content('\x1b[2J\x1b]52;c;x\x07\r\n\u202eevil'), 60);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it is about
    for (const line of lines) expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(60);
  });

  test('says when there is nobody', () => {
    expect(tableLines({ vehicles: [], links: [], notes: [], now: NOW }, 80)[0]).toBe('no vehicle yet');
  });
});

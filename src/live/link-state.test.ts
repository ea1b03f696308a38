import { describe, expect, test } from 'vitest';
import { parseLink } from './link-name.ts';
import { bufferNote, LinkMeter, silenceHint, stateText } from './link-state.ts';

const SECOND = 1e6;

function meterAt(time: number): { meter: LinkMeter; states: string[] } {
  const states: string[] = [];
  const meter: LinkMeter = new LinkMeter('a', 'udpin', time, () => states.push(meter.state.state));
  return { meter, states };
}

describe('the state of a link', () => {
  test('begins as opening, and says that it broke once, until something changes', () => {
    const { meter, states } = meterAt(0);
    expect(meter.state.state).toBe('opening');
    for (let i = 1; i < 5; i++) meter.broke('port 14550 is in use', i * SECOND, 'end the program that uses it');
    expect(states).toEqual(['retry']);
    expect(meter.state).toMatchObject({ since: SECOND, retryAt: 5.5 * SECOND });
    meter.broke('port 14550 is in use', 6 * SECOND, 'end the program that uses it by x (process 1)');
    expect(states).toEqual(['retry', 'retry']);
    meter.opened(7 * SECOND);
    expect(meter.state).toMatchObject({ state: 'waiting', error: '', hint: '', retryAt: null });
    meter.closed(8 * SECOND);
    expect(states).toEqual(['retry', 'retry', 'waiting', 'closed']);
  });

  test('waits, receives, falls silent and receives again', () => {
    const { meter, states } = meterAt(0);
    meter.opened(1 * SECOND);
    meter.tick(5.9 * SECOND, () => 'try this');
    expect(meter.state).toMatchObject({ state: 'waiting', since: SECOND, lastBytes: null, hint: '' });
    meter.tick(6 * SECOND, () => 'try this');
    expect(meter.state).toMatchObject({ state: 'silent', hint: 'try this' });
    expect(stateText(meter.state, 8 * SECOND)).toBe('silent for 7 s');
    meter.received(10, 9 * SECOND);
    meter.received(20, 10 * SECOND);
    expect(meter.state).toMatchObject({ state: 'receiving', since: 9 * SECOND, bytesIn: 30, packetsIn: 2, hint: '' });
    meter.tick(14 * SECOND, () => '');
    expect(stateText(meter.state, 14 * SECOND)).toBe('receiving');
    meter.tick(15 * SECOND, () => '');
    expect(stateText(meter.state, 17 * SECOND)).toBe('silent for 7 s');
    expect(states).toEqual(['waiting', 'silent', 'receiving', 'silent']);
  });

  test('waits longer from try to try, up to a bound, and from the start again after it worked', () => {
    const { meter } = meterAt(0);
    const waits = Array.from({ length: 6 }, (_, i) => {
      const wait = meter.broke('gone', i * SECOND);
      // a connection that comes about and breaks again without a byte is no success
      meter.opened(i * SECOND + wait);
      return wait;
    });
    expect(waits).toEqual([250_000, 500_000, 1_000_000, 1_500_000, 1_500_000, 1_500_000]);
    meter.received(1, 9 * SECOND);
    expect(meter.broke('gone', 10 * SECOND)).toBe(250_000);
    expect(meter.state).toMatchObject({ state: 'retry', retryAt: 10.25 * SECOND, error: 'gone' });
    expect(stateText(meter.state, 9.25 * SECOND)).toBe('retry in 1 s');
  });

  test('a small buffer is told', () => {
    const { meter } = meterAt(0);
    expect(bufferNote(meter.state)).toBe('');
    meter.buffer(8 << 20, 8 << 20);
    expect(bufferNote(meter.state)).toBe('');
    meter.buffer(8 << 20, 4 << 20);
    expect(bufferNote(meter.state)).toContain('has 4194304 of 8388608 bytes');
  });

  test.each([
    ['udpin:0.0.0.0:14550', 'udpout:HOST:14550'],
    ['udpin:14550', '(loopback only): for other machines use udpin:0.0.0.0:14550'],
    ['udpout:10.0.0.2:14550', 'udpin:0.0.0.0:14550'],
    ['udpbcast:10.0.0.255:14550', 'udpin:0.0.0.0:14550'],
    ['tcp:host:5760', 'connected to host:5760, but no data'],
    ['tcpin:5760', 'tcp:HOST:5760'],
    ['/dev/ttyUSB0,57600', 'no data on /dev/ttyUSB0 at 57600 baud'],
    ['ws://host/', 'connected to ws://host/, but no data'],
    ['a.tlog', 'no data in a.tlog'],
  ])('hint for %s', (link, part) => {
    expect(silenceHint(parseLink(link))).toContain(part);
  });

  test('a link that received before has another hint, and a station is not a vehicle', () => {
    for (const link of ['udpin:14550', 'udpout:10.0.0.2:14550', 'tcp:host:5760', 'tcpin:5760', '/dev/ttyUSB0,57600']) {
      const address = parseLink(link);
      expect(silenceHint(address, { hasReceived: true })).toMatch(/^no more data on .*: check .* power/);
      for (const hasReceived of [false, true]) {
        const hint = silenceHint(address, { isStation: true, hasReceived });
        expect(hint).toContain('ground station');
        expect(hint).not.toContain('vehicle');
      }
    }
  });
});

import { describe, expect, test } from 'vitest';
import { parseSettings, SETTING_KEYS, SettingsError } from './settings.ts';

const FILE = {
  udp_address: '127.0.0.1',
  udp_port: 14550,
  request_sysid: 255,
  request_interval_ms: 1000,
  heartbeat_timeout_ms: 5000,
  log_file: 'mavlink_log.json',
};

describe('a configuration', () => {
  test('of the collector before this one is taken as it is', () => {
    expect(parseSettings(JSON.stringify(FILE))).toEqual(FILE);
    expect(parseSettings(`\ufeff${JSON.stringify(FILE)}`)).toEqual(FILE);
  });

  test('may leave out anything', () => {
    expect(parseSettings('{}')).toEqual({});
  });

  test.each([
    ['udp_prot', 14550, /unknown key udp_prot; known keys: udp_address, udp_port/],
    ['__proto__', 1, /unknown key __proto__/],
    ['toString', 1, /unknown key toString/],
    ['udp_port', '14550', /udp_port is "14550": it must be a whole number from 1 to 65535/],
    ['udp_port', 70_000, /udp_port is 70000/],
    ['udp_port', 1.5, /udp_port is 1.5/],
    ['request_sysid', 0, /request_sysid is 0: it must be a whole number from 1 to 255/],
    ['request_interval_ms', 0, /request_interval_ms is 0/],
    ['heartbeat_timeout_ms', -5, /heartbeat_timeout_ms is -5/],
    ['log_file', '', /log_file is "": it must be a non-empty string/],
    ['links', 'udpin:14550', /links is "udpin:14550": it must be a list of strings/],
    ['request', 'no', /request is "no": it must be true or false/],
    ['profile', 'fast', /profile is "fast": it must be one of none, basic, default, full/],
    ['rates', { ATTITUDE: 'often' }, /rates is .*: it must be an object of message names/],
    ['http', 8088, /http is 8088: it must be true, false or an address/],
  ])('with %s = %j is refused with a sentence', (key, value, sentence) => {
    const json = `{${JSON.stringify(key)}:${JSON.stringify(value)}}`;
    expect(() => parseSettings(json)).toThrow(SettingsError);
    expect(() => parseSettings(json)).toThrow(sentence);
  });

  test.each(['', '[]', 'null', '7', '{"udp_port":', '"text"'])('that is %j is none', (json) => {
    expect(() => parseSettings(json)).toThrow(SettingsError);
  });

  test('has a check for every key', () => {
    expect(SETTING_KEYS.length).toBeGreaterThan(15);
    for (const key of SETTING_KEYS) expect(() => parseSettings(`{"${key}":null}`)).toThrow(`key ${key} is null`);
  });
});

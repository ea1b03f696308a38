import type { Command } from 'commander';
import { PROFILES } from '../live/vehicle/profile.ts';
import { readText } from '../node/text-file.ts';
import { checkSettings, parseSettings, SETTINGS_BYTES, type Settings, SettingsError } from '../session/settings.ts';
import { addBusOptions, addPublishOptions } from './bus-options.ts';
import { UsageError } from './failure.ts';
import { collect } from './options.ts';

/** Default of request_sysid in a configuration file. */
const FILE_SYSTEM = 255;

/** Options of the command line: keys of the configuration file in camel case. */
export type LiveFlags = Readonly<Record<string, unknown>>;

/** Every key of the configuration file as an option. */
export function addLiveOptions(command: Command): Command {
  command
    .option('--config <file>', 'configuration file; options override it')
    .option('--udp-address <host>', 'address of a vehicle that waits for our first packet')
    .option('--udp-port <port>', 'port to listen on', Number)
    .option('--request-sysid <id>', "our system id (254; 255 counts as the pilot's ground station)", Number)
    .option('--request-compid <id>', 'our component id (190)', Number)
    .option('--request-interval-ms <ms>', 'interval of our heartbeats (1000)', Number)
    .option('--heartbeat-timeout-ms <ms>', 'time without a heartbeat after which a vehicle is lost (5000)', Number)
    .option('--log-file <file>', 'status of vehicles as JSON, rewritten every second')
    .option('--history-file <file>', 'the same, one line appended every second')
    .option('--profile <name>', `messages to request: ${Object.keys(PROFILES).join(', ')} (default)`)
    .option('--rate <NAME=HZ>', 'request a message at this rate; may be repeated', collect)
    .option('--stream-request <when>', 'REQUEST_DATA_STREAM to ArduPilot: needed, always, never')
    .option('--no-request', 'request no messages')
    .option('--no-heartbeat', 'send no heartbeats')
    .option('--forward <link>', 'route frames to and from ground stations on this link; may be repeated', collect)
    .option('--record <folder>', 'record all links there')
    .option('--record-armed', 'record only while a vehicle is armed')
    .option(
      '--sync <when>',
      'when recordings are flushed to disk: always (each write), 1s (default), off (by the system)',
    )
    .option(
      '--allow <network>',
      'accept only these senders and API clients, such as 192.168.1.0/24; may be repeated',
      collect,
    )
    .option('--http <address>', 'where the API listens (127.0.0.1:8088)')
    .option('--no-http', 'no API')
    .option('--key-file <file>', 'signing key: frames must have a valid signature; ours are signed too')
    .option('--unsigned <what>', 'with a key: refuse or accept unsigned frames')
    .option('--dialect <file>', 'extra MAVLink dialect (XML)')
    .option('--allow-commands', 'let API clients send any message');
  return addPublishOptions(addBusOptions(command));
}

/** The settings of the configuration file and the options. */
export function readSettings(flags: LiveFlags): Settings {
  const { config } = flags;
  try {
    const file = typeof config === 'string' ? parseSettings(readText(config, SETTINGS_BYTES)) : {};
    const given: Record<string, unknown> = {};
    for (const [key, value] of Object.entries(flags)) {
      const name = key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
      if (name === 'rate') given.rates = { ...file.rates, ...ratesOf(value as readonly string[]) };
      else if (IGNORED.has(name) || (value === true && SWITCHES.has(name))) continue;
      else given[name] = value;
    }
    const fallback = typeof config === 'string' ? { request_sysid: FILE_SYSTEM } : {};
    return checkSettings({ ...fallback, ...file, ...given });
  } catch (error) {
    if (error instanceof SettingsError) throw new UsageError(error.message);
    throw error;
  }
}

/** Options that are not settings. */
const IGNORED: ReadonlySet<string> = new Set(['config', 'json', 'duration']);

/** Options with a --no- form: their defaults must not override the file. */
const SWITCHES: ReadonlySet<string> = new Set(['request', 'heartbeat', 'http']);

function ratesOf(words: readonly string[]): Record<string, number> {
  return Object.fromEntries(
    words.map((word) => {
      const [, name, rate] = /^([A-Z0-9_]+)=(\d+(?:\.\d+)?)$/i.exec(word) ?? [];
      if (name === undefined)
        throw new UsageError(`--rate ${word}: expected a message and its rate in Hz, such as ATTITUDE=10`);
      return [name.toUpperCase(), Number(rate)];
    }),
  );
}

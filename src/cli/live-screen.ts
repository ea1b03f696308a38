import { builtinDialect } from '../formats/mavlink/dialect/builtin.ts';
import type { LiveEvent } from '../live/events.ts';
import { stateText } from '../live/link-state.ts';
import { systemMicros } from '../node/wall-clock.ts';
import { eventWire } from '../server/wire.ts';
import type { LiveSession } from '../session/session.ts';
import { clock, tableLines, textLine } from './live-table.ts';
import { colored, Output } from './output.ts';

/** Milliseconds between two drawings. */
const REDRAW = 500;
const FALLBACK_WIDTH = 120;
const FALLBACK_HEIGHT = 40;
/** Characters that may wait for a reader. */
const MOST_WAITING = 1 << 20;

/** Shows a session on standard output until it is closed. */
export interface Screen {
  close(): void;
}

/** What is wrong with the signatures on each link. */
function noticesOf(session: LiveSession): Map<string, string> {
  const { links } = session.collector.statistics();
  return new Map(links.map((link) => [link.link, link.notice]));
}

/** A table that is redrawn in place. */
export function tableScreen(session: LiveSession, notes: readonly string[]): Screen {
  const stream = process.stdout;
  let drawn = 0;
  const draw = (): void => {
    // a terminal that is stuck gets nothing more: only the latest table is of use
    if (stream.writableNeedDrain) return;
    // some terminals do not know their size and say 0
    const columns = stream.columns || FALLBACK_WIDTH;
    const rows = stream.rows || FALLBACK_HEIGHT;
    const lines = tableLines(
      {
        vehicles: [...session.collector.vehicles.values()],
        links: session.links.map(({ state }) => state),
        forwards: session.stations.map(({ state }) => state),
        notices: noticesOf(session),
        recorder: session.folder === undefined ? undefined : { state: session.recorder?.state },
        notes,
        now: systemMicros(),
      },
      columns,
      (text, style) => (style === 'plain' ? text : colored(style, text)),
      rows - 1,
    );
    const back = drawn > 0 ? `\x1b[${drawn}A` : '';
    stream.write(`${back}\r\x1b[J${lines.join('\n')}\n`);
    drawn = lines.length;
  };
  const timer = setInterval(draw, REDRAW);
  draw();
  return {
    close() {
      clearInterval(timer);
      draw();
    },
  };
}

/** One line for each event: for files, logs and other programs. @param gone called when their reader is gone */
export function lineScreen(session: LiveSession, isJson: boolean, gone: () => void): Screen {
  const output = new Output();
  let count = 0;
  let isClosing = false;
  const said = new Map<string, string>();
  session.subscribe((event) => {
    // what is lost is known when all is closed
    if (isClosing && event.type !== 'recorder') return;
    // a reader that is stuck must not fill the memory
    if (output.closed || process.stdout.writableLength > MOST_WAITING) return;
    if (!isJson && event.type === 'link') {
      // a link may have another peer and be what it was
      const state = [event.state.state, event.state.error, event.state.hint].join('\n');
      if (said.get(event.link) === state) return;
      said.set(event.link, state);
    }
    const line = isJson ? JSON.stringify(eventWire(event, String(++count))) : plainLine(event, session);
    output.write(`${line.replaceAll('\n', ' ')}\n`);
    output.flush().then(() => {
      if (output.closed) gone();
    }, gone);
  });
  return {
    close() {
      isClosing = true;
    },
  };
}

function plainLine(event: LiveEvent, session: LiveSession): string {
  const at = clock(event.time);
  const vehicle = event.vehicle === null ? undefined : session.collector.vehicles.get(event.vehicle);
  switch (event.type) {
    case 'vehicle':
      return `${at} ${event.vehicle} found: ${vehicle?.firmware.name}, ${vehicle?.mode}, on ${event.link}`;
    case 'firmware':
      return `${at} ${event.vehicle} runs ${vehicle?.firmware.name} ${vehicle?.firmware.version ?? ''}`.trimEnd();
    case 'reboot':
      return `${at} ${event.vehicle} rebooted: ${event.cause}`;
    case 'lost':
      return `${at} ${event.vehicle} heartbeat lost at ${clock(event.lastHeartbeat)}`;
    case 'recovered':
      return `${at} ${event.vehicle} heartbeat regained after ${(event.silence / 1e6).toFixed(1)} s`;
    case 'joined':
      return `${at} ${event.vehicle} is ${event.into}, received on ${event.link} too`;
    case 'switched':
      return `${at} ${event.vehicle} is received on ${event.link}, no longer on ${event.previous}`;
    case 'armed':
      return `${at} ${event.vehicle} ${event.armed ? 'armed' : 'disarmed'}`;
    case 'mode':
      return `${at} ${event.vehicle} mode ${event.mode}, was ${event.previous}`;
    case 'text':
      return textLine(event.vehicle, event.text);
    case 'ack':
      return ackLine(at, event);
    case 'log':
      return `${at} ${event.vehicle} ${event.error === '' ? `log saved: ${event.path}` : `log not saved: ${event.error}`}`;
    case 'conflict':
      return `${at} ${event.vehicle} conflict: ${event.text}`;
    case 'removed':
      return `${at} ${event.vehicle} removed: silent for long, and its place was needed`;
    case 'signatures':
      return `${at} ${event.link}: ${event.text}`;
    case 'mark':
      return `${at} note: ${event.text}`;
    case 'recorder':
      return `${at} recorder ${event.state}: ${event.error || event.recording}, ${event.dropped} records lost`;
    case 'link': {
      const { state } = event;
      const said = [state.error, state.hint].filter(Boolean).join('; ');
      return `${at} ${event.link} ${stateText(state, event.time)}${said === '' ? '' : `: ${said}`}`;
    }
    case 'message':
      return `${at} ${event.name}`;
  }
}

/** The answer to a command, in the names of MAVLink. */
function ackLine(at: string, { vehicle, command, result }: Extract<LiveEvent, { type: 'ack' }>): string {
  const { enums } = builtinDialect();
  const name = (list: string, value: number): string => enums.get(list)?.names.get(value) ?? String(value);
  return `${at} ${vehicle} answered ${name('MAV_CMD', command)}: ${name('MAV_RESULT', result)}`;
}

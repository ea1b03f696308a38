import type { LiveEvent } from '../live/events.ts';
import { stateText } from '../live/link-state.ts';
import type { LiveSession } from '../node/live-session.ts';
import { systemMicros } from '../node/wall-clock.ts';
import { clock, tableLines, textLine } from './live-table.ts';
import { Output } from './output.ts';

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

/** A table that is drawn anew in its place. */
export class TableScreen implements Screen {
  private readonly session: LiveSession;
  private readonly stream: NodeJS.WriteStream;
  private readonly notes: () => readonly string[];
  private readonly timer: NodeJS.Timeout;
  private drawn = 0;

  constructor(session: LiveSession, stream: NodeJS.WriteStream, notes: () => readonly string[]) {
    this.session = session;
    this.stream = stream;
    this.notes = notes;
    this.timer = setInterval(() => this.draw(), REDRAW);
    this.draw();
  }

  private draw(): void {
    // a terminal that takes nothing gets nothing more: only the latest table is of use
    if (this.stream.writableNeedDrain) return;
    // some terminals do not know their size, and say 0
    const columns = this.stream.columns || FALLBACK_WIDTH;
    const rows = this.stream.rows || FALLBACK_HEIGHT;
    const lines = tableLines(
      {
        vehicles: [...this.session.collector.vehicles.values()],
        links: this.session.links.map(({ state }) => state),
        notes: this.notes(),
        now: systemMicros(),
      },
      columns,
    ).slice(0, rows - 1);
    const back = this.drawn > 0 ? `\x1b[${this.drawn}A` : '';
    this.stream.write(`${back}\r\x1b[J${lines.join('\n')}\n`);
    this.drawn = lines.length;
  }

  close(): void {
    clearInterval(this.timer);
    this.draw();
  }
}

/** One line for what happens, for people who read it in a file or a log. */
export class LineScreen implements Screen {
  private readonly stop: () => void;

  /** @param gone called when nobody reads the lines any more */
  constructor(session: LiveSession, isJson: boolean, gone: () => void) {
    const output = new Output();
    const lineOf = isJson ? jsonLine : (event: LiveEvent): string => plainLine(event, session);
    const said = new Map<string, string>();
    this.stop = session.subscribe((event) => {
      // a reader who is stuck must not fill the memory
      if (output.closed || process.stdout.writableLength > MOST_WAITING) return;
      if (!isJson && event.type === 'link') {
        // a link may have another peer and be what it was
        const state = [event.state.state, event.state.error, event.state.hint].join('\n');
        if (said.get(event.link) === state) return;
        said.set(event.link, state);
      }
      output.write(`${lineOf(event).replaceAll('\n', ' ')}\n`);
      output.flush().then(() => {
        if (output.closed) gone();
      }, gone);
    });
  }

  close(): void {
    this.stop();
  }
}

function jsonLine(event: LiveEvent): string {
  const { type, time, ...rest } = event;
  return JSON.stringify({ type, time: Math.round(time) / 1e6, ...rest });
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
      return `${at} ${event.vehicle} was started again`;
    case 'lost':
      return `${at} ${event.vehicle} lost: no heartbeat since ${clock(event.lastHeartbeat)}`;
    case 'recovered':
      return `${at} ${event.vehicle} recovered after ${(event.silence / 1e6).toFixed(1)} s`;
    case 'joined':
      return `${at} ${event.vehicle} is ${event.into}, heard on ${event.link} too`;
    case 'switched':
      return `${at} ${event.vehicle} is heard on ${event.link}, no longer on ${event.previous}`;
    case 'armed':
      return `${at} ${event.vehicle} ${event.armed ? 'armed' : 'disarmed'}`;
    case 'mode':
      return `${at} ${event.vehicle} mode ${event.mode}, was ${event.previous}`;
    case 'text':
      return textLine(event.vehicle, event.text);
    case 'mark':
      return `${at} note: ${event.text}`;
    case 'link': {
      const { state } = event;
      const said = [state.error, state.hint].filter(Boolean).join('; ');
      return `${at} ${event.link} ${stateText(state, event.time)}${said === '' ? '' : `: ${said}`}`;
    }
    case 'message':
      return `${at} ${event.name}`;
  }
}

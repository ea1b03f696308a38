import { textOf } from '../core/text.ts';
import { LIVE_LIMITS } from './limits.ts';

/*
 * STATUSTEXT holds 50 bytes, https://mavlink.io/en/messages/common.html#STATUSTEXT
 * A longer text has an id other than 0 and comes in numbered pieces; the last one is not full.
 */
const PIECE = 50;
/** Microseconds after which the pieces that did not come are given up. */
const PATIENCE = 2e6;
/** Stands where a piece is missing. */
const MISSING: Uint8Array = Uint8Array.of(0xe2, 0x80, 0xa6);
const NOTHING: Uint8Array = new Uint8Array(0);

/** MAV_SEVERITY. */
const SEVERITIES: readonly string[] = ['emergency', 'alert', 'critical', 'error', 'warning', 'notice', 'info', 'debug'];

/** What a component said. */
export interface StatusText {
  /** Microseconds: when its first piece came. */
  readonly time: number;
  readonly component: number;
  /** 0 emergency to 7 debug, and its name. */
  readonly severity: number;
  readonly level: string;
  readonly text: string;
  /** Whether it is the text of an event, and not a STATUSTEXT. */
  readonly isEvent?: true | undefined;
}

interface Open {
  readonly time: number;
  readonly severity: number;
  readonly pieces: (Uint8Array | undefined)[];
  /** How many pieces there are, once the last one came. */
  count: number;
}

/** Joins the texts of one component from their pieces. */
export class TextJoiner {
  private readonly component: number;
  private readonly open: Map<number, Open> = new Map();

  constructor(component: number) {
    this.component = component;
  }

  get isWaiting(): boolean {
    return this.open.size > 0;
  }

  /** Adds a piece; returns the text if that makes it whole. */
  push(severity: number, field: Uint8Array, id: number, piece: number, time: number): StatusText | undefined {
    const text = upToNul(field);
    if (id === 0) return this.made(severity, [text], time);
    let open = this.open.get(id);
    // an id that is used again for another text begins it again
    if (!open || open.severity !== severity || open.pieces[piece] !== undefined) {
      if (!open && this.open.size >= LIVE_LIMITS.openTexts) this.open.delete([...this.open.keys()][0]);
      open = { time, severity, pieces: [], count: Number.POSITIVE_INFINITY };
      this.open.set(id, open);
    }
    if (piece >= LIVE_LIMITS.textChunks) return undefined;
    open.pieces[piece] = text;
    if (text.length < PIECE) open.count = piece + 1;
    for (let i = 0; i < open.count; i++) if (open.pieces[i] === undefined) return undefined;
    this.open.delete(id);
    return this.made(severity, open.pieces as Uint8Array[], open.time);
  }

  /** Texts of which some pieces did not come in time. */
  late(time: number): StatusText[] {
    const late = [...this.open].filter(([, { time: began }]) => !(Math.abs(time - began) < PATIENCE));
    return late.map(([id, { severity, pieces, count, time: began }]) => {
      this.open.delete(id);
      const kept = Array.from(pieces, (piece) => piece ?? MISSING);
      // a text of full pieces only has no last one that is shorter
      const isFull = !Number.isFinite(count) && !kept.includes(MISSING);
      return this.made(severity, [...kept, isFull || pieces.length >= count ? NOTHING : MISSING], began);
    });
  }

  private made(severity: number, pieces: readonly Uint8Array[], time: number): StatusText {
    // a letter of several bytes may come in two pieces
    const bytes = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
    let end = 0;
    for (const piece of pieces) {
      bytes.set(piece, end);
      end += piece.length;
    }
    // PX4 ends texts with a tab where an event says the same
    return {
      ...severityOf(severity),
      time,
      component: this.component,
      text: textOf(bytes, 0, end).replace(/\t+$/, ''),
    };
  }
}

function severityOf(severity: number): Pick<StatusText, 'severity' | 'level'> {
  return { severity, level: SEVERITIES[severity] ?? String(severity) };
}

export function eventText(component: number, severity: number, text: string, time: number): StatusText {
  return { ...severityOf(severity), time, component, text, isEvent: true };
}

function upToNul(field: Uint8Array): Uint8Array {
  const end = field.indexOf(0);
  return end < 0 ? field : field.slice(0, end);
}

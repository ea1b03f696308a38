import { LINK_LIMITS } from '../../core/limits.ts';
import { FrameSplitter, type SplitSink } from '../../live/frame-splitter.ts';
import type { Link } from './base.ts';

/**
 * Hands on what comes: from vehicles to all links that are forwarded to, and from these to all vehicles, a frame at a
 * time, so that Skein can stand between a vehicle and a ground station. Frames that set up signing are never handed on:
 * they carry a key, and are meant for a link that nobody else listens to.
 */
export class Forwarder {
  /** Frames handed on, and frames with keys that were not. */
  forwarded = 0;
  secrets = 0;
  private readonly splitters: Map<string, FrameSplitter> = new Map();
  private readonly vehicles: readonly Link[];
  private readonly stations: readonly Link[];

  /**
   * @param vehicles the links that vehicles are on
   * @param stations the links that are forwarded to
   */
  constructor(vehicles: readonly Link[], stations: readonly Link[]) {
    this.vehicles = vehicles;
    this.stations = stations;
  }

  /** Takes what came over one of the links. Bytes that are no frames go on as well. */
  receive(link: Link, bytes: Uint8Array, from: string): void {
    const others = this.stations.includes(link) ? this.vehicles : this.stations;
    if (others.length === 0) return;
    const splitter = this.splitterOf(link, others, from);
    const before = splitter.secrets;
    splitter.push(bytes);
    this.secrets += splitter.secrets - before;
  }

  private splitterOf(link: Link, others: readonly Link[], from: string): FrameSplitter {
    const known = this.splitters.get(`${link.name}\n${from}`);
    if (known) return known;
    // whoever makes up senders gets one for all of them
    const key = this.splitters.size < LINK_LIMITS.peers * 2 ? `${link.name}\n${from}` : `${link.name}\n`;
    let splitter = this.splitters.get(key);
    if (!splitter) {
      splitter = new FrameSplitter(this.sinkTo(others));
      this.splitters.set(key, splitter);
    }
    return splitter;
  }

  private sinkTo(others: readonly Link[]): SplitSink {
    return {
      frame: (bytes, { start, end }) => {
        this.forwarded++;
        // what is sent may wait in a queue: it must not be borrowed
        const frame = new Uint8Array(bytes.subarray(start, end));
        for (const other of others) other.send(frame);
      },
      rest: (bytes) => {
        const copy = new Uint8Array(bytes);
        for (const other of others) other.send(copy);
      },
    };
  }
}

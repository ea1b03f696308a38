import { BaseLink, type LinkListener, type LinkOptions } from '../links/base.ts';
import { LINK_LIMITS } from '../live/limits.ts';
import type { BusAddress } from '../live/link-name.ts';
import { type BusBatch, eachFrame } from './batch.ts';
import type { BusOptions } from './connection.ts';
import { BUS_LIVE_LIMITS } from './limits.ts';
import { type BusMessage, BusReader, readMessage } from './reader.ts';
import { Sequence } from './sequence.ts';
import { CollectorNames, subjectsOf } from './subject.ts';

export interface BusLinkOptions extends LinkOptions {
  /** How to come onto the bus. */
  readonly bus?: Omit<BusOptions, 'name'> | undefined;
}

/** What collectors put on a bus, from now on or from some time before. Nothing can be sent there. */
export class NatsLink extends BaseLink {
  declare readonly address: BusAddress;
  private readonly options: BusLinkOptions;
  private readonly sequence: Sequence<BusBatch>;
  /** When each link was heard last, the one that was silent for longest first. */
  private readonly senders: Map<string, number> = new Map();
  private readonly names: CollectorNames = new CollectorNames((sentence) => this.meter.hint(sentence));
  private reader: BusReader | undefined;
  private reading: Promise<void> | undefined;

  constructor(address: BusAddress, listener: LinkListener, options: BusLinkOptions) {
    super(address, listener, options);
    this.options = options;
    this.sequence = new Sequence((collector, batch) => this.deliver(collector, batch));
  }

  protected start(): void {
    const { servers, since, collector } = this.address;
    const reader = new BusReader({
      address: servers,
      bus: { ...this.options.bus, name: 'skein live' },
      subjects: collector === '' ? undefined : subjectsOf(collector),
      begin: ({ state }) =>
        since > 0 ? { since: new Date(Math.max(0, Date.now() - since * 1000)) } : { after: state.last_seq },
      opened: () => {
        this.local = '';
        if (this.state.state === 'retry' || this.state.state === 'opening') this.meter.opened(this.now());
        this.meter.peer(servers);
      },
      lost: (error) => {
        this.meter.peer(null);
        this.meter.broke(error, this.now());
      },
    });
    this.reader = reader;
    this.reading = this.run(reader);
  }

  private async run(reader: BusReader): Promise<void> {
    for await (const message of reader.messages()) if (message) this.take(message);
  }

  private take(message: BusMessage): void {
    const read = readMessage(message);
    const { missing, refused } = this.sequence;
    if (typeof read === 'string') this.meter.dropped(1);
    else this.sequence.take(read.collector, read.batch);
    this.meter.dropped(this.sequence.missing - missing + this.sequence.refused - refused);
  }

  private deliver(name: string, { id, link, records, frames }: BusBatch): void {
    if (frames === 0) return;
    const from = `${this.names.of(name, id)}/${link}`;
    if (!this.senders.has(from) && !this.hasRoom()) {
      this.meter.dropped(1);
      return;
    }
    this.senders.delete(from);
    this.senders.set(from, this.now());
    eachFrame(records, (start, { end }) => this.receive(records.subarray(start, end), from));
  }

  /** Made-up links must not fill the memory: the one that was silent for longest makes room. */
  private hasRoom(): boolean {
    if (this.senders.size < BUS_LIVE_LIMITS.shownLinks) return true;
    const [[oldest, lastTime]] = this.senders;
    return this.now() - lastTime >= LINK_LIMITS.silence && this.senders.delete(oldest);
  }

  override send(): boolean {
    return false;
  }

  protected async stop(): Promise<void> {
    this.reader?.close();
    this.meter.peer(null);
    await this.reading;
  }
}

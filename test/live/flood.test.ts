// A flood of valid frames over a socket: what is received, what is counted as lost, and how old the state becomes. The
// sender is in this process too and rates are those of its processor time, so that a busy machine changes nothing.
import { createSocket, type Socket } from 'node:dgram';
import { afterEach, expect, test } from 'vitest';
import { builtinDialect } from '../../src/formats/mavlink/dialect/builtin.ts';
import { Encoder } from '../../src/formats/mavlink/encode.ts';
import { LiveCollector } from '../../src/live/collector.ts';
import { parseLink } from '../../src/live/link-name.ts';
import { type Link, makeLink } from '../../src/session/links.ts';
import { until } from '../helpers/until.ts';
import { portOf } from '../links/listen.ts';

/** Frames a second. */
const USUAL = 20_000;
const FLOOD = 50_000;
/** Frames between two looks at the state, for which any buffer has room. */
const STEP = 100;

const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

/** Seconds of processor time of this process. */
function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

/** A collector on a link, and a vehicle that says in its altitude which of its frames it is. */
class Flood {
  readonly collector = new LiveCollector({ requests: false, send: () => undefined });
  readonly link: Link;
  private readonly socket: Socket = createSocket('udp4');
  private readonly encoder = new Encoder(builtinDialect(), { system: 1, component: 1 });
  private readonly sentAt: number[] = [];
  private received = 0;
  sent = 0;
  /** Seconds of processor time since the frame was sent that the state is from, at most. */
  oldest = 0;

  constructor() {
    this.link = makeLink(parseLink('udpin:127.0.0.1:0'), {
      bytes: ({ name }, bytes, time, from) => {
        this.collector.receive(name, bytes, time, from);
        if (++this.received % STEP === 0) this.oldest = Math.max(this.oldest, this.age);
      },
      state: () => undefined,
    });
    this.link.open();
    open.push(
      () => this.link.close(),
      () => this.socket.close(),
    );
  }

  async connect(): Promise<void> {
    const port = await portOf(this.link);
    await new Promise<void>((done) => this.socket.connect(port, '127.0.0.1', done));
    this.socket.send(this.encoder.message('HEARTBEAT', { type: 2, autopilot: 3, system_status: 3 }));
    await until(() => this.collector.vehicles.size === 1);
  }

  /** The number of the frame that the state is from. */
  get latest(): number {
    return Math.round((this.collector.vehicles.get('1')?.position?.alt ?? 0) * 1000);
  }

  private get age(): number {
    return processorTime() - (this.sentAt[Math.floor(this.latest / STEP)] ?? Number.NaN);
  }

  /** Sends frames, all before any is received. */
  send(count: number): void {
    for (let i = 0; i < count; i++) {
      const values = { time_boot_ms: 60_000 + Math.floor(this.sent / 50), lat: 47e7, lon: 8e7, alt: this.sent };
      if (this.sent % STEP === 0) this.sentAt.push(processorTime());
      this.socket.send(this.encoder.message('GLOBAL_POSITION_INT', values));
      this.sent++;
    }
  }

  get counts(): { readonly received: number; readonly dropped: number; readonly lost: number } {
    const [{ streams }] = this.collector.statistics().links;
    return { received: streams['1:1'].received - 1, dropped: this.link.state.dropped, lost: streams['1:1'].lost };
  }
}

test(`${USUAL} frames a second: none is lost`, async () => {
  const flood = new Flood();
  await flood.connect();
  const began = processorTime();
  while (flood.sent < USUAL) {
    flood.send(STEP);
    await until(() => flood.latest === flood.sent - 1);
  }
  expect(processorTime() - began).toBeLessThan(1);
  expect(flood.counts).toEqual({ received: USUAL, dropped: 0, lost: 0 });
  expect(flood.latest).toBe(flood.sent - 1);
});

test(`${FLOOD} frames at once, more than any buffer holds: each is received or counted, and the state is less than a second old`, {
  timeout: 90_000,
}, async () => {
  const flood = new Flood();
  await flood.connect();
  flood.send(FLOOD);
  await until(() => flood.counts.received + flood.counts.dropped === flood.sent, 30);
  expect(flood.counts.dropped).toBeGreaterThan(0);
  expect(flood.oldest).toBeGreaterThan(0);
  expect(flood.oldest).toBeLessThan(1);
  // it is over at once
  const { dropped } = flood.counts;
  flood.send(STEP);
  await until(() => flood.latest === flood.sent - 1);
  expect(flood.counts.dropped).toBe(dropped);
});

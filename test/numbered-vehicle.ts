// A vehicle whose messages carry a running number, so that each can be looked for where they end up.
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { builtinDialect } from '../src/formats/mavlink/builtin.ts';
import { Encoder } from '../src/formats/mavlink/encode.ts';

const TICK = 20;

export class NumberedVehicle {
  /** The number that was sent last, and all frames. */
  number = 0;
  frames = 0;
  private readonly socket = createSocket('udp4');
  private readonly encoder: Encoder;
  private readonly port: number;
  private timer: NodeJS.Timeout | undefined;
  private beat = 0;

  constructor(port: number, system: number) {
    this.port = port;
    this.encoder = new Encoder(builtinDialect(), { system, component: 1 });
  }

  /** Sends so many numbers a second, until it is told to pause. */
  start(rate: number): void {
    const each = Math.max(1, Math.round((rate * TICK) / 1000));
    this.timer = setInterval(() => {
      for (let i = 0; i < each; i++) {
        this.number++;
        this.send('NAMED_VALUE_INT', { time_boot_ms: this.number, name: 'number', value: this.number });
      }
      if (this.beat++ % 25 === 0) this.send('HEARTBEAT', { type: 2, autopilot: 3, base_mode: 1, system_status: 4 });
    }, TICK);
  }

  private send(name: 'NAMED_VALUE_INT' | 'HEARTBEAT', values: Readonly<Record<string, number | string>>): void {
    this.frames++;
    this.socket.send(this.encoder.message(name, values), this.port, '127.0.0.1');
  }

  pause(): void {
    clearInterval(this.timer);
  }

  async close(): Promise<void> {
    this.pause();
    this.socket.close();
    await once(this.socket, 'close');
  }
}

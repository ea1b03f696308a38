import type { SingleBar } from 'cli-progress';

/** Milliseconds after which something is worth a bar. */
const PATIENCE = 1000;

/** A bar on standard error, on a terminal only, and only for what takes longer than a second. */
export class Progress {
  private readonly label: string;
  private readonly began = performance.now();
  private bar: SingleBar | undefined;
  private show: Promise<void> | undefined;
  private isStopped = false;

  constructor(label: string) {
    this.label = label;
  }

  readonly update = (done: number, total: number, text = ''): void => {
    if (!process.stderr.isTTY || performance.now() - this.began < PATIENCE) return;
    this.bar?.update(done, { text });
    this.show ??= this.start(total);
  };

  /** The bar is loaded when it is needed: most logs are read before that. */
  private async start(total: number): Promise<void> {
    const { Presets, SingleBar } = await import('cli-progress');
    if (this.isStopped) return;
    const format = `${this.label} {bar} {percentage} % | {eta_formatted} left{text}`;
    this.bar = new SingleBar({ format, stream: process.stderr, clearOnComplete: true, hideCursor: true }, Presets.rect);
    this.bar.start(total, 0, { text: '' });
    process.once('SIGINT', this.interrupt).once('SIGTERM', this.interrupt);
  }

  stop(): void {
    process.off('SIGINT', this.interrupt).off('SIGTERM', this.interrupt);
    this.isStopped = true;
    this.bar?.stop();
    this.bar = undefined;
  }

  /** Gives the terminal its cursor back, and lets the signal do what it does without us. */
  private readonly interrupt = (signal: NodeJS.Signals): void => {
    this.stop();
    if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
  };
}

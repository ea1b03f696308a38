import type { SingleBar } from 'cli-progress';

/** Milliseconds before a bar is shown. */
const PATIENCE = 1000;

/** A progress bar on standard error: only on a terminal, and only after a second. */
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

  /** Loads the bar only now: most logs are read faster. */
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

  /** Shows the cursor again, and lets the signal act as if we had not caught it. */
  private readonly interrupt = (signal: NodeJS.Signals): void => {
    this.stop();
    if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
  };
}

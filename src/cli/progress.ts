import { Presets, SingleBar } from 'cli-progress';

/** Milliseconds after which something is worth a bar. */
const PATIENCE = 1000;

/** A bar on standard error, on a terminal only, and only for what takes longer than a second. */
export class Progress {
  private readonly label: string;
  private readonly began = performance.now();
  private bar: SingleBar | undefined;

  constructor(label: string) {
    this.label = label;
  }

  readonly update = (done: number, total: number): void => {
    if (!process.stderr.isTTY || performance.now() - this.began < PATIENCE) return;
    if (!this.bar) {
      const format = `${this.label} {bar} {percentage} % | {eta_formatted} left`;
      this.bar = new SingleBar(
        { format, stream: process.stderr, clearOnComplete: true, hideCursor: true },
        Presets.rect,
      );
      this.bar.start(total, done);
    }
    this.bar.update(done);
  };

  stop(): void {
    this.bar?.stop();
    this.bar = undefined;
  }
}

import type { FileAddress } from '../live/link-name.ts';
import { openLog } from '../node/open.ts';
import { BaseLink, codeOf, type LinkListener, type LinkOptions, reason } from './base.ts';
import { play } from './playback.ts';

/** A recording in place of a link: what is in it comes as it came, once, and then the link is closed. */
export class FileLink extends BaseLink {
  declare readonly address: FileAddress;
  private readonly speed: number;
  private stopping: AbortController | undefined;
  private playing: Promise<void> | undefined;

  constructor(address: FileAddress, listener: LinkListener, options: LinkOptions) {
    super(address, listener, options);
    this.speed = options.speed ?? 1;
  }

  protected start(): void {
    const stopping = new AbortController();
    this.stopping = stopping;
    this.playing = this.run(stopping.signal).catch((error: unknown) => {
      const { path } = this.address;
      this.fail(codeOf(error) === 'ENOENT' ? `${path}: no such file` : reason(error));
    });
  }

  private async run(signal: AbortSignal): Promise<void> {
    const { path } = this.address;
    const log = await openLog(path, { signal });
    if (signal.aborted) return;
    this.local = path;
    this.meter.opened(this.now());
    const take = (bytes: Uint8Array): boolean => {
      this.receive(bytes, path);
      return true;
    };
    await play(log, take, { speed: this.speed, signal });
    // not from within itself: it waits for this to end
    if (!signal.aborted) setImmediate(() => void this.close());
  }

  /** Nobody is there to get it. */
  override send(): boolean {
    return false;
  }

  protected async stop(): Promise<void> {
    this.stopping?.abort();
    await this.playing;
  }
}

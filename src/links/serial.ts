import type { SerialAddress } from '../live/link-name.ts';
import { BaseLink } from './base.ts';
import { deviceHolder } from './port-holder.ts';
import { closeSerialPort, NoSerialError, openSerialPort, type SerialPort, serialFailure } from './serial-port.ts';

/** A serial port; one that is unplugged is opened again when it is back. */
export class SerialLink extends BaseLink {
  declare readonly address: SerialAddress;
  private port: SerialPort | undefined;
  private opening: Promise<void> | undefined;

  protected start(): void {
    this.opening = this.begin();
  }

  private async begin(): Promise<void> {
    const { path, baud } = this.address;
    let port: SerialPort;
    try {
      port = await openSerialPort(path, baud);
    } catch (error) {
      if (error instanceof NoSerialError) this.fail(error.message);
      else this.lose(error);
      return;
    }
    if (!this.isOpen) return closeSerialPort(port);
    this.port = port;
    this.local = path;
    port.on('data', (bytes: Uint8Array) => this.receive(bytes, path));
    port.on('error', (error) => this.drop(port, error));
    // an unplugged device closes its port with an error
    port.on('close', (error: Error | null) => this.drop(port, error ?? new Error(`${path} was closed`)));
    this.meter.opened(this.now());
    this.meter.peer(path);
  }

  private drop(port: SerialPort, error: Error): void {
    if (port !== this.port) return;
    this.port = undefined;
    void closeSerialPort(port);
    this.meter.peer(null);
    const { disconnected } = error as { disconnected?: boolean };
    this.lose(disconnected ? new Error(`${this.address.path} was unplugged`) : error);
  }

  private lose(error: unknown): void {
    const { path } = this.address;
    const failure = serialFailure(path, error);
    if (!failure.error.endsWith('is in use')) this.broke(failure.error, failure.hint);
    else {
      void deviceHolder(path).then((holder) =>
        this.broke(
          failure.error,
          holder === '' ? failure.hint : `${path} is in use${holder}: end it, or let it forward`,
        ),
      );
    }
  }

  override send(bytes: Uint8Array): boolean {
    const { port } = this;
    if (!port?.isOpen) return false;
    if (!this.fits(port.writableLength, bytes.length)) return false;
    port.write(bytes);
    this.meter.sent(bytes.length);
    return true;
  }

  protected async stop(): Promise<void> {
    await this.opening;
    const { port } = this;
    this.port = undefined;
    if (port) await closeSerialPort(port);
    this.meter.peer(null);
  }
}

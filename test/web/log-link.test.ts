// Links of the Log page: an autopilot at a WebSocket, and one at a serial port, with nothing between them and the browser.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocketServer } from 'ws';
import { openLog } from '../../src/entry/browser.ts';
import { systemMicros } from '../../src/node/wall-clock.ts';
import { SAMPLE } from '../helpers/cli.ts';
import { needCommand } from '../helpers/need.ts';
import { SimulatedVehicle } from '../vehicle/vehicle.ts';
import { audit } from './accessibility.ts';
import { CHROMIUM, openPage, startBrowser, startView, type Viewing, type WatchedPage } from './browser.ts';
import { plots, statisticsOf } from './log-page.ts';

const TICK = 20;

/** In the page: a serial port as https://wicg.github.io/serial/ describes it, which a WebSocket stands behind. */
function fakeSerial(address: string): void {
  const port = {
    readable: null as ReadableStream<Uint8Array> | null,
    writable: null as WritableStream<Uint8Array> | null,
    getInfo: () => ({}),
    async open({ baudRate }: { baudRate: number }) {
      if (baudRate !== 57_600) throw new Error(`opened with ${baudRate} baud`);
      const socket = new WebSocket(address);
      socket.binaryType = 'arraybuffer';
      await new Promise((resolve) => {
        socket.onopen = resolve;
      });
      port.readable = new ReadableStream({
        start(controller) {
          socket.onmessage = ({ data }) => controller.enqueue(new Uint8Array(data));
        },
        cancel: () => socket.close(),
      });
      port.writable = new WritableStream({ write: (bytes) => socket.send(bytes as Uint8Array<ArrayBuffer>) });
    },
    async close() {
      [port.readable, port.writable] = [null, null];
    },
  };
  Object.defineProperty(navigator, 'serial', { value: { requestPort: async () => port } });
}

needCommand(CHROMIUM)('a link of the Log page', () => {
  let browser: Browser;
  let viewing: Viewing;
  let watched: WatchedPage;
  let page: Page;
  let server: WebSocketServer;
  let vehicle: SimulatedVehicle | undefined;
  /** What is sent to whoever connects; without it there is a vehicle. */
  let recording: Uint8Array | undefined;
  const timers: NodeJS.Timeout[] = [];

  beforeAll(async () => {
    server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
    server.on('connection', (socket) => {
      if (recording) {
        socket.send(recording);
        return;
      }
      const made = new SimulatedVehicle((bytes) => socket.send(bytes), { up: 60 });
      socket.on('message', (bytes: Buffer) => made.receive(bytes));
      timers.push(setInterval(() => made.tick(systemMicros()), TICK));
      vehicle = made;
    });
    [browser, viewing] = await Promise.all([startBrowser(), startView(SAMPLE), once(server, 'listening')]);
    watched = await openPage(browser, viewing.address);
    page = watched.page;
    await page.addInitScript(fakeSerial, address());
    await page.reload();
    await statisticsOf(page, 'ATT.Roll');
  });

  afterAll(async () => {
    for (const timer of timers) clearInterval(timer);
    await browser?.close();
    server?.close();
    expect(await viewing?.close()).toBe(0);
  });

  const address = (): string => `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const bar = () => page.getByRole('region', { name: 'Connect' });
  const connect = async (): Promise<void> => {
    await bar().getByLabel('Address of a WebSocket').fill(address());
    await bar().getByRole('button', { name: 'WebSocket' }).click();
  };

  /** Waits until a vehicle was found and sent what it was asked for, and shows it. */
  async function look(): Promise<void> {
    await bar()
      .getByText(/^Copter 1, \w+, disarmed$/)
      .waitFor();
    await expect.poll(() => vehicle?.sent.get('ATTITUDE') ?? 0, { timeout: 20_000 }).toBeGreaterThan(5);
    await bar().getByRole('button', { name: 'Show so far' }).click();
    await plots(page).getByRole('listitem').filter({ hasText: 'ATTITUDE[1:1].roll' }).first().waitFor();
  }

  test('an autopilot at a WebSocket is found, asked for data, shown and saved as a telemetry log', async () => {
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    await page.getByRole('button', { name: 'Close copter-square.BIN' }).click();
    await connect();
    await look();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      bar().getByRole('button', { name: 'Save' }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/^[-\d_]+\.tlog$/);
    const log = await openLog(new Uint8Array(readFileSync(await download.path())));
    expect(log.format).toBe('tlog');
    expect(log.faults.count).toBe(0);
    expect(log.table('ATTITUDE')?.rows).toBeGreaterThan(5);
    await bar().getByRole('button', { name: 'Disconnect' }).click();
    await bar().getByRole('button', { name: 'Connect again' }).click();
  });

  test('one at a serial port is too, and nothing is sent to it where that is not wanted', async () => {
    await bar().getByLabel('Speed').selectOption('57600');
    await bar().getByRole('button', { name: 'Serial port…' }).click();
    await look();
    await bar().getByRole('button', { name: 'Disconnect' }).click();
    await bar().getByRole('button', { name: 'Connect again' }).click();
    await bar().getByLabel('ask an autopilot for data').uncheck();
    await bar().getByRole('button', { name: 'Serial port…' }).click();
    await bar()
      .getByText(/^Copter 1, /)
      .waitFor();
    await expect.poll(() => vehicle?.sent.get('HEARTBEAT') ?? 0, { timeout: 20_000 }).toBeGreaterThan(3);
    expect(vehicle?.requests).toEqual([]);
    await bar().getByRole('button', { name: 'Disconnect' }).click();
    await bar().getByRole('button', { name: 'Connect again' }).click();
  });

  test('a receiver is shown as it sends', async () => {
    recording = readFileSync(new URL('../../sample/copter-square.nmea', import.meta.url));
    await connect();
    await bar()
      .getByText(/^\d.*kB/)
      .waitFor();
    await bar().getByRole('button', { name: 'Show so far' }).click();
    await plots(page)
      .getByRole('listitem')
      .filter({ hasText: /PASHR.*roll|GGA.*altitude|RMC.*speed_kn/ })
      .first()
      .waitFor();
    await bar().getByRole('button', { name: 'Close the link' }).click();
    await bar().waitFor({ state: 'detached' });
  });

  test('other hosts are refused in words, and nobody else is asked', async () => {
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    await bar().getByLabel('Address of a WebSocket').fill('ws://192.0.2.1:5760');
    await bar().getByRole('button', { name: 'WebSocket' }).click();
    expect((await audit(page)).wrong).toEqual([]);
    await bar().getByRole('alert').getByText('192.0.2.1:5760: this page connects to this machine').waitFor();
    // the policy of the page says the same
    const isBlocked = await page.evaluate(
      () =>
        new Promise<boolean>((resolve) => {
          document.addEventListener('securitypolicyviolation', () => resolve(true), { once: true });
          new WebSocket('ws://192.0.2.1:5760').onopen = () => resolve(false);
        }),
    );
    expect(isBlocked).toBe(true);
    const home = new URL(viewing.address).origin;
    expect(watched.requests.filter((url) => !url.startsWith(home) && !url.startsWith('blob:'))).toEqual([]);
    expect(watched.troubles.filter((text) => !text.includes('192.0.2.1'))).toEqual([]);
  });
});

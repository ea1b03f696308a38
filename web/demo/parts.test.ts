import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openLog, readTrack } from '../../src/entry/index.ts';
import { needCommand } from '../../test/helpers/need.ts';
import { CHROMIUM, openPage, startBrowser, type WatchedPage } from '../../test/web/browser.ts';
import { type Demo, openDemo } from '../../test/web/demo.ts';
import { archiveOfOneTile } from '../../test/web/pmtiles.ts';

/** The machine may do other work. */
const PATIENT = { timeout: 15_000 };

const PLAN = `<?xml version="1.0"?><kml xmlns="http://www.opengis.net/kml/2.2"><Document>
  <Placemark><name>&lt;img src=x onerror=alert(1)></name><Point><coordinates>30,10,5</coordinates></Point></Placemark>
  <Placemark><Style><LineStyle><color>ff0000ff</color></LineStyle></Style>
    <LineString><coordinates>20,10 40,10</coordinates></LineString></Placemark>
  <Placemark><Polygon><outerBoundaryIs><LinearRing><coordinates>10,0 50,0 50,20 10,20 10,0</coordinates></LinearRing>
    </outerBoundaryIs></Polygon></Placemark></Document></kml>`;

/** A kilobyte that says it is a hundred gigabytes. */
function entityBomb(): string {
  const levels = Array.from({ length: 9 }, (_, i) => `<!ENTITY a${i + 1} "${`&a${i};`.repeat(10)}">`);
  return `<!DOCTYPE kml [<!ENTITY a0 "${'x'.repeat(100)}">${levels.join('')}]><kml>&a9;</kml>`;
}

/*
 * The parts of the pages that stand on their own, in a browser, under a policy that allows nothing from elsewhere. What
 * runs in the page reaches them through `window.demo`, see main.ts.
 */
needCommand(CHROMIUM)('parts of the pages in a browser', () => {
  let demo: Demo;
  let browser: Browser;

  beforeAll(async () => {
    [demo, browser] = await Promise.all([openDemo(), startBrowser()]);
  });

  afterAll(async () => {
    await browser?.close();
    demo?.close();
  });

  /** A page with one part. At the end nothing may have gone wrong, nor anything have been asked for elsewhere. */
  async function open(part: string, run: (watched: WatchedPage) => Promise<void>): Promise<void> {
    const watched = await openPage(browser, `${demo.address}/?part=${part}`);
    try {
      await run(watched);
      expect(watched.troubles).toEqual([]);
      expect(watched.requests.filter((url) => !url.startsWith(`${demo.address}/`))).toEqual([]);
    } finally {
      await watched.context.close();
    }
  }

  /** Shows the sample flight; gives its points. */
  async function showFlight(page: Page): Promise<{ lon: number[]; lat: number[]; time: number[] }> {
    const log = await openLog(fileURLToPath(new URL('../../sample/copter-square.BIN', import.meta.url)));
    const { lon, lat, time } = await readTrack(log);
    const flight = { lon: [...lon], lat: [...lat], time: [...time] };
    await page.evaluate(async (flight) => {
      const { map } = window.demo;
      await map?.ready;
      const [lon, lat, time] = [flight.lon, flight.lat, flight.time].map((each) => Float64Array.from(each));
      map?.setTracks([{ id: 'a', lon, lat, time, coloring: { kind: 'plain', color: '#ff00ff' } }]);
      map?.fit(false);
    }, flight);
    return flight;
  }

  /** The colour of a pixel of the page, red, green and blue. */
  async function colorAt(page: Page, x: number, y: number): Promise<number[]> {
    const shot = await page.screenshot({ clip: { x, y, width: 1, height: 1 } });
    return page.evaluate(
      async (bytes) => {
        const image = await createImageBitmap(new Blob([Uint8Array.from(bytes)]));
        const context = new OffscreenCanvas(1, 1).getContext('2d');
        context?.drawImage(image, 0, 0);
        return [...(context?.getImageData(0, 0, 1, 1).data ?? [])].slice(0, 3);
      },
      [...shot],
    );
  }

  /** A picture of one colour, as a PNG. */
  function pictureOf(page: Page, color: string): Promise<number[]> {
    return page.evaluate(async (color) => {
      const canvas = new OffscreenCanvas(64, 64);
      const context = canvas.getContext('2d') as OffscreenCanvasRenderingContext2D;
      context.fillStyle = color;
      context.fillRect(0, 0, 64, 64);
      return [...new Uint8Array(await (await canvas.convertToBlob()).arrayBuffer())];
    }, color);
  }

  describe('the map', () => {
    let watched: WatchedPage;
    let page: Page;

    beforeAll(async () => {
      watched = await openPage(browser, `${demo.address}/?part=map`);
      page = watched.page;
      expect(await page.evaluate(() => window.demo.map?.ready)).toBe(true);
    });

    afterAll(() => watched?.context.close());

    /** Moves the map at once. */
    function jump(lon: number, lat: number, zoom: number, bearing = 0): Promise<void> {
      return page.evaluate(
        ([lon, lat, zoom, bearing]) => {
          const { map } = window.demo.map as unknown as { map: { jumpTo(camera: object): void } };
          map.jumpTo({ center: [lon, lat], zoom, bearing });
        },
        [lon, lat, zoom, bearing],
      );
    }

    /** Where the map itself has a place, and where what lies over it has it. */
    function pixelsOf(lon: number, lat: number): Promise<number[]> {
      return page.evaluate(
        ([lon, lat]) => {
          const { map, canvas } = window.demo.map as unknown as {
            map: { project(place: number[]): { x: number; y: number }; redraw(): void };
            canvas: { view: { at(lon: number, lat: number): [number, number] } };
          };
          map.redraw();
          const { x, y } = map.project([lon, lat]);
          return [x, y, ...canvas.view.at(lon, lat)];
        },
        [lon, lat],
      );
    }

    test('shows a flight, and a click on it gives its time', async () => {
      const flight = await showFlight(page);
      const middle = flight.lon.length >> 1;
      const [x, y] = await pixelsOf(flight.lon[middle], flight.lat[middle]);
      await expect.poll(() => colorAt(page, Math.round(x), Math.round(y)), PATIENT).toEqual([255, 0, 255]);
      await page.mouse.move(x, y);
      await page.mouse.click(x, y);
      const near = expect.closeTo(flight.time[middle] / 1e6, 0);
      const heard = await page.evaluate(() =>
        (window.demo.heard as { picked?: number; hovered?: number }[]).map(({ picked = 0, hovered = 0 }) => [
          picked / 1e6,
          hovered / 1e6,
        ]),
      );
      expect(heard).toContainEqual([near, 0]);
      expect(heard).toContainEqual([0, near]);
    });

    test.each([
      [8.5, 47.4, 16, 0],
      [8.5, 47.4, 19.5, 133],
      [-179.999, -40, 12, -20],
      [0, 70, 3, 60],
    ])('what lies over it lies where it has it: %d %d, zoom %d, turned by %d', async (lon, lat, zoom, bearing) => {
      await jump(lon, lat, zoom, bearing);
      const size = 60 / 2 ** zoom;
      for (const [dx, dy] of [
        [0, 0],
        [1, 2],
        [-2, 1],
      ]) {
        const [x, y, overX, overY] = await pixelsOf(lon + dx * size, lat + dy * size);
        expect(Math.hypot(x - overX, y - overY)).toBeLessThan(0.05);
      }
    });

    test('plans, pictures and tiles of the user are drawn from the file itself', async () => {
      await page.evaluate(() => window.demo.map?.setTracks([]));
      await jump(30, 10, 3);
      const archive = archiveOfOneTile(Uint8Array.from(await pictureOf(page, '#00ff00')));
      await page.evaluate(
        (bytes) => window.demo.map?.addTiles('t', new File([Uint8Array.from(bytes)], 'a.pmtiles')),
        [...archive],
      );
      await expect.poll(() => colorAt(page, 200, 130), PATIENT).toEqual([0, 255, 0]);
      const picture = await pictureOf(page, '#0000ff');
      await page.evaluate(
        (bytes) => window.demo.map?.addImage('i', new Blob([Uint8Array.from(bytes)]), '0.5 0 0 -0.5 10 25'),
        picture,
      );
      await expect.poll(() => colorAt(page, 200, 130), PATIENT).toEqual([0, 0, 255]);
      await page.evaluate((kml) => window.demo.map?.addOverlay('<b>plan</b>', kml), PLAN);
      // the middle of the map is at 240, 160, and a degree is 11 pixels
      await expect.poll(async () => (await colorAt(page, 200, 160))[0], PATIENT).toBeGreaterThan(200);
      await page.evaluate(() => {
        for (const name of ['<b>plan</b>', 'i', 't']) window.demo.map?.removeOverlay(name);
      });
      await expect.poll(async () => Math.max(...(await colorAt(page, 200, 130))), PATIENT).toBeLessThan(90);
    });

    test.each([
      ['broken XML', '<kml><Placemark></kml>'],
      ['no GeoJSON', '{"type":"Nothing"}'],
      ['broken JSON', '{'],
      ['entities in entities', entityBomb()],
    ])('%s is refused', async (_, text) => {
      const reason = await page.evaluate(
        (text) =>
          window.demo.map?.addOverlay('x', text).then(
            () => 'shown',
            (error: Error) => error.name,
          ),
        text,
      );
      expect(reason).toBe('SyntaxError');
    });

    test('fifty vehicles with trails are drawn in a few milliseconds', async () => {
      const milliseconds = await page.evaluate(() => {
        const { map } = window.demo;
        const over = map as unknown as { canvas: { canvas: { paintNow(): void } } };
        const show = (step: number): void =>
          map?.setVehicles(
            Array.from({ length: 50 }, (_, i) => ({
              id: String(i),
              label: `vehicle ${i}`,
              color: '#35b8d6',
              heading: step + i,
              lon: 8.5 + 0.01 * Math.cos(i + step / 100),
              lat: 47.4 + 0.01 * Math.sin(i * 1.3 + step / 90),
            })),
          );
        for (let step = 0; step < 600; step++) show(step);
        map?.fit(false);
        return Math.min(
          ...Array.from({ length: 50 }, (_, step) => {
            const start = performance.now();
            show(600 + step);
            over.canvas.canvas.paintNow();
            return performance.now() - start;
          }),
        );
      });
      // twenty times a second: a fifth of the time at most. The least of many, as the machine does other work too.
      expect(milliseconds).toBeLessThan(10);
    });

    test('it follows a vehicle until it is dragged', async () => {
      const center = await page.evaluate(() => {
        const { map } = window.demo;
        const vehicle = { id: '1', label: '', color: '#ff0000', heading: 0, lon: 8.5, lat: 47.4 };
        map?.setVehicles([vehicle]);
        map?.follow('1');
        map?.setVehicles([{ ...vehicle, lon: 8.501 }]);
        return (map as unknown as { map: { getCenter(): { lng: number } } }).map.getCenter().lng;
      });
      expect(center).toBeCloseTo(8.501, 9);
      await page.mouse.move(150, 150);
      await page.mouse.down();
      await page.mouse.move(200, 170, { steps: 4 });
      await page.mouse.up();
      expect(await page.evaluate(() => window.demo.heard)).toContain('released');
    });

    test('nobody was asked for anything, and nothing went wrong', async () => {
      expect(watched.requests.length).toBeGreaterThan(3);
      expect(watched.requests.filter((url) => !url.startsWith(`${demo.address}/`))).toEqual([]);
      // the browser's own report of broken XML has styles that the policy forbids
      expect(watched.troubles.filter((trouble) => !trouble.startsWith('Applying inline style'))).toEqual([]);
      expect(await page.evaluate(() => JSON.stringify(window.demo.heard))).not.toContain('failed');
    });
  });

  test('instruments say what they show, are sharp, and bear any number', async () => {
    await open('instruments', async ({ page }) => {
      await page.evaluate(() => {
        const { attitude, compass, speed, altitude } = window.demo.instruments;
        const odd = [Number.NaN, Number.POSITIVE_INFINITY, -1e308, 1e308, 1e17, -0, 359.9999, 1e-320];
        for (const value of odd) {
          attitude.set({ roll: value, pitch: value });
          compass.set({ heading: value, course: value, home: value });
          speed.set({ value });
          altitude.set({ value });
          for (const each of [attitude, compass, speed, altitude]) {
            (each as unknown as { canvas: { paintNow(): void } }).canvas.paintNow();
          }
        }
      });
      // a text once a second
      await page.waitForTimeout(1100);
      await page.evaluate(() => {
        const { attitude, compass, speed, altitude } = window.demo.instruments;
        attitude.set({ roll: 18.4, pitch: -6.5 });
        compass.set({ heading: 312, course: 330 });
        speed.set({ value: 8.71 });
        altitude.set({ value: Number.NaN });
      });
      const labels = await page
        .locator('[role=img]')
        .evaluateAll((all) => all.map((each) => each.getAttribute('aria-label')));
      expect(labels).toEqual([
        'speed: 8.7 m/s',
        'attitude: roll 18 degrees, pitch -6 degrees',
        'altitude: unknown',
        'compass: heading 312 degrees, course 330 degrees',
      ]);
      // the sky is above and blue, the ground below and brown
      const [sky, ground] = [await colorAt(page, 210, 60), await colorAt(page, 230, 200)];
      expect(sky[2]).toBeGreaterThan(sky[0] * 2);
      expect(ground[0]).toBeGreaterThan(ground[2]);
    });
  });

  test('the replay turns by keys and shows the vehicle', async () => {
    await open('replay', async ({ page }) => {
      await page.evaluate(() => {
        const circle = Array.from({ length: 200 }, (_, i) => (i / 100) * Math.PI);
        window.demo.replay?.setTrack({
          lon: Float64Array.from(circle, (a, i) => (i === 50 ? Number.NaN : 8.5 + 0.001 * Math.cos(a))),
          lat: Float64Array.from(circle, (a) => 47.4 + 0.001 * Math.sin(a)),
          alt: Float64Array.from(circle, (_, i) => 400 + i / 10),
          colorOf: () => '#00ff00',
        });
        window.demo.replay?.set({ lon: 8.501, lat: 47.4, alt: 410, roll: 5, pitch: 5, yaw: 90 });
      });
      const shot = () => page.locator('.replay').screenshot();
      await page.waitForTimeout(100);
      const before = await shot();
      await page.locator('.replay').focus();
      await page.keyboard.press('ArrowLeft');
      await page.waitForTimeout(100);
      expect((await shot()).equals(before)).toBe(false);
      await page.evaluate(() => {
        window.demo.replay?.follow(true);
        window.demo.replay?.set({ lon: Number.NaN, lat: 1e308, alt: 0, roll: Number.NaN, pitch: 0, yaw: 0 });
        window.demo.replay?.destroy();
      });
      expect(await page.locator('.replay').count()).toBe(0);
    });
  });
});

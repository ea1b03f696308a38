import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { needCommand } from '../../test/helpers/need.ts';
import { type MadePoint, madeTrack } from '../../test/helpers/track.ts';
import { readTrack, type Track } from '../geo/track.ts';
import { openLog } from '../node/open.ts';
import { kml } from './kml.ts';
import type { Tracks } from './track-format.ts';

const write = (tracks: Tracks): string => [...kml.write(tracks)].join('');
const placemark = (points: MadePoint[], about?: Partial<Track>): string =>
  /<Placemark>.*<\/Placemark>/s.exec(write(madeTrack(points, about)))?.[0] ?? '';

const NOON = Date.UTC(2024, 0, 31, 12) * 1000;

describe('a Placemark', () => {
  test('is a gx:Track where every point has a UTC time', () => {
    const points = [
      { lon: 7.1, lat: 46.5, alt: 500.25, time: NOON },
      { lon: 7.2, lat: -1e-7, alt: -3, time: NOON + 200_000 },
    ];
    expect(placemark(points, { name: 'a & b', source: 'GPS[0]' })).toBe(`<Placemark>
<name>a &amp; b</name>
<description>source GPS[0]</description>
<styleUrl>#track</styleUrl>
<gx:Track>
<altitudeMode>absolute</altitudeMode>
<when>2024-01-31T12:00:00.000Z</when>
<when>2024-01-31T12:00:00.200Z</when>
<gx:coord>7.1 46.5 500.25</gx:coord>
<gx:coord>7.2 -0.0000001 -3</gx:coord>
</gx:Track>
</Placemark>`);
  });

  test.each([
    ['the log has no UTC', [NOON, NOON + 1e6], false],
    ['a time is missing', [NOON, Number.NaN], true],
    ['a time cannot be written', [NOON, 2 ** 64], true],
  ])('is a LineString where %s', (_why, times, utc) => {
    const text = placemark(
      times.map((time, i) => ({ lon: i + 1, lat: 46, alt: 5, time })),
      { utc },
    );
    expect(text).toContain(
      '<LineString>\n<altitudeMode>absolute</altitudeMode>\n<coordinates>\n1,46,5\n2,46,5\n</coordinates>\n</LineString>',
    );
    expect(text).not.toContain('<when>');
  });

  test('is a Point where there is one without a time, and has no geometry where there is none', () => {
    expect(placemark([{ lon: 7, lat: 46, alt: 5 }], { utc: false })).toContain(
      '<Point>\n<altitudeMode>absolute</altitudeMode>\n<coordinates>\n7,46,5\n</coordinates>\n</Point>',
    );
    expect(placemark([], { source: '' })).toBe(
      '<Placemark>\n<name>made</name>\n<styleUrl>#track</styleUrl>\n</Placemark>',
    );
  });

  test('lies on the ground where an altitude is missing', () => {
    const points = [
      { lon: 7, lat: 46, alt: 500, time: NOON },
      { lon: 8, lat: 46, time: NOON + 1e6 },
    ];
    expect(placemark(points)).toContain(
      '<altitudeMode>clampToGround</altitudeMode>\n<when>2024-01-31T12:00:00.000Z</when>',
    );
    expect(placemark(points)).toContain('<gx:coord>7 46 500</gx:coord>\n<gx:coord>8 46</gx:coord>');
    expect(placemark(points, { utc: false })).toContain(
      '<tessellate>1</tessellate><altitudeMode>clampToGround</altitudeMode>\n<coordinates>\n7,46,500\n8,46\n',
    );
  });
});

needCommand('xmllint')('read by xmllint', () => {
  /** The string value of an XPath expression; it throws where the text is no XML. */
  const ask = (text: string, expression: string): string =>
    execFileSync('xmllint', ['--huge', '--nonet', '--xpath', expression, '-'], {
      input: text,
      encoding: 'utf8',
      stdio: 'pipe',
    });
  const named = (name: string): string => `string(//*[local-name()="${name}"])`;

  test('xmllint sees what is not well-formed', () => {
    expect(() => ask('<a>\u0001</a>', 'string(/a)')).toThrow();
    expect(() => ask('<a><b></a>', 'string(/a)')).toThrow();
  });

  test('names and sources of every code unit there is', () => {
    const units = (from: number, count: number): string =>
      String.fromCharCode(...Array.from({ length: count }, (_, i) => from + i));
    const all = units(0, 0x8000) + units(0x8000, 0x8000);
    // what XML 1.0 has no place for; of the surrogates one pair stands in the right order, U+DBFF U+DC00
    const kept = [...all].map((char) => {
      const code = char.codePointAt(0) as number;
      const isLone = code >= 0xd800 && code <= 0xdfff;
      return (code < 32 && ![9, 10, 13].includes(code)) || isLone || code === 0xfffe || code === 0xffff
        ? '\ufffd'
        : char;
    });
    for (const name of [all, ']]>', '<![CDATA[', '&#0;', '--><script/>', '\ud800', 'a\udfffb', '</name>']) {
      const text = write(madeTrack([], { name, source: name }));
      const expected = name === all ? kept.join('') : name.replace(/[\ud800-\udfff]/g, '\ufffd');
      expect(ask(text, named('name'))).toBe(`${expected}\n`);
      expect(ask(text, named('description'))).toBe(`source ${expected}\n`);
    }
  });

  test('the sample flight', async () => {
    const path = fileURLToPath(new URL('../../sample/copter-square.BIN', import.meta.url));
    const track = await readTrack(await openLog(path));
    const text = write([track, { ...track, utc: false }]);
    expect(ask(text, 'count(//*[local-name()="when"])')).toBe('631\n');
    expect(ask(text, 'count(//*[local-name()="coord"])')).toBe('631\n');
    expect(ask(text, named('coord'))).toBe('-0.4543 51.47 25.1\n');
    expect(ask(text, named('when'))).toBe('2026-11-15T18:12:40.800Z\n');
    expect(ask(text, named('coordinates')).trim().split('\n')).toHaveLength(631);
    expect(ask(text, 'namespace-uri(//*[local-name()="Track"])')).toBe('http://www.google.com/kml/ext/2.2\n');
    expect(ask(text, 'namespace-uri(/*)')).toBe('http://www.opengis.net/kml/2.2\n');
  });
});

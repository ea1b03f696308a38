import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { needCommand } from '../../test/helpers/need.ts';
import { madeTrack } from '../../test/helpers/track.ts';
import { readTrack } from '../geo/track.ts';
import { openLog } from '../node/open.ts';
import { gpx } from './gpx.ts';
import type { Tracks, TrackWriteOptions } from './track-format.ts';

const write = (tracks: Tracks, options?: TrackWriteOptions): string => [...gpx.write(tracks, options)].join('');

const NOON = Date.UTC(2024, 0, 31, 12) * 1000;

describe('a trk', () => {
  test('has a trkseg of points with altitude and time', () => {
    const track = madeTrack(
      [
        { lon: 7.1, lat: 46.5, alt: 500.25, time: NOON },
        { lon: -1e-7, lat: -46.5, alt: 0, time: NOON + 200_000 },
      ],
      { name: '<flight>', source: 'GPS[1]' },
    );
    expect(write(track)).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<gpx version="1.1" creator="Skein" xmlns="http://www.topografix.com/GPX/1/1">
<trk>
<name>&lt;flight&gt;</name>
<src>GPS[1]</src>
<trkseg>
<trkpt lat="46.5" lon="7.1"><ele>500.25</ele><time>2024-01-31T12:00:00.000Z</time></trkpt>
<trkpt lat="-46.5" lon="-0.0000001"><ele>0</ele><time>2024-01-31T12:00:00.200Z</time></trkpt>
</trkseg>
</trk>
</gpx>
`);
  });

  test('leaves out what a point does not have', () => {
    const points = [
      { lon: 7, lat: 46, time: NOON },
      { lon: 8, lat: 46, time: 2 ** 70 },
    ];
    expect(write(madeTrack(points, { utc: false }), { gap: 1e300 })).toContain(
      '<trkseg>\n<trkpt lat="46" lon="7"></trkpt>\n<trkpt lat="46" lon="8"></trkpt>\n</trkseg>',
    );
    expect(write(madeTrack(points))).toContain('<trkpt lat="46" lon="8"></trkpt>');
  });

  test('begins a new trkseg after a gap, also in time since boot', () => {
    const points = [0, 1, 2, 30, 31].map((second) => ({ lon: 7, lat: 46, time: second * 1e6 }));
    for (const utc of [true, false]) {
      const text = write(madeTrack(points, { utc }));
      expect(text.split('<trkseg>').map((part) => part.split('<trkpt').length - 1)).toEqual([0, 3, 2]);
    }
    expect(write(madeTrack(points), { gap: 60 }).split('<trkseg>')).toHaveLength(2);
  });

  test('without points has no trkseg', () => {
    expect(write(madeTrack([], { source: '' }))).toContain('<trk>\n<name>made</name>\n</trk>\n');
  });
});

/** What GPX 1.1 says of the elements that are written here. */
const SCHEMA = `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns="http://www.topografix.com/GPX/1/1"
  targetNamespace="http://www.topografix.com/GPX/1/1" elementFormDefault="qualified">
<xs:simpleType name="latitude"><xs:restriction base="xs:decimal">
  <xs:minInclusive value="-90"/><xs:maxInclusive value="90"/></xs:restriction></xs:simpleType>
<xs:simpleType name="longitude"><xs:restriction base="xs:decimal">
  <xs:minInclusive value="-180"/><xs:maxExclusive value="180"/></xs:restriction></xs:simpleType>
<xs:complexType name="point"><xs:sequence>
  <xs:element name="ele" type="xs:decimal" minOccurs="0"/><xs:element name="time" type="xs:dateTime" minOccurs="0"/>
  </xs:sequence><xs:attribute name="lat" type="latitude" use="required"/>
  <xs:attribute name="lon" type="longitude" use="required"/></xs:complexType>
<xs:complexType name="segment"><xs:sequence>
  <xs:element name="trkpt" type="point" minOccurs="0" maxOccurs="unbounded"/></xs:sequence></xs:complexType>
<xs:complexType name="track"><xs:sequence>
  <xs:element name="name" type="xs:string" minOccurs="0"/><xs:element name="src" type="xs:string" minOccurs="0"/>
  <xs:element name="trkseg" type="segment" minOccurs="0" maxOccurs="unbounded"/></xs:sequence></xs:complexType>
<xs:element name="gpx"><xs:complexType><xs:sequence>
  <xs:element name="trk" type="track" minOccurs="0" maxOccurs="unbounded"/></xs:sequence>
  <xs:attribute name="version" type="xs:string" use="required" fixed="1.1"/>
  <xs:attribute name="creator" type="xs:string" use="required"/></xs:complexType></xs:element>
</xs:schema>`;

needCommand('xmllint')('checked by xmllint', () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'skein-gpx-'));
    writeFileSync(join(folder, 'gpx.xsd'), SCHEMA);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const run = (text: string, ...args: string[]): string =>
    execFileSync('xmllint', ['--huge', '--nonet', ...args, '-'], { input: text, encoding: 'utf8', stdio: 'pipe' });
  const check = (text: string): string => run(text, '--noout', '--schema', join(folder, 'gpx.xsd'));

  test('xmllint sees what is not valid', () => {
    const good = write(madeTrack([{ lon: 7, lat: 46, time: NOON }]));
    check(good);
    expect(() => check(good.replace('lon="7"', 'lon="180"'))).toThrow();
    expect(() => check(good.replace('T12', ' 12'))).toThrow();
    expect(() => check(good.replace('<name>', '<name>\u0001'))).toThrow();
  });

  test('points at the edges of what there is', () => {
    const edges = [-180, 180, 179.9999999999, -1e-12].flatMap((lon) =>
      [-90, 90, 1e-300].map((lat) => ({ lon, lat, alt: lat * 1e7, time: lat * 1e17 })),
    );
    check(write(madeTrack(edges)));
    check(write([madeTrack([]), madeTrack(edges, { utc: false })]));
    check(write([]));
  });

  test('names and sources of every code unit there is', () => {
    const units = (from: number): string => String.fromCharCode(...Array.from({ length: 4096 }, (_, i) => from + i));
    for (let from = 0; from < 0x10000; from += 4096) {
      const name = units(from);
      const text = write(madeTrack([], { name, source: `]]>${name}` }));
      check(text);
      // no character is lost: each is there, or the one that stands for what XML cannot hold, which is 29 controls,
      // all surrogates but the one pair that stands in the right order, U+FFFE and U+FFFF
      const read = run(text, '--xpath', 'string(//*[local-name()="name"])').slice(0, -1);
      expect(read).toHaveLength(name.length);
      const changed = read.split('').filter((char, i) => char !== name[i]);
      expect(changed.every((char) => char === '\ufffd')).toBe(true);
      expect(changed.length).toBe(from === 0 ? 29 : from === 0xd000 ? 2046 : from === 0xf000 ? 2 : 0);
    }
  });

  test('the sample flight', async () => {
    const path = fileURLToPath(new URL('../../sample/copter-square.BIN', import.meta.url));
    const text = write(await readTrack(await openLog(path)));
    check(text);
    expect(run(text, '--xpath', 'count(//*[local-name()="trkseg"])')).toBe('1\n');
    expect(run(text, '--xpath', 'count(//*[local-name()="time"])')).toBe('631\n');
    expect(run(text, '--xpath', 'string(//*[local-name()="trkpt"][631]/@lon)')).toBe('-0.4543005\n');
  });
});

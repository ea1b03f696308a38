import { cutAtAntimeridian } from '../geo/antimeridian.ts';
import type { Track } from '../geo/track.ts';

/*
 * A track as well-known binary: a MULTILINESTRING, cut at the antimeridian, with Z where no altitude is missing.
 *
 *     1 | type (4) | lines (4) | { 1 | type (4) | points (4) | { lon (8) | lat (8) | alt (8) } ... } ...
 *
 * All little-endian, which the 1 says. Types are 5 and 2, with Z 1005 and 1002.
 * https://www.ogc.org/standard/sfa/
 */

const LINES = 5;
const LINE = 2;
const WITH_Z = 1000;
const HEAD = 9;

export function wkbOf(track: Track): Uint8Array {
  const hasAltitudes = track.alt.every(Number.isFinite);
  const parts = cutAtAntimeridian(track).filter(({ length }) => length > 1);
  const pointBytes = hasAltitudes ? 24 : 16;
  const size = parts.reduce((sum, { length }) => sum + HEAD + length * pointBytes, HEAD);
  const view = new DataView(new ArrayBuffer(size));
  let at = 0;
  const head = (type: number, count: number): void => {
    view.setUint8(at, 1);
    view.setUint32(at + 1, hasAltitudes ? type + WITH_Z : type, true);
    view.setUint32(at + 5, count, true);
    at += HEAD;
  };
  const number = (value: number): void => {
    view.setFloat64(at, value, true);
    at += 8;
  };
  head(LINES, parts.length);
  for (const part of parts) {
    head(LINE, part.length);
    for (let i = 0; i < part.length; i++) {
      const { lon, lat, alt } = part.at(i);
      number(lon);
      number(lat);
      if (hasAltitudes) number(alt);
    }
  }
  return new Uint8Array(view.buffer);
}

import { PlaceCount } from './geo-json.ts';

/** KML placemarks as GeoJSON, with line colours only. https://docs.ogc.org/is/12-007r2/12-007r2.html */
export function parseKml(text: string): GeoJSON.FeatureCollection {
  const document = new DOMParser().parseFromString(text, 'application/xml');
  const problem = document.getElementsByTagName('parsererror')[0];
  if (problem) throw new SyntaxError(`not XML: ${(problem.textContent ?? '').slice(0, 200).trim()}`);
  const reader = new KmlReader();
  const features = [...document.getElementsByTagNameNS('*', 'Placemark')].flatMap((mark) => reader.feature(mark));
  return { type: 'FeatureCollection', features };
}

class KmlReader {
  private readonly count = new PlaceCount();

  feature(mark: Element): GeoJSON.Feature[] {
    const geometries = this.geometries(mark);
    if (geometries.length === 0) return [];
    const geometry: GeoJSON.Geometry =
      geometries.length === 1 ? geometries[0] : { type: 'GeometryCollection', geometries };
    const color = childText(childOf(childOf(mark, 'Style'), 'LineStyle'), 'color');
    return [
      {
        type: 'Feature',
        geometry,
        properties: { name: childText(mark, 'name'), ...(color === '' ? {} : { color: cssColor(color) }) },
      },
    ];
  }

  /** All geometries of a placemark, in a loop since files may nest deep; skips placemarks and coordinates inside. */
  private geometries(mark: Element): Exclude<GeoJSON.Geometry, { type: 'GeometryCollection' }>[] {
    const found: Exclude<GeoJSON.Geometry, { type: 'GeometryCollection' }>[] = [];
    const walker = mark.ownerDocument.createTreeWalker(mark, NodeFilter.SHOW_ELEMENT, (node) =>
      ['Placemark', 'coordinates'].includes((node as Element).localName)
        ? NodeFilter.FILTER_REJECT
        : NodeFilter.FILTER_ACCEPT,
    );
    for (let node = walker.nextNode() as Element | null; node; node = walker.nextNode() as Element | null) {
      const places = (): GeoJSON.Position[] => this.places(childText(node, 'coordinates'));
      if (node.localName === 'Point') {
        for (const coordinates of places().slice(0, 1)) found.push({ type: 'Point', coordinates });
      } else if (node.localName === 'LineString') {
        const coordinates = places();
        if (coordinates.length > 1) found.push({ type: 'LineString', coordinates });
      } else if (node.localName === 'Polygon') {
        const coordinates = this.rings(node);
        if (coordinates.length > 0) found.push({ type: 'Polygon', coordinates });
      } else if (node.localName === 'Track') {
        const words = [...node.children].filter((child) => child.localName === 'coord');
        const coordinates = words.flatMap((child) =>
          this.places((child.textContent ?? '').trim().replace(/\s+/g, ',')),
        );
        if (coordinates.length > 1) found.push({ type: 'LineString', coordinates });
      }
    }
    return found;
  }

  private rings(polygon: Element): GeoJSON.Position[][] {
    const rings = [...polygon.children].flatMap((side) => {
      const coordinates = this.places(childText(childOf(side, 'LinearRing'), 'coordinates'));
      return coordinates.length < 4 ? [] : [{ isOuter: side.localName === 'outerBoundaryIs', coordinates }];
    });
    return rings.sort((a, b) => Number(b.isOuter) - Number(a.isOuter)).map((ring) => ring.coordinates);
  }

  private places(text: string): GeoJSON.Position[] {
    const places: GeoJSON.Position[] = [];
    for (const [word] of text.matchAll(/\S+/g)) {
      const [lon, lat] = word.split(',', 2).map((part) => (part === '' ? Number.NaN : Number(part)));
      if (!(Math.abs(lon) <= 360 && Math.abs(lat) <= 90)) continue;
      this.count.add();
      places.push([lon, lat]);
    }
    return places;
  }
}

function childOf(element: Element | undefined, name: string): Element | undefined {
  return element && [...element.children].find((child) => child.localName === name);
}

function childText(element: Element | undefined, name: string): string {
  return childOf(element, name)?.textContent?.trim() ?? '';
}

/** KML writes aabbggrr. */
function cssColor(text: string): string {
  const match = /^([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(text);
  return match ? `#${match[4]}${match[3]}${match[2]}` : '#8a94a3';
}

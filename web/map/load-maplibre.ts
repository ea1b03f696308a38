import workerUrl from 'maplibre-gl/dist/maplibre-gl-worker.mjs?worker&url';

type MapLibre = typeof import('maplibre-gl');

/** Loads the map library when a map is shown: it is larger than the rest of a page. */
export async function loadMapLibre(): Promise<MapLibre> {
  const maplibre = await import('maplibre-gl');
  // its own guess at where its worker is fails once files are bundled, and then it waits for ever
  maplibre.setWorkerUrl(new URL(workerUrl, import.meta.url).href);
  return maplibre;
}

/** Whether the processor draws what is on a canvas, by what the browser calls its graphics card. */
export function isDrawnInSoftware(canvas: HTMLCanvasElement): boolean {
  const context = canvas.getContext('webgl2');
  const known = context?.getExtension('WEBGL_debug_renderer_info');
  const name = known ? String(context?.getParameter(known.UNMASKED_RENDERER_WEBGL)) : '';
  return /swiftshader|llvmpipe|softpipe|software|basic render/i.test(name);
}

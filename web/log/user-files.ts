import type { TrackMap } from '../map/track-map.ts';
import type { KeptLayer } from './layer-store.ts';

const IMAGE = /\.(png|jpe?g|webp|gif)$/i;
/** World files are named after the image: .pgw, .jgw, .wld ... */
const WORLD_FILE = /\.(\w?\w?gw|wld|\w{3}w)$/i;

const PLAN = /\.(geojson|json|kml|pmtiles)$/i;

/** Whether a file belongs on the map, and is no log. */
export function isLayer({ name }: File): boolean {
  return PLAN.test(name) || IMAGE.test(name) || WORLD_FILE.test(name);
}

/** Puts files of the user on the map: plans, tiles, images beside their world files. Gives what went wrong, or ''. */
export async function addUserFiles(
  map: TrackMap,
  files: readonly File[],
  onAdded: (layer: KeptLayer) => void,
): Promise<string> {
  const worlds = files.filter(({ name }) => WORLD_FILE.test(name) && !IMAGE.test(name));
  for (const file of files.filter((each) => !worlds.includes(each))) {
    // of several images each has its own, of the same name
    const world =
      worlds.find(({ name }) => stem(name) === stem(file.name)) ?? (worlds.length === 1 ? worlds[0] : undefined);
    try {
      if (/\.pmtiles$/i.test(file.name)) await map.addTiles(file.name, file);
      else if (!IMAGE.test(file.name)) await map.addOverlay(file.name, await file.text());
      else if (world) await map.addImage(file.name, file, await world.text());
      else return `${file.name}: where it lies is not known. Choose its world file with it.`;
      onAdded({ name: file.name, files: IMAGE.test(file.name) && world ? [file, world] : [file] });
    } catch (error) {
      return `${file.name}: ${error instanceof Error ? error.message : String(error)}`;
    }
  }
  return '';
}

function stem(name: string): string {
  return name.replace(/\.[^.]*$/, '').toLowerCase();
}

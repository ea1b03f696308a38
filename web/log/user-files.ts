import type { TrackMap } from '../map/track-map.ts';

const IMAGE = /\.(png|jpe?g|webp|gif)$/i;
/** World files are named after the image: .pgw, .jgw, .wld ... */
const WORLD_FILE = /\.(\w?\w?gw|wld|\w{3}w)$/i;

/** Puts files of the user on the map: plans, tiles, images beside their world files. Gives what went wrong, or ''. */
export async function addUserFiles(map: TrackMap, files: readonly File[]): Promise<string> {
  const world = files.find(({ name }) => WORLD_FILE.test(name));
  for (const file of files.filter((each) => each !== world)) {
    try {
      if (/\.pmtiles$/i.test(file.name)) await map.addTiles(file.name, file);
      else if (!IMAGE.test(file.name)) await map.addOverlay(file.name, await file.text());
      else if (world) await map.addImage(file.name, file, await world.text());
      else return `${file.name}: where it lies is not known. Choose its world file with it.`;
    } catch (error) {
      return `${file.name}: ${error instanceof Error ? error.message : String(error)}`;
    }
  }
  return '';
}

import { errorText } from '../../src/entry/pages.ts';
import type { TrackMap } from '../map/track-map.ts';
import { stemOf } from '../shared/format.ts';

/** A layer of the user: its file, and the world file of an image. */
export interface KeptLayer {
  readonly name: string;
  readonly files: readonly File[];
}

interface StoredLayer extends KeptLayer {
  readonly bytes: number;
  /** Milliseconds UTC when it was added. */
  readonly added: number;
}

/** What is kept at most; the oldest goes first. A layer that is larger is shown and not kept. */
const MOST_BYTES = 256 << 20;
const MOST_LAYERS = 32;

const [DATABASE, STORE] = ['skein-layers', 'layers'];

/** Layers of the map, kept in the browser's database. Without access to it, or if it is full, nothing is kept. */
export class LayerStore {
  private readonly database: Promise<IDBDatabase | null> = opened().catch(() => null);

  /** All layers, in the order in which they were added. */
  async all(): Promise<readonly KeptLayer[]> {
    return (
      (await this.run('readonly', (store) => answerOf(store.getAll()) as Promise<StoredLayer[]>).catch(() => null))
        ?.filter(isStored)
        .sort((a, b) => a.added - b.added) ?? []
    );
  }

  /** Keeps a layer, instead of one of the same name. Returns whether it is kept. */
  async keep({ name, files }: KeptLayer): Promise<boolean> {
    const bytes = files.reduce((sum, { size }) => sum + size, 0);
    if (bytes > MOST_BYTES) return false;
    const store = async (layers: IDBObjectStore): Promise<boolean> => {
      const known = (await answerOf(layers.getAll())) as StoredLayer[];
      const others = known.filter((each) => each.name !== name).sort((a, b) => b.added - a.added);
      let [left, count] = [MOST_BYTES - bytes, MOST_LAYERS - 1];
      for (const other of others) {
        left -= other.bytes;
        count--;
        if (!(left >= 0 && count >= 0)) layers.delete(other.name);
      }
      await answerOf(layers.put({ name, files, bytes, added: Date.now() } satisfies StoredLayer));
      return true;
    };
    return (await this.run('readwrite', store).catch(() => null)) ?? false;
  }

  async forget(name: string): Promise<void> {
    await this.run('readwrite', (store) => answerOf(store.delete(name))).catch(() => null);
  }

  async close(): Promise<void> {
    (await this.database)?.close();
  }

  /** Runs one transaction and waits until it is written; null without a database. */
  private async run<T>(mode: IDBTransactionMode, act: (layers: IDBObjectStore) => Promise<T>): Promise<T | null> {
    const database = await this.database;
    if (!database) return null;
    const transaction = database.transaction(STORE, mode);
    const written = new Promise<void>((resolve, reject) => {
      transaction.oncomplete = () => resolve();
      transaction.onabort = () => reject(transaction.error);
    });
    const [answer] = await Promise.all([act(transaction.objectStore(STORE)), written]);
    return answer;
  }
}

function opened(): Promise<IDBDatabase> {
  const request = indexedDB.open(DATABASE, 1);
  request.onupgradeneeded = () => request.result.createObjectStore(STORE, { keyPath: 'name' });
  return answerOf(request);
}

function answerOf<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

function isStored({ name, files }: StoredLayer): boolean {
  return typeof name === 'string' && Array.isArray(files) && files.every((file) => file instanceof File);
}

const IMAGE = /\.(png|jpe?g|webp|gif)$/i;
/** World files are named after the image: .pgw, .jgw, .wld ... */
const WORLD_FILE = /\.(\w?\w?gw|wld|\w{3}w)$/i;

const PLAN = /\.(geojson|json|kml|pmtiles)$/i;

/** Whether a file is a layer of the map and not a log. */
export function isLayer({ name }: File): boolean {
  return PLAN.test(name) || IMAGE.test(name) || WORLD_FILE.test(name);
}

const VIDEO = /\.(mp4|m4v|mov|webm|mkv|avi|ogv)$/i;

/** Whether a file is a video, and neither a log nor a layer. */
export function isVideo({ name, type }: File): boolean {
  return type.startsWith('video/') || VIDEO.test(name);
}

/** Adds files to the map: plans, tiles, images with their world files. Returns what went wrong, or ''. */
export async function addUserFiles(
  map: TrackMap,
  files: readonly File[],
  onAdded: (layer: KeptLayer) => void,
): Promise<string> {
  const worlds = files.filter(({ name }) => WORLD_FILE.test(name) && !IMAGE.test(name));
  for (const file of files.filter((each) => !worlds.includes(each))) {
    // of several images, each has one of the same name
    const world =
      worlds.find(({ name }) => stemOf(name).toLowerCase() === stemOf(file.name).toLowerCase()) ??
      (worlds.length === 1 ? worlds[0] : undefined);
    try {
      if (/\.pmtiles$/i.test(file.name)) await map.addTiles(file.name, file);
      else if (!IMAGE.test(file.name)) await map.addOverlay(file.name, await file.text());
      else if (world) await map.addImage(file.name, file, await world.text());
      else return `${file.name}: position unknown: choose its world file with it`;
      onAdded({ name: file.name, files: IMAGE.test(file.name) && world ? [file, world] : [file] });
    } catch (error) {
      return `${file.name}: ${errorText(error)}`;
    }
  }
  return '';
}

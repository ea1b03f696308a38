/** A layer of the user's: its file, and the world file of an image. */
export interface KeptLayer {
  readonly name: string;
  readonly files: readonly File[];
}

interface StoredLayer extends KeptLayer {
  readonly bytes: number;
  /** Milliseconds of UTC when it was put on the map. */
  readonly added: number;
}

/** What is kept at most: the oldest goes first. A layer that is larger alone is shown, and not kept. */
const MOST_BYTES = 256 << 20;
const MOST_LAYERS = 32;

const [DATABASE, STORE] = ['skein-layers', 'layers'];

/**
 * Layers of the map between visits, in the browser's own database. It may be forbidden or full: then nothing is kept, and
 * the page works as well.
 */
export class LayerStore {
  private readonly database: Promise<IDBDatabase | null> = opened().catch(() => null);

  /** All that are kept, in the order in which they came. */
  async all(): Promise<readonly KeptLayer[]> {
    return (
      (await this.run('readonly', (store) => answerOf(store.getAll()) as Promise<StoredLayer[]>).catch(() => null))
        ?.filter(isLayer)
        .sort((a, b) => a.added - b.added) ?? []
    );
  }

  /** Keeps a layer, in the place of one of the same name. Gives whether it is kept. */
  async keep({ name, files }: KeptLayer): Promise<boolean> {
    const bytes = files.reduce((sum, { size }) => sum + size, 0);
    if (bytes > MOST_BYTES) return false;
    const put = async (store: IDBObjectStore): Promise<boolean> => {
      const known = (await answerOf(store.getAll())) as StoredLayer[];
      const others = known.filter((each) => each.name !== name).sort((a, b) => b.added - a.added);
      let [left, count] = [MOST_BYTES - bytes, MOST_LAYERS - 1];
      for (const other of others) {
        left -= other.bytes;
        count--;
        if (!(left >= 0 && count >= 0)) store.delete(other.name);
      }
      await answerOf(store.put({ name, files, bytes, added: Date.now() } satisfies StoredLayer));
      return true;
    };
    return (await this.run('readwrite', put).catch(() => null)) ?? false;
  }

  async forget(name: string): Promise<void> {
    await this.run('readwrite', (store) => answerOf(store.delete(name))).catch(() => null);
  }

  async close(): Promise<void> {
    (await this.database)?.close();
  }

  /** Gives what an act in a transaction gives, once all of it is written; null where there is no database. */
  private async run<T>(mode: IDBTransactionMode, act: (store: IDBObjectStore) => Promise<T>): Promise<T | null> {
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

function isLayer({ name, files }: StoredLayer): boolean {
  return typeof name === 'string' && Array.isArray(files) && files.every((file) => file instanceof File);
}

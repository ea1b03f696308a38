import type { TrackMap } from '../../map/track-map.ts';
import { addUserFiles, type KeptLayer, LayerStore } from '../layers.ts';

interface ListedLayer {
  readonly name: string;
  readonly isKept: boolean;
}

/** What the user added to the map, on this visit and on those before. */
export class UserLayerList {
  layers: readonly ListedLayer[] = $state.raw([]);
  private readonly map: TrackMap;
  private readonly store = new LayerStore();
  private readonly restored: Promise<void>;

  constructor(map: TrackMap) {
    this.map = map;
    // one that cannot be shown any more stays away
    this.restored = this.store.all().then(async (kept) => {
      for (const { files } of kept) await addUserFiles(map, files, ({ name }) => this.list(name, true));
    });
  }

  /** Returns what went wrong, or ''. A newer one of the same name goes over the older. */
  async add(files: readonly File[]): Promise<string> {
    await this.restored;
    const added = (layer: KeptLayer): void =>
      void this.store.keep(layer).then((isKept) => this.list(layer.name, isKept));
    return addUserFiles(this.map, files, added);
  }

  remove(name: string): void {
    this.map.removeOverlay(name);
    this.layers = this.layers.filter((each) => each.name !== name);
    void this.store.forget(name);
  }

  close(): void {
    void this.store.close();
  }

  private list(name: string, isKept: boolean): void {
    this.layers = [...this.layers.filter((each) => each.name !== name), { name, isKept }];
  }
}

import type { Catalog } from '../../formats/mavlink/dialect/catalog.ts';
import type { Dialect, MessageDefinition } from '../../formats/mavlink/dialect/definition.ts';
import { Header } from '../../formats/mavlink/header.ts';
import { catalogOf } from '../../formats/mavlink/options.ts';

/** MANUAL_CONTROL calls its target system `target`. */
const MANUAL_CONTROL = 69;

interface TargetOffsets {
  readonly system: number;
  readonly component: number;
}

/** Reads the target of frames. One object serves for many. */
export class TargetReader {
  /** 0 is everyone, also where the message has no target. */
  system = 0;
  component = 0;
  private readonly catalog: Catalog;
  private readonly header = new Header();
  /** By message id. */
  private readonly offsets: Map<number, TargetOffsets | null> = new Map();

  constructor(dialect?: Dialect) {
    this.catalog = catalogOf(dialect);
  }

  read(bytes: Uint8Array, { id, payload, length }: Header): void {
    this.system = 0;
    this.component = 0;
    const offsets = this.offsetsOf(id);
    if (!offsets) return;
    // MAVLink 2 cuts zeros off the end
    const at = (offset: number): number => (offset >= 0 && offset < length ? (bytes[payload + offset] ?? 0) : 0);
    this.system = at(offsets.system);
    this.component = at(offsets.component);
  }

  /** The target system of the frame that the bytes begin with; 0 where they begin with none. */
  systemOf(frame: Uint8Array): number {
    if (!this.header.read(frame, 0)) return 0;
    this.read(frame, this.header);
    return this.system;
  }

  private offsetsOf(id: number): TargetOffsets | null {
    const known = this.offsets.get(id);
    if (known !== undefined) return known;
    const { catalog } = this;
    // ids that no definition has are not kept: anyone can make them up
    const definition = catalog.definitions[catalog.find(id)];
    if (!definition) return null;
    const system = offsetOf(definition, id === MANUAL_CONTROL ? 'target' : 'target_system');
    const found = system < 0 ? null : { system, component: offsetOf(definition, 'target_component') };
    this.offsets.set(id, found);
    return found;
  }
}

function offsetOf({ fields }: MessageDefinition, name: string): number {
  return fields.find((field) => field.name === name)?.offset ?? -1;
}

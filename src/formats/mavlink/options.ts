import type { Codec } from '../../core/codec.ts';
import type { Sink } from '../../core/decoder.ts';
import type { DecodeOptions, Format } from '../../core/format.ts';
import { getOrAdd } from '../../core/maps.ts';
import type { Field, Schema } from '../../core/schema.ts';
import { FrameCodec } from './codec.ts';
import { builtinDialect } from './dialect/builtin.ts';
import { Catalog } from './dialect/catalog.ts';
import type { Dialect } from './dialect/definition.ts';
import type { TakenLead } from './frame.ts';
import { MavlinkDecoder } from './frame.ts';
import type { SigningKey } from './key.ts';
import { Remarks } from './remarks.ts';
import { Verifier } from './signing.ts';

export interface MavlinkOptions extends DecodeOptions {
  /** The messages that are known; all that are built in by default. */
  readonly dialect?: Dialect | undefined;
  /** Keys that frames must be signed with. Without any, signatures are not looked at. */
  readonly keys?: readonly SigningKey[] | undefined;
  /** With keys: what becomes of frames that are not signed; refused by default. */
  readonly unsigned?: 'refuse' | 'accept' | undefined;
  /** In place of keys, for a live link: a verifier that knows the time and may serve several links. */
  readonly verifier?: Verifier | undefined;
  /** Where many decoders have the same dialect and options: the schemas that they share, an empty map at first. */
  readonly schemas?: Map<number, Schema> | undefined;
}

export interface MavlinkFormat extends Format {
  decoder(sink: Sink, options?: MavlinkOptions): MavlinkDecoder;
}

/** What is before each frame of a container, made for one stream. */
interface Container {
  readonly lead: (remarks: Remarks) => TakenLead;
  readonly stamp: Field;
}

/** Catalogs are made once for each dialect: hundreds of decoders may use the same. */
const catalogs: WeakMap<Dialect, Catalog> = new WeakMap();
let all: Dialect | undefined;

export function catalogOf(dialect?: Dialect): Catalog {
  if (!dialect) all ??= builtinDialect();
  const chosen = dialect ?? (all as Dialect);
  return getOrAdd(catalogs, chosen, () => new Catalog(chosen));
}

export function frameDecoder(sink: Sink, options: MavlinkOptions = {}, container?: Container): MavlinkDecoder {
  const { dialect, keepInvalid = false, keys = [], unsigned } = options;
  const remarks = new Remarks(sink);
  const lead = container?.lead(remarks);
  const codec = new FrameCodec(lead?.bytes ?? 0);
  const verifier = options.verifier ?? (keys.length > 0 ? new Verifier({ keys, unsigned }) : undefined);
  return new MavlinkDecoder(sink, {
    catalog: catalogOf(dialect),
    schemas: {
      codec,
      secretCodec: withoutKey(codec),
      lead: lead?.bytes ?? 0,
      stamp: container?.stamp,
      keepInvalid,
      shared: options.schemas,
    },
    lead,
    remarks,
    verifier,
  });
}

/** SETUP_SIGNING carries a key in the clear. It goes no further than this: all its bytes are read as 255. */
function withoutKey(codec: Codec): Codec {
  return {
    read(bytes, starts, count, columns, row) {
      codec.read(bytes, starts, count, columns, row);
      for (const { field, bits8 } of columns) {
        if (field.name === 'secret_key') bits8.fill(0xff, row * field.count, (row + count) * field.count);
      }
    },
  };
}

import type { Value } from '../../src/core/column.ts';
import type { Log } from '../../src/core/log.ts';
import { definitionFor, encodeDefinition, encodeRecord } from '../../src/formats/dataflash/encode.ts';
import { type Definition, FMT_DEFINITION } from '../../src/formats/dataflash/schema.ts';
import { type OpenOptions, openInput } from '../../src/formats/open.ts';

/** Writes a small binary DataFlash log, record by record. */
export class MadeLog {
  private readonly parts: Uint8Array[] = [encodeDefinition(FMT_DEFINITION)];
  private readonly definitions: Map<string, Definition> = new Map();
  /** Bytes so far: where the next record begins. */
  length: number = FMT_DEFINITION.length;

  /** A FMT record. */
  define(name: string, format: string, columns: string): this {
    const definition = definitionFor(this.definitions.get(name)?.type ?? this.freeType(), name, format, columns);
    this.definitions.set(name, definition);
    return this.raw(encodeDefinition(definition));
  }

  private freeType(): number {
    return 1 + this.definitions.size;
  }

  /** The number of a type, as FMTU records refer to it. */
  typeOf(name: string): number {
    return this.definition(name).type;
  }

  private definition(name: string): Definition {
    const definition = this.definitions.get(name);
    if (!definition) throw new Error(`${name} is not defined in this log`);
    return definition;
  }

  /** A record of a type that was defined before. */
  add(name: string, ...values: Value[]): this {
    return this.raw(encodeRecord(this.definition(name), values));
  }

  /** Bytes as they are. */
  raw(bytes: Uint8Array): this {
    this.parts.push(bytes);
    this.length += bytes.length;
    return this;
  }

  bytes(): Uint8Array {
    const bytes = new Uint8Array(this.length);
    let at = 0;
    for (const part of this.parts) {
      bytes.set(part, at);
      at += part.length;
    }
    return bytes;
  }

  open(options: OpenOptions = {}): Promise<Log> {
    return openInput(this.bytes(), options);
  }
}

/** A text log of these lines. */
export function textLog(...lines: readonly string[]): Uint8Array {
  return new TextEncoder().encode(`${lines.join('\n')}\n`);
}

/**
 * GPS week and milliseconds of a moment in UTC.
 * @param leap seconds that GPS was ahead of UTC then: 15 from 2009, 16 from July 2012, 17 from July 2015, 18 from 2017
 */
export function gpsTime(utc: string, leap: number): { week: number; millis: number } {
  const millis = Date.parse(utc) + leap * 1000 - Date.parse('1980-01-06T00:00:00Z');
  const week = Math.floor(millis / 604_800_000);
  return { week, millis: millis - week * 604_800_000 };
}

/** A moment in UTC, in microseconds. */
export function micros(utc: string): number {
  return Date.parse(utc) * 1000;
}

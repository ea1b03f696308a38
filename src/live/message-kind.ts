import { Column } from '../core/column.ts';
import { type Field, type Schema, TYPE_BYTES } from '../core/schema.ts';
import { type Row, rowOf } from '../core/table.ts';
import { HIGH_LATENCY } from './high-latency.ts';

/** The field by which a vehicle tells how long it runs. */
const BOOT_FIELD = 'time_boot_ms';
const NOWHERE = -1;
/** Carries a key in the clear, which is not kept. */
const SECRET = 'SETUP_SIGNING';
/** Messages that are more than the latest of their kind. */
const TELLING: ReadonlySet<string> = new Set([
  'HEARTBEAT',
  'STATUSTEXT',
  'COMMAND_ACK',
  'AVAILABLE_MODES',
  'AUTOPILOT_VERSION',
  'RADIO_STATUS',
  'EVENT',
  'COMPONENT_METADATA',
  'FILE_TRANSFER_PROTOCOL',
  'TIMESYNC',
  HIGH_LATENCY,
]);
const FIRST: Uint32Array = Uint32Array.of(0);

/** What is to be known of a message, whoever sends it: found out once, since hundreds of vehicles send the same ones. */
export class MessageKind {
  readonly schema: Schema;
  /** Whether its content is looked at when it comes. */
  readonly isTelling: boolean;
  readonly isSecret: boolean;
  /** Where in the payload the time since boot stands, and the number of the instance; below 0 where it has none. */
  readonly bootPlace: number;
  readonly instancePlace: number;
  private columns: readonly Column[] | undefined;

  constructor(schema: Schema) {
    this.schema = schema;
    this.isTelling = TELLING.has(schema.name);
    this.isSecret = schema.name === SECRET;
    const boot = schema.fields.find((field) => field.name === BOOT_FIELD && field.type === 'uint32');
    this.bootPlace = boot?.offset ?? NOWHERE;
    const instance: Field | undefined = schema.fields[schema.instance];
    const isByte = instance !== undefined && TYPE_BYTES[instance.type] === 1 && instance.count === 1;
    this.instancePlace = isByte ? instance.offset : NOWHERE;
  }

  get hasInstances(): boolean {
    return this.instancePlace >= 0;
  }

  /** The fields of a frame that begins the bytes. Values that the protocol marks as invalid are null. */
  decode(frame: Uint8Array): Row {
    this.columns ??= this.schema.fields.map((field) => new Column(field, 1));
    this.schema.codec.read(frame, FIRST, 1, this.columns, 0);
    return rowOf(this.columns, 0);
  }
}

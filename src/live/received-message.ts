import type { Row } from '../core/table.ts';
import type { MessageEvent } from './events.ts';
import type { MessageSlot } from './message-slot.ts';

/** A message as its slot has it now. */
export class ReceivedMessage implements MessageEvent {
  readonly type = 'message';
  readonly vehicle: string | null;
  readonly time: number;
  readonly source: MessageSlot;

  constructor(slot: MessageSlot, vehicle: string | null, time: number) {
    this.source = slot;
    this.vehicle = vehicle;
    this.time = time;
  }

  get name(): string {
    return this.source.name;
  }

  get link(): string {
    return this.source.component.system.link;
  }

  get system(): number {
    return this.source.component.system.id;
  }

  get component(): number {
    return this.source.component.id;
  }

  get instance(): number | undefined {
    return this.source.instance;
  }

  get bytes(): Uint8Array {
    return this.source.bytes;
  }

  get data(): Row {
    return this.source.data;
  }

  keep(): MessageEvent {
    const { type, vehicle, time, name, link, system, component, instance, bytes, source } = this;
    let row: Row | undefined;
    return {
      ...{ type, vehicle, time, name, link, system, component, instance, bytes, source },
      get data(): Row {
        row ??= source.decode(bytes);
        return row;
      },
      keep() {
        return this;
      },
    };
  }
}

import type { Row } from '../core/table.ts';
import type { MessageEvent } from './events.ts';
import type { MessageSlot } from './message-slot.ts';

/** A message as its slot has it now. */
export class ReceivedMessage implements MessageEvent {
  readonly type = 'message';
  readonly vehicle: string | null;
  readonly time: number;
  private readonly slot: MessageSlot;

  constructor(slot: MessageSlot, vehicle: string | null, time: number) {
    this.slot = slot;
    this.vehicle = vehicle;
    this.time = time;
  }

  get name(): string {
    return this.slot.name;
  }

  get link(): string {
    return this.slot.component.system.link;
  }

  get system(): number {
    return this.slot.component.system.id;
  }

  get component(): number {
    return this.slot.component.id;
  }

  get instance(): number | undefined {
    return this.slot.instance;
  }

  get bytes(): Uint8Array {
    return this.slot.bytes;
  }

  get data(): Row {
    return this.slot.data;
  }

  keep(): MessageEvent {
    const { type, vehicle, time, name, link, system, component, instance, bytes, slot } = this;
    let row: Row | undefined;
    return {
      ...{ type, vehicle, time, name, link, system, component, instance, bytes },
      get data(): Row {
        row ??= slot.kind.decode(bytes);
        return row;
      },
      keep() {
        return this;
      },
    };
  }
}

import { getOrAdd } from '../core/maps.ts';
import type { Schema } from '../core/schema.ts';
import type { Header } from '../formats/mavlink/header.ts';
import type { Listeners } from './events.ts';
import { LIVE_LIMITS } from './limits.ts';
import type { LiveLink } from './live-link.ts';
import { frameNumber, LatestFrames, MessageKind, MessageSlot, payloadWord, ReceivedMessage } from './message.ts';
import type { FrameTap } from './options.ts';
import { Component, System } from './system.ts';
import type { Tracker } from './tracker.ts';

/** Microseconds between two heartbeats of a vehicle, between two times that room is made, and until all is calm again. */
const REGULAR_LEAST = 0.3e6;
const REGULAR_MOST = 3e6;
const SWEEP = 1e6;
/** Part of a limit that is used after room was made. */
const ROOMY = 0.75;
const CALM = 3e6;

/** All senders of all links, and the latest of each of their messages, within the limits. */
export class Senders {
  readonly tracker: Tracker;
  private readonly listeners: Listeners;
  private readonly tap: FrameTap | undefined;
  private readonly kinds: WeakMap<Schema, MessageKind> = new WeakMap();
  private readonly frames = new LatestFrames();
  private slots = 0;
  private senders = 0;
  /** Since when the limits are reached, and when room was made last; NaN if there is room. */
  private crowdedAt: number = Number.NaN;
  private sweptAt: number = Number.NaN;
  /** When heartbeats came for which there was no room, by system and component. */
  private refused: Float64Array | undefined;

  constructor(tracker: Tracker, listeners: Listeners) {
    this.tracker = tracker;
    this.listeners = listeners;
    this.tap = tracker.options.tap;
  }

  /** The slot for a message of the system and component in the header, or undefined if there is no room for it. */
  slot(link: LiveLink, systems: (System | undefined)[], schema: Schema, header: Header): MessageSlot | undefined {
    const known = systems[header.system];
    const sender = known?.components.get(header.component);
    const kept = sender?.messages.get(schema.name);
    if (kept) return kept;
    if (!this.hasRoom(sender, schema, header)) {
      if (Number.isNaN(this.crowdedAt)) this.refused = new Float64Array(65_536);
      this.crowdedAt = this.tracker.now;
      return undefined;
    }
    const address = systems === link.systems ? '' : link.from;
    const system = known ?? new System(link.name, header.system, address, this.tracker.rates.add());
    systems[header.system] = system;
    const component = sender ?? new Component(system, header.component, link.from, header.sequence, this.tracker.now);
    system.components.set(component.id, component);
    if (!sender) this.senders++;
    this.slots++;
    const slot = new MessageSlot(this.kindOf(schema), component, this.tracker.rates, this.frames);
    component.messages.set(schema.name, slot);
    return slot;
  }

  /** Known vehicles have room for all messages. With little left, a new sender must send heartbeats first. */
  private hasRoom(sender: Component | undefined, schema: Schema, header: Header): boolean {
    const { senders, messages, reserve, vehicleMessages } = LIVE_LIMITS;
    if (this.slots >= messages + reserve || (!sender && this.senders >= senders)) return false;
    if (sender && this.tracker.isHeard(sender)) return sender.messages.size < vehicleMessages;
    if (!this.refused) return this.slots < messages;
    if (sender || schema.name !== 'HEARTBEAT') return false;
    const key = (header.system << 8) | header.component;
    const passed = this.tracker.now - this.refused[key];
    this.refused[key] = this.tracker.now;
    return passed > REGULAR_LEAST && passed < REGULAR_MOST;
  }

  /** Makes room: drops the senders with the least evidence, never a vehicle that is heard. */
  private sweep(): void {
    const { now } = this.tracker;
    this.sweptAt = now;
    if (!(now - this.crowdedAt < CALM)) {
      this.crowdedAt = Number.NaN;
      this.refused = undefined;
    }
    const all = [...this.tracker.links.values()].flatMap((link) => [...link.allSystems()]);
    const senders = all.flatMap(([system, systems]) =>
      [...system.components.values()].map((sender) => ({ sender, systems, evidence: sender.evidence(now) })),
    );
    senders.sort((a, b) => a.evidence - b.evidence);
    const isFull = (): boolean =>
      this.slots > ROOMY * LIVE_LIMITS.messages || this.senders > ROOMY * LIVE_LIMITS.senders || this.tracker.isFull;
    for (const { sender, systems } of senders) {
      if (!isFull()) break;
      if (this.tracker.isHeard(sender)) continue;
      this.dropSender(sender);
      if (sender.system.components.size === 0) this.dropSystem(sender.system, systems);
    }
    for (const link of this.tracker.links.values()) link.forgetSlots();
  }

  dropSystem(system: System, systems: (System | undefined)[]): void {
    for (const sender of system.components.values()) this.dropSender(sender);
    delete systems[system.id];
    this.tracker.rates.remove(system.rate);
  }

  private dropSender(sender: Component): void {
    this.tracker.forget(sender);
    sender.system.components.delete(sender.id);
    this.senders--;
    this.dropMessages(sender.messages.values());
  }

  private dropMessages(slots: Iterable<MessageSlot>): void {
    for (const slot of slots) {
      this.slots--;
      slot.release();
      const link = this.tracker.links.get(slot.component.system.link);
      if (link?.radio === slot) link.radio = undefined;
    }
  }

  private kindOf(schema: Schema): MessageKind {
    return getOrAdd(this.kinds, schema, () => new MessageKind(schema));
  }

  receive(link: LiveLink, slot: MessageSlot, bytes: Uint8Array, start: number, size: number, at: number): void {
    const { rates, now } = this.tracker;
    slot.push(bytes, start, size, now, at);
    this.tap?.(link.name, slot.name, bytes, start, now);
    const { component, kind } = slot;
    rates.hit(component.system.rate, now);
    const { boot } = component;
    let isReboot = !boot.follows(frameNumber(bytes, start), link.from, now) && this.outOfTurn(link, slot, bytes, start);
    if (kind.bootPlace >= 0) isReboot = boot.uptime(payloadWord(bytes, start, kind.bootPlace), now) || isReboot;
    if (isReboot) this.tracker.rebooted(component);
    if (kind.isTelling) this.tell(link, slot, bytes, start);
    if (this.listeners.hasMessages)
      this.listeners.emit(new ReceivedMessage(slot, this.tracker.idOf(component.system), now));
  }

  /** A frame whose number is not the next one; true if that shows a reboot. */
  private outOfTurn(link: LiveLink, slot: MessageSlot, bytes: Uint8Array, start: number): boolean {
    const { now } = this.tracker;
    const { component, kind } = slot;
    const { boot } = component;
    boot.compare(bytes, start, now);
    if (kind.uniqueBytes > 0 && boot.shared.isLooking)
      boot.shared.unique(slot.payload.subarray(0, kind.uniqueBytes), slot.sequence, now);
    return boot.frame(frameNumber(bytes, start), link.from, now);
  }

  /** The content of a message matters at once. */
  private tell(link: LiveLink, slot: MessageSlot, bytes: Uint8Array, start: number): void {
    const { now } = this.tracker;
    const { shared } = slot.component.boot;
    if (slot.name === 'GLOBAL_POSITION_INT') {
      shared.place(payloadWord(bytes, start, 4), now);
      return;
    }
    if (slot.name === 'HEARTBEAT') shared.state(payloadWord(bytes, start, 0), payloadWord(bytes, start, 4), now);
    else if (slot.name === 'RADIO_STATUS') link.radio = slot;
    this.tracker.receive(slot);
  }

  /** A message without a slot came. */
  stray(link: LiveLink, schema: Schema, bytes: Uint8Array, start: number): void {
    this.tap?.(link.name, schema.name, bytes, start, this.tracker.now);
  }

  /** Lets time go by: makes room if there is too little. */
  tick(time: number): void {
    this.dropMessages(this.tracker.dropped.splice(0));
    const isCrowded = !Number.isNaN(this.crowdedAt) || this.tracker.isFull;
    if (isCrowded && !(Math.abs(time - this.sweptAt) < SWEEP)) this.sweep();
  }
}

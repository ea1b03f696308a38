import { describe, expect, test } from 'vitest';
import { builtinDialect } from '../formats/mavlink/dialect/builtin.ts';
import { Encoder } from '../formats/mavlink/encode.ts';
import { SigningKey } from '../formats/mavlink/key.ts';
import { Signer } from '../formats/mavlink/signing.ts';
import { Peers } from './peers.ts';
import { TargetReader } from './vehicle/target.ts';

const SECOND = 1e6;
const dialect = builtinDialect();

function heartbeat(system: number, values: { type?: number; autopilot?: number } = {}, version: 1 | 2 = 2): Uint8Array {
  const { type = 2, autopilot = 3 } = values;
  return new Encoder(dialect, { system, component: 1, version }).message('HEARTBEAT', {
    type,
    autopilot,
    base_mode: 0,
    custom_mode: 0,
    system_status: 4,
  });
}

describe('where a vehicle is', () => {
  test('is told by its heartbeat, of either version, also behind other bytes', () => {
    const peers = new Peers();
    expect(peers.receive(Uint8Array.from([0xfd, 1, 2]), 'a:1', 0)).toBe(false);
    expect(peers.receive(heartbeat(1), 'a:1', 0)).toBe(true);
    const text = new TextEncoder().encode('Init ArduCopter\n');
    expect(peers.receive(Uint8Array.from([...text, ...heartbeat(2, {}, 1)]), 'b:1', 0)).toBe(true);
    expect([peers.of(1), peers.of(2), peers.of(3)]).toEqual(['a:1', 'b:1', undefined]);
    expect(peers.addresses).toEqual(['a:1', 'b:1']);
  });

  test('is told by heartbeats among other frames of a datagram', () => {
    const peers = new Peers();
    const text = new Encoder(dialect, { system: 1, component: 1 }).message('STATUSTEXT', { text: 'a' });
    const datagram = Uint8Array.from([...text, ...heartbeat(1), ...text, ...heartbeat(2, {}, 1)]);
    expect(peers.receive(datagram, 'a:1', 0)).toBe(true);
    expect([peers.of(1), peers.of(2)]).toEqual(['a:1', 'a:1']);
    expect(peers.receive(datagram, 'a:1', 1)).toBe(false);
    expect(peers.receive(Uint8Array.from([...datagram, ...heartbeat(3)]), 'a:1', 2)).toBe(true);
    expect(peers.of(3)).toBe('a:1');
  });

  test('is not told by a damaged heartbeat, a ground station or a gimbal', () => {
    const peers = new Peers();
    const damaged = heartbeat(1);
    damaged[11] ^= 1;
    for (const bytes of [damaged, heartbeat(255, { type: 6, autopilot: 8 }), heartbeat(1, { type: 26, autopilot: 8 })])
      expect(peers.receive(bytes, 'a:1', 0)).toBe(false);
    expect(peers.addresses).toEqual([]);
  });

  test('is not told by a heartbeat inside another message', () => {
    const peers = new Peers();
    const other = new Encoder(dialect, { system: 9, component: 1 });
    const inner = [...heartbeat(1), ...new Array(253).fill(0)].slice(0, 253);
    const outer = other.message('ENCAPSULATED_DATA', { seqnr: 1, data: inner });
    expect(peers.receive(Uint8Array.from([...outer, ...heartbeat(2)]), 'a:1', 0)).toBe(true);
    expect([peers.of(1), peers.of(2)]).toEqual([undefined, 'a:1']);
  });

  test('does not change while the vehicle is still where it was', () => {
    const peers = new Peers({ timeout: 5 * SECOND });
    peers.receive(heartbeat(1), 'a:1', 0);
    // anything from the old address keeps the place, a heartbeat from elsewhere does not get it
    for (let second = 1; second <= 20; second++) {
      expect(peers.receive(heartbeat(1), 'evil:9', second * SECOND)).toBe(false);
      peers.receive(Uint8Array.of(1), 'a:1', second * SECOND);
    }
    expect(peers.of(1)).toBe('a:1');
    expect(peers.refused).toBe(20);
    expect(peers.receive(heartbeat(1), 'b:2', 25 * SECOND)).toBe(false);
    expect(peers.receive(heartbeat(1), 'b:2', 25.1 * SECOND)).toBe(true);
    expect(peers.addresses).toEqual(['b:2']);
  });

  test('of made up vehicles does not become that of a real one', () => {
    const peers = new Peers();
    peers.receive(heartbeat(1), 'a:1', 0);
    for (let system = 1; system < 256; system++) peers.receive(heartbeat(system), `evil:${system}`, 1);
    expect(peers.addresses).toHaveLength(255);
    expect(peers.of(1)).toBe('a:1');
  });

  test('is where it was known first, when it is heard there again', () => {
    const peers = new Peers({ timeout: 5 * SECOND });
    for (let second = 0; second < 10; second++) peers.receive(heartbeat(1), 'a:1', second * SECOND);
    // silent for half an hour, in which another sender takes its place
    for (let second = 20; second < 1800; second++) peers.receive(heartbeat(1), 'evil:9', second * SECOND);
    expect(peers.of(1)).toBe('evil:9');
    for (let second = 1800; second < 1810; second++) {
      peers.receive(heartbeat(1), 'evil:9', second * SECOND);
      expect(peers.receive(heartbeat(1), 'a:1', second * SECOND)).toBe(second === 1800);
      expect(peers.of(1)).toBe('a:1');
      expect(peers.addresses).toEqual(['a:1']);
    }
  });

  test('with a key, only a signed heartbeat counts, and only once', () => {
    const key = SigningKey.fromPassphrase('a phrase');
    const now = (): number => Date.UTC(2026, 0, 1);
    const peers = new Peers({ keys: [key], now });
    expect(peers.receive(heartbeat(1), 'evil:9', 0)).toBe(false);
    const signer = new Signer({ key, link: 0, now });
    const signed = new Encoder(dialect, { system: 1, component: 1, sign: (frame) => signer.sign(frame) }).message(
      'HEARTBEAT',
      { type: 2, autopilot: 3, base_mode: 0, custom_mode: 0, system_status: 4 },
    );
    expect(peers.receive(signed, 'a:1', 0)).toBe(true);
    expect(peers.receive(signed, 'evil:9', 60 * SECOND)).toBe(false);
    expect(peers.of(1)).toBe('a:1');
  });
});

describe('whom a frame is meant for', () => {
  const encoder = new Encoder(dialect, { system: 254, component: 190 });

  test('the target system, or everybody', () => {
    expect(new TargetReader().systemOf(encoder.message('COMMAND_LONG', { target_system: 7, command: 512 }))).toBe(7);
    expect(
      new TargetReader().systemOf(encoder.message('COMMAND_LONG', { target_system: 0, command: 512, confirmation: 1 })),
    ).toBe(0);
    expect(new TargetReader().systemOf(heartbeat(1))).toBe(0);
    expect(new TargetReader().systemOf(Uint8Array.of(1, 2, 3))).toBe(0);
  });
});

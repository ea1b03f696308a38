import { expect, test } from 'vitest';
import { ipv4, ipv6, tcp, udp } from '../../../test/formats/pcap/writer.ts';
import { Random } from '../../../test/suite/random.ts';
import { type Ends, FlowTable } from './flow-table.ts';
import { Layers, UDP } from './layers.ts';

const LINK_RAW = 101;
const none = new Uint8Array(0);

test('packets are of one flow if their addresses, ports, protocol and interface are the same', () => {
  const table = new FlowTable((ends: Ends) => ends);
  const layers = new Layers();
  const flows = new Map<string, Ends | undefined>();
  const random = new Random(6);
  for (let run = 0; run < 6000; run++) {
    // each byte of an address and of a port tells flows apart
    const address = (): number[] => [random.below(2), random.below(2), random.below(2), random.below(2)];
    const [source, destination] = [address(), address()];
    const [from, to, isTcp, isSix] = [
      random.pick([1, 2, 256]),
      random.pick([1, 2, 512]),
      random.chance(0.3),
      random.chance(0.3),
    ];
    const content = isTcp ? tcp(none, { sequence: 0, source: from, destination: to }) : udp(none, from, to);
    const protocol = isTcp ? 6 : 17;
    const packet = isSix ? ipv6(content, protocol) : ipv4(content, { protocol, source, destination });
    if (isSix)
      for (const [at, digits] of [
        [8, source],
        [20, destination],
        [24, destination],
        [36, source],
      ] as const)
        packet.set(digits, at);
    const number = random.pick([0, 1, 257]);
    const kind = layers.read(packet, 0, packet.length, LINK_RAW);
    const found = table.find(packet, layers, kind, number);
    const key = [kind, number, from, to, packet.subarray(isSix ? 8 : 12, isSix ? 40 : 20)].join();
    const known = flows.get(key);
    if (!known) flows.set(key, found);
    if (known) expect(found).toBe(known);
    expect(new Set(flows.values()).size).toBe(flows.size);
    expect(table.flows.length).toBe(flows.size);
    expect(found).toMatchObject({ interface: number, kind });
    const back = [
      kind,
      number,
      to,
      from,
      ...(isSix
        ? [packet.subarray(24, 40), packet.subarray(8, 24)]
        : [packet.subarray(16, 20), packet.subarray(12, 16)]),
    ].join();
    expect(table.reverse(packet, layers, kind, number)).toBe(flows.get(back));
    if (flows.size > 3000) break;
  }
  expect(flows.size).toBeGreaterThan(1000);
});

test('4,096 flows are kept apart, and no more', () => {
  const table = new FlowTable((ends: Ends) => ends);
  const layers = new Layers();
  const find = (port: number): Ends | undefined => {
    const packet = ipv4(udp(none, port));
    layers.read(packet, 0, packet.length, LINK_RAW);
    return table.find(packet, layers, UDP, 0);
  };
  for (let port = 0; port < 4096; port++) expect(find(port)?.source).toBe(`10.0.0.1:${port}`);
  expect(find(4096)).toBeUndefined();
  for (let port = 4095; port >= 0; port -= 7) expect(find(port)).toBe(table.flows[port]);
});

// https://www.rfc-editor.org/rfc/rfc5952: the longest row of zeros is left out, the first of equal ones, never a single one
test.each([
  [[0, 0, 0, 0, 0, 0, 0, 1], '::1'],
  [[0xfe80, 0, 0, 0, 1, 0, 0, 0], 'fe80::1:0:0:0'],
  [[1, 0, 0, 2, 0, 0, 0, 3], '1:0:0:2::3'],
  [[1, 0, 0, 2, 3, 0, 0, 4], '1::2:3:0:0:4'],
  [[1, 0, 2, 3, 4, 5, 6, 0xabcd], '1:0:2:3:4:5:6:abcd'],
  [[0x2001, 0xdb8, 0, 0, 0, 0, 0, 0], '2001:db8::'],
])('the address of %j is %s', (groups, text) => {
  const packet = ipv6(udp(none));
  for (const [i, group] of groups.entries()) packet.set([group >> 8, group & 255], 8 + 2 * i);
  const layers = new Layers();
  layers.read(packet, 0, packet.length, LINK_RAW);
  const found = new FlowTable((ends: Ends) => ends).find(packet, layers, UDP, 0);
  expect([found?.source, found?.destination]).toEqual([`[${text}]:14550`, '[fe80::2]:14580']);
});

import { mavlink } from '../../../src/formats/mavlink/index.ts';
import type { PlainFault, PlainLog, PlainRecord } from '../../suite/plain.ts';
import { plainParts } from '../mavlink/reference.ts';
import { type PlainLayers, plainLayers, transport } from './layers.ts';
import { type PlainPacket, PlainPackets } from './packets.ts';
import { type PlainByte, PlainStream, PlainTcp } from './tcp.ts';

interface PlainFlow {
  readonly stream: PlainStream;
  readonly tcp: PlainTcp | undefined;
}

/** A packet in fragments: each byte by its place in the packet. */
interface PlainFragments {
  readonly bytes: Map<number, PlainByte>;
  total: number;
}

/** A capture in the plainest way: all packets first, then all flows. For captures that are one batch only. */
export function plainPcap(bytes: Uint8Array): PlainLog {
  const { packets, faults } = new PlainPackets(bytes);
  const flows = new Map<string, PlainFlow>();
  const partials = new Map<string, PlainFragments>();
  for (const packet of packets) {
    const { interface: from, start, end, linkType, length } = packet;
    const layers = plainLayers(bytes, start, end, linkType, length);
    if (!layers) continue;
    if (layers.kind !== 'fragment') {
      const content = bytesOf(bytes, layers.from, layers.to, packet.number);
      deliver(flows, layers, from, content, packet, layers.from);
      continue;
    }
    const key = `${from} ${layers.key}`;
    const partial = partials.get(key) ?? { bytes: new Map(), total: Number.NaN };
    partials.set(key, partial);
    if (!layers.hasMore && layers.missing === 0 && Number.isNaN(partial.total))
      partial.total = layers.offset + layers.to - layers.from;
    for (const [i, byte] of bytesOf(bytes, layers.from, layers.to, packet.number).entries()) {
      if (!partial.bytes.has(layers.offset + i)) partial.bytes.set(layers.offset + i, byte);
    }
    const { total } = partial;
    const isWhole = partial.bytes.size === total && [...partial.bytes.keys()].every((offset) => offset < total);
    if (!isWhole) continue;
    partials.delete(key);
    deliverWhole(flows, layers, from, partial, packet);
  }
  for (const { bytes: found } of partials.values()) {
    const first = found.get(Math.min(...found.keys()));
    if (first) faults.push({ code: 'lost-fragments', offset: first.file, length: found.size });
  }
  for (const { tcp } of flows.values()) tcp?.finish();
  return gathered(
    [...flows.values()].map(({ stream }) => stream),
    faults,
  );
}

function bytesOf(bytes: Uint8Array, from: number, to: number, packet: number): PlainByte[] {
  return Array.from(bytes.subarray(from, to), (value, i) => ({ value, file: from + i, packet }));
}

function deliver(
  flows: Map<string, PlainFlow>,
  layers: PlainLayers,
  from: number,
  content: readonly PlainByte[],
  packet: PlainPacket,
  file: number,
): void {
  const { kind, key, sequence, flags, missing } = layers;
  const { stream, tcp } = flowOf(flows, `${from} ${kind} ${key}`, kind === 'TCP');
  if (tcp) {
    tcp.segment(sequence, flags, missing, content, file);
    return;
  }
  if (content.length > 0) stream.add(content);
  if (missing > 0) stream.break(missing, false, packet.record);
}

function flowOf(flows: Map<string, PlainFlow>, key: string, isTcp: boolean): PlainFlow {
  let flow = flows.get(key);
  if (!flow) {
    const stream = new PlainStream();
    flow = { stream, tcp: isTcp ? new PlainTcp(stream) : undefined };
    flows.set(key, flow);
  }
  return flow;
}

/** A packet that is whole again: each of its parts comes with its own packet. */
function deliverWhole(
  flows: Map<string, PlainFlow>,
  { protocol, addresses }: PlainLayers,
  from: number,
  { bytes: found, total }: PlainFragments,
  packet: PlainPacket,
): void {
  const bytes = Array.from({ length: total }, (_, i) => found.get(i) as PlainByte);
  const values = Uint8Array.from(bytes, ({ value }) => value);
  const layers = transport(values, 0, total, 0, protocol, addresses);
  if (!layers) return;
  const { kind, key, sequence, flags } = layers;
  const { stream, tcp } = flowOf(flows, `${from} ${kind} ${key}`, kind === 'TCP');
  for (let start = layers.from; start < layers.to; ) {
    let end = start + 1;
    while (end < layers.to && bytes[end].file === bytes[end - 1].file + 1) end++;
    const part = bytes.slice(start, end);
    if (tcp)
      tcp.segment((sequence + start - layers.from) >>> 0, start === layers.from ? flags : 0, 0, part, part[0].file);
    else stream.add(part);
    start = end;
  }
  void packet;
}

/** What all flows hold, in the order of the packets that completed it. */
function gathered(streams: readonly PlainStream[], faults: PlainFault[]): PlainLog {
  const found: { readonly record: PlainRecord; readonly packet: number }[] = [];
  for (const stream of streams) {
    if (!isMavlink(stream)) continue;
    const { bytes, breaks } = stream;
    const values = Uint8Array.from(bytes, ({ value }) => value);
    const { records, faults: inner } = plainParts(values, [...breaks.map(({ at }) => at), bytes.length]);
    for (const record of records) {
      const packets = bytes.slice(record.offset, record.offset + record.length).map(({ packet }) => packet);
      found.push({ record: { ...record, offset: bytes[record.offset].file }, packet: Math.max(...packets) });
    }
    faults.push(...inner.map((fault) => placed(fault, stream)), ...breakFaults(stream, inner));
  }
  return { records: found.sort((a, b) => a.packet - b.packet).map(({ record }) => record), faults };
}

/** The fault with its place in the file; what is cut at a break is no fault of the stream's end. */
function placed({ code, offset, length }: PlainFault, { bytes, breaks }: PlainStream): PlainFault {
  const isCut = code === 'truncated' && breaks.some(({ at }) => at === offset + length);
  return { code: isCut ? 'cut' : code, offset: bytes[offset].file, length };
}

/** Breaks that no cut frame tells of. */
function breakFaults({ breaks }: PlainStream, inner: readonly PlainFault[]): PlainFault[] {
  return breaks
    .filter(({ at, missing, isHole }, i) => {
      const isTold =
        at !== breaks[i - 1]?.at &&
        inner.some(({ code, offset, length }) => code === 'truncated' && offset + length === at);
      return missing !== 0 && (isHole || !isTold);
    })
    .map(({ isHole, file }) => ({ code: isHole ? 'tcp-hole' : 'cut', offset: file, length: 0 }));
}

/** Whether a stream is one of frames: by all of it, with zeros for what is missing, or by one of its packets. */
function isMavlink({ bytes, breaks, pieces }: PlainStream): boolean {
  const values = bytes.map(({ value }) => value);
  const most = values.length + 16_384;
  const blanked: number[] = [];
  let from = 0;
  for (const { at, missing = 0 } of breaks) {
    if (blanked.length + at - from + missing > most) break;
    blanked.push(...values.slice(from, at), ...new Array(missing).fill(0));
    from = at;
  }
  const isIt = (part: readonly number[]): boolean => mavlink.detect(Uint8Array.from(part)) >= 0.3;
  if (values.length === 0 && breaks.length === 0) return false;
  if (isIt([...blanked, ...values.slice(from)].slice(0, most))) return true;
  return pieces.some((end, i) => isIt(values.slice(pieces[i - 1] ?? 0, end)));
}

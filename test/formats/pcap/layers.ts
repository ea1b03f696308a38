/** What the headers of a packet say, in the plainest way. */
export interface PlainLayers {
  readonly kind: 'UDP' | 'TCP' | 'bare' | 'fragment' | 'returned';
  /** All that tells its flow, or of a fragment its packet. */
  readonly key: string;
  readonly from: number;
  readonly to: number;
  readonly missing: number;
  readonly sequence: number;
  readonly flags: number;
  /** Of a fragment. */
  readonly offset: number;
  readonly hasMore: boolean;
  readonly protocol: number;
  readonly addresses: string;
}

const NONE = { sequence: 0, flags: 0, offset: 0, hasMore: false, protocol: 0, addresses: '' };

/** Reads the headers of bytes [start, end) of a packet that had `length` bytes; undefined for other traffic. */
export function plainLayers(
  bytes: Uint8Array,
  start: number,
  end: number,
  linkType: number,
  length: number,
): PlainLayers | undefined {
  if (linkType === 147) {
    return { ...NONE, kind: 'bare', key: '', from: start, to: end, missing: Math.max(0, start + length - end) };
  }
  const at = linkStart(bytes.subarray(0, end), start, linkType);
  return at === undefined ? undefined : ip(bytes.subarray(0, end), at, 0, false);
}

function u16(bytes: Uint8Array, at: number): number {
  return bytes[at] * 256 + bytes[at + 1];
}

function u32(bytes: Uint8Array, at: number): number {
  return u16(bytes, at) * 65536 + u16(bytes, at + 2);
}

/** Where the IP packet begins; all bytes up to the end of `bytes` are the packet's. */
function linkStart(bytes: Uint8Array, at: number, linkType: number): number | undefined {
  const has = (count: number): boolean => at + count <= bytes.length;
  switch (linkType) {
    case 12:
    case 14:
    case 101:
    case 228:
    case 229:
      return at;
    case 0:
    case 108: {
      if (!has(4)) return undefined;
      const families = [2, 10, 24, 28, 30];
      const number = u32(bytes, at);
      const turned = new DataView(bytes.buffer, bytes.byteOffset + at, 4).getUint32(0, true);
      return families.includes(number) || families.includes(turned) ? at + 4 : undefined;
    }
    case 1:
      return has(14) ? ethernetType(bytes, u16(bytes, at + 12), at + 14, 0) : undefined;
    case 9:
    case 50:
      return ppp(bytes, at);
    case 113:
      return has(16) ? ethernetType(bytes, u16(bytes, at + 14), at + 16, 0) : undefined;
    case 276:
      return has(20) ? ethernetType(bytes, u16(bytes, at), at + 20, 0) : undefined;
    case 127: {
      if (!has(8) || bytes[at] !== 0) return undefined;
      const size = bytes[at + 2] + 256 * bytes[at + 3];
      if (size < 8 || !has(size)) return undefined;
      let place = at + 4;
      while (place + 4 <= at + size && bytes[place + 3] >= 128) place += 4;
      place += 4;
      if (bytes[at + 4] & 1) place = at + Math.ceil((place - at) / 8) * 8 + 8;
      const isPadded = (bytes[at + 4] & 2) !== 0 && place < at + size && (bytes[place] & 0x20) !== 0;
      return wireless(bytes, at + size, isPadded);
    }
    case 105:
      return wireless(bytes, at, false);
  }
  return undefined;
}

function ethernetType(bytes: Uint8Array, type: number, at: number, depth: number): number | undefined {
  if (depth === 32) return undefined;
  if (type === 0x0800 || type === 0x86dd) return at;
  if ([0x8100, 0x88a8, 0x9100, 0x9200].includes(type))
    return at + 4 <= bytes.length ? ethernetType(bytes, u16(bytes, at + 2), at + 4, depth + 1) : undefined;
  if (type === 0x8864) return at + 6 <= bytes.length ? ppp(bytes, at + 6) : undefined;
  if (type === 0x6558)
    return at + 14 <= bytes.length ? ethernetType(bytes, u16(bytes, at + 12), at + 14, depth + 1) : undefined;
  return type <= 1500 ? snap(bytes, at) : undefined;
}

function snap(bytes: Uint8Array, at: number): number | undefined {
  if (at + 8 > bytes.length || bytes[at] !== 0xaa || bytes[at + 1] !== 0xaa || bytes[at + 2] !== 3) return undefined;
  const type = u16(bytes, at + 6);
  return type <= 1500 ? undefined : ethernetType(bytes, type, at + 8, 0);
}

function ppp(bytes: Uint8Array, start: number): number | undefined {
  const at = start + 2 <= bytes.length && u16(bytes, start) === 0xff03 ? start + 2 : start;
  if (at >= bytes.length) return undefined;
  if (bytes[at] % 2 === 1) return bytes[at] === 0x21 || bytes[at] === 0x57 ? at + 1 : undefined;
  if (at + 2 > bytes.length) return undefined;
  return [0x21, 0x57].includes(u16(bytes, at)) ? at + 2 : undefined;
}

function wireless(bytes: Uint8Array, at: number, isPadded: boolean): number | undefined {
  if (at + 24 > bytes.length) return undefined;
  const [version, type, subtype] = [bytes[at] & 3, (bytes[at] >> 2) & 3, bytes[at] >> 4];
  const bits = bytes[at + 1];
  if (version !== 0 || type !== 2 || (subtype & 4) !== 0 || (bits & 0x40) !== 0) return undefined;
  let size = (bits & 3) === 3 ? 30 : 24;
  const isQos = subtype >= 8;
  const isGathered = isQos && at + size < bytes.length && bytes[at + size] >= 128;
  if (isQos) size += bits >= 128 ? 6 : 2;
  if (isPadded) size = Math.ceil(size / 4) * 4;
  return snap(bytes, at + size + (isGathered ? 14 : 0));
}

function ip(bytes: Uint8Array, at: number, depth: number, isReturned: boolean): PlainLayers | undefined {
  const size = bytes.length;
  if (depth === 32 || at >= size) return undefined;
  const version = bytes[at] >> 4;
  let [protocol, from, stated, offset, hasMore, id, addresses] = [0, 0, 0, 0, false, 0, ''];
  if (version === 4) {
    from = at + (bytes[at] & 15) * 4;
    if (from < at + 20 || from > size) return undefined;
    stated = u16(bytes, at + 2) === 0 ? size : at + u16(bytes, at + 2);
    offset = (u16(bytes, at + 6) & 0x1fff) * 8;
    hasMore = (u16(bytes, at + 6) & 0x2000) !== 0;
    id = u16(bytes, at + 4);
    protocol = bytes[at + 9];
    addresses = bytes.subarray(at + 12, at + 20).join('.');
  } else if (version === 6) {
    if (at + 40 > size) return undefined;
    stated = u16(bytes, at + 4) === 0 ? size : at + 40 + u16(bytes, at + 4);
    addresses = bytes.subarray(at + 8, at + 40).join('.');
    protocol = bytes[at + 6];
    from = at + 40;
    for (let n = 0; n < 32 && [0, 43, 60, 135, 44, 51].includes(protocol); n++) {
      if (from + 8 > size) return undefined;
      const [next, units] = [bytes[from], bytes[from + 1]];
      if (protocol === 44) {
        offset = u16(bytes, from + 2) & 0xfff8;
        hasMore = (bytes[from + 3] & 1) === 1;
        id = u32(bytes, from + 4);
      }
      const isPart = offset > 0 || hasMore;
      from += isPart ? 8 : protocol === 51 ? (units + 2) * 4 : (units + 1) * 8;
      protocol = next;
      if (isPart) break;
    }
  } else {
    return undefined;
  }
  const to = Math.min(stated, size);
  const missing = Math.max(0, stated - size);
  if (from > to) return undefined;
  if (offset > 0 || hasMore) {
    if (isReturned) return undefined;
    const key = `${version} ${addresses} ${protocol} ${id}`;
    return { ...NONE, kind: 'fragment', key, from, to, missing, offset, hasMore, protocol, addresses };
  }
  if (protocol === 6 || protocol === 17) {
    const found = transport(bytes, from, to, missing, protocol, addresses);
    if (!isReturned) return found;
    return found?.kind === 'UDP' && found.missing === 0 ? { ...found, kind: 'returned' } : undefined;
  }
  const isError = (protocol === 1 && [3, 4, 5, 11, 12].includes(bytes[from])) || (protocol === 58 && bytes[from] < 128);
  if (isError) return isReturned ? undefined : ip(bytes, from + 8, depth + 1, true);
  if (protocol === 4 || protocol === 41) return ip(bytes, from, depth + 1, isReturned);
  if (protocol !== 47 || from + 4 > to || (bytes[from] & 0x40) !== 0 || (bytes[from + 1] & 7) !== 0) return undefined;
  const content = from + 4 + [0x80, 0x20, 0x10].filter((bit) => (bytes[from] & bit) !== 0).length * 4;
  if (content > to) return undefined;
  const inner = ethernetType(bytes.subarray(0, to), u16(bytes, from + 2), content, 0);
  return inner === undefined ? undefined : ip(bytes, inner, depth + 1, isReturned);
}

/** UDP or TCP in [from, to). */
export function transport(
  bytes: Uint8Array,
  from: number,
  to: number,
  missing: number,
  protocol: number,
  addresses: string,
): PlainLayers | undefined {
  if (from + 8 > to) return undefined;
  const stated = to + missing;
  const key = `${addresses} ${u32(bytes, from)}`;
  if (protocol === 17) {
    const length = u16(bytes, from + 4);
    if (length > 0 && length < 8) return undefined;
    const end = length === 0 ? stated : Math.min(stated, from + length);
    const kind = { ...NONE, kind: 'UDP' as const, key, from: from + 8 };
    return { ...kind, to: Math.min(end, bytes.length), missing: Math.max(0, end - bytes.length) };
  }
  const header = (bytes[from + 12] >> 4) * 4;
  if (protocol !== 6 || from + 20 > to || header < 20 || from + header > stated) return undefined;
  const content = from + header;
  const [sequence, flags] = [u32(bytes, from + 4), bytes[from + 13]];
  const rest = { from: Math.min(content, to), to, missing: stated - Math.max(to, content) };
  return { ...NONE, kind: 'TCP', key, ...rest, sequence, flags };
}

/** An address as it is written: 10.0.0.1, fe80::1. */
function addressText(bytes: Uint8Array, at: number, length: number): string {
  if (length === 4) return bytes.subarray(at, at + 4).join('.');
  const groups = Array.from({ length: 8 }, (_, i) => ((bytes[at + 2 * i] << 8) | bytes[at + 2 * i + 1]).toString(16));
  // the longest row of zeros is left out, https://www.rfc-editor.org/rfc/rfc5952
  let [first, most] = [0, 1];
  for (let i = 0; i < 8; i++) {
    let count = 0;
    while (i + count < 8 && groups[i + count] === '0') count++;
    if (count > most) [first, most] = [i, count];
  }
  if (most < 2) return groups.join(':');
  return `${groups.slice(0, first).join(':')}::${groups.slice(first + most).join(':')}`;
}

/** An address with its port: 10.0.0.1:14550, [fe80::1]:14550. */
export function endpointText(bytes: Uint8Array, at: number, length: number, port: number): string {
  if (length === 0) return '';
  const address = addressText(bytes, at, length);
  return `${length === 4 ? address : `[${address}]`}:${port}`;
}

/**
 * The discrete Fourier transform in place, radix 2: https://en.wikipedia.org/wiki/Cooley%E2%80%93Tukey_FFT_algorithm
 * The length must be a power of two.
 */
export function fft(re: Float64Array, im: Float64Array): void {
  const n = re.length;
  if (n === 0 || (n & (n - 1)) !== 0 || im.length !== n) {
    throw new RangeError(`fft of ${n} and ${im.length} numbers: both must be one power of two`);
  }
  reorder(re, im);
  for (let half = 1; half < n; half *= 2) {
    const angle = -Math.PI / half;
    for (let k = 0; k < half; k++) {
      // the angle anew for each, so that errors do not add up
      const [cos, sin] = [Math.cos(angle * k), Math.sin(angle * k)];
      for (let at = k; at < n; at += 2 * half) {
        const other = at + half;
        const x = re[other] * cos - im[other] * sin;
        const y = re[other] * sin + im[other] * cos;
        re[other] = re[at] - x;
        im[other] = im[at] - y;
        re[at] += x;
        im[at] += y;
      }
    }
  }
}

/** The inverse of it: that of the numbers with real and imaginary parts exchanged, divided by how many there are. */
export function inverseFft(re: Float64Array, im: Float64Array): void {
  fft(im, re);
  for (let i = 0; i < re.length; i++) {
    re[i] /= re.length;
    im[i] /= re.length;
  }
}

/** Each number goes to the place whose bits are those of its own in reverse. */
function reorder(re: Float64Array, im: Float64Array): void {
  const n = re.length;
  for (let i = 1, j = 0; i < n; i++) {
    let bit = n >> 1;
    for (; (j & bit) !== 0; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i >= j) continue;
    [re[i], re[j]] = [re[j], re[i]];
    [im[i], im[j]] = [im[j], im[i]];
  }
}

import { scaleColors } from '../../map/color-scale.ts';
import type { PlotImage } from '../../shared/plot/time-plot.ts';
import type { SpectrogramImage } from '../worker/figures/spectrogram.ts';

/** The least opacity, of the weakest power: the ground of the theme shows through. */
const FAINT = 0.12;

/** Gives a spectrogram its colours. */
export function spectrogramCanvas(image: SpectrogramImage, isDark: boolean): PlotImage {
  const { width, height, levels, from, to, top } = image;
  const canvas = document.createElement('canvas');
  canvas.width = width;
  canvas.height = height;
  const colors = scaleColors(isDark).map((color) => Number.parseInt(color.slice(1), 16));
  const picture = new ImageData(width, height);
  for (let i = 0; i < levels.length; i++) {
    if (levels[i] === 0) continue;
    const part = (levels[i] - 1) / 254;
    const color = colors[Math.round(part * (colors.length - 1))];
    picture.data[i * 4] = color >> 16;
    picture.data[i * 4 + 1] = (color >> 8) & 0xff;
    picture.data[i * 4 + 2] = color & 0xff;
    picture.data[i * 4 + 3] = Math.round(255 * (FAINT + (1 - FAINT) * part));
  }
  canvas.getContext('2d')?.putImageData(picture, 0, 0);
  return { canvas, from, to, low: 0, high: top };
}

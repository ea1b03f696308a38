import { type ColorSet, keptColors, keptTheme, setColors, setTheme, type Theme } from './theme.ts';

/** Theme and colours of a page, as the user chose them. */
export class Look {
  theme: Theme = $state(keptTheme());
  colors: ColorSet = $state(keptColors());
  private readonly changed: () => void;

  /** @param changed redraws canvases, which do not follow the style sheet */
  constructor(changed: () => void = () => {}) {
    this.changed = changed;
    setTheme(this.theme);
    setColors(this.colors);
  }

  setTheme(theme: Theme): void {
    this.theme = theme;
    setTheme(theme);
    this.changed();
  }

  setColors(colors: ColorSet): void {
    this.colors = colors;
    setColors(colors);
    this.changed();
  }
}

import { CrispCanvas } from '../shared/crisp-canvas.ts';
import { type Palette, readPalette, watchTheme } from '../shared/palette.ts';
import './instruments.css';

/** Milliseconds between two texts for screen readers, which cannot follow twenty a second. */
const SPOKEN = 1000;

/** What all instruments have in common: a canvas in the colours of the theme, and a text that says the same. */
export abstract class Instrument<State> {
  readonly element: HTMLElement = document.createElement('div');
  protected state: State;
  protected palette: Palette = readPalette();
  private readonly canvas: CrispCanvas;
  private readonly unwatch: () => void;
  private speaking: number | undefined;
  private isStale = false;

  constructor(name: string, state: State) {
    this.state = state;
    this.element.className = `instrument ${name}`;
    this.element.role = 'img';
    this.canvas = new CrispCanvas((context, width, height) => {
      context.clearRect(0, 0, width, height);
      this.paint(context, width, height);
    });
    this.element.append(this.canvas.element);
    this.unwatch = watchTheme(() => {
      this.palette = readPalette();
      this.canvas.request();
    });
  }

  /** Paints at once. @param isStale whether it is no longer current: shown in grey and crossed out */
  set(state: State, isStale = false): void {
    this.state = state;
    this.canvas.paintNow();
    const hasChanged = this.element.classList.toggle('old', isStale) !== this.isStale;
    this.isStale = isStale;
    if (this.speaking !== undefined && !hasChanged) return;
    window.clearTimeout(this.speaking);
    this.speak();
    this.speaking = window.setTimeout(() => {
      this.speaking = undefined;
      this.speak();
    }, SPOKEN);
  }

  private speak(): void {
    this.element.ariaLabel = `${this.text()}${this.isStale ? ', old' : ''}`;
  }

  protected redraw(): void {
    this.canvas.request();
  }

  /** What it shows, in words. */
  protected abstract text(): string;

  protected abstract paint(context: CanvasRenderingContext2D, width: number, height: number): void;

  destroy(): void {
    window.clearTimeout(this.speaking);
    this.unwatch();
    this.canvas.destroy();
    this.element.remove();
  }
}

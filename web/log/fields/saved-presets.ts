import { keep, partsOf, recall } from '../../shared/kept.ts';
import { PANE_KINDS, type PaneKind } from '../plots/pane-kinds.ts';

/** Plots that the user gave a name: for the next log, or for a colleague. */
export interface SavedPreset {
  readonly name: string;
  readonly panes: readonly SavedPane[];
}

interface SavedPane {
  readonly kind: PaneKind;
  readonly isOther: boolean;
  readonly traces: readonly { readonly text: string; readonly axis: 'left' | 'right' }[];
}

/** What a file of presets may hold: it may come from anyone. */
const PRESETS = 200;
const PANES = 16;
const TRACES = 24;
const TEXT = 2000;
const NAME = 80;
const CHARACTERS = 2_000_000;

const KEPT = 'skein-presets';

/** Those of last time; a page that may not keep anything has none. */
export function keptPresets(): SavedPreset[] {
  try {
    return readPresets(recall(KEPT) ?? '[]');
  } catch {
    return [];
  }
}

export function keepPresets(presets: readonly SavedPreset[]): void {
  keep(KEPT, presetsText(presets));
}

export function presetsText(presets: readonly SavedPreset[]): string {
  return `${JSON.stringify(presets, null, 2)}\n`;
}

/** Reads such a file. What is not a preset is left out; throws if it is not a list. */
export function readPresets(text: string): SavedPreset[] {
  if (text.length > CHARACTERS) throw new RangeError(`presets: ${text.length} characters, at most ${CHARACTERS}`);
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    throw new RangeError('not a file of presets: expected JSON');
  }
  if (!Array.isArray(data)) throw new RangeError('not a file of presets: expected a list');
  return data.slice(0, PRESETS).flatMap(presetOf);
}

/** Others beside those that are there; one of the same name takes its place. */
export function mergedPresets(known: readonly SavedPreset[], added: readonly SavedPreset[]): SavedPreset[] {
  const byName = new Map([...known, ...added].map((preset) => [preset.name, preset]));
  return [...byName.values()].slice(0, PRESETS);
}

function presetOf(data: unknown): SavedPreset[] {
  const { name, panes } = partsOf(data);
  if (typeof name !== 'string' || name.trim() === '' || !Array.isArray(panes)) return [];
  const read = panes
    .slice(0, PANES)
    .map(paneOf)
    .filter(({ traces }) => traces.length > 0);
  return read.length === 0 ? [] : [{ name: name.trim().slice(0, NAME).trimEnd(), panes: read }];
}

function paneOf(data: unknown): SavedPane {
  const { kind, isOther, traces } = partsOf(data);
  return {
    kind: PANE_KINDS.find((known) => known === kind) ?? 'time',
    isOther: isOther === true,
    traces: (Array.isArray(traces) ? traces.slice(0, TRACES) : []).flatMap((trace: unknown) => {
      const { text, axis } = partsOf(trace);
      if (typeof text !== 'string' || text === '' || text.length > TEXT) return [];
      return [{ text, axis: axis === 'right' ? ('right' as const) : ('left' as const) }];
    }),
  };
}

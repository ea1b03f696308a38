import { parseField } from './fields/field-name.ts';
import type { OpenFile, Pane, Trace } from './model.svelte.ts';
import type { TableInfo } from './worker/answers.ts';

interface ShownTable {
  readonly file: OpenFile;
  readonly table: TableInfo;
  readonly trace: Trace;
  /** The field that the pane was opened with. */
  readonly field: string;
}

/** Whose rows a pane shows: those of its first field; undefined where that is none. */
export function shownTableOf({ traces: [trace] }: Pane, files: readonly OpenFile[]): ShownTable | undefined {
  const [file, name] = [files.find(({ key }) => key === trace?.file), parseField(trace?.text ?? '')];
  const named = file?.summary?.tables.filter((table) => table.name === name?.table) ?? [];
  const table = named.find(({ stream }) => stream === name?.stream) ?? named[0];
  return file && name && table ? { file, table, trace, field: name.field } : undefined;
}

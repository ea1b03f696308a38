const TYPE = 'text/x-skein-field';

/** Where a dropped field goes: to an axis, or to a new plot below. */
export type DropPlace = 'left' | 'right' | 'below';

/** A field or expression of a file, while it is dragged to a plot. */
export interface DraggedField {
  readonly text: string;
  readonly file: number;
  /** The line of a plot that is moved; a field of the tree is none. */
  readonly trace?: number | undefined;
}

export function dragField(event: DragEvent, text: string, file: number | undefined, trace?: number): void {
  if (file !== undefined)
    event.dataTransfer?.setData(TYPE, JSON.stringify({ text, file, trace } satisfies DraggedField));
}

export function isFieldDrag(event: DragEvent): boolean {
  return event.dataTransfer?.types.includes(TYPE) ?? false;
}

export function droppedField(event: DragEvent): DraggedField | undefined {
  const text = event.dataTransfer?.getData(TYPE);
  return text ? (JSON.parse(text) as DraggedField) : undefined;
}

/** Makes an element the handle by which a line is dragged to another plot. */
export function traceHandle(
  element: HTMLElement,
  { text, file, id }: { readonly text: string; readonly file: number; readonly id: number },
): void {
  element.draggable = true;
  element.addEventListener('dragstart', (event) => dragField(event, text, file, id));
}

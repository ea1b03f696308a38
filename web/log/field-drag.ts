const TYPE = 'text/x-skein-field';

/** A field or expression of a file, while a hand drags it to a plot. */
interface DraggedField {
  readonly text: string;
  readonly file: number;
}

export function dragField(event: DragEvent, text: string, file: number | undefined): void {
  if (file !== undefined) event.dataTransfer?.setData(TYPE, JSON.stringify({ text, file } satisfies DraggedField));
}

export function isFieldDrag(event: DragEvent): boolean {
  return event.dataTransfer?.types.includes(TYPE) ?? false;
}

export function droppedField(event: DragEvent): DraggedField | undefined {
  const text = event.dataTransfer?.getData(TYPE);
  return text ? (JSON.parse(text) as DraggedField) : undefined;
}

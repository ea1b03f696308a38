/** A field of a message as charts name it. */
export interface PlottedField {
  readonly message: string;
  readonly instance: number | undefined;
  /** With the number of the element for arrays: voltages[0]. */
  readonly field: string;
}

/*
 *   ATTITUDE.roll      BATTERY_STATUS[1].current_battery      BATTERY_STATUS[0].voltages[2]
 */
const PATTERN = /^(\w{1,64})(?:\[(\d{1,3})\])?\.(\w{1,64}(?:\[\d{1,3}\])?)$/;

export function parsePlotted(text: string): PlottedField | undefined {
  const match = PATTERN.exec(text);
  if (!match) return undefined;
  const [, message, instance, field] = match;
  return { message, instance: instance === undefined ? undefined : Number(instance), field };
}

export function plottedText({ message, instance, field }: PlottedField): string {
  return `${message}${instance === undefined ? '' : `[${instance}]`}.${field}`;
}

import { errorText } from '../../src/entry/pages.ts';
/** A form for a MAV_CMD, https://mavlink.io/en/messages/common.html#mav_commands */
export interface CommandForm {
  readonly label: string;
  readonly command: number;
  /** The parameters that it begins with, seven of them. */
  readonly params: readonly number[];
  /** The parameters that the form asks for: index from 0, label and unit. */
  readonly asked: readonly { readonly param: number; readonly label: string; readonly unit: string }[];
}

const ALL_PARAMS = Array.from({ length: 7 }, (_, i) => ({ param: i, label: `param ${i + 1}`, unit: '' }));

const form = (
  label: string,
  command: number,
  params: readonly number[] = [],
  asked: CommandForm['asked'] = [],
): CommandForm => ({
  ...{ label, command, asked },
  params: Array.from({ length: 7 }, (_, i) => params[i] ?? 0),
});

export const COMMANDS: readonly CommandForm[] = [
  form('Arm', 400, [1]),
  form('Disarm', 400, [0]),
  form('Take off', 22, [0, 0, 0, 0, 0, 0, 10], [{ param: 6, label: 'height', unit: 'm' }]),
  form('Return to launch', 20),
  form('Land here', 21),
  form('Change mode', 176, [1, 0], [{ param: 1, label: 'mode number', unit: '' }]),
  form('Change speed', 178, [1, 5, -1], [{ param: 1, label: 'ground speed', unit: 'm/s' }]),
  form('Reboot the autopilot', 246, [1]),
  form('Other command', 0, [], ALL_PARAMS),
];

/** The fields of COMMAND_LONG; the server fills in the vehicle. */
export function commandFields(command: number, params: readonly number[]): Record<string, number> {
  const fields: Record<string, number> = { command, confirmation: 0 };
  for (const [i, value] of params.entries()) fields[`param${i + 1}`] = value;
  return fields;
}

/** The fields of any message, as JSON. Throws a sentence where they are none. */
export function fieldsIn(text: string): Readonly<Record<string, unknown>> {
  let fields: unknown;
  try {
    fields = JSON.parse(text.trim() === '' ? '{}' : text);
  } catch (error) {
    throw new Error(`the fields are not valid JSON: ${errorText(error)}`);
  }
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields))
    throw new Error('the fields must be an object such as {"param1": 1}');
  return fields as Readonly<Record<string, unknown>>;
}

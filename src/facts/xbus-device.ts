import type { Log } from '../core/log.ts';
import type { Firmware, Vehicle } from './vehicle.ts';

/** Whether a log comes from a single Xsens sensor. */
export function isXbusLog({ kind }: Log): boolean {
  return kind !== undefined && kind.protocols.length === 1 && kind.protocols[0] === 'xbus';
}

/** What an Xsens device says of itself in its answers: its product code, its firmware and its number. */
export async function xbusDevice(log: Log): Promise<Vehicle> {
  const product = String((await last(log, 'ProductCode', ['text']))?.[0] ?? '').trim();
  const id = (await last(log, 'DeviceID', ['id'])) ?? (await last(log, 'Configuration', ['master']));
  const name = product || 'Xsens';
  const version = await last(log, 'FirmwareRev', ['major', 'minor', 'revision']);
  return { kind: null, firmware: version ? firmwareOf(name, version) : null, board: boardOf(product, id?.[0]) };
}

function firmwareOf(name: string, parts: readonly unknown[]): Firmware {
  const version = parts.join('.');
  return { name, version, git: null, text: `${name} V${version}` };
}

/** A device id is printed on the device as eight hexadecimal digits, or sixteen. */
function boardOf(product: string, id: unknown): string | null {
  const number = typeof id === 'number' || typeof id === 'bigint' ? id.toString(16).toUpperCase() : '';
  const text = number === '' ? '' : `device ${number.padStart(number.length > 8 ? 16 : 8, '0')}`;
  return [product, text].filter(Boolean).join(' ') || null;
}

/** Fields of the last record of that name. */
async function last(log: Log, name: string, fields: readonly string[]): Promise<unknown[] | undefined> {
  const tables = log.tablesNamed(name).filter((each) => each.rows > 0 && fields.every((field) => each.field(field)));
  const [table] = tables.sort((a, b) => b.offsets.at(b.rows - 1) - a.offsets.at(a.rows - 1));
  if (!table) return undefined;
  return (await table.columns(fields, { from: table.rows - 1 })).map((column) => column.at(0));
}

import { ANSWER_LIMITS } from './limits.ts';

/*
 * Files of parameters, as ground stations save them: a parameter a line.
 *
 *     WPNAV_SPEED,500                      Mission Planner, and `skein export --to param`
 *     WPNAV_SPEED      500.000000          MAVProxy
 *     1	1	WPNAV_SPEED	500.0	9           QGroundControl: system, component, name, value, MAV_PARAM_TYPE
 *
 * Lines that begin with # or // are comments, and so is what follows a #.
 * https://dev.qgroundcontrol.com/master/en/file_formats/parameters.html
 */

const NAME = '[A-Za-z_][A-Za-z0-9_]{0,31}';
const NUMBER = '[-+]?(?:\\d+(?:\\.\\d*)?|\\.\\d+)(?:[eE][-+]?\\d+)?|nan|[-+]?inf';
const PLAIN = new RegExp(`^(${NAME})\\s*[,\\s=]\\s*(${NUMBER})$`, 'i');
const STATION = new RegExp(`^\\d+\\s+\\d+\\s+(${NAME})\\s+(${NUMBER})\\s+\\d+$`, 'i');

/** The parameters that a text holds, by name; undefined where it is something else than a file of parameters. */
export function parseParamFile(text: string): Map<string, number> | undefined {
  const found = new Map<string, number>();
  for (const each of text.replace(/^\ufeff/, '').split(/\r\n|\r|\n/)) {
    const line = each.slice(0, commentAt(each)).trim();
    if (line === '') continue;
    if (line.length > ANSWER_LIMITS.paramLineBytes) return undefined;
    const [, name, value] = PLAIN.exec(line) ?? STATION.exec(line) ?? [];
    if (name === undefined) return undefined;
    found.set(name, numberOf(value));
  }
  return found.size > 0 ? found : undefined;
}

/** Where the comment of a line begins; behind the line if it has none. */
function commentAt(line: string): number {
  const at = line.search(/#|\/\//);
  return at < 0 ? line.length : at;
}

function numberOf(text: string): number {
  if (/^nan$/i.test(text)) return Number.NaN;
  if (/inf/i.test(text)) return text.startsWith('-') ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  return Number(text);
}

import type { Capture, CapturedFlow, CapturedInterface } from '../core/log.ts';
import type { LossOf } from '../facts/senders.ts';
import { counted, grouped } from './words.ts';

/** Flows that are listed one by one. */
const SHOWN = 20;
/** What signatures may be that somebody should look at, and what is to be said of each. */
const SUSPECT: Readonly<Record<string, string>> = {
  replayed: 'sent again: their time is not after the last one that the receiver took',
  outdated: 'more than a minute behind what the receiver took last',
  premature: 'too far ahead',
  'bad-signature': 'made with another key, or changed on the way',
};

/** What `info` says of a packet capture, each line with its label. */
export function captureLines(capture: Capture, lossOf: LossOf): [label: string, line: string][] {
  const { kind, isHeadless, packets, encrypted, interfaces, flows, bytes } = capture;
  const what = isHeadless ? `${kind} records without a file header` : kind || 'no header';
  const lines: [string, string][] = [['capture', `${what}, ${counted(packets, 'packet')}`]];
  const add = (label: string, texts: readonly string[]): void => {
    for (const [i, text] of texts.entries()) lines.push([i === 0 ? label : '', text]);
  };
  add('interfaces', interfaces.filter((each) => each.packets > 0 || interfaces.length === 1).map(interfaceLine));
  if (encrypted > 0)
    lines.push([
      '',
      `${counted(encrypted, 'packet')} of encrypted 802.11: decrypt the capture first, as airdecap-ng does`,
    ]);
  if (bytes.records === 0 && packets > 0) lines.push(['messages', noneLine(interfaces)]);
  const known = flows.filter(({ carries }) => carries !== '').toSorted((a, b) => b.records - a.records);
  const others = flows.filter(({ carries }) => carries === '');
  const more = known.length > SHOWN ? [`and ${counted(known.length - SHOWN, 'more flow')}`] : [];
  const other = others.length > 0 ? [otherLine(others)] : [];
  add('flows', [...known.slice(0, SHOWN).map((flow) => flowLine(flow, lossOf)), ...more, ...other]);
  add('signatures', known.flatMap(suspectLines));
  const { file, headers, other: traffic, repeated, records, faults } = bytes;
  const parts = [
    `${grouped(records)} in messages`,
    `${grouped(headers + file)} in headers`,
    `${grouped(traffic)} other traffic`,
    `${grouped(repeated)} repeated`,
    `${grouped(faults)} in faults`,
  ];
  lines.push(['bytes', parts.join(', ')]);
  return lines;
}

function interfaceLine({ name, link, packets, bytes, section, number }: CapturedInterface): string {
  const which = name || `${section}/${number}`;
  return `${which}: ${link}, ${counted(packets, 'packet')}, ${counted(bytes, 'byte')}`;
}

/** Why a capture has no messages, as far as that is known. */
function noneLine(interfaces: readonly CapturedInterface[]): string {
  const unread = interfaces.filter((each) => each.packets > 0 && !each.isRead).map(({ link }) => link);
  const why = unread.length > 0 ? `; link ${[...new Set(unread)].join(', ')} is not decoded` : '';
  return `none of MAVLink, NMEA or XBUS${why}`;
}

function flowLine(flow: CapturedFlow, lossOf: LossOf): string {
  const { protocol, source, destination, packets, bytes, carries, records, missing, streams } = flow;
  const ends = source === '' ? destination : `${source} > ${destination}`;
  const senders = streams.map(({ stream }) => stream).join(', ');
  const words = [
    protocol,
    counted(packets, 'packet'),
    counted(bytes, 'byte'),
    `${carries}: ${counted(records, 'record')}${senders === '' ? '' : ` of ${senders}`}`,
  ];
  const lost = streams.reduce((sum, each) => sum + (lossOf(each) ?? 0), 0);
  if (streams.length > 0) words.push(`${grouped(lost)} lost`);
  if (missing > 0) words.push(`${counted(missing, 'byte')} missing`);
  return `${ends} ${(protocol === 'bare' ? words.slice(1) : words).join(', ')}`;
}

function otherLine(flows: readonly CapturedFlow[]): string {
  const sum = (of: (flow: CapturedFlow) => number): number => flows.reduce((total, flow) => total + of(flow), 0);
  const packets = counted(
    sum((flow) => flow.packets),
    'packet',
  );
  return `${counted(flows.length, 'flow')} of other traffic: ${packets}, ${grouped(sum((flow) => flow.bytes))} bytes`;
}

/** Signatures that somebody should look at. */
function suspectLines({ source, destination, streams }: CapturedFlow): string[] {
  return streams.flatMap(({ stream, signatures = {} }) =>
    Object.entries(signatures)
      .filter(([verdict]) => Object.hasOwn(SUSPECT, verdict))
      .map(
        ([verdict, count]) =>
          `${counted(count, 'frame')} of ${stream} in ${source} > ${destination} ${verdict}: ${SUSPECT[verdict]}`,
      ),
  );
}

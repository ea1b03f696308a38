import type { Value } from '../../../src/core/column.ts';
import { layout, list, read } from './values.ts';

type Values = [name: string, value: Value][];

/**
 * Messages by number: a name, and the layouts that their data may have. `*` before a layout says that it repeats, `S`
 * and `D` that any data up to so many bytes are text or bytes.
 */
const MESSAGES = `
00 ReqDID |
01 DeviceID | id:I | id:Q
02 InitMT |
03 InitMTResults D255
04 Period || period:H
0a ReqDataLength |
0b DataLength | length:H
0c ReqConfiguration |
0e RestoreFactoryDef |
0f RestoreFactoryDefAck |
10 GoToMeasurement |
12 ReqFWRev |
13 FirmwareRev | major:B minor:B revision:B | major:B minor:B revision:B build:I svn:I
18 Baudrate || rate:B
1c ReqProductCode |
1d ProductCode S64
1e ReqHardwareVersion |
1f HardwareVersion | major:B minor:B
20 ProcessingFlags || flags:B | flags:H
22 NoRotation || duration:H
24 RunSelftest |
25 SelftestAck | result:H
2c SyncSettings * function:B line:B polarity:B trigger:B skip_first:H skip_factor:H pulse_width:H delay:H
30 GoToConfig |
34 ReqData |
3e WakeUp |
40 Reset |
43 Warning | code:I | code:I text:S*128
46 MasterIndication D255
48 OptionFlags || flags:I | set:I clear:I
60 UTCTime || ns:I year:H month:B day:B hour:B minute:B second:B flags:B
62 ReqAvailableFilterProfiles |
63 AvailableFilterProfiles * type:B version:B label:S*20
64 FilterProfile || profile:H
66 GravityMagnitude || value:f
68 GnssLeverArm || x:f y:f z:f
6a MagneticDeclination || value:f
6e LatLonAlt || lat:d lon:d alt:d
74 IccCommand | command:B
75 IccCommandAck D255
76 GnssPlatform || platform:H
82 Heading || value:f
84 LocationID || id:H
86 ExtOutputMode || mode:H
8c PortConfig * word:I
8e StringOutputType || types:H | types:I
90 ReqEMTS |
91 EMTS D8192
a4 ResetOrientation || code:H
a8 AdjustUTCTime || ticks:i
c0 OutputConfiguration * xdi:H frequency:H
d0 OutputMode || mode:H
d2 OutputSettings || settings:I
d4 OutputSkipFactor || skip:H
da ErrorMode || mode:H
dc TransmitDelay || ticks:H
e0 ObjectAlignment || a:f b:f c:f d:f e:f f:f g:f h:f i:f
e2 ForwardGnssData D8192
e6 CanConfig * word:I
e8 CanOutputConfig D255
ec AlignmentRotation || frame:B | w:f x:f y:f z:f | frame:B w:f x:f y:f z:f
f0 BootLoader D8192
f2 BootLoaderNak D255`;

/** Messages whose answer is the same with `Ack` behind its name and the next number. */
const ANSWERED = /^(04|10|18|20|22|2c|30|3e|40|48|60|64|66|68|6a|6e|76|82|84|86|8c|8e|a4|a8|c0|d.|e.|f0)/;

interface Form {
  readonly name: string;
  readonly layouts: readonly string[];
  readonly entry: string | undefined;
  readonly most: number;
  readonly isText: boolean;
}

const FORMS = new Map<number, Form>();
for (const line of MESSAGES.trim().split('\n')) {
  const [, code, name, kind, rest] = /^(\w+) (\w+) ([|*SD])(.*)$/.exec(line) as RegExpExecArray;
  const id = Number.parseInt(code, 16);
  const form: Form = {
    name,
    layouts: kind === '|' ? rest.split('|') : [],
    entry: kind === '*' ? rest : undefined,
    most: kind === 'S' || kind === 'D' ? Number(rest) : -1,
    isText: kind === 'S',
  };
  FORMS.set(id, form);
  if (ANSWERED.test(line)) FORMS.set(id + 1, { ...form, name: `${name}Ack` });
}
const ERROR_LAYOUTS = [0, 1, 2, 3, 4, 5, 6, 7].map((more) => `code:B ${more > 0 ? `extra:D*${more}` : ''}`);
FORMS.set(0x42, { name: 'Error', layouts: ERROR_LAYOUTS, entry: undefined, most: -1, isText: false });
const DEVICE = (end: string): string => `device${end}:I length${end}:H mode${end}:H settings${end}:I -8 `;
const CONFIGURATIONS = Array.from({ length: 32 }, (_, more) => {
  const head = 'master:I period:H skip:H sync_mode:H sync_skip:H sync_offset:I date:S*8 time:S*8 -64 devices:H ';
  return head + DEVICE('') + Array.from({ length: more }, (_unused, k) => DEVICE(`_${k + 2}`)).join('');
});
FORMS.set(0x0d, { name: 'Configuration', layouts: CONFIGURATIONS, entry: undefined, most: -1, isText: false });

export function messageName(id: number): string {
  if (id === 0x32) return 'MTData';
  if (id === 0x36) return 'MTData2';
  return FORMS.get(id)?.name ?? `Message_${id.toString(16).toUpperCase().padStart(2, '0')}`;
}

export function isKnownMessage(id: number, length: number): boolean {
  const form = FORMS.get(id);
  if (!form) return false;
  if (form.layouts.some((each) => layout(each).size === length)) return true;
  return form.entry === undefined ? length <= form.most : length % layout(form.entry).size === 0;
}

/** Whether one of the message's layouts has just this length. */
export function isUsualMessage(id: number, length: number): boolean {
  return FORMS.get(id)?.layouts.some((each) => layout(each).size === length) === true;
}

export function messageValues(id: number, bytes: Uint8Array, data: number, length: number): Values {
  const form = FORMS.get(id);
  const found = form?.layouts.find((each) => layout(each).size === length);
  if (found !== undefined) return read(bytes, data, layout(found).spots);
  if (form?.entry !== undefined && length % layout(form.entry).size === 0)
    return entries(form.entry, bytes, data, length);
  if (length === 0) return [];
  const isText = form?.isText === true && length <= form.most;
  return read(bytes, data, layout(`${isText ? 'text:S' : 'data:D'}*${length}`).spots);
}

function entries(entry: string, bytes: Uint8Array, data: number, length: number): Values {
  const { size } = layout(entry);
  if (!entry.includes(':S')) return list(bytes, data, length / size, entry);
  return Array.from({ length: length / size }, (_, k) =>
    read(bytes, data + k * size, layout(entry).spots).map(([name, value]): Values[0] => [`${name}_${k + 1}`, value]),
  ).flat();
}

/** What the server tells, as docs/server.md has it. Times are seconds UTC; what is not known is null. */
export type WireValue = number | string | boolean | null | readonly WireValue[];
export type WireRow = Readonly<Record<string, WireValue>>;

interface Place {
  readonly latitude: number;
  readonly longitude: number;
  readonly altitude: number | null;
  readonly relativeAltitude: number | null;
  readonly heading: number | null;
}

export interface VehicleSummary {
  readonly id: string;
  readonly system: number;
  readonly component: number;
  readonly link: string;
  readonly class: string;
  readonly firmware: string;
  readonly armed: boolean | null;
  readonly mode: string | null;
  readonly lost: boolean;
  readonly lastHeartbeat: number | null;
  readonly lastActivity: number | null;
  readonly rate: number;
  readonly loss: number | null;
  readonly position: Place | null;
  readonly batteries: readonly {
    readonly id: number;
    readonly voltage: number | null;
    readonly current: number | null;
    readonly remaining: number | null;
  }[];
}

export interface Pack {
  readonly id: number;
  readonly voltage: number | null;
  readonly current: number | null;
  readonly remaining: number | null;
  readonly consumed: number | null;
  readonly temperature: number | null;
  readonly cells: readonly number[];
  readonly timeRemaining: number | null;
  readonly faults: number;
}

/** What became of a request for a message. */
interface Wish {
  readonly message: string;
  readonly rate: number;
  readonly state: 'wanted' | 'asked' | 'accepted' | 'refused' | 'fulfilled';
  readonly tries: number;
  readonly result: number | null;
}

interface GpsFix {
  readonly fix: number;
  readonly satellites: number | null;
  readonly hdop: number | null;
}

interface EkfState {
  readonly flags: number;
  readonly velocity: number | null;
  readonly horizontal: number | null;
  readonly vertical: number | null;
  readonly compass: number | null;
  readonly source: string;
}

export interface VehicleDetail extends VehicleSummary {
  readonly state: {
    readonly uptime: number | null;
    readonly reboots: number;
    readonly lostCount: number;
    readonly battery: {
      readonly voltage: number | null;
      readonly current: number | null;
      readonly remaining: number | null;
    };
    readonly batteries: readonly Pack[];
    readonly gps: GpsFix | null;
    readonly gps2: GpsFix | null;
    readonly ekf: EkfState | null;
    readonly radio: { readonly rssi: number | null; readonly remoteRssi: number | null } | null;
    readonly rc: { readonly rssi: number | null } | null;
    readonly home: { readonly lat: number; readonly lon: number } | null;
    readonly mission: { readonly current: number; readonly total: number | null } | null;
    readonly sensors: readonly { readonly name: string; readonly enabled: boolean; readonly healthy: boolean }[];
    readonly prearm: { readonly ready: boolean | null; readonly reasons: readonly string[] };
    readonly requests: readonly Wish[];
  };
}

export interface MessageCount {
  readonly component: number;
  readonly message: string;
  readonly id: number;
  readonly count: number;
  readonly rate: number;
  readonly first: number;
  readonly last: number;
}

export interface LinkLine {
  readonly name: string;
  readonly kind: string;
  readonly state: string;
  readonly since: number | null;
  readonly lastBytes: number | null;
  readonly retryAt: number | null;
  readonly bytesIn: number;
  readonly packetsIn: number;
  readonly bytesOut: number;
  readonly packetsOut: number;
  readonly dropped: number;
  readonly receiveBuffer: { readonly asked: number; readonly got: number } | null;
  readonly peer: string | null;
  readonly hint: string;
  readonly error: string;
  readonly forward: boolean;
}

export interface LinkCounts {
  readonly link: string;
  readonly messages: number;
  readonly peers: number;
  readonly faults: Readonly<Record<string, { readonly count: number; readonly bytes: number }>>;
  readonly streams: Readonly<
    Record<string, { readonly received: number; readonly lost: number; readonly duplicated: number }>
  >;
  readonly signatures: Readonly<Record<string, number>>;
}

export interface Recorder {
  readonly state: string;
  readonly error: string;
  readonly armedOnly: boolean;
  readonly canRecord: boolean;
  readonly frames: number;
  readonly bytes: number;
  readonly dropped: number;
  readonly free: number | null;
}

export interface Recording {
  readonly id: string;
  readonly name: string;
  readonly size: number;
  readonly start: number | null;
  readonly open: boolean;
}

/** A message that a vehicle sent. */
export interface MessageEvent {
  readonly event: 'message';
  readonly id: string;
  readonly time: number;
  readonly vehicle: string;
  readonly component: number;
  readonly type: string;
  readonly instance?: number;
  readonly data: WireRow;
}

/** Something else that happened: vehicle, lost, recovered, armed, mode, text, reboot, firmware, link, mark. */
export interface OtherEvent {
  readonly event: string;
  readonly id: string;
  readonly time: number;
  readonly vehicle: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface HelloEvent {
  readonly event: 'hello';
  readonly id: string;
  readonly time: number;
  readonly vehicles: readonly VehicleSummary[];
}

export interface DroppedEvent {
  readonly event: 'dropped';
  readonly count: number;
}

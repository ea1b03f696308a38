// Senders with one system id on one link: who is who, what is shown, and where frames are sent to.
import { describe, expect, test } from 'vitest';
import { LiveCollector } from '../../src/live/collector.ts';
import type { LiveEvent } from '../../src/live/events.ts';
import type { LiveOptions } from '../../src/live/options.ts';
import { statusOf } from '../../src/session/status.ts';
import { LiveBench } from '../vehicle/bench.ts';
import type { Values } from '../vehicle/messages.ts';
import { SimulatedVehicle, type VehicleOptions } from '../vehicle/vehicle.ts';
import { type Datagram, datagrams, needRecordings } from './recorded.ts';

const SECOND = 1e6;
const START = 20_000 * SECOND;
const LINK = 'udpin:127.0.0.1:14550';

interface SenderOptions {
  readonly from: string;
  readonly system?: number;
  readonly component?: number;
  readonly type?: number;
  readonly mode?: number;
  readonly armed?: boolean;
  readonly lat?: number;
  readonly millivolts?: number;
  readonly bootedAt?: number;
  readonly link?: string;
  readonly roll?: number;
  /** In ATTITUDE, radians a second. */
  readonly rollspeed?: number;
  /** Only heartbeats. */
  readonly isPlain?: boolean;
  /** Milliseconds by which messages of one link are sampled later than those of another. */
  readonly late?: number;
}

/** A simulated vehicle at an address: heartbeats once a second, everything else five times. */
class Sender {
  isSilent = false;
  readonly options: SenderOptions;
  private readonly vehicle: SimulatedVehicle;
  private sent: Uint8Array[] = [];

  constructor(options: SenderOptions) {
    this.options = options;
    const { isPlain = false, lat = 47, armed = false, bootedAt = 0, late = 0, rollspeed, ...given } = options;
    const values: Readonly<Record<string, Values>> = {
      GLOBAL_POSITION_INT: { lat: lat * 1e7, lon: 8.5e7 },
      ...(armed ? { HEARTBEAT: { base_mode: 209 } } : {}),
      ...(rollspeed === undefined ? {} : { ATTITUDE: { rollspeed } }),
    };
    this.vehicle = new SimulatedVehicle((bytes) => this.sent.push(bytes), {
      ...{ mode: 5, uid: 0, ...given },
      streams: isPlain ? {} : { ATTITUDE: 5, GLOBAL_POSITION_INT: 5, SYS_STATUS: 5 },
      values: (name) => values[name],
    });
    this.vehicle.bootedAt = bootedAt + late * 1000;
  }

  /** Its first frame. */
  heartbeat(): Uint8Array {
    return this.frames(START)[0];
  }

  frames(now: number): Uint8Array[] {
    if (this.isSilent) return [];
    this.sent = [];
    this.vehicle.tick(now);
    return this.sent;
  }
}

class Scene {
  readonly collector: LiveCollector;
  readonly events: LiveEvent[] = [];
  readonly sent: { readonly to: string | undefined; readonly id: number; readonly system: number }[] = [];
  now = START;

  constructor(options: Partial<LiveOptions> = {}) {
    const send = (_link: string, frame: Uint8Array, to?: string): void => {
      this.sent.push({ to, id: frame[7] | (frame[8] << 8), system: frame[10 + 30] });
    };
    this.collector = new LiveCollector({ requests: false, ...options, send });
    this.collector.subscribe((event) => event.type !== 'message' && this.events.push(event));
    this.collector.addLink(LINK, true);
  }

  run(seconds: number, ...senders: readonly Sender[]): void {
    for (let i = 0; i < seconds * 10; i++) {
      this.now += 0.1 * SECOND;
      for (const sender of senders) {
        const { from, link = LINK } = sender.options;
        for (const frame of sender.frames(this.now)) this.collector.receive(link, frame, this.now, from);
      }
      this.collector.tick(this.now);
    }
  }

  get keys(): string[] {
    return [...this.collector.vehicles.keys()];
  }

  get conflicts(): Extract<LiveEvent, { type: 'conflict' }>[] {
    return this.events.filter((event) => event.type === 'conflict');
  }
}

describe('a spoofer with the ids of a vehicle that is there', () => {
  test('changes nothing that is shown, and is a conflict', () => {
    const scene = new Scene();
    const vehicle = new Sender({ from: '127.0.0.1:5000' });
    const other = new Sender({ from: '127.0.0.1:5001', type: 1, mode: 10, armed: true, lat: 40, isPlain: true });
    scene.run(5, vehicle);
    scene.run(10, vehicle, other);
    const state = scene.collector.vehicles.get('1');
    expect(state).toMatchObject({ armed: false, mode: 'LOITER', kind: 'Copter', connected: true });
    expect(state?.position?.lat).toBeCloseTo(47);
    expect(
      scene.events.filter(({ type, vehicle: key }) => key === '1' && (type === 'mode' || type === 'armed')),
    ).toEqual([]);
    expect(state?.conflict).toBe('system id 1 is also used from 127.0.0.1:5001: shown as 1@127.0.0.1:5001');
    expect(statusOf(scene.collector, scene.now)).toMatchObject({ conflict: state?.conflict });
    expect(scene.conflicts.filter(({ vehicle: key }) => key === '1')).toMatchObject([
      { vehicle: '1', link: LINK, address: '127.0.0.1:5001' },
    ]);
    const { streams } = scene.collector.statistics().links[0];
    expect(streams['1:1']).toMatchObject({ lost: 0, restarted: 0, duplicated: 0 });
    // it is over when the other one is gone
    scene.run(12, vehicle);
    expect(state?.conflict).toBe(null);
  });

  test('is told after one frame, which makes no vehicle', () => {
    const scene = new Scene();
    const vehicle = new Sender({ from: '127.0.0.1:5000' });
    scene.run(5, vehicle);
    const spoofed = new Sender({ from: '127.0.0.1:5001', armed: true, mode: 3 }).heartbeat();
    scene.collector.receive(LINK, spoofed, scene.now, '127.0.0.1:5001');
    scene.run(5, vehicle);
    expect(scene.keys).toEqual(['1']);
    expect(scene.collector.vehicles.get('1')).toMatchObject({
      armed: false,
      conflict: 'system id 1 is also used from 127.0.0.1:5001: not shown',
    });
    expect(scene.conflicts).toHaveLength(1);
    scene.run(10, vehicle);
    expect(scene.keys).toEqual(['1']);
    expect(scene.collector.vehicles.get('1')?.conflict).toBe(null);
  });

  test('does not take its place when heartbeats are lost for a moment, nor when it is lost', () => {
    const scene = new Scene();
    const vehicle = new Sender({ from: '127.0.0.1:5000', isPlain: true });
    const other = new Sender({ from: '127.0.0.1:5001', armed: true, isPlain: true });
    scene.run(5, vehicle);
    scene.run(5, vehicle, other);
    scene.run(20, other);
    expect(scene.collector.vehicles.get('1')).toMatchObject({ armed: false, connected: false });
    expect(scene.collector.vehicles.get('1@127.0.0.1:5001')).toMatchObject({ armed: true, connected: true });
  });
});

describe('two vehicles with one system id on one port', () => {
  test('are two, each with its state, its loss and its requests', () => {
    const scene = new Scene({ requests: true });
    const first = new Sender({ from: '127.0.0.1:5000', lat: 47, bootedAt: 1e6 });
    const second = new Sender({ from: '127.0.0.1:5001', lat: 40, bootedAt: 60e6, millivolts: 16_000 });
    scene.run(15, first, second);
    expect(scene.keys).toEqual(['1', '1@127.0.0.1:5001']);
    const [one, two] = scene.keys.map((key) => scene.collector.vehicles.get(key));
    expect([one?.position?.lat, two?.position?.lat].map((lat) => Math.round(lat ?? 0))).toEqual([47, 40]);
    expect([one?.reboots, two?.reboots]).toEqual([0, 0]);
    expect([one?.conflict, two?.conflict]).toEqual([
      'system id 1 is also used from 127.0.0.1:5001: shown as 1@127.0.0.1:5001',
      'system id 1 is also used from 127.0.0.1:5000: shown as 1',
    ]);
    const { streams } = scene.collector.statistics().links[0];
    for (const name of ['1:1', '1:1@127.0.0.1:5001']) {
      expect(streams[name]).toMatchObject({ lost: 0, duplicated: 0, restarted: 0 });
      expect(streams[name].received).toBeGreaterThan(200);
    }
    // each is asked where it is
    const asked = scene.sent.filter(({ id }) => id === 76).map(({ to }) => to);
    expect(new Set(asked)).toEqual(new Set(['127.0.0.1:5000', '127.0.0.1:5001']));
  });

  test('of which one was the other for a while are two when they differ', () => {
    const scene = new Scene();
    const options = { bootedAt: 1e6, isPlain: false };
    const first = new Sender({ from: '127.0.0.1:5000', ...options });
    const same = new Sender({ from: '127.0.0.1:5001', ...options });
    scene.run(8, first, same);
    expect(scene.keys).toEqual(['1']);
    const away = new Sender({ from: '127.0.0.1:5001', ...options, lat: 40 });
    scene.run(12, first, away);
    expect(scene.keys).toEqual(['1', '1@127.0.0.1:5001']);
    expect(scene.collector.vehicles.get('1')?.position?.lat).toBeCloseTo(47);
  });
});

describe('two vehicles with one system id at one address', () => {
  const first = (options: Partial<SenderOptions> = {}): Sender => new Sender({ from: '127.0.0.1:5000', ...options });
  const second = (options: Partial<SenderOptions> = {}): Sender =>
    new Sender({ from: '127.0.0.1:5000', lat: 40, bootedAt: 9e9, mode: 3, armed: true, ...options });

  test.each([
    ['by their numbers', {}, 7],
    ['by their numbers, though started at once', { bootedAt: 0 }, 7],
    ['by their numbers, though these are near to each other', {}, 0.6],
    ['though they send only heartbeats', { isPlain: true }, 30],
    ['on a line', { from: '' }, 7],
  ])('are a conflict, not reboots: %s', (_how, options, apart) => {
    const scene = new Scene();
    const [a, b] = [first(options), second(options)];
    scene.run(apart, a);
    scene.run(14, a, b);
    const where = 'from' in options ? `on ${LINK}` : 'from 127.0.0.1:5000';
    const conflict = `two vehicles with system id 1 send ${where}: values are mixed`;
    expect(scene.collector.vehicles.get('1')).toMatchObject({ conflict });
    expect(scene.conflicts).toMatchObject([{ vehicle: '1', link: LINK, text: conflict }]);
    expect(scene.collector.vehicles.get('1')?.reboots).toBeLessThanOrEqual(1);
    const { reboots } = scene.collector.vehicles.get('1') ?? {};
    scene.run(20, a, b);
    expect(scene.collector.vehicles.get('1')?.reboots).toBe(reboots);
    // it is over when the other one is gone
    scene.run(13, a);
    expect(scene.collector.vehicles.get('1')?.conflict).toBe(null);
    expect(statusOf(scene.collector, scene.now)).not.toHaveProperty('conflict');
  });

  test.each([
    ['come a second time', () => 1, 0],
    ['come a second time, later', () => 1, 11],
    ['come a second time, much later', () => 1, 35],
    ['are lost, and come late', (i: number) => [1, 0, 1, 1, 0, 0, 1, 1, 1, 0, 1][i % 11], 0],
    ['come late now and then', (i: number) => Number(i % 41 !== 0), 30],
  ])('are not taken for one whose frames %s', (_how, isSent, late) => {
    const scene = new Scene();
    const vehicle = first({ bootedAt: 1e6 });
    const held: { readonly at: number; readonly frame: Uint8Array }[] = [];
    for (let i = 0, count = 0; i < 4000; i++) {
      scene.now += 0.01 * SECOND;
      const frames = i % 10 === 0 ? vehicle.frames(scene.now) : [];
      for (const frame of frames) {
        if (isSent(count)) scene.collector.receive(LINK, frame, scene.now, '127.0.0.1:5000');
        held.push({ at: count + late, frame });
        count++;
      }
      while (held.length > 0 && held[0].at < count - 1) {
        const { at, frame } = held.splice(0, 1)[0];
        const isCopy = isSent(at - late) === 1;
        if (!isCopy || _how.includes('second')) scene.collector.receive(LINK, frame, scene.now, '127.0.0.1:5000');
      }
      if (i % 10 === 0) scene.collector.tick(scene.now);
    }
    expect(scene.conflicts).toEqual([]);
    expect(scene.collector.vehicles.get('1')).toMatchObject({ conflict: null, reboots: 0 });
  });
});

describe('one vehicle whose two links a router puts together', () => {
  test.each([0, 0.35, 1.5])('reboots once and is no conflict, one link %s s slower', (late) => {
    const scene = new Scene();
    const waiting: { readonly at: number; readonly frame: Uint8Array }[] = [];
    /** The same messages on both links, which number them on their own. */
    const run = (seconds: number, bootedAt: number, isRebooted: boolean): void => {
      const [fast, slow] = [0, 1].map(() => new Sender({ from: '127.0.0.1:5000', bootedAt, rollspeed: 0.1 }));
      if (!isRebooted) for (let i = 0; i < 30; i++) slow.frames(scene.now - 10 * SECOND + i * 0.1 * SECOND);
      for (let i = 0; i < seconds * 10; i++) {
        scene.now += 0.1 * SECOND;
        for (const frame of fast.frames(scene.now)) waiting.push({ at: scene.now, frame });
        for (const frame of slow.frames(scene.now)) waiting.push({ at: scene.now + late * SECOND, frame });
        waiting.sort((one, other) => one.at - other.at);
        while (waiting.length > 0 && waiting[0].at <= scene.now + 1) {
          const { frame } = waiting.splice(0, 1)[0];
          scene.collector.receive(LINK, frame, scene.now, '127.0.0.1:5000');
        }
        scene.collector.tick(scene.now);
      }
    };
    run(20, START - 100 * SECOND, false);
    expect([scene.conflicts, scene.collector.vehicles.get('1')?.reboots]).toEqual([[], 0]);
    scene.now += 0.5 * SECOND;
    run(20, scene.now, true);
    expect(scene.conflicts).toEqual([]);
    expect(scene.collector.vehicles.get('1')).toMatchObject({ conflict: null, reboots: 1 });
  });
});

describe('components of one system at several addresses', () => {
  test('are one vehicle, and another component does not speak for it', () => {
    const scene = new Scene();
    const vehicle = new Sender({ from: '127.0.0.1:5000' });
    const companion = new Sender({ from: '127.0.0.1:5009', component: 191, isPlain: true, armed: true });
    scene.run(5, vehicle, companion);
    scene.run(10, companion);
    expect(scene.keys).toEqual(['1']);
    expect(scene.collector.vehicles.get('1')).toMatchObject({ component: 1, armed: false, conflict: null });
    expect([...(scene.collector.vehicles.get('1')?.components.keys() ?? [])]).toEqual([1, 191]);
  });
});

describe('a vehicle that fell silent, and an attacker in its place', () => {
  const vehicleAt = (from: string, mode = 5): Sender => new Sender({ from, mode, bootedAt: 1e6 });
  const attackerAt = (from: string): Sender => new Sender({ from, mode: 3, armed: true, lat: 40, bootedAt: 9e9 });

  test.each([
    ['from the same host', '127.0.0.1:5000', '127.0.0.1:5001'],
    ['from another host', '10.0.0.1:5000', '10.0.0.2:5000'],
  ])('%s: it gets its place back, and what is shown is its own at once', (_where, home, evil) => {
    const scene = new Scene();
    const [vehicle, attacker] = [vehicleAt(home), attackerAt(evil)];
    scene.run(10, vehicle);
    scene.run(20);
    scene.run(30, attacker);
    expect(scene.collector.vehicles.get('1')?.armed).toBe(true);
    scene.run(3, attacker, vehicle);
    const state = scene.collector.vehicles.get('1');
    expect(state).toMatchObject({ armed: false, mode: 'LOITER', connected: true });
    expect(state?.position?.lat).toBeCloseTo(47);
    scene.run(10, attacker, vehicle);
    expect(scene.keys).toEqual(['1', `1@${evil}`]);
    expect(state?.conflict).toContain(evil);
    expect(scene.collector.vehicles.get(`1@${evil}`)).toMatchObject({ armed: true });
  });

  test.each([
    ['goes on', false, 0],
    ['rebooted meanwhile', true, 1],
  ])('it %s: it is asked again when it is back, for what is asked once too', (_how, isRebooted, reboots) => {
    const bench = new LiveBench();
    const addresses = ['127.0.0.1:5000', '10.0.0.2:5000'];
    const [vehicle, attacker] = addresses.map((address, i) =>
      bench.add(LINK, { uid: i + 1, up: 60 + 60 * i, address }),
    );
    attacker.isSilent = true;
    bench.run(20);
    const uid = (): string | undefined => bench.collector.vehicles.get('1')?.firmware.uid?.slice(0, 2);
    expect(uid()).toBe('01');
    vehicle.isSilent = true;
    bench.run(10);
    attacker.isSilent = false;
    bench.run(20);
    expect(uid()).toBe('02');
    bench.events.splice(0);
    vehicle.isSilent = false;
    if (isRebooted) vehicle.reboot();
    bench.run(20);
    expect(uid()).toBe('01');
    expect(bench.collector.vehicles.get('1')?.ekf?.isStale).toBe(false);
    expect(bench.collector.vehicles.get('1')?.reboots).toBe(reboots);
    expect(bench.events.filter(({ type }) => type === 'reboot')).toHaveLength(reboots);
  });

  test('it gets its place back from another port too, by its boot time', () => {
    const scene = new Scene();
    scene.run(10, vehicleAt('127.0.0.1:5000'));
    scene.run(20);
    const attacker = attackerAt('127.0.0.1:5001');
    scene.run(30, attacker);
    scene.run(5, attacker, vehicleAt('127.0.0.1:5002'));
    expect(scene.collector.vehicles.get('1')).toMatchObject({ armed: false, mode: 'LOITER' });
  });
});

describe('a vehicle that reboots and has another address then', () => {
  test.each(['127.0.0.1:5001', '10.0.0.2:5000'])('at %s is the same one, and has lost nothing', (next) => {
    const scene = new Scene();
    let from = '127.0.0.1:5000';
    const vehicle = new SimulatedVehicle((bytes) => scene.collector.receive(LINK, bytes, scene.now, from), {
      up: 60,
      restarted: () => {
        from = next;
      },
    });
    const run = (seconds: number): void => {
      for (const end = scene.now + seconds * SECOND; scene.now < end; scene.now += 0.05 * SECOND) {
        vehicle.tick(scene.now);
        scene.collector.tick(scene.now);
      }
    };
    run(40);
    vehicle.reboot();
    run(20);
    expect(scene.keys).toEqual(['1']);
    expect(scene.events.filter(({ type }) => type === 'reboot')).toHaveLength(1);
    const counts = { lost: 0, duplicated: 0, reordered: 0, restarted: 1 };
    expect(scene.collector.statistics().links[0].streams).toMatchObject({ '1:1': counts });
  });

  test.each(['ardupilot', 'px4'] as const)('is the same one beside another %s with its id', (firmware) => {
    const scene = new Scene();
    let port = 5000;
    const add = (from: () => string, options: VehicleOptions): SimulatedVehicle =>
      new SimulatedVehicle((bytes) => scene.collector.receive(LINK, bytes, scene.now, from()), {
        ...{ firmware, streams: { ATTITUDE: 4, SYS_STATUS: 4 }, up: 60 },
        ...options,
      });
    const vehicle = add(() => `127.0.0.1:${port}`, { restarted: () => port++ });
    const other = add(() => '10.0.0.9:5000', { up: 600, millivolts: 15_000 });
    const run = (seconds: number): void => {
      for (const end = scene.now + seconds * SECOND; scene.now < end; scene.now += 0.05 * SECOND) {
        for (const each of [vehicle, other]) each.tick(scene.now);
        scene.collector.tick(scene.now);
      }
    };
    run(20);
    for (const count of [1, 2]) {
      vehicle.reboot();
      const at = scene.now;
      run(15);
      const reboots = scene.events.filter(({ type }) => type === 'reboot');
      expect(reboots.map(({ vehicle: id }) => id)).toEqual(Array.from({ length: count }, () => '1'));
      expect(reboots[count - 1].time - at).toBeLessThan(3 * SECOND);
    }
    expect(scene.keys).toEqual(['1', '1@10.0.0.9:5000']);
  });
});

describe('one vehicle on two links that is asked for nothing', () => {
  test.each([
    ['by boot time, position and voltage, though no message is on both', 3, 0],
    ['by what it measures', 0, 0],
    // PX4 sends the latest rates beside an attitude, which may be later ones on another link
    ['by its attitude, though rates beside it are of another moment', 0, 0.1],
  ])('is known %s', (_how, late, rollspeed) => {
    const scene = new Scene();
    scene.collector.addLink('radio');
    const cable = new Sender({ from: '', link: 'cable', bootedAt: 1e6 });
    const radio = new Sender({ from: '', link: 'radio', bootedAt: 1e6, late, rollspeed });
    scene.run(10, cable, radio);
    expect(scene.keys).toEqual(['1']);
    expect(scene.collector.vehicles.get('1')).toMatchObject({ links: ['cable', 'radio'], conflict: null });
  });

  test('is not taken for another one that was started a second later at the same place', () => {
    const scene = new Scene();
    const left = new Sender({ from: '', link: 'left', bootedAt: 1e6 });
    const right = new Sender({ from: '', link: 'right', bootedAt: 2e6, roll: 1 });
    scene.run(20, left, right);
    expect(scene.keys).toEqual(['1', '1@right']);
    expect(scene.collector.vehicles.get('1')?.conflict).toBe('system id 1 is also used on right: shown as 1@right');
  });
});

needRecordings('recorded conversations', () => {
  const stations: ReadonlySet<number> = new Set([14550, 14780, 14781]);
  const toStation = ({ to }: Datagram): boolean => stations.has(to);

  test('a vehicle that reboots goes on at its new port, as one vehicle, and is asked there', () => {
    const scene = new Scene({ requests: true });
    const packets = datagrams('ardupilot/boot-and-requests.pcapng').filter(toStation);
    for (let i = 0; i < packets.length; i++) {
      const { time, from, bytes } = packets[i];
      if (i === 0) scene.now = time;
      for (; scene.now < time; scene.now += 0.1 * SECOND) scene.collector.tick(scene.now);
      scene.collector.receive(LINK, bytes, time, `127.0.0.1:${from}`);
    }
    expect(scene.keys).toEqual(['1']);
    expect(scene.conflicts).toEqual([]);
    expect(scene.collector.statistics().links[0].streams['1:1']).toMatchObject({ lost: 0, restarted: 1 });
    const asked = scene.sent.filter(({ id }) => id === 76).map(({ to }) => to);
    expect(asked[0]).toBe('127.0.0.1:57517');
    expect(asked.at(-1)).toBe('127.0.0.1:43794');
  });

  test.each([
    ['two links', true],
    ['two ports', false],
  ])('a vehicle that says other things on each of %s is one, and no longer a conflict', (_how, areLinks) => {
    const scene = new Scene();
    for (const { time, to, from, bytes } of datagrams('ardupilot/two-stations.pcapng').filter(toStation)) {
      scene.collector.tick(time);
      if (areLinks) scene.collector.receive(`link ${to}`, bytes, time);
      else scene.collector.receive(LINK, bytes, time, `127.0.0.1:${from}`);
    }
    expect(scene.keys).toEqual(['1']);
    expect(scene.collector.vehicles.get('1')).toMatchObject({ conflict: null, reboots: 0 });
    expect(scene.collector.vehicles.get('1')?.links).toEqual(areLinks ? ['link 14780', 'link 14781'] : [LINK]);
  });

  test.each(
    ['px4/boot', 'px4/arm-refused', 'ardupilot/arm-refused'].flatMap((name) =>
      [0.05, 0.4, 1].map((late) => [name, late] as const),
    ),
  )('%s: a vehicle on a second link that is %s s slower, and loses a tenth, is one', (name, late) => {
    const scene = new Scene();
    // nothing asks for the number of its board
    const packets = datagrams(`${name}.pcapng`).filter((each) => toStation(each) && each.bytes[7] !== 148);
    const radio = packets
      .filter((_, i) => i % 10 !== 3)
      .map((packet) => ({ ...packet, time: packet.time + late * SECOND }));
    const both = [
      ...packets.map((packet) => ({ ...packet, link: 'cable' })),
      ...radio.map((packet) => ({ ...packet, link: 'radio' })),
    ].sort((a, b) => a.time - b.time);
    scene.now = both[0].time;
    for (const { link, time, bytes } of both) {
      for (; scene.now < time; scene.now += 0.1 * SECOND) scene.collector.tick(scene.now);
      scene.collector.receive(link, bytes, time);
    }
    expect(scene.keys).toEqual(['1']);
    expect(scene.conflicts).toEqual([]);
    expect(scene.collector.vehicles.get('1')).toMatchObject({ links: ['cable', 'radio'], conflict: null });
  });

  test('a spoofer in the middle of a flight does not change a recorded vehicle', () => {
    const packets = datagrams('ardupilot/arm-refused.pcapng').filter(toStation);
    const run = (spoofed: Uint8Array | undefined): unknown[] => {
      const scene = new Scene();
      packets.forEach(({ time, from, bytes }, i) => {
        scene.collector.tick(time);
        scene.collector.receive(LINK, bytes, time, `127.0.0.1:${from}`);
        if (spoofed && i % 5 === 4) scene.collector.receive(LINK, spoofed, time, '127.0.0.1:6666');
      });
      const { streams } = scene.collector.statistics().links[0];
      const told = scene.events.filter(({ vehicle, type }) => vehicle === '1' && type !== 'conflict');
      const { mode, armed, position } = scene.collector.vehicles.get('1') ?? {};
      return [told, mode, armed, position, streams['1:1']];
    };
    const spoofed = new Sender({ from: '', mode: 3, armed: true }).heartbeat();
    expect(run(spoofed)).toEqual(run(undefined));
  });
});

import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { frameBytes } from '../../../test/formats/mavlink/stream.ts';
import { Random } from '../../../test/suite/random.ts';
import { hexOf } from '../../core/text.ts';
import { Header } from './header.ts';
import { SigningKey } from './key.ts';
import { isAccepted, type SignatureVerdict, Signer, stampOf, Verifier, type VerifierOptions } from './signing.ts';

const NOW = Date.UTC(2026, 5, 1);
const STAMP = stampOf(NOW);
const SECOND = 100_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const KEY = SigningKey.fromPassphrase('key of the test');
const OTHER_KEY = SigningKey.fromPassphrase('key of somebody else');

const heartbeat = { id: 0, payload: [0, 0, 0, 0, 2, 3, 81, 4, 3], extra: 50 };
const radioStatus = { id: 109, payload: [1, 0, 2, 0, 3, 4, 5, 6, 7], extra: 185 };

interface Made {
  /** In tens of microseconds after now. */
  readonly time?: number;
  readonly key?: SigningKey;
  readonly link?: number;
  readonly system?: number;
  readonly component?: number;
}

/** A heartbeat that is signed as of a time. */
function made({ time = 0, key = KEY, link = 1, system = 1, component = 1 }: Made): Uint8Array {
  const unsigned = frameBytes({ ...heartbeat, system, component, flags: 1 }).slice(0, -13);
  // a signer takes the later of now and the time after its last one, so the former is set
  const signer = new Signer({ key, link, now: () => (STAMP + time) / 100 + Date.UTC(2015, 0, 1) });
  return signer.sign(unsigned);
}

function changed(frame: Uint8Array, from: number): Uint8Array {
  const copy = frame.slice();
  copy[frame.length + from] ^= 1;
  return copy;
}

/** The verdict on each of several frames, one after the other. */
function verdicts(options: Partial<VerifierOptions>, frames: readonly Uint8Array[]): SignatureVerdict[] {
  const verifier = new Verifier({ keys: [KEY], now: () => NOW, ...options });
  const header = new Header();
  return frames.map((frame) => {
    header.read(frame, 0);
    return verifier.check(frame, header);
  });
}

type Case = [what: string, options: Partial<VerifierOptions>, frames: Uint8Array[], verdicts: SignatureVerdict[]];

const unsigned = frameBytes(heartbeat);
const unsigned1 = frameBytes({ ...heartbeat, version: 1 });
const first = made({});

const CASES: Case[] = [
  ['a good frame', {}, [first], ['valid']],
  ['good frames in turn', {}, [first, made({ time: 1 }), made({ time: 2 })], ['valid', 'valid', 'valid']],
  ['the same frame again', {}, [first, first], ['valid', 'replayed']],
  ['an older frame', {}, [made({ time: 5 }), made({ time: 4 })], ['valid', 'replayed']],
  ['frames out of order', {}, [first, made({ time: 3 }), made({ time: 2 })], ['valid', 'valid', 'replayed']],
  ['the same time on another link', {}, [first, made({ link: 2 })], ['valid', 'valid']],
  ['the same time of another component', {}, [first, made({ component: 2 })], ['valid', 'valid']],
  ['the same time of another system', {}, [first, made({ system: 2 })], ['valid', 'valid']],
  ['a frame of 59 s ago', {}, [made({ time: -59 * SECOND })], ['valid']],
  ['a frame of one minute ago', {}, [made({ time: -MINUTE })], ['valid']],
  ['a frame of 61 s ago', {}, [made({ time: -61 * SECOND })], ['outdated']],
  [
    'a frame 61 s behind another stream',
    { now: undefined },
    [made({ time: 61 * SECOND }), made({ time: -1, link: 2 })],
    ['valid', 'outdated'],
  ],
  [
    'a stream that has fallen behind',
    {},
    [made({ time: -10 }), made({ time: MINUTE + 100, link: 2 }), made({ time: -9 })],
    ['valid', 'valid', 'outdated'],
  ],
  ['a frame half an hour ahead', {}, [made({ time: HOUR / 2 })], ['valid']],
  ['a frame two hours ahead', {}, [made({ time: 2 * HOUR }), first], ['premature', 'valid']],
  ['a frame two hours ahead where that is allowed', { ahead: 3 * 3600e3 }, [made({ time: 2 * HOUR })], ['valid']],
  ['a recording, whose time is not ours', { now: undefined }, [made({ time: -1000 * HOUR })], ['valid']],
  [
    'a recording with a pause of hours',
    { now: undefined },
    [made({ time: -1000 * HOUR }), made({ time: -900 * HOUR })],
    ['valid', 'valid'],
  ],
  ['a stored time after a restart', { timestamp: STAMP + HOUR }, [first], ['outdated']],
  ['a stored time just passed', { timestamp: STAMP }, [made({ time: 1 })], ['valid']],
  ['a frame of another key', {}, [made({ key: OTHER_KEY })], ['bad-signature']],
  ['either of two keys', { keys: [OTHER_KEY, KEY] }, [first, made({ key: OTHER_KEY, link: 9 })], ['valid', 'valid']],
  ['a changed signature', {}, [changed(first, -1)], ['bad-signature']],
  ['a changed time', {}, [changed(first, -12)], ['bad-signature']],
  ['a changed link', {}, [changed(first, -13)], ['bad-signature']],
  ['a changed payload', {}, [changed(first, -16)], ['bad-signature']],
  [
    'a forged frame of the far future, then good ones',
    {},
    [made({ time: 20 * HOUR, key: OTHER_KEY }), first, made({ time: 1 })],
    ['bad-signature', 'valid', 'valid'],
  ],
  ['an unsigned frame', {}, [unsigned], ['unsigned']],
  ['an unsigned frame where that is allowed', { unsigned: 'accept' }, [unsigned], ['tolerated']],
  ['a frame of MAVLink 1', {}, [unsigned1], ['unsigned']],
  ['a frame of MAVLink 1 where unsigned ones are allowed', { unsigned: 'accept' }, [unsigned1], ['tolerated']],
  [
    'a wrong signature where unsigned ones are allowed',
    { unsigned: 'accept' },
    [changed(first, -1)],
    ['bad-signature'],
  ],
  ['RADIO_STATUS, whose sender has no key', {}, [frameBytes(radioStatus)], ['exempt']],
  ['RADIO_STATUS of MAVLink 1', {}, [frameBytes({ ...radioStatus, version: 1 })], ['exempt']],
  [
    'more streams than are kept',
    { streams: 2 },
    [first, made({ link: 2, time: 2 }), made({ link: 3, time: 1 }), first, made({ link: 2, time: 3 })],
    ['valid', 'valid', 'valid', 'replayed', 'valid'],
  ],
];

describe('verifying', () => {
  it.each(CASES)('%s', (_, options, frames, expected) => {
    expect(verdicts(options, frames)).toEqual(expected);
  });

  it('accepts no replay of 1,000,000', () => {
    const random = new Random(5);
    const frames = Array.from({ length: 200 }, (_, i) => made({ time: i, link: i % 4 }));
    const verifier = new Verifier({ keys: [KEY], now: () => NOW });
    const header = new Header();
    const check = (frame: Uint8Array): SignatureVerdict => {
      header.read(frame, 0);
      return verifier.check(frame, header);
    };
    for (const frame of frames) expect(check(frame)).toBe('valid');
    let accepted = 0;
    for (let run = 0; run < 1_000_000; run++) if (isAccepted(check(random.pick(frames)))) accepted++;
    expect(accepted).toBe(0);
  });

  it('keeps the largest time to be stored', () => {
    const verifier = new Verifier({ keys: [KEY], now: () => NOW, timestamp: 5 });
    const header = new Header();
    for (const frame of [made({ time: 7 }), made({ time: 3, link: 2 }), made({ time: 9, key: OTHER_KEY })]) {
      header.read(frame, 0);
      verifier.check(frame, header);
    }
    expect(verifier.timestamp).toBe(STAMP + 7);
  });

  it('needs a key', () => {
    expect(() => new Verifier({ keys: [] })).toThrow('no key');
  });

  it('is done for each receiver apart, if there is a key', () => {
    const verifierOf = Verifier.perReceiver({ keys: [KEY] });
    const [first, again, other] = ['a', 'a', 'b'].map(verifierOf);
    expect(first).toBeInstanceOf(Verifier);
    expect(again).toBe(first);
    expect(other).not.toBe(first);
    expect(Verifier.perReceiver({ keys: [] })('a')).toBeUndefined();
  });
});

it.each<[SignatureVerdict, boolean]>([
  ['valid', true],
  ['exempt', true],
  ['tolerated', true],
  ['bad-signature', false],
  ['outdated', false],
  ['replayed', false],
  ['unsigned', false],
])('a frame that is %s is accepted: %s', (verdict, is) => {
  expect(isAccepted(verdict)).toBe(is);
});

describe('signing', () => {
  const marked = frameBytes({ ...heartbeat, flags: 1 }).slice(0, -13);

  function timeOf(signed: Uint8Array): number {
    return signed.slice(-12, -6).reduceRight((time, byte) => time * 256 + byte, 0);
  }

  it('never uses a time twice, whatever the clock does', () => {
    let now = NOW;
    const signer = new Signer({ key: KEY, link: 1, now: () => now });
    const times = [0, 0, -5000, -4000, 1, 1].map((step) => {
      now += step;
      return timeOf(signer.sign(marked));
    });
    expect(times).toEqual([0, 1, 2, 3, 4, 5].map((i) => STAMP + i));
    expect(signer.timestamp).toBe(STAMP + 5);
  });

  it('goes on after a restart from what was stored, and what may have been sent since', () => {
    const signer = new Signer({ key: KEY, link: 1, now: () => NOW, timestamp: STAMP - SECOND });
    expect(timeOf(signer.sign(marked))).toBe(STAMP - SECOND + MINUTE + 1);
    const later = new Signer({ key: KEY, link: 1, now: () => NOW, timestamp: STAMP - HOUR });
    expect(timeOf(later.sign(marked))).toBe(STAMP);
  });

  it.each([
    ['a frame of MAVLink 1', unsigned1],
    ['a frame that is not marked', unsigned],
  ])('refuses %s', (_, frame) => {
    expect(() => new Signer({ key: KEY, link: 1, now: () => NOW }).sign(frame)).toThrow('not marked as signed');
  });

  it('stores a later time before it signs, and goes on from there', () => {
    const stored: number[] = [];
    let now = NOW;
    const make = (timestamp: number): Signer =>
      new Signer({ key: KEY, link: 1, now: () => now, timestamp, store: (time) => stored.push(time) });
    const signer = make(STAMP - SECOND);
    for (let i = 0; i < 50; i++) {
      signer.sign(marked);
      expect(stored.at(-1)).toBeGreaterThanOrEqual(signer.timestamp);
      now += 100;
    }
    expect(stored).toHaveLength(3);
    const last = stored[2];
    const next = make(last);
    now = NOW;
    next.sign(marked);
    expect(next.timestamp).toBe(last + 1);
  });

  it('refuses a link that is none, and a time beyond 48 bits', () => {
    expect(() => new Signer({ key: KEY, link: 256, now: () => NOW })).toThrow('link is 256');
    const late = new Signer({ key: KEY, link: 1, now: () => Date.UTC(2200, 0, 1) });
    expect(() => late.sign(marked)).toThrow('48 bits');
  });
});

describe('keys', () => {
  const bytes = Uint8Array.from({ length: 32 }, (_, i) => i * 7 + 1);
  const hex = hexOf(bytes);
  const base64 = Buffer.from(bytes).toString('base64');

  it('are read from hexadecimal digits and base64', () => {
    const signed = new SigningKey(bytes).signature(unsigned, 0, 10);
    for (const text of [hex, hex.toUpperCase(), `${base64}\n`]) {
      expect(SigningKey.parse(text).signature(unsigned, 0, 10)).toEqual(signed);
    }
  });

  it('show themselves nowhere', () => {
    const key = new SigningKey(bytes);
    const shown = [inspect(key, { showHidden: true, depth: 9 }), JSON.stringify({ key }), String(key)].join(' ');
    for (const secret of [hex, base64, '1, 8, 15', '1,8,15']) expect(shown).not.toContain(secret);
    const errors = [hex.slice(1), `${base64}x`, `0x${hex}`, 'passphrase of mine'].map((text) => {
      try {
        SigningKey.parse(text);
        return '';
      } catch (error) {
        return String(error);
      }
    });
    for (const error of errors) {
      expect(error).toContain('signing key of');
      for (const secret of [hex.slice(1, 20), base64.slice(0, 10), 'passphrase']) expect(error).not.toContain(secret);
    }
    expect(() => new SigningKey(bytes.subarray(1))).toThrow('signing key has 31 bytes, not 32');
  });
});

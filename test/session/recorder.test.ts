import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openLog } from '../../src/entry/index.ts';
import { builtinDialect } from '../../src/formats/mavlink/dialect/builtin.ts';
import { Encoder } from '../../src/formats/mavlink/encode.ts';
import { SigningKey } from '../../src/formats/mavlink/key.ts';
import { Signer } from '../../src/formats/mavlink/signing.ts';
import { recordingsOf } from '../../src/server/session-view.ts';
import { Recorder, type RecorderOptions } from '../../src/session/recorder.ts';
import { type CreateFile, createFile } from '../../src/session/recorder-segment.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { needShared, sharedData } from '../helpers/need.ts';
import { until } from '../helpers/until.ts';
import { datagrams, needRecordings } from '../live/recorded.ts';

const root = temporaryFolder();
const dialect = builtinDialect();
const START = Date.UTC(2026, 4, 1, 12, 0, 0) * 1000;
let folders = 0;

function recorderIn(options: RecorderOptions = {}): { recorder: Recorder; folder: string } {
  const folder = join(root, String(folders++));
  return { recorder: new Recorder(folder, options), folder };
}

const filesIn = (folder: string): string[] => readdirSync(folder).sort();

/** Records of a telemetry log: time and frame. */
function recordsOf(bytes: Buffer): { time: number; frame: Buffer }[] {
  const found: { time: number; frame: Buffer }[] = [];
  for (let at = 0; at < bytes.length; ) {
    const time = Number(bytes.readBigUInt64BE(at));
    const start = at + 8;
    const length = bytes[start + 1] + (bytes[start] === 0xfd ? 12 + (bytes[start + 2] & 1) * 13 : 8);
    found.push({ time, frame: bytes.subarray(start, start + length) });
    at = start + length;
  }
  return found;
}

class Numbered {
  private readonly encoder: Encoder;
  private count = 0;

  constructor(system = 1) {
    this.encoder = new Encoder(dialect, { system, component: 1 });
  }

  next(armed = false): Uint8Array {
    const custom_mode = this.count++;
    return this.encoder.message('HEARTBEAT', { type: 2, autopilot: 3, base_mode: armed ? 209 : 81, custom_mode });
  }
}

async function modesIn(path: string): Promise<number[]> {
  const column = await (await openLog(path)).table('HEARTBEAT')?.column('custom_mode');
  return column ? Array.from({ length: column.length }, (_, row) => Number(column.at(row))) : [];
}

needRecordings('a vehicle that boots', () => {
  const sent = datagrams('ardupilot/boot-and-requests.pcapng').filter(({ to }) => to === 14_780);
  const isFrame = ({ bytes }: { bytes: Uint8Array }): boolean => bytes[0] === 0xfd;
  const firstFrame = sent.findIndex(isFrame);

  test('the text of its reboot is not the recording', async () => {
    const { recorder, folder } = recorderIn();
    // Skein was started after the vehicle, so that the first text is that of the reboot
    const running = sent.slice(sent.findLastIndex((each) => !isFrame(each) && each.from === sent[0].from) + 1);
    for (const { from, bytes, time } of running) recorder.write('udpin', bytes, time, String(from));
    await recorder.flush();
    const [tlog, raw] = filesIn(folder).sort((a, b) => Number(a.endsWith('raw')) - Number(b.endsWith('raw')));
    expect(raw).toMatch(/-udpin\.raw$/);
    // it was begun after the telemetry log
    expect(raw.slice(0, 15) > tlog.slice(0, 15)).toBe(true);
    expect(readFileSync(join(folder, raw), 'latin1')).toContain('Init ArduCopter V4.6.3');
    expect(recorder.state.recording).toBe(join(folder, tlog));
    expect(recordingsOf(folder, recorder.state).map(({ name, open }) => [name, open])).toEqual([
      [tlog, true],
      [raw, true],
    ]);
    expect(recordsOf(readFileSync(join(folder, tlog)))).toHaveLength(running.filter(isFrame).length);
    await recorder.close();
  });

  test('nor is the text of its first boot, before a frame came', async () => {
    const { recorder, folder } = recorderIn();
    for (const { bytes, time } of sent.slice(0, firstFrame)) recorder.write('udpin', bytes, time);
    await recorder.flush();
    expect(filesIn(folder)).toHaveLength(1);
    expect(recorder.state.recording).toBe('');
    // another protocol is a recording
    for (let i = 0; i < 20; i++) {
      recorder.write(
        'gps',
        Buffer.from('$GPGGA,120000.00,4717.11399,N,00833.91590,E,1,08,1.01,499.6,M,48.0,M,,*58\r\n'),
        START,
      );
      await recorder.flush();
    }
    expect(recorder.state.recording).toMatch(/-gps\.raw$/);
    await recorder.close();
  });
});

needShared(describe, 'flight')('a real flight', () => {
  test.each(['copter-square.tlog', 'px4-quad.tlog', 'rover.tlog'])('%s is recorded byte for byte', async (name) => {
    const bytes = readFileSync(sharedData('flight', name));
    const { recorder, folder } = recorderIn();
    const records = recordsOf(bytes);
    for (const { time, frame } of records) recorder.write('udpin:127.0.0.1:14550', frame, time, '127.0.0.1:5000');
    await recorder.close();
    expect(filesIn(folder)).toHaveLength(1);
    expect(readFileSync(join(folder, filesIn(folder)[0])).equals(bytes)).toBe(true);
    expect(recorder.state).toMatchObject({ state: 'closed', frames: records.length, acknowledged: records.length });
    expect(recorder.state.acknowledgedBytes).toBe(bytes.length);
  });

  test('boot text, NMEA and other bytes go to a file of their link as they came', async () => {
    const boot = readFileSync(sharedData('flight', 'copter-serial-boot.raw'));
    const nmea = readFileSync(sharedData('flight', 'copter-square.nmea'));
    const { recorder, folder } = recorderIn();
    for (let at = 0; at < nmea.length; at += 100)
      recorder.write('serial:/dev/ttyUSB1:9600', nmea.subarray(at, at + 100), START);
    for (let at = 0; at < boot.length; at += 37)
      recorder.write('serial:/dev/ttyACM0:115200', boot.subarray(at, at + 37), START + at);
    await recorder.close();
    const [bootText, sentences, frames, ...others] = filesIn(folder);
    expect(others).toEqual([]);
    expect(frames).toBe('20260501T120000-000.tlog');
    expect(bootText).toBe('20260501T120000-000-serial__dev_ttyACM0_115200.raw');
    expect(sentences).toBe('20260501T120000-000-serial__dev_ttyUSB1_9600.raw');
    expect(readFileSync(join(folder, sentences)).equals(nmea)).toBe(true);
    expect(readFileSync(join(folder, bootText), 'latin1')).toBe('0 0 0 ');
    const log = await openLog(join(folder, frames));
    expect(log.records).toBe((await openLog(sharedData('flight', 'copter-serial-boot.raw'))).records);
    expect(log.faults.lost).toBe(false);
  });

  test('neither keys nor signatures are written', async () => {
    const bytes = readFileSync(sharedData('flight', 'copter-signed.tlog'));
    const all = recordsOf(bytes);
    const isSecret = (frame: Buffer): boolean => frame[0] === 0xfd && frame.readUIntLE(7, 3) === 256;
    // as it comes over the link: this recording holds the frame without its key
    const encoder = new Encoder(dialect, { system: 255, component: 190 });
    const secret_key = Array.from({ length: 32 }, (_, i) => i + 1);
    const secrets = [encoder.message('SETUP_SIGNING', { target_system: 1, target_component: 1, secret_key })];
    const { recorder, folder } = recorderIn();
    for (const { time, frame } of all) recorder.write('a', frame, time);
    for (const frame of secrets) recorder.write('a', frame, all.at(-1)?.time ?? 0);
    await recorder.close();
    const written = readFileSync(join(folder, filesIn(folder)[0]));
    expect(written.includes(Buffer.from(secret_key))).toBe(false);
    const found = recordsOf(written);
    const wanted = all.filter(({ frame }) => !isSecret(frame));
    expect(recorder.state.secrets).toBe(1 + all.length - wanted.length);
    expect(found).toHaveLength(wanted.length);
    expect(found.every(({ frame }) => frame[0] !== 0xfd || (frame[2] & 1) === 0)).toBe(true);
    expect(wanted.filter(({ frame }) => frame[0] === 0xfd && (frame[2] & 1) === 1).length).toBeGreaterThan(2000);
    const log = await openLog(join(folder, filesIn(folder)[0]));
    expect(log.records).toBe(wanted.length);
    expect(log.faults.lost).toBe(false);
    expect(log.tablesNamed('SETUP_SIGNING')).toEqual([]);
  });
});

describe('signatures', () => {
  test('are kept on request', async () => {
    const signer = new Signer({ key: SigningKey.fromPassphrase('x'), link: 3, now: () => START / 1000 });
    const encoder = new Encoder(dialect, { system: 1, component: 1, sign: (frame) => signer.sign(frame) });
    const frame = encoder.message('HEARTBEAT', { type: 2, autopilot: 3 });
    const { recorder, folder } = recorderIn({ keepSignatures: true });
    recorder.write('a', frame, START);
    await recorder.close();
    expect(readFileSync(join(folder, filesIn(folder)[0])).subarray(8)).toEqual(Buffer.from(frame));
  });
});

describe('files', () => {
  test('one after the other by size, by time, and when the clock is set back', async () => {
    const bySize = recorderIn({ segmentBytes: 1000 });
    const frames = new Numbered();
    for (let i = 0; i < 100; i++) bySize.recorder.write('a', frames.next(), START + i);
    await bySize.recorder.close();
    const names = filesIn(bySize.folder);
    // 29 bytes each with their time: 34 in a thousand
    expect(names).toEqual(['000', '001', '002'].map((n) => `20260501T120000-${n}.tlog`));
    const all = (await Promise.all(names.map((name) => modesIn(join(bySize.folder, name))))).flat();
    expect(all).toEqual(Array.from({ length: 100 }, (_, i) => i));

    const byTime = recorderIn({ segmentMicros: 10e6 });
    const timed = new Numbered();
    for (let second = 0; second < 25; second++) byTime.recorder.write('a', timed.next(), START + second * 1e6);
    byTime.recorder.write('a', timed.next(), START - 3600e6);
    await byTime.recorder.close();
    expect(filesIn(byTime.folder)).toEqual([
      '20260501T110000-000.tlog',
      '20260501T120000-000.tlog',
      '20260501T120010-000.tlog',
      '20260501T120020-000.tlog',
    ]);
    expect(byTime.recorder.state.files.map(({ started }) => started)).toHaveLength(4);
  });

  test('nothing that is there is written over', async () => {
    const folder = join(root, 'twice');
    for (let run = 0; run < 3; run++) {
      const recorder = new Recorder(folder);
      recorder.write('a', new Numbered(run + 1).next(), START);
      await recorder.close();
    }
    expect(filesIn(folder)).toEqual(['000', '001', '002'].map((n) => `20260501T120000-${n}.tlog`));
  });

  test('nothing comes, nothing is made; a link with a hostile name stays in its folder', async () => {
    const { recorder, folder } = recorderIn();
    await recorder.close();
    expect(() => readdirSync(folder)).toThrow();
    const other = recorderIn();
    other.recorder.write('../../etc/passwd', Buffer.from('text'), START);
    await other.recorder.close();
    expect(filesIn(other.folder)).toHaveLength(1);
    expect(filesIn(other.folder)[0]).toMatch(/^20260501T120000-000-[\w.]+\.raw$/);
  });

  test('only while armed, on request, and a few seconds more', async () => {
    const { recorder, folder } = recorderIn({ armedOnly: true });
    const frames = new Numbered();
    for (let second = 0; second < 60; second++) {
      recorder.write('a', frames.next(second >= 10 && second < 20), START + second * 1e6);
      recorder.write('b', Buffer.from(`${second}\n`), START + second * 1e6);
    }
    await recorder.close();
    const [text, log] = filesIn(folder);
    expect(await modesIn(join(folder, log))).toEqual(Array.from({ length: 15 }, (_, i) => i + 10));
    expect(readFileSync(join(folder, text), 'utf8')).toBe(Array.from({ length: 15 }, (_, i) => `${i + 10}\n`).join(''));
  });

  test('noise between frames is kept up to a bound; another protocol without one; a link without a name has one', async () => {
    const { recorder, folder } = recorderIn();
    const noise = Buffer.alloc(1 << 20, 'noise ');
    recorder.write('', new Numbered().next(), START);
    for (let i = 0; i < 20; i++) {
      recorder.write('', noise, START);
      recorder.write('other', noise, START);
      if (i % 5 === 4) await recorder.flush();
    }
    await recorder.close();
    expect(recorder.state).toMatchObject({ skippedBytes: 4 << 20, dropped: 0, frames: 1 });
    const sizes = filesIn(folder).map((name) => [name, readFileSync(join(folder, name)).length]);
    expect(sizes).toEqual([
      ['20260501T120000-000-link.raw', 16 << 20],
      ['20260501T120000-000-other.raw', 20 << 20],
      ['20260501T120000-000.tlog', 29],
    ]);
  });

  test('senders of one link are not mixed, also where there are very many', async () => {
    const { recorder, folder } = recorderIn();
    const frames = new Numbered();
    const [one, two] = [frames.next(), frames.next()];
    recorder.write('a', one.subarray(0, 9), START, 'x:1');
    recorder.write('a', two, START, 'y:1');
    recorder.write('a', one.subarray(9), START, 'x:1');
    for (let i = 0; i < 2000; i++) recorder.write('a', frames.next(), START, `z:${i}`);
    // a sender that comes after them is not mixed with them either
    const [late, other] = [frames.next(), frames.next()];
    recorder.write('a', late.subarray(0, 9), START, 'late:1');
    recorder.write('a', other, START, 'other:1');
    recorder.write('a', late.subarray(9), START, 'late:1');
    await recorder.close();
    const modes = await modesIn(join(folder, filesIn(folder)[0]));
    expect(modes.slice(0, 2)).toEqual([1, 0]);
    expect(modes.slice(-2)).toEqual([2003, 2002]);
    expect(modes).toHaveLength(2004);
    expect(filesIn(folder)).toHaveLength(1);
  });
});

describe('a disk that fails', () => {
  /** Lets call number `at` fail, of all calls to all files together. */
  function failing(at: number, error: Error, isShort = false): { create: CreateFile; calls: () => number } {
    let calls = 0;
    const count = (): boolean => ++calls === at;
    const create: CreateFile = async (path) => {
      if (count()) throw error;
      const file = await createFile(path);
      return {
        append: async (bytes) => {
          if (!count()) return file.append(bytes);
          if (isShort) await file.append(bytes.subarray(0, bytes.length >> 1));
          throw error;
        },
        sync: async () => {
          if (count()) throw error;
          return file.sync();
        },
        isGone: async () => {
          if (count()) throw error;
          return file.isGone();
        },
        close: async () => {
          await file.close();
          if (count()) throw error;
        },
        discard: async () => {
          await file.discard();
          if (count()) throw error;
        },
      };
    };
    return { create, calls: () => calls };
  }

  const full = Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });

  async function run(create: CreateFile): Promise<{ recorder: Recorder; folder: string; texts: Set<string> }> {
    const texts = new Set<string>();
    const { recorder, folder } = recorderIn({
      createFile: create,
      segmentBytes: 5000,
      retryMilliseconds: 5,
      changed: ({ error }) => texts.add(error),
    });
    const frames = new Numbered();
    for (let i = 0; i < 600; i++) {
      recorder.write('a', frames.next(), START + i);
      if (i % 100 === 99) {
        await recorder.flush();
        await new Promise((done) => setTimeout(done, 8));
      }
    }
    await until(() => recorder.state.acknowledged >= 600);
    await recorder.close();
    return { recorder, folder, texts };
  }

  test('each call in turn: nothing is lost, the files can be read, and the state says what was wrong', async () => {
    const none = failing(0, full);
    await run(none.create);
    const calls = none.calls();
    expect(calls).toBeGreaterThan(15);
    let told = 0;
    for (let at = 1; at <= calls; at++) {
      const { recorder, folder, texts } = await run(failing(at, full, at % 2 === 0).create);
      const found = new Set<number>();
      for (const name of filesIn(folder)) {
        if ((await openLog(join(folder, name))).format === 'empty') continue;
        for (const mode of await modesIn(join(folder, name))) found.add(mode);
      }
      expect(found.size).toBe(600);
      expect(recorder.state).toMatchObject({ state: 'closed', dropped: 0, frames: 600 });
      if (texts.has('recording stopped: the disk is full; retrying')) told++;
    }
    // a file that cannot be closed has all that was written to it
    expect(told).toBeGreaterThan(calls / 2);
  });

  test('a disk that stays full: the caller is never stopped, memory is bounded, the loss is counted', async () => {
    const { recorder, folder } = recorderIn({
      createFile: async () => {
        throw full;
      },
      retryMilliseconds: 1,
    });
    const chunk = Buffer.alloc(1 << 16, 'no frames at all, ');
    for (let i = 0; i < 600; i++) {
      recorder.write('a', chunk, START + i);
      if (i % 100 === 0) await new Promise((done) => setTimeout(done, 1));
    }
    expect(recorder.state).toMatchObject({ state: 'failed', acknowledged: 0 });
    expect(recorder.state.error).toBe('recording stopped: the disk is full; retrying');
    // 16 MiB wait, the rest is gone
    expect(recorder.state.dropped).toBe(600 - 256);
    await recorder.close();
    expect(recorder.state.dropped).toBe(600);
    expect(filesIn(folder)).toEqual([]);
  });

  test('a disk that takes files but no bytes is not filled with empty files', async () => {
    let made = 0;
    const { recorder, folder } = recorderIn({
      createFile: async (path) => {
        made++;
        return { ...(await createFile(path)), append: async () => 0 };
      },
      retryMilliseconds: 1,
    });
    recorder.write('a', new Numbered().next(), START);
    await until(() => made > 5);
    await recorder.close();
    expect(recorder.state).toMatchObject({ state: 'closed', dropped: 1, files: [] });
    expect(recorder.state.error).toContain('the disk is full');
    await until(() => filesIn(folder).length === 0);
  });

  test('a folder that is taken away is made again', async () => {
    const { recorder, folder } = recorderIn({ segmentBytes: 1000, retryMilliseconds: 5 });
    const frames = new Numbered();
    for (let i = 0; i < 40; i++) recorder.write('a', frames.next(), START + i);
    await recorder.flush();
    rmSync(folder, { recursive: true });
    recorder.write('a', frames.next(), START + 40);
    await recorder.flush();
    expect(recorder.state).toMatchObject({
      state: 'failed',
      error: 'recording stopped: the file was removed; retrying',
    });
    for (let i = 41; i < 80; i++) recorder.write('a', frames.next(), START + i);
    await until(() => recorder.state.state === 'recording');
    await recorder.close();
    const all = (await Promise.all(filesIn(folder).map((name) => modesIn(join(folder, name))))).flat();
    expect(all).toEqual(Array.from({ length: 39 }, (_, i) => i + 41));
  });

  test('the system lets no file grow beyond a size: it is told, the program goes on, and what was acknowledged is there', async () => {
    const folder = join(root, 'limited');
    const script = `
      import { Recorder } from ${JSON.stringify(new URL('../../dist/session/recorder.js', import.meta.url).href)};
      import { readFileSync } from 'node:fs';
      const frames = readFileSync(0);
      const errors = new Set();
      const options = { retryMilliseconds: 5, changed: ({ error }) => error !== '' && errors.add(error) };
      const recorder = new Recorder(${JSON.stringify(folder)}, options);
      for (let at = 0; at < frames.length; at += 21) {
        recorder.write('a', frames.subarray(at, at + 21), 1e15 + at);
        if (at % 2100 === 0) await recorder.flush();
      }
      await new Promise((done) => setTimeout(done, 300));
      await recorder.close();
      console.log(JSON.stringify({ errors: [...errors], acknowledged: recorder.state.acknowledged }));`;
    const frames = new Numbered();
    const all = Array.from({ length: 1000 }, () => frames.next());
    expect(all[0]).toHaveLength(21);
    const limited = ['-c', 'ulimit -f 8; exec "$0" --input-type=module -e "$1"', process.execPath, script];
    const { stdout, stderr } = spawnSync('bash', limited, { input: Buffer.concat(all), encoding: 'utf8' });
    expect(stderr).toBe('');
    const said = JSON.parse(stdout) as { errors: string[]; acknowledged: number };
    expect(said.errors).toEqual(['recording stopped: the file has the largest size that the system allows; retrying']);
    expect(said.acknowledged).toBeGreaterThan(200);
    const found = (await Promise.all(filesIn(folder).map((name) => modesIn(join(folder, name))))).flat();
    // what was written in part is written again: twice is better than never
    const missing = Array.from({ length: said.acknowledged }, (_, i) => i).filter((number) => !found.includes(number));
    expect(missing).toEqual([]);
  });

  test('a folder that cannot be made is told', async () => {
    const place = join(root, 'a file');
    mkdirSync(root, { recursive: true });
    const first = new Recorder(place);
    first.write('a', new Numbered().next(), START);
    await first.close();
    const inside = new Recorder(join(place, filesIn(place)[0], 'folder'), { retryMilliseconds: 5 });
    inside.write('a', new Numbered().next(), START);
    await until(() => inside.state.state === 'failed');
    expect(inside.state.error).toContain('recording stopped: ');
    await inside.close();
    expect(inside.state.dropped).toBe(1);
  });
});

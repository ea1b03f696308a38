import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Bus, openBus } from '../../src/bus/connection.ts';
import { encodeMessage, type JobMessage, jobId } from '../../src/bus/job-message.ts';
import { deadSubject, JOB_STREAM, jobSubject, RESULT_STREAM, resultSubject } from '../../src/bus/job-streams.ts';
import { JOB_LIMITS } from '../../src/bus/limits.ts';
import type { IngestResult } from '../../src/lake/ingest.ts';
import { Lake, lakeId } from '../../src/lake/lake.ts';
import { skeinHere } from '../helpers/cli.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { long } from '../helpers/long.ts';
import { type NatsServer, startNats, startNatsCluster } from '../helpers/nats-server.ts';
import { needCommand } from '../helpers/need.ts';
import { changedFlight, machineId, smallFlight } from '../lake/fleet-logs.ts';
import { lakeFiles, lakeLogs, Running } from './jobs.ts';

const folder = temporaryFolder();
const at = (...parts: string[]): string => join(folder, ...parts);
const LOGS = 7;
/** For what takes a moment, on machines that do other work at the same time. */
const PATIENCE = { timeout: 60_000, interval: 50 };

const servers: NatsServer[] = [];
const running: Running[] = [];
function start(...args: string[]): Running {
  const one = new Running(...args);
  running.push(one);
  return one;
}
afterAll(async () => {
  for (const one of running) await one.end('SIGKILL');
  await Promise.all(servers.map((server) => server.close()));
});

const namesIn = (path: string): string[] => {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
};
const logsIn = (lake: string): number => namesIn(join(lake, '_catalogue', 'logs')).length;
const linesOf = (stdout: string): IngestResult[] =>
  stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as IngestResult);

needCommand('nats-server')('jobs over a bus', () => {
  beforeAll(async () => {
    const flight = await smallFlight();
    for (const name of ['logs', 'few/logs']) mkdirSync(at(name), { recursive: true });
    for (let i = 0; i < LOGS; i++) {
      const log = await changedFlight(flight, { machine: machineId(i), days: i });
      writeFileSync(at(i < 3 ? 'few/logs' : 'logs', `${i}.BIN`), log);
      if (i < 3) symlinkSync(at('few/logs', `${i}.BIN`), at('logs', `${i}.BIN`));
    }
  });

  /** The same logs ingested without a bus. */
  let localRun: Promise<string> | undefined;
  function local(): Promise<string> {
    localRun ??= start('ingest', at('logs'), '--lake', at('local'))
      .end()
      .then(({ code }) => (code === 0 ? at('local') : `exit code ${code}`));
    return localRun;
  }

  /** Each log is there once, as it is without a bus, and was told of once. */
  async function expectAll(lake: string, stdout: string): Promise<void> {
    const results = linesOf(stdout);
    const paths = namesIn(at('logs')).map((name) => at('logs', name));
    expect(results.map(({ path }) => path).sort()).toEqual(paths.sort());
    expect(results.filter(({ status }) => status !== 'ingested' && status !== 'present')).toEqual([]);
    expect(lakeFiles(lake)).toEqual(lakeFiles(await local()));
    expect(await lakeLogs(lake)).toEqual(await lakeLogs(await local()));
  }

  describe('on which everybody has his own rights', () => {
    const lake = at('guarded');
    const share = at('few', 'logs');
    let id: string;
    let url: string;
    let operator: Bus;

    const credentials = (user: string): string => at(`${user}.creds`);
    const as = (user: string): string[] => ['--lake', lake, '--bus', url, '--bus-creds', credentials(user)];
    const enter = (user: string, name: string): Promise<Bus> =>
      openBus(url, { name, credentials: credentials(user), giveUp: true });
    const work = (): Running =>
      start(
        'worker',
        ...as('worker'),
        '--root',
        `${share}=${at('mounted')}`,
        '--workers',
        '2',
        '--tries',
        '2',
        '--ack-wait',
        '1',
      );
    const waiting = async (): Promise<number> => (await operator.manager.streams.info(JOB_STREAM)).state.messages;
    const dead = async (): Promise<Record<string, unknown>[]> => {
      const { stdout } = await skeinHere('worker', ...as('operator'), '--dead', '--json');
      return stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Record<string, unknown>]));
    };

    beforeAll(async () => {
      for (const user of ['ingester', 'worker', 'collector', 'viewer', 'operator']) {
        process.env[`SKEIN_${user.toUpperCase()}`] = `secret-of-${user}`;
        writeFileSync(credentials(user), `${user}:secret-of-${user}\n`, { mode: 0o600 });
      }
      // the store is that of the test
      const text = readFileSync(new URL('../../docs/nats-server.conf', import.meta.url), 'utf8');
      writeFileSync(at('nats-server.conf'), text.replace(/^ *store_dir: .*$/m, ''));
      const server = await startNats('-c', at('nats-server.conf'));
      servers.push(server);
      url = server.url;
      symlinkSync(share, at('mounted'));
      id = await lakeId(new Lake(lake));
      operator = await enter('operator', 'test');
    });
    afterAll(() => operator.close());

    test('no log is missing and none is there twice when the bus is cut', async () => {
      const cut = at('cut');
      const of = (user: string): string[] => ['--lake', cut, ...as(user).slice(2)];
      const worker = start(
        ...[
          'worker',
          ...of('worker'),
          '--allow',
          at('logs'),
          '--allow',
          at('few'),
          '--workers',
          '1',
          '--ack-wait',
          '3',
        ],
      );
      const ingest = start('ingest', at('logs'), ...of('ingester'), '--json');
      await expect.poll(() => logsIn(cut), PATIENCE).toBeGreaterThan(2);
      await servers[servers.length - 1].kill();
      expect(await local()).toBe(at('local'));
      for (const one of [worker, ingest]) await expect.poll(() => one.stderr, PATIENCE).toContain('bus unreachable');
      expect(logsIn(cut)).toBeLessThan(LOGS);
      await servers[servers.length - 1].start();
      const { code, stdout, stderr } = await ingest.end();
      expect([code, stderr]).toEqual([
        0,
        expect.stringMatching(/bus unreachable: waiting for it\n(.*\n)*.*bus is back/),
      ]);
      expect(stderr).toContain(`${LOGS} logs ingested`);
      await expect.poll(() => waiting().catch(() => undefined), PATIENCE).toBe(0);
      const ended = await worker.end('SIGTERM');
      expect(ended).toMatchObject({ code: 0, stderr: expect.stringMatching(/bus unreachable: (.*\n)*.*bus is back/) });
      await expectAll(cut, stdout);
    });

    test('a job is there once, whoever puts it there, and goes on without who did', async () => {
      const first = start('ingest', share, ...as('ingester'));
      await expect.poll(() => waiting().catch(() => 0), PATIENCE).toBe(3);
      const left = await first.end('SIGINT');
      expect(left).toMatchObject({ code: 1, stderr: expect.stringContaining('3 logs on the bus: workers continue') });
      const followers = async (): Promise<number> =>
        (await operator.manager.streams.info(RESULT_STREAM)).state.consumer_count;
      const before = await followers();
      const second = start('ingest', share, ...as('ingester'), '--json');
      await expect.poll(followers, PATIENCE).toBeGreaterThan(before);
      const detached = await skeinHere('ingest', share, ...as('ingester'), '--detach');
      expect(detached).toMatchObject({ code: 0, stderr: expect.stringContaining('3 logs on the bus') });
      expect(await waiting()).toBe(3);
      const worker = work();
      const { code, stdout } = await second.end();
      expect(code).toBe(0);
      expect(linesOf(stdout).map(({ status }) => status)).toEqual(['ingested', 'ingested', 'ingested']);
      // the paths are those of who put them there, not those of the worker
      expect(
        linesOf(stdout)
          .map(({ path }) => path)
          .sort(),
      ).toEqual(['0', '1', '2'].map((name) => join(share, `${name}.BIN`)));
      expect((await lakeLogs(lake)).map((row) => row[4]).sort()).toEqual(
        linesOf(stdout)
          .map(({ path }) => path)
          .sort(),
      );
      const again = await skeinHere('ingest', share, ...as('ingester'));
      expect(again).toMatchObject({
        code: 0,
        stderr: expect.stringContaining('0 logs ingested (0 rows, 0.0 MB), 3 already there'),
      });
      expect(await worker.end('SIGTERM')).toMatchObject({
        code: 0,
        stderr: expect.stringContaining('3 ingested, 3 present'),
      });
    });

    test('what is no job, and what lies elsewhere, is given up with the reason', async () => {
      symlinkSync('/etc/passwd', at('few/logs/link'));
      const put = async (subject: string, data: string | Uint8Array): Promise<void> => {
        await operator.client.publish(jobSubject(id, subject), data);
      };
      const job = (path: string): JobMessage => ({ path, bytes: 1, modified: 1, rule: {} });
      await put('a', '{');
      await put('b', encodeMessage(job(join(share, '0.BIN'))));
      for (const each of [job('/etc/passwd'), job(join(share, 'link')), job(join(share, 'none.BIN'))])
        await put(jobId(each), encodeMessage(each));
      await expect(put('c', new Uint8Array(JOB_LIMITS.messageBytes + 1000))).rejects.toThrow('message size exceeds');
      const worker = work();
      await expect.poll(waiting, PATIENCE).toBe(0);
      const found = await dead();
      const outside = 'not in a folder allowed by --allow or --root';
      expect(found.map(({ path, text, tries, reason }) => [path ?? text, tries, reason]).sort()).toEqual(
        [
          ['{', 1, 'the message is not valid JSON'],
          [expect.stringContaining('0.BIN'), 1, 'is not the job that its subject names'],
          ['/etc/passwd', 2, outside],
          [join(share, 'link'), 2, outside],
          [join(share, 'none.BIN'), 2, 'not found, or a broken link'],
        ].sort(),
      );
      expect(await skeinHere('worker', ...as('operator'), '--forget')).toMatchObject({ code: 0 });
      expect(await dead()).toEqual([]);
      await worker.end('SIGTERM');
      rmSync(at('few/logs/link'));
    });

    test('a job at which workers end is given up, told, and can be put back', async () => {
      const log = join(share, '6.BIN');
      copyFileSync(at('logs', '6.BIN'), log);
      const ingest = start('ingest', log, ...as('ingester'));
      await expect.poll(waiting, PATIENCE).toBe(1);
      const dying = await enter('worker', 'skein worker');
      const consumer = await dying.client.consumers.get(JOB_STREAM, `ingest-${id}`);
      for (let i = 0; i < 2; i++) expect(await consumer.next({ expires: 10_000 })).not.toBeNull();
      await dying.close();
      work();
      const why = 'failed after 2 attempts';
      expect(await ingest.end()).toMatchObject({ code: 1, stderr: expect.stringContaining(`${log}: ${why}`) });
      expect(await dead()).toMatchObject([{ path: log, reason: why }]);
      expect(await skeinHere('worker', ...as('operator'), '--retry')).toMatchObject({
        stderr: 'skein: 1 job put back\n',
      });
      await expect.poll(() => logsIn(lake), PATIENCE).toBe(4);
      expect(await dead()).toEqual([]);
    });

    test('nobody does what another may', async () => {
      const refused = async (user: string, name: string, subject: string): Promise<void> => {
        const bus = await enter(user, name);
        await expect(bus.client.publish(subject, 'x')).rejects.toThrow(/permission/i);
        await expect(bus.manager.streams.delete(JOB_STREAM)).rejects.toThrow(/permission/i);
        await bus.close();
      };
      await refused('ingester', 'skein ingest', resultSubject(id, 'x'));
      await refused('worker', 'skein worker', jobSubject(id, 'x'));
      await refused('collector', 'skein live', deadSubject(id, 'x'));
      await refused('collector', 'skein live', 'skein.live.base-2.1.all');
      await refused('viewer', 'skein live', 'skein.live.x.1.all');
      // answers to others are not for everybody
      await expect(enter('viewer', 'skein worker')).rejects.toThrow('this user may not listen to _INBOX.skein-worker.');

      const collector = await enter('collector', 'skein live');
      await collector.manager.streams.add({ name: 'SKEIN_LIVE', subjects: ['skein.live.>'] });
      await collector.client.publish('skein.live.base-1.1.all', 'x');
      await collector.close();
      const viewer = await enter('viewer', 'skein live');
      const { name } = await viewer.manager.consumers.add('SKEIN_LIVE', {
        ack_policy: viewer.jetstream.AckPolicy.None,
      });
      const consumer = await viewer.client.consumers.get('SKEIN_LIVE', name);
      expect((await consumer.next())?.subject).toBe('skein.live.base-1.1.all');
      await viewer.close();
    });
  });

  long(test)('no log is missing and none is there twice when a worker and a server of three are killed', async () => {
    const lake = at('lake');
    const cluster = await startNatsCluster(3);
    servers.push(...cluster);
    const address = cluster.map(({ url }) => url).join(',');
    const common = ['--lake', lake, '--bus', address, '--bus-replicas', '3'];
    const work = (): Running =>
      start('worker', ...common, '--allow', at('logs'), '--allow', at('few'), '--workers', '1', '--ack-wait', '3');

    const ingest = start('ingest', at('logs'), ...common, '--json');
    const killed = work();
    await expect
      .poll(() => namesIn(join(lake, '_staging')).some((name) => !name.startsWith('id')), PATIENCE)
      .toBe(true);
    await killed.end('SIGKILL');

    const workers = [work(), work()];
    await expect.poll(() => logsIn(lake), PATIENCE).toBeGreaterThan(2);
    const bus = await openBus(address, { name: 'test' });
    const { cluster: placed, config } = await bus.manager.streams.info(JOB_STREAM);
    expect(config.num_replicas).toBe(3);
    expect(logsIn(lake)).toBeLessThan(LOGS);
    await cluster[Number(placed?.leader?.replace('server-', ''))].kill();

    const { code, stdout } = await ingest.end();
    expect(code).toBe(0);
    // an acknowledgement may have been lost with the server: the job then comes again, and is found to be done
    const left = (): Promise<number> => bus.manager.streams.info(JOB_STREAM).then(({ state }) => state.messages);
    await expect.poll(() => left().catch(() => undefined), PATIENCE).toBe(0);
    for (const worker of workers) expect(await worker.end('SIGINT')).toMatchObject({ code: 0 });
    await bus.close();
    await expectAll(lake, stdout);
  });
});

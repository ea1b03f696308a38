import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BusError, openBus, parseBus } from '../../src/bus/connection.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { type NatsServer, startNats } from '../helpers/nats-server.ts';
import { needCommand } from '../helpers/need.ts';

describe('the address of a bus', () => {
  test('names one server or several', () => {
    expect(parseBus('nats://a')).toEqual({ servers: ['a:4222'], isSecure: false });
    expect(parseBus('nats://a:1, tls://[::1]:2')).toEqual({ servers: ['a:1', '[::1]:2'], isSecure: true });
  });

  test.each(['', 'a:4222', 'http://a', 'nats://', 'nats://a,', 'nats://user:secret@a', 'nats://token@a'])(
    '%j is refused',
    (text) => {
      expect(() => parseBus(text)).toThrow(BusError);
    },
  );

  test('a password in it is not repeated in the error', () => {
    expect(() => parseBus('nats://user:secret@a')).toThrow(/^(?!.*secret)/);
  });
});

needCommand('nats-server')('a bus', () => {
  const folder = temporaryFolder();
  const servers: NatsServer[] = [];

  beforeAll(async () => {
    servers.push(await startNats('--user', 'ann', '--pass', 'p:q'));
  });
  afterAll(() => Promise.all(servers.map((server) => server.close())));

  function credentials(text: string, mode = 0o600): string {
    const path = join(folder, `${mode}-${text.length}.creds`);
    writeFileSync(path, text, { mode });
    return path;
  }

  test('is come onto with user and password from a file', async () => {
    const bus = await openBus(servers[0].url, { name: 'test', credentials: credentials('ann:p:q\n') });
    await bus.manager.streams.add({ name: 'S', subjects: ['s.>'] });
    expect(await bus.client.publish('s.a', 'x')).toMatchObject({ stream: 'S', seq: 1 });
    await bus.close();
  });

  test('lets nobody in with a wrong password, nor with a file that others can read', async () => {
    const wrong = openBus(servers[0].url, { name: 'test', credentials: credentials('ann:wrong'), giveUp: true });
    await expect(wrong).rejects.toThrow(/authorization/i);
    const open = openBus(servers[0].url, { name: 'test', credentials: credentials('ann:p:q', 0o644), giveUp: true });
    await expect(open).rejects.toThrow('is readable by others (mode 644)');
    const neither = openBus(servers[0].url, { name: 'test', credentials: credentials('what'), giveUp: true });
    await expect(neither).rejects.toThrow('expected NATS credentials');
  });

  test('that is not there is said so', async () => {
    const nobody = openBus('nats://127.0.0.1:1', { name: 'test', giveUp: true });
    await expect(nobody).rejects.toThrow(/^bus nats:\/\/127.0.0.1:1: /);
  });
});

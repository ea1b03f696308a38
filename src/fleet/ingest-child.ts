import { Ingester } from './ingest.ts';
import type { ChildMessage } from './ingest-process.ts';
import { Lake } from './lake.ts';

/*
 * What a process that ingests runs: it is told its lake, then sent jobs, one at a time, and answers with what became of
 * each.
 */

if (process.send) {
  let ingester: Promise<Ingester> | undefined;
  process.on('message', async (message: ChildMessage) => {
    if ('settings' in message) {
      const { lake, options } = message.settings;
      ingester = Ingester.open(new Lake(lake), options);
      return;
    }
    const result = await (await ingester)?.ingest(message.job.path, message.job.rule);
    process.send?.(result);
  });
  // Ctrl-C is for who started this one, and he may want the job in hand to come to its end
  process.on('SIGINT', () => undefined);
  // nobody waits for a result any more: the lake takes a half job as that of a machine that lost its power
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
}

import { errorText } from '../core/text.ts';
import type { Ingester, IngestResult } from './ingest.ts';
import { type ChildMessage, failedResult, received, type WorkerSettings } from './ingest-process.ts';

/*
 * The program of an ingest process: it receives its lake, then jobs, one at a time, and answers with what became of
 * each. All that takes time to load is loaded with the first job, so that signals find us prepared.
 */

if (process.send) {
  // Ctrl-C goes to all processes of a terminal and the end of a service to all of the service. Both are for the parent,
  // which may want the current job to finish
  process.on('SIGINT', () => undefined);
  process.on('SIGTERM', () => undefined);
  // the parent is gone: the lake treats a half-done job as after a power cut
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
  let settings: WorkerSettings | undefined;
  let ingester: Ingester | undefined;
  process.on('message', async (message: ChildMessage) => {
    if ('settings' in message) {
      settings = received(message.settings);
      return;
    }
    const { job } = message;
    let result: IngestResult;
    try {
      // a lake that could not be opened may be there for the next job
      ingester ??= await openIngester(settings);
      result = await ingester.ingest(job.path, job.rule);
    } catch (error) {
      result = failedResult(job.path, job.bytes, errorText(error));
    }
    process.send?.(result);
  });
}

async function openIngester(settings: WorkerSettings | undefined): Promise<Ingester> {
  if (!settings) throw new Error('no lake was named');
  const [ingest, { Lake }] = await Promise.all([import('./ingest.ts'), import('./lake.ts')]);
  return ingest.Ingester.open(new Lake(settings.lake), settings.options);
}

import { parentPort, workerData } from 'node:worker_threads';
import { Ingester } from './ingest.ts';
import type { ThreadJob, WorkerSettings } from './job-queue.ts';
import { Lake } from './lake.ts';

/*
 * What a thread of the local queue runs: it is sent jobs, one at a time, and answers with what became of each; null
 * ends it.
 */
if (parentPort) {
  const port = parentPort;
  const { lake, options } = workerData as WorkerSettings;
  const ingester = Ingester.open(new Lake(lake), options);
  port.on('message', async (job: ThreadJob | null) => {
    const ready = await ingester;
    if (job !== null) {
      port.postMessage(await ready.ingest(job.path, job.rule));
      return;
    }
    await ready.close();
    port.close();
  });
}

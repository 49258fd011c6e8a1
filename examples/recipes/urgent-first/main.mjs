import { BoundedBuffer, ManualResetEvent, select, selectAsync } from 'sluice';
import { once } from 'node:events';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

if (isMainThread) {
  const urgent = BoundedBuffer.create({ name: 'urgent' });
  const jobs = BoundedBuffer.create({ name: 'jobs' });
  const stop = ManualResetEvent.create({ name: 'stop' });
  for (let n = 1; n <= 5; n++) jobs.push({ n });
  urgent.push({ n: 'first' });
  const worker = new Worker(new URL(import.meta.url), {
    workerData: { urgent: urgent.handle, jobs: jobs.handle, stop: stop.handle },
  });
  jobs.arena.watch(worker);
  worker.on('message', (message) => {
    console.log(message);
    if (message === 'done 5') stop.set();
  });
  await once(worker, 'exit');
  console.log(`left: ${jobs.length + urgent.length}`);
} else {
  const sources = {
    stop: select.wait(ManualResetEvent.from(workerData.stop)),
    urgent: select.take(BoundedBuffer.from(workerData.urgent)),
    job: select.take(BoundedBuffer.from(workerData.jobs)),
  };
  for (;;) {
    const { key, value } = await selectAsync(sources, { order: 'listed' }); // takes from one of them, in this order
    if (key === 'stop') break;
    parentPort?.postMessage(`done ${value.n}`);
  }
}

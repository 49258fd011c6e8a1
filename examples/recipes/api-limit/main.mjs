import { createLimit } from 'sluice';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { isMainThread, Worker, workerData } from 'node:worker_threads';

const MOST = 3; // what the API allows at a time

if (isMainThread) {
  // Stands for the API: it refuses what is too much.
  let open = 0;
  let refused = 0;
  const api = createServer((_, response) => {
    open += 1;
    if (open > MOST) refused += 1;
    setTimeout(() => {
      open -= 1; // before the answer, which makes room for the next call
      response.setHeader('connection', 'close').end('{}');
    }, 5);
  });
  api.listen(0, '127.0.0.1');
  await once(api, 'listening');
  const address = api.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/`;

  const limit = createLimit(MOST, { name: 'api' });
  const workers = [1, 2, 3].map(
    () => new Worker(new URL(import.meta.url), { workerData: { limit: limit.handle, url } }),
  );
  for (const worker of workers) limit.arena.watch(worker); // the slots of a worker that is killed become free
  await Promise.all(workers.map((worker) => once(worker, 'exit')));
  console.log(`refused: ${refused}`);
  api.close();
} else {
  const { url } = workerData;
  const limit = createLimit.from(workerData.limit);
  const items = Array.from({ length: 10 }, (_, item) => item);
  await limit.map(items, async (item) => {
    const response = await fetch(`${url}?item=${item}`);
    return response.json();
  });
}

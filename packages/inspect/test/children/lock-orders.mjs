// @ts-check
// Two workers that never run at the same time acquire two locks in opposite orders.
import { Arena } from '@sluice/core';
import { Mutex } from '@sluice/mutex';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

const arena = Arena.create({ maxPages: 16 });
const create = () => Mutex.create({ arena });
const named = Mutex.create({ arena, name: 'accounts' });
const unnamed = create();

for (const [outer, inner] of [
  [named, unnamed],
  [unnamed, named],
]) {
  const workerData = { outer: outer?.handle, inner: inner?.handle };
  await once(new Worker(new URL('../jobs/nests.mjs', import.meta.url), { workerData }), 'exit');
}

// @ts-check
// A worker runs for ever.
import { isMainThread, Worker } from 'node:worker_threads';

function searchForEver() {
  for (let found = false; !found; ) found = Math.random() > 1;
}

if (isMainThread) new Worker(new URL(import.meta.url), { name: 'searcher' });
else searchForEver();

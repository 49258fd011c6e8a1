// The page of a visit: runs one case and posts how it ended.

import { runMain, type Host, type Started } from '../../cases/src/main.ts';
import type { Visit } from '../../cases/src/tools.ts';
import type { Order, Said } from '../../cases/src/worker.ts';
import { loaderOf } from './load.ts';

function startWorker(): Started {
  const worker = new Worker(new URL('worker.ts', import.meta.url), { type: 'module' });
  return {
    worker,
    post: (order: Order) => worker.postMessage(order),
    onSaid: (listener) => (worker.onmessage = ({ data }: MessageEvent<Said>) => listener(data)),
    onFailure: (listener) => (worker.onerror = ({ message }) => listener(message)),
  };
}

const host: Host = {
  // An uncaught error does not end a worker, and there is no `process.exit`.
  platform: { mayBlock: false, endings: { 'is idle': true, sleeps: true, computes: true } },
  loaderOf,
  fileOf: (name) => new URL(name, import.meta.url),
  startWorker,
};

const parameters = new URLSearchParams(location.search);
const visit = JSON.parse(parameters.get('visit') ?? '') as Visit;
const result = await runMain(visit, host);
await fetch(`result/${parameters.get('id') ?? ''}`, { method: 'POST', body: JSON.stringify(result) });

// The main thread of Node.js, Bun or Deno: runs the visit that its argument describes, and prints how it ended.

import { argv, exit, stdout } from 'node:process';
import { Worker as Thread } from 'node:worker_threads';
import { runMain, type Host, type Started } from '../main.ts';
import type { Ending, Visit } from '../tools.ts';
import type { Order, Said } from '../worker.ts';
import { loaderOf } from './load.ts';

export interface ProcessVisit extends Visit {
  readonly workers: 'threads' | 'web';
  /** Endings after which a thread of this runtime runs on. */
  readonly outlived: readonly Ending[];
}

const fileOf = (name: string): URL => new URL(name, import.meta.url);

function startThread(): Started {
  const worker = new Thread(fileOf('thread.mjs'));
  return {
    worker,
    post: (order: Order) => worker.postMessage(order),
    onSaid: (listener) => void worker.on('message', (said: Said) => listener(said)),
    onFailure: (listener) => void worker.on('error', ({ message }: Error) => listener(message)),
  };
}

function startWebWorker(): Started {
  const worker = new Worker(fileOf('web-worker.mjs'), { type: 'module' });
  return {
    worker,
    post: (order: Order) => worker.postMessage(order),
    onSaid: (listener) => (worker.onmessage = ({ data }: MessageEvent<Said>) => listener(data)),
    onFailure: (listener) =>
      (worker.onerror = (event) => {
        event.preventDefault();
        listener(event.message);
      }),
  };
}

const visit = JSON.parse(argv[2] ?? '') as ProcessVisit;
const endings: readonly Ending[] = ['is idle', 'sleeps', 'computes', 'exits', 'throws'];
const host: Host = {
  platform: {
    mayBlock: true,
    endings: Object.fromEntries(endings.map((ending) => [ending, !visit.outlived.includes(ending)])),
  },
  loaderOf,
  fileOf,
  startWorker: visit.workers === 'web' ? startWebWorker : startThread,
};

// The keep-alive of a wait is the platform's and Sluice's: without one the process ends here, and prints nothing.
void runMain(visit, host).then((result) =>
  stdout.write(`${JSON.stringify(result)}\n`, () => exit('failed' in result ? 1 : 0)),
);

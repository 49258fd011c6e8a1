// A real worker that acquires permits and ends in the way that the test requests.

import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Semaphore, SemaphoreHandle } from '../../src/index.ts';

export interface WatchedWorkerData {
  readonly semaphore: SemaphoreHandle;
  /** 2: the package as an ES module and as CommonJS, so two agents. */
  readonly copies: 1 | 2;
  /** What each agent takes. */
  readonly permits: number;
}

export class WatchedWorker {
  readonly worker: Worker;
  /** The first one is of the ES module. */
  readonly agents: readonly number[];
  readonly exit: Promise<unknown>;

  private constructor(worker: Worker, agents: readonly number[], exit: Promise<unknown>) {
    this.worker = worker;
    this.agents = agents;
    this.exit = exit;
  }

  /** Started, and it has its permits. `prepare` sees the worker first. */
  static async start(
    sem: Semaphore,
    more: Partial<Pick<WatchedWorkerData, 'copies' | 'permits'>> = {},
    prepare?: (worker: Worker) => void,
  ): Promise<WatchedWorker> {
    const data: WatchedWorkerData = { semaphore: sem.handle, copies: 1, permits: 1, ...more };
    const worker = new Worker(new URL('../children/watched-worker.mjs', import.meta.url), {
      workerData: data,
      execArgv: [],
    });
    prepare?.(worker);
    const exit = new Promise((resolve) => worker.once('exit', resolve));
    const [agents] = (await once(worker, 'message')) as [readonly number[]];
    return new WatchedWorker(worker, agents, exit);
  }

  get agent(): number {
    return this.agents[0] ?? 0;
  }

  /** Tells it how to end; resolves when it begins to. */
  async begin(how: string): Promise<void> {
    // An error that the worker throws is an event here, and an exception if it has no listener. It may come before the
    // message.
    this.worker.on('error', () => undefined);
    const begins = new Promise((resolve) => this.worker.once('message', resolve));
    this.worker.postMessage(how);
    await begins;
  }
}

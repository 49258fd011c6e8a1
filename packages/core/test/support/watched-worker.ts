// A real worker that acquires permits and ends in the way that the test requests.

import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Semaphore, SemaphoreHandle } from '../../src/index.ts';

export interface WatchedWorkerData {
  readonly semaphore: SemaphoreHandle;
  /** 2: the package as an ES module and as CommonJS, so two agents. */
  readonly copies: 1 | 2;
  /** The permits that each agent acquires. */
  readonly permits: number;
}

export class WatchedWorker {
  readonly worker: Worker;
  /** The first agent belongs to the ES module. */
  readonly agents: readonly number[];
  readonly exit: Promise<unknown>;

  private constructor(worker: Worker, agents: readonly number[], exit: Promise<unknown>) {
    this.worker = worker;
    this.agents = agents;
    this.exit = exit;
  }

  /** Starts the worker and waits until it has its permits. `prepare` gets the worker first. */
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

  /** Tells the worker how to end. Resolves when it begins to end. */
  async begin(how: string): Promise<void> {
    // An error that the worker throws is an event here, and an exception if it has no listener. It may come before the
    // message.
    this.worker.on('error', () => undefined);
    const begins = new Promise((resolve) => this.worker.once('message', resolve));
    this.worker.postMessage(how);
    await begins;
  }
}

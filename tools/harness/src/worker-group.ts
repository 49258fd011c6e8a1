// A group of workers that run jobs for one test. A watchdog limits their time, and they end with the test.

import { inspect } from 'node:util';
import { Worker, type ResourceLimits } from 'node:worker_threads';
import { scale } from './session.ts';
import type { Message, Order } from './worker.mjs';

export interface WorkerGroupOptions {
  /**
   * The module that exports the jobs as functions. It is a JavaScript file, because workers load it without a bundler.
   */
  readonly jobs: URL;
  /** The seed of the random sources: each worker derives its source from this seed and its index. */
  readonly seed: number;
  /** Returns the state to print when the watchdog's time is over, for example `() => arena.inspect()`. */
  readonly dump?: () => unknown;
  /** The time limit for the whole group, in ms. Default: 4 minutes, longer with `SLUICE_SOAK`. */
  readonly watchdogMs?: number;
}

/** A job that one worker runs. */
export interface Job<Result = unknown> {
  readonly index: number;
  readonly worker: Worker;
  /** The last word that the job said. */
  readonly said: string;
  readonly done: boolean;
  /** The job's return value. Rejects if the job threw, or if its worker ended before the job was done. */
  readonly result: Promise<Result>;
}

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

/** The interval between two checks of a condition. */
const LOOK_MS = 1;

/**
 * Runs `body` with a group of workers. Fails as soon as a worker fails or the watchdog's time is over. Always ends every worker.
 */
export async function withWorkers<T>(
  options: WorkerGroupOptions,
  body: (group: WorkerGroup) => Promise<T>,
): Promise<T> {
  const group = new WorkerGroup(options);
  try {
    return await Promise.race([body(group), group.failure]);
  } finally {
    await group.end();
  }
}

/** Starts one worker outside a group, for tests that end workers themselves. The worker posts `Message`s. */
export function startWorker(order: Order, resourceLimits: ResourceLimits = {}): Worker {
  return new Worker(new URL('./worker.mjs', import.meta.url), { workerData: order, execArgv: [], resourceLimits });
}

export class WorkerGroup {
  /** Rejects with the first failure of a worker, or the watchdog's. Never resolves. */
  readonly failure: Promise<never>;
  readonly jobs: Job[] = [];
  readonly #options: WorkerGroupOptions;
  readonly #watchdog: NodeJS.Timeout;
  readonly #fail: (reason: Error) => void;
  #awaited = 'the test';
  #ended = false;

  constructor(options: WorkerGroupOptions) {
    this.#options = options;
    let fail: (reason: Error) => void = () => undefined;
    this.failure = new Promise((_, reject) => (fail = reject));
    // A caller that waits for something other than `failure` must not cause an unhandled rejection.
    this.failure.catch(() => undefined);
    this.#fail = fail;
    const limit = options.watchdogMs ?? scale(240_000);
    this.#watchdog = setTimeout(() => this.#fail(new Error(this.#report(limit))), limit);
  }

  /** Starts `count` workers on the same job. `data` returns the input of each worker. */
  start<Result = unknown>(count: number, job: string, data: (index: number) => unknown): Job<Result>[] {
    return Array.from({ length: count }, () => this.#startOne<Result>(job, data));
  }

  /** Waits until `holds` returns true. Checks repeatedly and never sleeps for a fixed time. */
  async until(what: string, holds: () => boolean): Promise<void> {
    this.#awaited = what;
    while (!holds()) {
      if (this.#ended) throw new Error(`The group was ended while it waited for: ${what}`);
      await Promise.race([new Promise((resolve) => setTimeout(resolve, LOOK_MS)), this.failure]);
    }
    this.#awaited = 'the test';
  }

  /** Waits until every worker has said `word`. */
  async said(word: string): Promise<void> {
    await this.until(`every worker to say ${word}`, () => this.jobs.every((job) => job.said === word || job.done));
  }

  /** Returns the jobs' results, in the order in which the jobs were started. */
  async results<Result = unknown>(): Promise<Result[]> {
    this.#awaited = 'the results';
    return (await Promise.race([Promise.all(this.jobs.map(({ result }) => result)), this.failure])) as Result[];
  }

  /** Ends all workers, including workers that sleep in an endless wait. */
  async end(): Promise<void> {
    this.#ended = true;
    clearTimeout(this.#watchdog);
    await Promise.all(this.jobs.map(({ worker }) => worker.terminate()));
  }

  #startOne<Result>(job: string, data: (index: number) => unknown): Job<Result> {
    const index = this.jobs.length;
    const order: Order = { module: this.#options.jobs.href, job, data: data(index), index, seed: this.#options.seed };
    const worker = startWorker(order);
    const started: Writable<Job<Result>> = {
      index,
      worker,
      said: 'nothing',
      done: false,
      result: Promise.reject(new Error()),
    };
    started.result.catch(() => undefined);
    started.result = new Promise((resolve, reject) => {
      worker.on('message', (message: Message) => {
        if (message.kind === 'said') started.said = message.word;
        else if (message.kind === 'failed') reject(new Error(`Worker ${index} (${job}) failed: ${message.text}`));
        else {
          started.done = true;
          resolve(message.result as Result);
        }
      });
      worker.on('error', reject);
      worker.on('exit', (code) =>
        reject(new Error(`Worker ${index} (${job}) ended with exit code ${code} before it was done`)),
      );
    });
    started.result.catch((reason: unknown) => {
      if (!this.#ended) this.#fail(reason as Error);
    });
    this.jobs.push(started);
    return started;
  }

  #report(limit: number): string {
    const busy = this.jobs
      .filter(({ done }) => !done)
      .map(({ index, said }) => `worker ${index} said ${JSON.stringify(said)}`);
    const { dump, seed } = this.#options;
    return [
      `Watchdog: after ${limit} ms still waiting for ${this.#awaited} (seed ${seed}).`,
      `${busy.length} of ${this.jobs.length} workers are not done: ${busy.join(', ')}`,
      ...(dump === undefined ? [] : [inspect(dump(), { depth: 6, maxArrayLength: 200 })]),
    ].join('\n');
  }
}

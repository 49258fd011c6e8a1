import { atFullDepth, Session, soakSize } from '@sluice/harness';
import { WorkerPool, type WorkerPoolOptions } from '@sluice/worker-pool';
import { Region } from '@sluice/core';
import { fileURLToPath } from 'node:url';
import type { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import type { StormTask } from './jobs/storm.mjs';

const filename = fileURLToPath(new URL('jobs/storm.mjs', import.meta.url));
const TASKS = soakSize(700, 10_000);
/** Once per this many tasks a thread is terminated. Some tasks end their workers, too. */
const TASKS_PER_KILL = 60;
/** Once per this many tasks, no task is queued until all are done. Then idle workers die. */
const TASKS_PER_REST = 400;

const ENDLESS: readonly string[] = ['hang', 'spin'];
const DEEDS = ['exit', 'throw', 'fail', 'exitAfter'] as const;

interface Tally {
  done: number;
  died: number;
  threw: number;
  aborted: number;
}

class Storm {
  readonly #session: Session;
  readonly #pool: WorkerPool<StormTask, string>;
  readonly #runs: Region;
  readonly #retry: number;
  readonly #deeds: readonly StormTask['deed'][];
  /** Workers that have started. A pool rejects all tasks if several workers in a row end before that. */
  readonly #workers = new Set<Worker>();
  readonly tally: Tally = { done: 0, died: 0, threw: 0, aborted: 0 };

  constructor(session: Session, options: Partial<WorkerPoolOptions>) {
    this.#session = session;
    this.#runs = Region.create(4 * TASKS);
    this.#retry = options.retry ?? 0;
    const { handle: workerData } = this.#runs;
    this.#pool = new WorkerPool({ filename, workerData, bufferBytes: 4096, maxQueue: 20, abortGrace: 5, ...options });
    this.#deeds = [...DEEDS, 'hang'];
    this.#pool.on('workerStart', (worker) => this.#workers.add(worker));
    this.#pool.on('workerExit', (worker) => this.#workers.delete(worker));
  }

  async run(): Promise<void> {
    const { random } = this.#session;
    let under: Promise<void>[] = [];
    for (let id = 0; id < TASKS; id++) {
      const one = this.#one(id);
      // The code that awaits the task gets the error.
      one.catch(() => undefined);
      under.push(one);
      if (random.below(TASKS_PER_KILL) === 0) void random.pick([...this.#workers, undefined])?.terminate();
      if (under.length >= 40) await under.shift();
      if (random.below(TASKS_PER_REST) > 0) continue;
      await Promise.all(under);
      under = [];
    }
    await Promise.all(under);
    this.#check();
    await this.#pool.close();
    this.#runs.free();
  }

  async #one(id: number): Promise<void> {
    const { random } = this.#session;
    const deed = random.chance(4) ? random.pick(this.#deeds) : random.pick(['compute', 'sleep'] as const);
    const task = { id, deed, padding: 'x'.repeat(random.chance(10) ? random.below(6000) : random.below(50)) };
    const timeout = ENDLESS.includes(deed) || random.chance(3) ? random.between(1, 20) : Infinity;
    try {
      const result = await this.#pool.run(task, { timeout });
      expect(result).toBe(`${id} ${deed} ${task.padding}`);
      expect(['compute', 'sleep', 'exitAfter']).toContain(deed);
      this.tally.done += 1;
    } catch (failure) {
      this.#note(failure, task, timeout);
    }
  }

  #note(failure: unknown, { id, deed }: StormTask, timeout: number): void {
    const { code, message } = failure as { code?: string; message: string };
    if (code === 'SLUICE_WORKER_DIED') this.tally.died += 1;
    else if (code === 'SLUICE_TIMEOUT' && timeout < Infinity) this.tally.aborted += 1;
    else if (deed === 'fail' && message === `task ${id} fails`) this.tally.threw += 1;
    else throw failure;
  }

  #check(): void {
    const { done, died, threw, aborted } = this.tally;
    expect(done + died + threw + aborted).toBe(TASKS);
    expect(this.#pool.stats()).toMatchObject({
      completed: done,
      failed: died + threw + aborted,
      waiting: 0,
      queued: 0,
    });
    const { int32 } = this.#runs;
    for (let id = 0; id < TASKS; id++) {
      const runs = Atomics.load(int32, id);
      if (runs > 1 + this.#retry) throw new Error(`Task ${id} ran ${runs} times.`);
    }
  }
}

const STORMS: readonly (readonly [what: string, options: Partial<WorkerPoolOptions>])[] = [
  ...atFullDepth(['four workers', { size: 4 }]),
  ['workers with three tasks at a time', { size: 2, concurrentTasksPerWorker: 3 }],
  ['workers that wait blocked', { size: 3, atomics: 'sync' }],
  ...atFullDepth(['no queue at all', { size: 3, maxQueue: 0 }]),
  [
    'workers that start and end with the load',
    { size: undefined, minThreads: 0, maxThreads: 4, idleTimeout: 1, maxTasksPerWorker: 30 },
  ],
  ['tasks that run again', { size: 3, retry: 2, bufferBytes: 2 ** 18 }],
];

test.each(STORMS)(
  'every task settles, and runs at most once, while workers die at random: %s',
  async (what, options) => {
    const session = new Session(`pool, ${what}`);
    const storm = new Storm(session, options);
    try {
      await storm.run();
    } finally {
      session.done(TASKS, JSON.stringify(storm.tally));
    }
  },
);

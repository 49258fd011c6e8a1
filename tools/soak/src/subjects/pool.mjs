// @ts-check
// A pool, which the main thread feeds: its workers are threads of its own, in an arena of its own, and are killed, too.
import { Arena, hasCode } from '@sluice/core';
import { WorkerPool } from '@sluice/worker-pool';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Random } from '../../../harness/src/random.mjs';
import { unless } from './subject.mjs';

/** @import { Subject } from './subject.mjs' */

const NAME = 'WorkerPool';
const SIZE = 2;
/** Tasks of one batch, and one batch in how many during which a worker is killed. */
const BATCH = 20;
const KILLS_ONE_IN = 20;
/** Tasks in progress have different numbers below this. */
export const NUMBERS = 1024;

/** @typedef {{ id: number, deed: 'compute' | 'sleep' | 'fail' | 'hang', padding: string }} Task */

class Feeder {
  arena = Arena.create({ maxPages: 64 });
  #pool;
  #runs = new Int32Array(new SharedArrayBuffer(4 * NUMBERS));
  #random = new Random(7);
  #next = 0;
  #settled = 0;
  kills = 0;
  /** @type {Promise<void> | undefined} */
  #batch;
  /** @type {string[]} */
  #problems = [];
  #count;

  /** @param {(what: import('../words.mjs').Count) => void} count */
  constructor(count) {
    this.#count = count;
    const filename = fileURLToPath(new URL('./pool-tasks.mjs', import.meta.url));
    this.#pool = new WorkerPool({
      filename,
      name: 'work',
      size: SIZE,
      maxQueue: 8,
      abortGrace: 20,
      bufferBytes: 4096,
      arena: this.arena,
      workerData: this.#runs,
    });
  }

  /** Keeps a batch in progress. */
  feed() {
    this.#batch ??= this.#run().finally(() => (this.#batch = undefined));
  }

  async #run() {
    const tasks = Array.from({ length: BATCH }, () => this.#one());
    const victim = this.#pool.threads[this.#random.below(SIZE)];
    if (this.#random.below(KILLS_ONE_IN) === 0 && victim !== undefined) {
      this.kills += 1;
      await victim.terminate();
    }
    await Promise.all(tasks);
  }

  async #one() {
    const random = this.#random;
    const id = this.#next++ % NUMBERS;
    const deed = random.chance(3)
      ? 'hang'
      : random.chance(5)
        ? 'fail'
        : random.pick(/** @type {const} */ (['compute', 'sleep']));
    const task = { id, deed, padding: 'x'.repeat(random.chance(10) ? random.below(3000) : random.below(50)) };
    const timeout = deed === 'hang' || random.chance(5) ? random.between(1, 10) : Infinity;
    // Not when it settles: a task that timed out may still begin.
    Atomics.store(this.#runs, id, 0);
    this.#count('operations');
    try {
      const result = await this.#pool.run(task, { timeout });
      if (result !== `${id} ${deed} ${task.padding}`)
        this.#problems.push(`task ${id} returned ${String(result).slice(0, 40)}`);
    } catch (failure) {
      if (hasCode(failure, 'SLUICE_TIMEOUT') && timeout < Infinity) this.#count('timeouts');
      else if (
        !hasCode(failure, /** @type {never} */ ('SLUICE_WORKER_DIED')) &&
        !(deed === 'fail' && failure instanceof Error && failure.message === `task ${id} fails`)
      ) {
        this.#problems.push(`task ${id} (${deed}) ended with ${String(failure)}`);
      }
    }
    this.#settled += 1;
    const runs = Atomics.load(this.#runs, id);
    if (runs > 1) this.#problems.push(`task ${id} ran ${runs} times`);
  }

  /** At rest no task is in progress. One that timed out may run on for as long as its grace. */
  async problems() {
    await this.#batch;
    let stats = this.#pool.stats();
    for (; stats.running + stats.queued + stats.waiting > 0; stats = this.#pool.stats()) await sleep(1);
    return [...this.#problems, ...unless(NAME, { settled: this.#settled }, { settled: this.#next })];
  }

  async close() {
    await this.#batch;
    await this.#pool.close();
  }
}

/** @type {Subject} */
export const POOL = {
  name: NAME,
  group: 'worker-pool',
  covers: ['WorkerPool'],
  blocks: 0,
  create: (_arena, _own, count) => {
    const feeder = new Feeder(count);
    return {
      handles: undefined,
      tick: (isHalting) => {
        if (!isHalting) feeder.feed();
      },
      kills: () => feeder.kills,
      problems: () => feeder.problems(),
      free: () => undefined,
      end: () => feeder.close(),
    };
  },
};

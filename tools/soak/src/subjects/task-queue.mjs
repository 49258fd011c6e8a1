// @ts-check
// The queue of tasks: bodies that run, over all threads, while threads pause and start it.
import { hasCode } from '@sluice/core';
import { TaskQueue } from '@sluice/limit';
import { setImmediate as turn } from 'node:timers/promises';
import { Census } from '../census.mjs';
import { unless } from './subject.mjs';

/** @import { Place, Subject } from './subject.mjs' */

const NAME = 'TaskQueue';
const MOST = 3;
/** The name of the semaphore at which threads wait for a change of the queue. */
const BELL = 'bell';
const ABORT = new Error('aborted by the soak');
const THROWN = new Error('thrown by a body');

class QueueVisitor {
  #queue;
  #place;
  #census;

  /** @param {TaskQueue} queue @param {Place} place */
  constructor(queue, place) {
    this.#queue = queue;
    this.#place = place;
    this.#census = new Census(place.words, place);
  }

  async visit() {
    const { random } = this.#place;
    const controller = new AbortController();
    const { signal } = controller;
    // If this thread dies now, the main thread starts the queue.
    const pauses = random.chance(20);
    if (pauses) this.#queue.pause();
    const tasks = Array.from({ length: random.chance(5) ? 500 : random.between(1, 40) }, () => this.#add(signal));
    const all = Promise.all(tasks);
    all.catch(() => undefined);
    if (random.chance(50)) await turn();
    if (pauses) this.#queue.start();
    controller.abort(ABORT);
    await all;
    // A permit of the bell may still be on the way to the wait with which this thread looked at the queue.
    while (this.#isWoken()) await turn();
  }

  #isWoken() {
    const { agentId } = this.#queue.arena;
    return this.#queue.arena
      .inspect()
      .agents.some(({ agent, holds }) => agent === agentId && holds.some(({ name }) => name === BELL));
  }

  /** @param {AbortSignal} signal */
  async #add(signal) {
    const { random, count } = this.#place;
    count('operations');
    const priority = random.below(3);
    try {
      // A task that is aborted while it runs frees its slot before it ends. So those that can be aborted do not wait.
      if (random.chance(30)) await this.#queue.add(() => this.#body(), { priority });
      else await this.#queue.add(() => this.#bodyAtOnce(), { priority, signal });
    } catch (failure) {
      if (failure === ABORT) count('aborts');
      else if (hasCode(failure, 'SLUICE_CLOSED')) count('closed');
      else if (failure !== THROWN) throw failure;
    }
  }

  async #body() {
    this.#enter();
    if (this.#place.random.chance(30)) await turn();
    this.#leave();
  }

  #bodyAtOnce() {
    this.#enter();
    this.#leave();
  }

  #enter() {
    this.#census.add(1);
    this.#census.expect(this.#census.total, MOST);
  }

  #leave() {
    this.#census.remove(1);
    if (this.#place.random.chance(5)) throw THROWN;
  }
}

/** @type {Subject} */
export const TASK_QUEUE = {
  name: NAME,
  group: 'limit',
  covers: [NAME],
  blocks: 1,
  create: (arena) => {
    const made = TaskQueue.create({ concurrency: MOST, arena, name: NAME });
    return {
      handles: made.handle,
      problems: () => {
        const { activeCount, pendingCount, holders, waiters, concurrency } = made.inspect();
        return unless(
          NAME,
          { activeCount, pendingCount, holders, waiters, concurrency },
          { activeCount: 0, pendingCount: 0, holders: [], waiters: [], concurrency: MOST },
        );
      },
      tick: () => made.start(),
      close: () => made.close(),
      free: () => made.free(),
    };
  },
  open: (handles, place) => new QueueVisitor(TaskQueue.from(/** @type {never} */ (handles)), place),
};

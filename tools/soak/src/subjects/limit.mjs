// @ts-check
// The limit: bodies that run, over all threads. The main thread changes the concurrency at rest.
import { hasCode } from '@sluice/core';
import { createLimit } from '@sluice/limit';
import { Census } from '../census.mjs';
import { ownWords, unless } from './subject.mjs';

/** @import { Limit } from '@sluice/limit' */
/** @import { Place, Subject } from './subject.mjs' */

const NAME = 'createLimit';
/** Of its own words: the concurrency. */
const MOST = 0;
const ABORT = new Error('aborted by the soak');
const THROWN = new Error('thrown by a body');

class LimitVisitor {
  #limit;
  #place;
  #census;
  #own;

  /** @param {Limit} limit @param {Place} place */
  constructor(limit, place) {
    this.#limit = limit;
    this.#place = place;
    this.#census = new Census(place.words, place);
    this.#own = ownWords(place.words, place.subject);
  }

  async visit() {
    const { random } = this.#place;
    const controller = new AbortController();
    const { signal } = controller;
    const calls = Array.from({ length: random.chance(5) ? 500 : random.between(1, 40) }, () => this.#call(signal));
    const all = Promise.all(calls);
    all.catch(() => undefined);
    if (random.chance(50)) await new Promise((resolve) => setImmediate(resolve));
    controller.abort(ABORT);
    await all;
  }

  /** @param {AbortSignal} signal */
  async #call(signal) {
    const { random, count } = this.#place;
    count('operations');
    try {
      if (random.chance(20)) await this.#limit(() => this.#body());
      else if (random.chance(30)) await this.#limit.run(() => this.#body(), { timeout: random.below(4) });
      else await this.#limit.run(() => this.#body(), { signal });
    } catch (failure) {
      if (failure === ABORT) count('aborts');
      else if (hasCode(failure, 'SLUICE_TIMEOUT')) count('timeouts');
      else if (hasCode(failure, 'SLUICE_CLOSED')) count('closed');
      else if (failure !== THROWN) throw failure;
    }
  }

  async #body() {
    const { random } = this.#place;
    this.#census.add(1);
    this.#census.expect(this.#census.total, Atomics.load(this.#own, MOST));
    if (random.chance(30)) await new Promise((resolve) => setImmediate(resolve));
    this.#census.remove(1);
    if (random.chance(5)) throw THROWN;
  }
}

/** @type {Subject} */
export const LIMIT = {
  name: NAME,
  group: 'limit',
  covers: ['createLimit'],
  blocks: 1,
  create: (arena, own) => {
    Atomics.store(own, MOST, 3);
    const made = createLimit({ concurrency: 3, arena, name: NAME });
    return {
      handles: made.handle,
      problems: () => {
        const { activeCount, pendingCount, holders, waiters, concurrency } = made.inspect();
        const problems = unless(
          NAME,
          { activeCount, pendingCount, holders, waiters, concurrency },
          { activeCount: 0, pendingCount: 0, holders: [], waiters: [], concurrency: Atomics.load(own, MOST) },
        );
        const most = 1 + (Atomics.load(own, MOST) % 4);
        Atomics.store(own, MOST, most);
        made.concurrency = most;
        return problems;
      },
      close: () => made.close(),
      free: () => made.free(),
    };
  },
  open: (handles, place) => new LimitVisitor(createLimit.from(/** @type {never} */ (handles)), place),
};

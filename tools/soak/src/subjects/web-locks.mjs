// @ts-check
// The lock manager: a lock whose holders are counted, and one that is stolen.
import { LockManager } from '@sluice/named';
import { setImmediate as turn } from 'node:timers/promises';
import { Census } from '../census.mjs';
import { unless } from './subject.mjs';

/** @import { LockMode } from '@sluice/named' */
/** @import { Place, Subject } from './subject.mjs' */

const NAME = 'LockManager';
/**
 * The names of its locks. A lock that was stolen is held until its holder learns of it, so only the other one is
 * counted.
 */
const COUNTED = 'counted';
const STOLEN = 'stolen';
const ABORT = new Error('aborted by the soak');

class WebLocksVisitor {
  #locks;
  #place;
  #census;

  /** @param {LockManager} locks @param {Place} place */
  constructor(locks, place) {
    this.#locks = locks;
    this.#place = place;
    this.#census = {
      exclusive: new Census(place.words, { ...place, side: 0 }),
      shared: new Census(place.words, { ...place, side: 1 }),
    };
  }

  async visit() {
    const { random } = this.#place;
    const controller = new AbortController();
    const { signal } = controller;
    const all = Promise.all(
      Array.from({ length: random.chance(5) ? 200 : random.between(1, 20) }, () => this.#call(signal)),
    );
    all.catch(() => undefined);
    if (random.chance(50)) await turn();
    controller.abort(ABORT);
    await all;
  }

  /** @param {AbortSignal} signal */
  async #call(signal) {
    const { count } = this.#place;
    count('operations');
    try {
      await this.#request(signal);
    } catch (failure) {
      if (failure === ABORT) count('aborts');
      else if (!(failure instanceof DOMException && failure.name === 'AbortError')) throw failure;
    }
  }

  /** @param {AbortSignal} signal @returns {Promise<void>} */
  #request(signal) {
    const { random } = this.#place;
    const dice = random.below(10);
    /** @type {LockMode} */
    const mode = random.chance(60) ? 'shared' : 'exclusive';
    if (dice === 0) return this.#locks.request(STOLEN, { steal: true }, () => this.#stay());
    if (dice < 3) return this.#locks.request(STOLEN, { mode }, () => this.#stay());
    if (dice < 5)
      return this.#locks.request(COUNTED, { mode, ifAvailable: true }, (lock) =>
        lock === null ? undefined : this.#hold(lock.mode),
      );
    if (dice < 8) return this.#locks.request(COUNTED, { mode, signal }, () => this.#hold(mode));
    return this.#locks.request(COUNTED, { mode }, () => this.#hold(mode));
  }

  /** @param {LockMode} mode */
  async #hold(mode) {
    this.#census[mode].add(1);
    this.#check(mode);
    await this.#stay();
    this.#check(mode);
    this.#census[mode].remove(1);
  }

  async #stay() {
    if (this.#place.random.chance(30)) await turn();
  }

  /** @param {LockMode} mode */
  #check(mode) {
    const { exclusive, shared } = this.#census;
    exclusive.expect(exclusive.total, mode === 'exclusive' ? 1 : 0);
    if (mode === 'exclusive') shared.expect(shared.total, 0);
  }
}

/** @type {Subject} */
export const WEB_LOCKS = {
  name: NAME,
  group: 'named',
  covers: [NAME],
  blocks: 1,
  create: (arena) => {
    const made = LockManager.create({ arena, name: NAME });
    return {
      handles: made.handle,
      problems: async () => {
        // A line that was stolen from a holder that died goes with the next steal.
        await made.request(STOLEN, { steal: true }, () => undefined);
        return unless(NAME, await made.query(), { held: [], pending: [] });
      },
      free: () => made.free(),
    };
  },
  open: (handles, place) => new WebLocksVisitor(LockManager.from(/** @type {never} */ (handles)), place),
};

// @ts-check
// The condition: threads put things on a heap and notify; others wait under the lock until there is one to take.
import { Condition, Mutex } from '@sluice/mutex';
import { hasCode } from '@sluice/core';
import { repair } from './locks.mjs';
import { checksOf, ownWords, unless } from './subject.mjs';

/** @import { Place, Subject } from './subject.mjs' */

/** The thread that would notify may be killed: no wait is longer. */
const LONGEST_MS = 250;
const MAX_THINGS = 16;
/**
 * Of its own words: the things on the heap, under the lock; since the last rest how many waits were notified, by the
 * notifiers' account and by the waiters'; killed workers.
 */
const THINGS = 0;
const NOTIFIED = 1;
const WOKEN = 2;
const DEATHS = 3;

/** @typedef {{ lock: unknown, condition: unknown }} Handles */

class ConditionVisitor {
  #lock;
  #condition;
  #place;
  #own;
  #checks;
  /** Whether the last wait timed out. */
  #isOver = false;

  /** @param {Mutex} lock @param {Condition} condition @param {Place} place */
  constructor(lock, condition, place) {
    this.#lock = lock;
    this.#condition = condition;
    this.#place = place;
    this.#own = ownWords(place.words, place.subject);
    this.#checks = checksOf(place, 1);
  }

  async visit() {
    const { random, mayBlock } = this.#place;
    for (let left = random.between(1, 10); left > 0; left--) {
      const puts = random.chance(50);
      if (!mayBlock || random.chance(20)) await (puts ? this.#putAsync() : this.#takeAsync());
      else if (puts) this.#put();
      else this.#take(random.chance(20) ? LONGEST_MS : random.between(1, 20) / 10);
    }
  }

  #put() {
    if (!this.#owns(() => this.#lock.lock())) return;
    this.#putOne();
  }

  async #putAsync() {
    if (await this.#ownsAsync(() => this.#lock.lockAsync())) this.#putOne();
  }

  #putOne() {
    const { random } = this.#place;
    this.#begin();
    if (Atomics.load(this.#own, THINGS) < MAX_THINGS) Atomics.add(this.#own, THINGS, 1);
    const notifiesInside = random.chance(70);
    if (notifiesInside) this.#notify();
    this.#end();
    this.#lock.unlock();
    if (!notifiesInside) this.#notify();
  }

  #notify() {
    const notified = this.#place.random.chance(20) ? this.#condition.notifyAll() : this.#condition.notify();
    Atomics.add(this.#own, NOTIFIED, notified);
  }

  /** @param {number} timeoutMs */
  #take(timeoutMs) {
    if (!this.#owns(() => this.#lock.lock())) return;
    this.#begin();
    while (Atomics.load(this.#own, THINGS) === 0) {
      this.#end();
      this.#start();
      if (!this.#owns(() => this.#isInTime(this.#condition.tryWait(timeoutMs)), WOKEN)) return;
      this.#begin();
      if (this.#isOver) break;
    }
    this.#takeOne();
  }

  async #takeAsync() {
    const { random } = this.#place;
    if (!(await this.#ownsAsync(() => this.#lock.lockAsync()))) return;
    this.#begin();
    this.#start();
    while (Atomics.load(this.#own, THINGS) === 0 && !this.#isOver) {
      this.#end();
      const wait = async () => {
        try {
          await this.#condition.waitAsync({ timeout: random.chance(10) ? LONGEST_MS : random.below(3) });
        } catch (failure) {
          if (!hasCode(failure, 'SLUICE_TIMEOUT')) throw failure;
          this.#isInTime(false);
        }
      };
      if (!(await this.#ownsAsync(wait, WOKEN))) return;
      this.#begin();
    }
    this.#takeOne();
  }

  #start() {
    this.#isOver = false;
  }

  /** A wait that was over before a notification does not count as woken. @param {boolean} woken */
  #isInTime(woken) {
    if (woken) return;
    this.#place.count('timeouts');
    Atomics.sub(this.#own, WOKEN, 1);
    this.#isOver = true;
  }

  #takeOne() {
    if (Atomics.load(this.#own, THINGS) > 0) Atomics.sub(this.#own, THINGS, 1);
    this.#end();
    this.#lock.unlock();
  }

  #begin() {
    this.#checks.begin(1);
  }

  #end() {
    this.#checks.end(1);
  }

  /**
   * Whether this thread owns the lock after the call; repairs it after a dead owner.
   * @param {() => void} call
   * @param {number} [counted] the own word that counts its end
   */
  #owns(call, counted) {
    this.#place.count('operations');
    try {
      call();
    } catch (failure) {
      if (!hasCode(failure, 'SLUICE_OWNER_DIED')) throw failure;
      if (counted !== undefined) Atomics.add(this.#own, counted, 1);
      return this.#inherits(failure.guard ?? this.#lock.takeOver());
    }
    if (counted !== undefined) Atomics.add(this.#own, counted, 1);
    return true;
  }

  /** @param {() => Promise<unknown>} call @param {number} [counted] */
  async #ownsAsync(call, counted) {
    this.#place.count('operations');
    try {
      await call();
    } catch (failure) {
      if (!hasCode(failure, 'SLUICE_OWNER_DIED')) throw failure;
      if (counted !== undefined) Atomics.add(this.#own, counted, 1);
      return this.#inherits(failure.guard ?? (await this.#lock.takeOverAsync()));
    }
    if (counted !== undefined) Atomics.add(this.#own, counted, 1);
    return true;
  }

  /** @param {import('@sluice/core').RecoveryGuard | null} guard */
  #inherits(guard) {
    if (guard === null) return false;
    this.#place.count('inherited');
    guard.markConsistent();
    return true;
  }
}

/** @param {'turns' | 'fifo'} order @returns {Subject} */
function conditionOf(order) {
  const name = `Condition(${order})`;
  return {
    name,
    group: 'condition',
    covers: ['Condition'],
    blocks: 2,
    create: (arena, own) => {
      const lock = Mutex.create({ arena, name, order });
      const condition = Condition.create(lock, { name });
      /** @type {Handles} */
      const handles = { lock: lock.handle, condition: condition.handle };
      return {
        handles,
        onDeath: () => void Atomics.add(own, DEATHS, 1),
        problems: async () => {
          await repair(lock);
          const notified = Atomics.exchange(own, NOTIFIED, 0);
          const woken = Atomics.exchange(own, WOKEN, 0);
          // A killed worker may have notified, or woken, without saying so; and its notification goes on to the next
          // waiter.
          const isExact = Atomics.exchange(own, DEATHS, 0) === 0;
          const { owner, consistency, waiters } = lock.inspect();
          const state = {
            owner,
            consistency,
            waiters,
            waitersOfCondition: condition.inspect().waiters,
            woken: isExact ? woken : 0,
          };
          return unless(name, state, {
            owner: 0,
            consistency: 'consistent',
            waiters: [],
            waitersOfCondition: [],
            woken: isExact ? notified : 0,
          });
        },
        free: () => {
          condition.free();
          lock.free();
        },
      };
    },
    open: (handles, place) => {
      const { lock, condition } = /** @type {Handles} */ (handles);
      const mutex = Mutex.from(/** @type {never} */ (lock));
      return new ConditionVisitor(mutex, Condition.from(/** @type {never} */ (condition), mutex), place);
    },
  };
}

/** @type {readonly Subject[]} */
export const CONDITIONS = [conditionOf('turns'), conditionOf('fifo')];

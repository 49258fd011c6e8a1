// @ts-check

/** @typedef {import('../subjects/subject.mjs').Lock & import('@sluice/core').Semaphore} Semaphore */
/** @typedef {import('../subjects/subject.mjs').FamilyLock} FamilyLock */
/** @typedef {import('../subjects/subject.mjs').Floor} Floor */

// One plain loop for each operation. A process runs one of them only, so the compiler sees one kind of lock in it.
export const pairLoops = {
  /** @param {import('../subjects/subject.mjs').Lock} lock @param {number} count */
  acquire(lock, count) {
    for (let i = 0; i < count; i++) {
      lock.acquire();
      lock.release();
    }
  },
  /** @param {Semaphore} lock @param {number} count */
  tryAcquire(lock, count) {
    for (let i = 0; i < count; i++) {
      if (!lock.tryAcquire()) throw new Error('a free permit was refused');
      lock.release();
    }
  },
  /** @param {Semaphore} lock @param {number} count */
  hold(lock, count) {
    for (let i = 0; i < count; i++) lock.hold().release();
  },
  /** @param {Semaphore} lock @param {number} count */
  async acquireAsync(lock, count) {
    for (let i = 0; i < count; i++) {
      await lock.acquireAsync();
      lock.release();
    }
  },
  /** @param {import('../subjects/subject.mjs').ScopedLock} lock @param {number} count */
  locked(lock, count) {
    const nothing = () => {};
    for (let i = 0; i < count; i++) lock.locked(nothing);
  },
  /** @param {FamilyLock} lock @param {number} count */
  lock(lock, count) {
    for (let i = 0; i < count; i++) {
      lock.lock();
      lock.unlock();
    }
  },
  /** One lock deeper in a recursive mutex that is held. @param {FamilyLock} lock @param {number} count */
  nested(lock, count) {
    lock.lock();
    for (let i = 0; i < count; i++) {
      lock.lock();
      lock.unlock();
    }
    lock.unlock();
  },
  /**
   * Two parts are added and counted down, and a wait finds the count at 0.
   * @param {import('../subjects/subject.mjs').Latch} latch
   * @param {number} count
   */
  countDown(latch, count) {
    for (let i = 0; i < count; i++) {
      latch.add(2);
      latch.done();
      latch.done();
      latch.wait();
    }
  },
  /** @param {import('../subjects/subject.mjs').FamilyEvent} event @param {number} count */
  signal(event, count) {
    for (let i = 0; i < count; i++) {
      event.signal();
      if (!event.tryWait()) throw new Error('a signal was refused');
    }
  },
  /** @param {Floor} floor @param {number} count */
  bareCalls(floor, count) {
    for (let i = 0; i < count; i++) {
      if (floor.lock() !== 1 || floor.unlock() !== 1) throw new Error('a free word was refused');
    }
  },
  /** @param {Floor} floor @param {number} count */
  bareLoop(floor, count) {
    floor.pairs(count);
  },
};

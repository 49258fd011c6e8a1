// @ts-check
// The life of a worker that locks and unlocks owned locks until it dies.
import { hasCode, Region } from '@sluice/core';
import { tally } from './death-words.mjs';
import { Guarded } from './guarded.mjs';
import { enterLock, localStateAfter, localStateNow } from './lock-ways.mjs';
import { CrashLife } from './crash-life.mjs';

/** @import { OwnedLock, RegionHandle } from '@sluice/core' */
/** @import { JobContext } from '@sluice/harness' */
/** @import { LockWay, LineState } from './lock-ways.mjs' */
/** @import { LifeData } from './crash-life.mjs' */

/** @typedef {LockWay | 'run' | 'run async' | 'burst' | 'nested' | 'churn' | 'crowd' | 'recover'} LockDeed */
/** An owned lock, or an object that wraps one. */
/**
 * @typedef {Pick<OwnedLock, 'lock' | 'tryLock' | 'lockAsync' | 'unlock' | 'run' | 'runAsync' | 'markConsistent'>}
 *   HeritableLock
 */
/** @typedef {{ lock: HeritableLock, guarded: Guarded }} Side */

/** @type {readonly LockWay[]} */
const ENDING_WAYS = ['async for', 'async, aborted'];
/** @type {readonly LockWay[]} */
const NESTED_WAYS = ['lock', 'try for', 'async'];
/** The number of simultaneous async waits. With many, a death is likely during the walk of a long chain. */
const CROWD = 24;

export class LockLife extends CrashLife {
  /**
   * @param {LifeData} life @param {JobContext} context
   * @param {HeritableLock[]} locks in the order in which they are nested
   * @param {RegionHandle} words that they protect
   */
  constructor(life, context, locks, words) {
    super(life, context);
    const { int32 } = Region.from(words);
    this.sides = locks.map((lock, which) => ({ lock, guarded: new Guarded(int32, which, this.stamp) }));
  }

  get side() {
    return this.random.pick(this.sides);
  }

  /** A lock with tasks of the same agent in line. */
  get line() {
    return this.side;
  }

  /** @override */
  standInLine() {
    if (this.random.chance(50)) this.side.lock.lockAsync({ ref: false }).catch(() => undefined);
  }

  /** @param {LockDeed} deed */
  async doWith(deed) {
    if (deed === 'run') this.run(this.side);
    else if (deed === 'run async') await this.runAsync(this.side);
    else if (deed === 'burst') await this.burst();
    else if (deed === 'nested') await this.nest();
    else if (deed === 'churn') this.churn(this.side);
    else if (deed === 'crowd') await this.crowd(this.line);
    else if (deed === 'recover') await this.waitForTheDead();
    else await this.visit(this.side, deed);
  }

  /** @param {Side} side @param {LockWay} way */
  async visit(side, way) {
    const lineState = await localStateAfter(() => enterLock(side.lock, way, this.random));
    if (lineState === 'none') return;
    await this.own(side, lineState);
    this.leave(side);
  }

  /** Holds the lock for a while, perhaps until it dies. @param {Side} side @param {LineState} lineState */
  async own({ lock, guarded }, lineState) {
    guarded.enter(lineState === 'heir');
    if (lineState === 'heir') await this.repair(lock);
    guarded.beginChange();
    await this.linger();
    await this.dieIfDue();
    guarded.endChange();
    await this.dieIfDue();
  }

  /** Marks the lock consistent. If the heir dies before that, the next owner is told. @param {HeritableLock} lock */
  async repair(lock) {
    await this.linger();
    await this.dieIfDue();
    lock.markConsistent();
    tally(this.words, 'locks inherited', 1);
  }

  /** @param {Side} side */
  leave({ lock, guarded }) {
    guarded.leave();
    lock.unlock();
  }

  /** After an owner's death `run` does not call its body, and the next owner gets the notice. @param {Side} side */
  run({ lock, guarded }) {
    try {
      lock.run(() => change(guarded));
    } catch (failure) {
      if (!hasCode(failure, 'SLUICE_OWNER_DIED')) throw failure;
    }
  }

  /** @param {Side} side */
  async runAsync({ lock, guarded }) {
    const run = lock.runAsync(async () => {
      guarded.enter(false);
      guarded.beginChange();
      await this.linger();
      // This worker ends by a throw, upon which `run` unlocks. The data must not be half changed then.
      if (this.life.fate !== 'end') await this.dieIfDue();
      guarded.endChange();
      guarded.leave();
    });
    await run.catch((/** @type {unknown} */ failure) => {
      if (!hasCode(failure, 'SLUICE_OWNER_DIED')) throw failure;
    });
  }

  /** Begins several async waits at the same time, each with a timeout or an abort. */
  async burst() {
    const ways = Array.from({ length: 3 }, () => this.random.pick(ENDING_WAYS));
    await Promise.all(ways.map((way) => this.visit(this.line, way)));
  }

  /** Acquires all locks at once, always in the same order. */
  async nest() {
    const had = [];
    for (const side of this.sides) {
      const way = this.random.pick(NESTED_WAYS);
      const lineState = await localStateAfter(() => enterLock(side.lock, way, this.random));
      if (lineState === 'none') continue;
      await this.own(side, lineState);
      had.push(side);
    }
    for (const side of had) this.leave(side);
  }

  /** Locks and unlocks without a pause, so that a death is likely within the package. @param {Side} side */
  churn({ lock, guarded }) {
    for (let times = this.random.below(200); times > 0; times--) {
      const lineState = localStateNow(() => lock.tryLock(0.05));
      if (lineState === 'none') continue;
      if (lineState === 'heir') {
        guarded.enter(true);
        guarded.leave();
        lock.markConsistent();
        tally(this.words, 'locks inherited', 1);
      } else {
        change(guarded);
      }
      lock.unlock();
    }
  }

  /** @param {Side} side */
  async crowd({ lock, guarded }) {
    const waits = Array.from({ length: CROWD }, async () => {
      const timeout = this.random.between(1, 4);
      const lineState = await localStateAfter(() => lock.lockAsync({ timeout }).then(() => true));
      guarded.enter(lineState === 'heir');
      if (lineState === 'heir') lock.markConsistent();
      this.leave({ lock, guarded });
    });
    for (const { status, reason } of /** @type {{ status: string, reason?: unknown }[]} */ (
      await Promise.allSettled(waits)
    )) {
      if (status === 'rejected' && !hasCode(reason, 'SLUICE_TIMEOUT')) throw reason;
    }
  }
}

/** @param {Guarded} guarded */
function change(guarded) {
  guarded.enter(false);
  guarded.beginChange();
  guarded.endChange();
  guarded.leave();
}

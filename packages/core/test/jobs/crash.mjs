// @ts-check
// A worker that acquires and releases permits in every way until it dies.
import { Arena, hasCode, Region, Semaphore } from '@sluice/core';
import { jsEngine } from '@sluice/core/js';
import { createRequire } from 'node:module';
import { CALLS, lookAtPair, PAIR, RUNNING, SLOTS, SLOT_WORDS, STAMPS, tally, tallyReports } from './death-words.mjs';
import { liveAndDie, CrashLife } from './crash-life.mjs';
import { churn, crowd, enter, foundMany, useOwn } from './crash-ways.mjs';
import { SemaphoreLock } from './semaphore-lock.mjs';

/** @import { RecoveryGuard, SemaphoreHandle } from '@sluice/core' */
/** @import { JobContext } from '@sluice/harness' */
/** @import { LifeData } from './crash-life.mjs' */
/** @import { Copy, Way } from './crash-ways.mjs' */

/**
 * @typedef {object} PermitData
 * @property {{ handle: SemaphoreHandle, permits: number }[]} semaphores in the order in which they are nested
 * @property {SemaphoreHandle | undefined} lock
 * @property {Way[]} ways
 * @property {number} joins percentage of workers that join the arena a second time, with another copy of the package
 * @property {boolean} exact whether a permit with two holders is a failure
 */
/** @typedef {LifeData & PermitData} CrashData */
/** @typedef {{ which: number, count: number }} Held */

/** The number of its own semaphores that one worker creates. The final size of the arena depends on it. */
const MAX_PRIVATE = 5;

/** @param {CrashData} data @param {JobContext} context */
export function live(data, context) {
  return liveAndDie(new Crashing(data, context));
}

/** Recovers dead agents whenever the main thread asks for it. @param {CrashData} data */
export function recoverAll({ arena, engine, control, slot }) {
  const place = Arena.from(arena, { engine: engine === 'js' ? jsEngine : undefined });
  const words = Region.from(control).int32;
  Atomics.store(words, SLOTS + SLOT_WORDS * slot, RUNNING);
  for (;;) {
    const calls = Atomics.load(words, CALLS);
    tallyReports(words, place.reclaimDead());
    Atomics.wait(words, CALLS, calls);
  }
}

class Crashing extends CrashLife {
  /** @param {CrashData} data @param {JobContext} context */
  constructor(data, context) {
    super(data, context);
    this.data = data;
    this.copies = [{ arena: this.place, Semaphore, sems: data.semaphores.map(({ handle }) => Semaphore.from(handle)) }];
    this.copy = /** @type {Copy} */ (this.copies[0]);
    if (this.random.chance(data.joins)) this.joinAgain();
    this.lock = data.lock === undefined ? undefined : SemaphoreLock.from(data.lock);
    this.privates = 0;
  }

  /** Joins as a second agent, because a copy of the package is a realm of its own. */
  joinAgain() {
    const copy = /** @type {typeof import('@sluice/core')} */ (createRequire(import.meta.url)('../../dist/index.cjs'));
    const arena = copy.Arena.from(this.data.arena, { engine: this.data.engine === 'js' ? jsEngine : undefined });
    const sems = this.data.semaphores.map(({ handle }) => copy.Semaphore.from(handle));
    this.copies.push({ arena, Semaphore: copy.Semaphore, sems });
  }

  /** @override */
  act() {
    this.copy = this.random.pick(this.copies);
    return this.actAs(this.random.pick(this.data.ways));
  }

  /** @override */
  standInLine() {
    if (this.random.chance(50))
      this.sem(0)
        .acquireAsync(this.permits(0), { ref: false })
        .catch(() => undefined);
  }

  /** @param {Way} way */
  async actAs(way) {
    const which = this.random.below(this.data.semaphores.length);
    if (way === 'nested') await this.nest();
    else if (way === 'burst') await this.burst();
    else if (way === 'private') await this.useOwn();
    else if (way === 'recover') await this.waitForTheDead();
    else if (way === 'run locked') await this.runLocked();
    else if (way === 'lock' || way === 'lock for' || way === 'lock async') await this.useLock(way);
    else if (way === 'found') foundMany(this.copy, this.random);
    else if (way === 'churn') churn(this.sem(which), this.permits(which), this.random, () => this.mark(which));
    else if (way === 'crowd') await crowd(this.sem(which), this.random, () => this.mark(which));
    else await this.hold([{ which, count: await this.enter(which, way) }]);
  }

  /** @param {number} which */
  sem(which) {
    return /** @type {Semaphore} */ (this.copy.sems[which]);
  }

  /** @param {number} which */
  permits(which) {
    return this.data.semaphores[which]?.permits ?? 0;
  }

  /** Returns the number of permits acquired. @param {number} which @param {Way} way */
  enter(which, way) {
    return enter(this.sem(which), way, this.random.between(1, this.permits(which)), this.random, this.words);
  }

  /** Acquires several semaphores at once, always in the same order. */
  async nest() {
    /** @type {Held[]} */
    const held = [];
    for (let which = 0; which < this.data.semaphores.length; which++) {
      if (this.random.chance(40)) continue;
      held.push({ which, count: await this.enter(which, this.random.pick(['acquire', 'try for', 'async'])) });
    }
    await this.hold(held);
  }

  /** Begins several async waits at the same time, each with a timeout or an abort. */
  async burst() {
    const waits = Array.from({ length: 3 }, async () => {
      const which = this.random.below(this.data.semaphores.length);
      return { which, count: await this.enter(which, this.random.pick(['async for', 'async, aborted'])) };
    });
    await this.hold(await Promise.all(waits));
  }

  /** Records that this worker has permits of a semaphore. @param {number} which */
  mark(which) {
    Atomics.store(this.words, STAMPS + which, this.stamp);
  }

  /**
   * Holds permits for a while, perhaps until it dies, and releases them. @param {Held[]} entered includes failed
   * acquisitions, with count 0
   */
  async hold(entered) {
    const { words, stamp } = this;
    const held = entered.filter(({ count }) => count > 0);
    if (held.length === 0) return;
    for (const { which } of held) this.mark(which);
    await this.linger();
    await this.dieIfDue();
    // A holder of all permits must be the only holder.
    const alone = held.filter(({ which, count }) => count === this.permits(which));
    const intruded = alone.filter(({ which }) => Atomics.load(words, STAMPS + which) !== stamp);
    if (intruded.length > 0 && this.data.exact)
      throw new Error('another agent acquired permits while this worker held all of them');
    tally(words, 'intrusions', intruded.length);
    for (const { which, count } of held) this.sem(which).release(count);
  }

  async useOwn() {
    if (this.privates++ < MAX_PRIVATE) await useOwn(this.copy, this.random, () => this.dieIfDue());
  }

  /** Acquires the lock, also as the heir of a dead owner. @param {Way} way */
  async useLock(way) {
    const { lock, words, random } = this;
    if (lock === undefined) return;
    try {
      if (way === 'lock') lock.lock();
      else if (way === 'lock async') await lock.lockAsync({ timeout: random.between(1, 50) });
      else if (!lock.tryLock(random.below(3))) return;
      lookAtPair(words, false);
    } catch (failure) {
      if (hasCode(failure, 'SLUICE_TIMEOUT')) return;
      const { guard } = /** @type {{ guard?: RecoveryGuard }} */ (failure);
      if (!hasCode(failure, 'SLUICE_OWNER_DIED') || guard === undefined) throw failure;
      lookAtPair(words, true);
      guard.markConsistent();
      tally(words, 'locks inherited', 1);
    }
    await this.changePair();
    lock.unlock();
  }

  /** After an owner's death `run` does not call its body, and the next owner gets the notice. */
  async runLocked() {
    const run = this.lock?.runAsync(() => {
      lookAtPair(this.words, false);
      return this.changePair();
    });
    await run?.catch((/** @type {unknown} */ failure) => {
      if (!hasCode(failure, 'SLUICE_OWNER_DIED')) throw failure;
    });
  }

  /** The data under the lock is half changed meanwhile. */
  async changePair() {
    const { words } = this;
    words[PAIR] = (words[PAIR] ?? 0) + 1;
    await this.linger();
    // This worker ends by a throw, upon which `run` unlocks. The data must not be half changed then.
    if (this.life.fate !== 'end') await this.dieIfDue();
    words[PAIR + 1] = (words[PAIR + 1] ?? 0) + 1;
    await this.dieIfDue();
  }
}

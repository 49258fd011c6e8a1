// @ts-check
// A worker that lives in order to die: takes and gives back permits in every way until its fate is due, or until the main
// thread ends it.
import { Arena, hasCode, Region, Semaphore } from '@sluice/core';
import { createRequire } from 'node:module';
import process from 'node:process';
import {
  CALLS,
  CHOKING,
  lookAtPair,
  NAP,
  PAIR,
  PAUSE,
  RUNNING,
  SLOTS,
  SLOT_WORDS,
  STAMPS,
  tally,
  tallyReports,
} from './death-words.mjs';
import { churn, crowd, enter, foundMany, useOwn } from './mortal-ways.mjs';
import { SemaphoreLock } from './semaphore-lock.mjs';

/** @import { ArenaHandle, HeirGuard, RegionHandle, SemaphoreHandle } from '@sluice/core' */
/** @import { JobContext } from '@sluice/harness' */
/** @import { Copy, Way } from './mortal-ways.mjs' */

/** How a worker ends by itself; `killed`: it does not. */
/** @typedef {'killed' | 'exit' | 'throw' | 'memory' | 'end'} Fate */
/**
 * @typedef {object} MortalData
 * @property {ArenaHandle} arena
 * @property {'wasm' | 'js'} engine
 * @property {{ handle: SemaphoreHandle, permits: number }[]} semaphores in the order in which they are nested
 * @property {SemaphoreHandle | undefined} lock
 * @property {RegionHandle} control
 * @property {number} slot
 * @property {Fate} fate
 * @property {number} rounds after so many it is due
 * @property {Way[]} ways
 * @property {number} joins percentage of workers that join the arena a second time, with another copy of the package
 * @property {number} reclaims percentage of rounds that end with a look for dead agents
 * @property {boolean} exact whether a permit that is had twice is a failure
 */
/** @typedef {{ which: number, count: number }} Held */

export const EXIT_CODE = 3;
export const LAST_WORDS = 'thrown to die';
const ENDING = new Error('the job ends');
/** Semaphores of its own that one worker makes: the arena's plateau depends on it. */
const MOST_PRIVATE = 5;

/** @param {MortalData} data @param {JobContext} context */
export async function live(data, context) {
  try {
    await new Mortal(data, context).live();
  } catch (reason) {
    if (reason !== ENDING) throw reason;
  }
}

/** Looks for dead agents whenever it is called. @param {MortalData} data */
export function recoverAll({ arena, engine, control, slot }) {
  const place = Arena.from(arena, { engine });
  const words = Region.from(control).int32;
  Atomics.store(words, SLOTS + SLOT_WORDS * slot, RUNNING);
  for (;;) {
    const calls = Atomics.load(words, CALLS);
    tallyReports(words, place.reclaimDead());
    Atomics.wait(words, CALLS, calls);
  }
}

class Mortal {
  /** @param {MortalData} data @param {JobContext} context */
  constructor(data, { random, index }) {
    this.data = data;
    this.random = random;
    this.stamp = index + 1;
    this.place = Arena.from(data.arena, { engine: data.engine });
    this.words = Region.from(data.control).int32;
    this.state = SLOTS + SLOT_WORDS * data.slot;
    this.copies = [{ arena: this.place, Semaphore, sems: data.semaphores.map(({ handle }) => Semaphore.from(handle)) }];
    this.copy = /** @type {Copy} */ (this.copies[0]);
    if (random.chance(data.joins)) this.joinAgain();
    this.lock = data.lock === undefined ? undefined : SemaphoreLock.from(data.lock);
    this.round = 0;
    this.privates = 0;
  }

  /** As a second agent: a copy of the package is a realm of its own. */
  joinAgain() {
    const copy = /** @type {typeof import('@sluice/core')} */ (createRequire(import.meta.url)('@sluice/core'));
    const arena = copy.Arena.from(this.data.arena, { engine: this.data.engine });
    const sems = this.data.semaphores.map(({ handle }) => copy.Semaphore.from(handle));
    this.copies.push({ arena, Semaphore: copy.Semaphore, sems });
  }

  async live() {
    const { words, state, random } = this;
    Atomics.store(words, state + 1, this.place.agentId);
    Atomics.store(words, state, RUNNING);
    for (;;) {
      this.pauseIfTold();
      this.copy = random.pick(this.copies);
      await this.act(random.pick(this.data.ways));
      tally(words, 'operations', 1);
      this.round += 1;
      if (random.chance(this.data.reclaims)) this.recover();
      if (random.chance(10)) await this.turn();
    }
  }

  /** Looks for dead agents. */
  recover() {
    const reports = this.place.reclaimDead();
    tally(this.words, 'by workers', reports.length);
    tallyReports(this.words, reports);
  }

  get isDue() {
    return this.round >= this.data.rounds;
  }

  turn() {
    return new Promise((resolve) => setImmediate(resolve));
  }

  pauseIfTold() {
    const { words, state } = this;
    for (let pause = Atomics.load(words, PAUSE); pause !== 0; pause = Atomics.load(words, PAUSE)) {
      Atomics.store(words, state, pause);
      Atomics.wait(words, PAUSE, pause);
    }
    Atomics.store(words, state, RUNNING);
  }

  /** @param {Way} way */
  async act(way) {
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

  /** How many permits were had. @param {number} which @param {Way} way */
  enter(which, way) {
    return enter(this.sem(which), way, this.random.between(1, this.permits(which)), this.random, this.words);
  }

  /** Several semaphores at once, always in the same order. */
  async nest() {
    /** @type {Held[]} */
    const held = [];
    for (let which = 0; which < this.data.semaphores.length; which++) {
      if (this.random.chance(40)) continue;
      held.push({ which, count: await this.enter(which, this.random.pick(['acquire', 'try for', 'async'])) });
    }
    await this.hold(held);
  }

  /** Several async waits at the same time, each with an end. */
  async burst() {
    const waits = Array.from({ length: 3 }, async () => {
      const which = this.random.below(this.data.semaphores.length);
      return { which, count: await this.enter(which, this.random.pick(['async for', 'async, aborted'])) };
    });
    await this.hold(await Promise.all(waits));
  }

  /** Says that we have permits of a semaphore. @param {number} which */
  mark(which) {
    Atomics.store(this.words, STAMPS + which, this.stamp);
  }

  /** Holds permits for a while, perhaps for good, and gives them back. @param {Held[]} entered with those that were not had */
  async hold(entered) {
    const { words, stamp } = this;
    const held = entered.filter(({ count }) => count > 0);
    if (held.length === 0) return;
    for (const { which } of held) this.mark(which);
    await this.linger();
    await this.dieIfDue();
    // Who has all permits at once is alone.
    const alone = held.filter(({ which, count }) => count === this.permits(which));
    const intruded = alone.filter(({ which }) => Atomics.load(words, STAMPS + which) !== stamp);
    if (intruded.length > 0 && this.data.exact) throw new Error('another agent took permits while we had all of them');
    tally(words, 'intrusions', intruded.length);
    for (const { which, count } of held) this.sem(which).release(count);
  }

  async linger() {
    const { random, words } = this;
    const way = random.below(20);
    if (way < 4) for (let spin = random.below(500); spin > 0; spin--) Atomics.load(words, NAP);
    else if (way < 7) Atomics.wait(words, NAP, 0, random.below(4) / 10);
    else if (way < 8) await this.turn();
  }

  /** Dies with all that it has at the moment. */
  async dieIfDue() {
    const { fate } = this.data;
    if (!this.isDue || fate === 'killed') return;
    if (fate === 'exit') process.exit(EXIT_CODE);
    if (fate === 'memory') Atomics.store(this.words, this.state, CHOKING);
    for (const hoard = []; fate === 'memory'; ) hoard.push(new Array(100_000).fill(0));
    if (fate === 'end') {
      // It also stands in line when the thread ends.
      if (this.random.chance(50)) this.sem(0).acquireAsync(this.permits(0), { ref: false }).catch(() => undefined);
      throw ENDING;
    }
    queueMicrotask(() => {
      throw new Error(LAST_WORDS);
    });
    await new Promise(() => undefined);
  }

  async useOwn() {
    if (this.privates++ < MOST_PRIVATE) await useOwn(this.copy, this.random, () => this.dieIfDue());
  }

  /** Looks again and again: whoever dies now is recovered here. */
  async waitForTheDead() {
    for (let times = 0; times < 20; times++) {
      this.recover();
      Atomics.wait(this.words, NAP, 0, 0.2);
      if (times % 4 === 0) await this.turn();
    }
  }

  /** The lock, also as the heir of a dead owner. @param {Way} way */
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
      const { guard } = /** @type {{ guard?: HeirGuard }} */ (failure);
      if (!hasCode(failure, 'SLUICE_OWNER_DIED') || guard === undefined) throw failure;
      lookAtPair(words, true);
      guard.markConsistent();
      tally(words, 'locks inherited', 1);
    }
    await this.changePair();
    lock.unlock();
  }

  /** After an owner's death nothing is run, and the notice is the next one's. */
  async runLocked() {
    const run = this.lock?.runAsync(() => {
      lookAtPair(this.words, false);
      return this.changePair();
    });
    await run?.catch((/** @type {unknown} */ failure) => {
      if (!hasCode(failure, 'SLUICE_OWNER_DIED')) throw failure;
    });
  }

  /** What the lock protects is half changed meanwhile. */
  async changePair() {
    const { words } = this;
    words[PAIR] = (words[PAIR] ?? 0) + 1;
    await this.linger();
    // An end is a throw, upon which `run` gives the lock back: then nothing may be half changed.
    if (this.data.fate !== 'end') await this.dieIfDue();
    words[PAIR + 1] = (words[PAIR + 1] ?? 0) + 1;
    await this.dieIfDue();
  }
}

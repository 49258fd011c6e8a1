// @ts-check
// A storm: locks and unlocks in every way, with many timeouts. The main thread takes part, too.
import { Arena, Region } from '@sluice/core';
import { jsEngine } from '@sluice/core/js';
import { jsMutex } from '@sluice/mutex/js';
import { Mutex, RecursiveMutex } from '@sluice/mutex';
import { enterLock } from '../../../core/test/jobs/lock-ways.mjs';

/** @import { ArenaHandle, Engine, RegionHandle } from '@sluice/core' */
/** @import { MutexHandle, RecursiveMutexHandle } from '@sluice/mutex' */
/** @import { JobContext } from '@sluice/harness' */
/** @import { LockWay } from '../../../core/test/jobs/lock-ways.mjs' */

/** @typedef {LockWay | 'run' | 'run async'} Way */
/** @typedef {MutexHandle | RecursiveMutexHandle} AnyHandle */

/**
 * Words of each mutex: the number of owners, and the plain counter that the mutex protects. Before them lies the word
 * that is set at the start.
 */
export const START = 0;
export const INSIDE = 1;
export const COUNT = 2;
export const MUTEX_WORDS = 32;
const MAX_DEPTH = 4;

/**
 * @typedef {object} StormData
 * @property {ArenaHandle} arena
 * @property {Engine | undefined} engine
 * @property {AnyHandle[]} mutexes
 * @property {RegionHandle} words
 * @property {number} rounds
 * @property {Way[]} ways
 * @property {number} tasks async tasks at the same time
 * @property {number} lasting percentage of visits that last a while
 */
/** @typedef {{ calls: number, gaveUp: number, entered: number[] }} StormResult entered: by mutex */

/** @param {AnyHandle} handle */
export function openMutex(handle) {
  return handle.kind === 'sluice.mutex' ? Mutex.from(handle) : RecursiveMutex.from(handle);
}

/**
 * Throws if there are two owners.
 * @param {StormData} data
 * @param {JobContext} context
 * @returns {Promise<StormResult>}
 */
export async function storm(data, { random, say }) {
  const place = Arena.from(data.arena, { engine: data.engine === 'js' ? jsEngine.with(jsMutex) : undefined });
  if (place.engine !== (data.engine ?? place.engine))
    throw new Error(`The engine is ${place.engine}, not ${data.engine}.`);
  const words = Region.from(data.words).int32;
  const visitors = data.mutexes.map(
    (handle, which) => new Visitor(openMutex(handle), words, which * MUTEX_WORDS, random, data.lasting),
  );
  let calls = 0;
  const task = async () => {
    const dice = random.fork();
    for (let round = 0; round < data.rounds; round++) {
      calls += 1;
      await dice.pick(visitors).visit(dice.pick(data.ways));
      if (data.tasks > 1 && dice.chance(10)) await new Promise((resolve) => setImmediate(resolve));
    }
  };
  say('ready');
  Atomics.wait(words, START, 0);
  await Promise.all(Array.from({ length: data.tasks }, task));
  return {
    calls,
    gaveUp: visitors.reduce((sum, { gaveUp }) => sum + gaveUp, 0),
    entered: visitors.map(({ entered }) => entered),
  };
}

class Visitor {
  entered = 0;
  gaveUp = 0;

  /**
   * @param {Mutex | RecursiveMutex} mutex @param {Int32Array} words @param {number} at
   * @param {JobContext['random']} random @param {number} lasting
   */
  constructor(mutex, words, at, random, lasting) {
    this.mutex = mutex;
    this.words = words;
    this.inside = at + INSIDE;
    this.count = at + COUNT;
    this.random = random;
    this.lasting = lasting;
  }

  /** @param {Way} way */
  async visit(way) {
    const { mutex, random } = this;
    if (way === 'run') mutex.run(() => this.act());
    else if (way === 'run async') await mutex.runAsync(() => this.actAsync());
    else if (await enterLock(mutex, way, random)) {
      if (way.startsWith('async')) await this.actAsync();
      else this.act();
      mutex.unlock();
    } else {
      this.gaveUp += 1;
    }
  }

  act() {
    const found = this.enter();
    if (this.random.chance(this.lasting))
      for (let spin = this.random.below(300); spin > 0; spin--) Atomics.load(this.words, START);
    // Sleep as the owner, so that the other agents enqueue and park.
    if (this.random.chance(2)) Atomics.wait(this.words, START, 1, 0.1);
    if (this.mutex instanceof RecursiveMutex && this.random.chance(30)) this.goDeeper(this.mutex);
    this.leave(found);
  }

  async actAsync() {
    const found = this.enter();
    if (this.random.chance(this.lasting)) await new Promise((resolve) => setImmediate(resolve));
    if (this.mutex instanceof RecursiveMutex && this.random.chance(30)) this.goDeeper(this.mutex);
    this.leave(found);
  }

  /** Returns the counter. */
  enter() {
    const inside = Atomics.add(this.words, this.inside, 1);
    if (inside !== 0) throw new Error(`${inside} agents own the mutex already`);
    this.entered += 1;
    return this.words[this.count] ?? 0;
  }

  /** @param {number} found */
  leave(found) {
    // A plain write: it would lose the count of a second owner.
    this.words[this.count] = found + 1;
    const inside = Atomics.sub(this.words, this.inside, 1);
    if (inside !== 1) throw new Error(`${inside} agents own the mutex when one of them unlocks`);
  }

  /** @param {RecursiveMutex} mutex */
  goDeeper(mutex) {
    const depth = this.random.between(1, MAX_DEPTH - 1);
    for (let level = 0; level < depth; level++) {
      if (!this.random.pick([() => mutex.tryLock(), () => mutex.tryLock(0.01), () => (mutex.lock(), true)])()) {
        throw new Error('the owner could not lock again');
      }
    }
    for (let level = 0; level < depth; level++) mutex.unlock();
    if (!mutex.owned) throw new Error('the owner lost the mutex while it unlocked an inner level');
  }
}

// @ts-check
// Workers that die while they use mutexes.
import { LockLife } from '../../../core/test/jobs/lock-life.mjs';
import { liveAndDie } from '../../../core/test/jobs/crash-life.mjs';
import { Mutex, RecursiveMutex } from '@sluice/mutex';
import { openMutex } from './storm.mjs';

/** @import { RegionHandle } from '@sluice/core' */
/** @import { JobContext } from '@sluice/harness' */
/** @import { LockDeed, Side } from '../../../core/test/jobs/lock-life.mjs' */
/** @import { LineState } from '../../../core/test/jobs/lock-ways.mjs' */
/** @import { LifeData } from '../../../core/test/jobs/crash-life.mjs' */
/** @import { AnyHandle } from './storm.mjs' */

/** @typedef {LockDeed | 'private' | 'found'} Deed */
/** @typedef {LifeData & { mutexes: AnyHandle[], guarded: RegionHandle, deeds: Deed[] }} MutexLifeData */

/** Mutexes of its own that one worker creates: the memory in use at the end depends on it. */
const MAX_PRIVATE = 5;
const MAX_DEPTH = 4;

/** @param {MutexLifeData} data @param {JobContext} context */
export function live(data, context) {
  return liveAndDie(new MutexLife(data, context));
}

class MutexLife extends LockLife {
  /** @param {MutexLifeData} data @param {JobContext} context */
  constructor(data, context) {
    super(data, context, data.mutexes.map(openMutex), data.guarded);
    this.deeds = data.deeds;
    this.privates = 0;
  }

  /** Every task of the owner can lock the recursive mutex at once. @override */
  get line() {
    return this.sides.find(({ lock }) => lock instanceof Mutex) ?? this.side;
  }

  /** @override */
  async act() {
    const deed = this.random.pick(this.deeds);
    if (deed === 'private') await this.useOwn();
    else if (deed === 'found') this.foundMany();
    else await this.doWith(deed);
  }

  /** Holds the mutex at some depth, if it is recursive. @override @param {Side} side @param {LineState} lineState */
  async own(side, lineState) {
    const { lock } = side;
    const depth = lock instanceof RecursiveMutex ? this.random.below(MAX_DEPTH) : 0;
    if (lock instanceof RecursiveMutex && lock.inspect().depth !== 1)
      throw new Error('the depth was not 1 for the new owner');
    for (let level = 0; level < depth; level++) lock.lock();
    await super.own(side, lineState);
    for (let level = 0; level < depth; level++) lock.unlock();
  }

  get ownOptions() {
    return { arena: this.place, name: `private of ${this.place.agentId}` };
  }

  /** Creates a mutex, uses it and frees it. */
  async useOwn() {
    if (this.privates++ >= MAX_PRIVATE) return;
    const own = Mutex.create(this.ownOptions);
    await own.runAsync(() => this.dieBeside(own));
    own.free();
  }

  /** Locks with async waits of this agent in line behind it. @param {Mutex} own */
  async dieBeside(own) {
    const waits = [own.lockAsync({ timeout: 2 }), own.lockAsync({ timeout: 1 })];
    const ended = Promise.allSettled(waits);
    if (this.life.fate !== 'end') await this.dieIfDue();
    for (const { status } of await ended) if (status === 'fulfilled') own.unlock();
  }

  /** Creates and frees mutexes, so that a death is likely during a creation. */
  foundMany() {
    for (let times = this.random.below(200); times > 0; times--) Mutex.create(this.ownOptions).free();
  }
}

// @ts-check
// Workers that die with locks of five kinds.
import { LockLife } from '../../../core/test/jobs/lock-life.mjs';
import { liveAndDie } from '../../../core/test/jobs/crash-life.mjs';
import { KINDS, openLock } from './kinds.mjs';

/** @import { RegionHandle } from '@sluice/core' */
/** @import { JobContext } from '@sluice/harness' */
/** @import { LockDeed } from '../../../core/test/jobs/lock-life.mjs' */
/** @import { LifeData } from '../../../core/test/jobs/crash-life.mjs' */
/** @import { LockHandle, PlacedLock } from './kinds.mjs' */

/** @typedef {LockDeed | 'private' | 'found'} Deed */
/** @typedef {LifeData & { locks: LockHandle[], guarded: RegionHandle, deeds: Deed[] }} LocksLifeData */

/** The number of locks that one worker creates for itself. The memory in use at the end depends on it. */
const MAX_PRIVATE = 5;
const CLASSES = Object.values(KINDS);

/** @param {LocksLifeData} data @param {JobContext} context */
export function live(data, context) {
  return liveAndDie(new LocksLife(data, context));
}

class LocksLife extends LockLife {
  /** @param {LocksLifeData} data @param {JobContext} context */
  constructor(data, context) {
    super(data, context, data.locks.map(openLock), data.guarded);
    this.deeds = data.deeds;
    this.privates = 0;
  }

  /** @override */
  async act() {
    const deed = this.random.pick(this.deeds);
    if (deed === 'private') await this.useOwn();
    else if (deed === 'found') this.foundMany();
    else await this.doWith(deed);
  }

  get ownOptions() {
    return { arena: this.place, name: `private of ${this.place.agentId}` };
  }

  /** Creates a lock, uses it and frees it. */
  async useOwn() {
    if (this.privates++ >= MAX_PRIVATE) return;
    const own = this.random.pick(CLASSES).create(this.ownOptions);
    await own.runAsync(() => this.dieBeside(own));
    own.free();
  }

  /** Uses the lock while async waits of this agent are queued. @param {PlacedLock} own */
  async dieBeside(own) {
    const waits = [own.lockAsync({ timeout: 2 }), own.lockAsync({ timeout: 1 })];
    const ended = Promise.allSettled(waits);
    if (this.life.fate !== 'end') await this.dieIfDue();
    for (const { status } of await ended) if (status === 'fulfilled') own.unlock();
  }

  /** Creates and frees locks at once, so that a death can come in the middle. */
  foundMany() {
    for (let times = this.random.below(200); times > 0; times--)
      this.random.pick(CLASSES).create(this.ownOptions).free();
  }
}

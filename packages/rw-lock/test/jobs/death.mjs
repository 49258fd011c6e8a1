// @ts-check
// Workers that die while they read, write and wait.
import { hasCode } from '@sluice/core';
import { RwLock } from '@sluice/rw-lock';
import { tally } from '../../../core/test/jobs/death-words.mjs';
import { LockLife } from '../../../core/test/jobs/lock-life.mjs';
import { enterLock } from '../../../core/test/jobs/lock-ways.mjs';
import { liveAndDie } from '../../../core/test/jobs/crash-life.mjs';

/** @import { RegionHandle } from '@sluice/core' */
/** @import { RwLockHandle } from '@sluice/rw-lock' */
/** @import { JobContext } from '@sluice/harness' */
/** @import { Guarded } from '../../../core/test/jobs/guarded.mjs' */
/** @import { LockDeed, Side } from '../../../core/test/jobs/lock-life.mjs' */
/** @import { LockWay } from '../../../core/test/jobs/lock-ways.mjs' */
/** @import { LifeData } from '../../../core/test/jobs/crash-life.mjs' */

/** @typedef {LockDeed | 'read' | 'read twice' | 'read run' | 'read churn' | 'read crowd' | 'private' | 'found'} Deed */
/** @typedef {LifeData & { locks: RwLockHandle[], guarded: RegionHandle, deeds: Deed[] }} RwLifeData */
/** @typedef {{ lock: RwLock, guarded: Guarded }} Shelf */

/** @type {readonly LockWay[]} */
const WAYS = ['lock', 'try', 'try for', 'async', 'async for', 'async, aborted'];
/** Locks of its own that one worker creates: the memory in use at the end depends on it. */
const MAX_PRIVATE = 5;
const CROWD = 24;

/** @param {RwLifeData} data @param {JobContext} context */
export function live(data, context) {
  return liveAndDie(new RwLife(data, context));
}

class RwLife extends LockLife {
  /** @param {RwLifeData} data @param {JobContext} context */
  constructor(data, context) {
    const locks = data.locks.map((handle) => RwLock.from(handle));
    super(
      data,
      context,
      locks.map(({ writer }) => writer),
      data.guarded,
    );
    this.shelves = this.sides.map(({ guarded }, which) => ({ lock: /** @type {RwLock} */ (locks[which]), guarded }));
    this.deeds = data.deeds;
    this.privates = 0;
  }

  /** @override */
  async act() {
    const deed = this.random.pick(this.deeds);
    const shelf = this.random.pick(this.shelves);
    if (deed === 'read') await this.read(shelf, this.random.pick(WAYS));
    else if (deed === 'read twice') await this.readTwice(shelf);
    else if (deed === 'read run')
      await this.readUnlessRefused(() => shelf.lock.reader.runAsync(() => this.look(shelf)));
    else if (deed === 'read churn') await this.readUnlessRefused(() => this.churnReading(shelf));
    else if (deed === 'read crowd') await this.crowdReading(shelf);
    else if (deed === 'private') await this.useOwn();
    else if (deed === 'found') this.foundMany();
    else await this.doWith(deed);
  }

  /**
   * Reads. After a writer's death no agent reads until another writer has repaired the data.
   * @param {() => unknown} attempt
   */
  async readUnlessRefused(attempt) {
    try {
      await attempt();
    } catch (failure) {
      this.noteRefusal(failure);
    }
  }

  /** @param {unknown} failure */
  noteRefusal(failure) {
    if (!hasCode(failure, 'SLUICE_OWNER_DIED')) throw failure;
    tally(this.words, 'readers refused', 1);
  }

  /** @param {Shelf} shelf @param {LockWay} way */
  async read(shelf, way) {
    const { reader } = shelf.lock;
    await this.readUnlessRefused(async () => {
      if (!(await enterLock(reader, way, this.random))) return;
      await this.look(shelf);
      reader.unlock();
    });
  }

  /** Locks again while it reads, unless a writer waits. @param {Shelf} shelf */
  async readTwice(shelf) {
    const { reader } = shelf.lock;
    await this.readUnlessRefused(async () => {
      await reader.lockAsync();
      const again = reader.tryLock();
      await this.look(shelf);
      if (again) reader.unlock();
      reader.unlock();
    });
  }

  /** @param {Shelf} shelf */
  async look({ guarded }) {
    guarded.look();
    await this.linger();
    // The worker's end is a throw, after which `run` unlocks.
    await this.dieIfDue();
    guarded.look();
  }

  /** @param {Shelf} shelf */
  churnReading({ lock: { reader }, guarded }) {
    for (let times = this.random.below(200); times > 0; times--) {
      if (!reader.tryLock(0.05)) continue;
      guarded.look();
      reader.unlock();
    }
  }

  /** @param {Shelf} shelf */
  async crowdReading({ lock: { reader }, guarded }) {
    const waits = Array.from({ length: CROWD }, async () => {
      await reader.lockAsync({ timeout: this.random.between(1, 4) });
      guarded.look();
      reader.unlock();
    });
    for (const { status, reason } of /** @type {{ status: string, reason?: unknown }[]} */ (
      await Promise.allSettled(waits)
    )) {
      if (status === 'rejected' && !hasCode(reason, 'SLUICE_TIMEOUT')) this.noteRefusal(reason);
    }
  }

  /** Sometimes downgrades before it unlocks. @override @param {Side} side */
  leave(side) {
    const shelf = this.shelves[this.sides.indexOf(side)];
    if (shelf === undefined || this.random.chance(70)) {
      super.leave(side);
      return;
    }
    side.guarded.leave();
    shelf.lock.downgrade();
    side.guarded.look();
    shelf.lock.reader.unlock();
  }

  get ownOptions() {
    return { arena: this.place, name: `private of ${this.place.agentId}` };
  }

  /** Creates a lock, uses it and frees it. */
  async useOwn() {
    if (this.privates++ >= MAX_PRIVATE) return;
    const own = RwLock.create(this.ownOptions);
    const { reader, writer } = own;
    reader.lock();
    const waits = Promise.allSettled([writer.lockAsync({ timeout: 2 }), reader.lockAsync({ timeout: 1 })]);
    await this.dieIfDue();
    const [, read] = await waits;
    if (read.status === 'fulfilled') reader.unlock();
    reader.unlock();
    own.free();
  }

  /** Creates and frees locks, so that a death is likely during a creation. */
  foundMany() {
    for (let times = this.random.below(200); times > 0; times--) RwLock.create(this.ownOptions).free();
  }
}

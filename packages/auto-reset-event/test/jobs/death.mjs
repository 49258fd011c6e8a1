// @ts-check
// Workers that die while they wait for signals, hold them or signal. Each event has one signal, a baton: an agent that
// takes it signals again.
import { AutoResetEvent } from '@sluice/auto-reset-event';
import { Region } from '@sluice/core';
import { enterLock } from '../../../core/test/jobs/lock-ways.mjs';
import { liveAndDie, CrashLife } from '../../../core/test/jobs/crash-life.mjs';
import { asLock } from './storm.mjs';

/** @import { RegionHandle } from '@sluice/core' */
/** @import { AutoResetEventHandle } from '@sluice/auto-reset-event' */
/** @import { JobContext } from '@sluice/harness' */
/** @import { LockWay } from '../../../core/test/jobs/lock-ways.mjs' */
/** @import { LifeData } from '../../../core/test/jobs/crash-life.mjs' */

/** The number of signals of the bell that were begun, and the number that were consumed. */
export const RUNG = 0;
export const HEARD = 1;
/** Per baton: 1 + the slot of the holder. */
export const HOLDERS = 32;
/**
 * Per slot and baton: incremented before the wait and after the signal. So an odd value means that the slot uses the
 * baton.
 */
export const DEALINGS = 64;
export const BATONS = 3;

/** @param {number} slot @param {number} baton */
export function dealing(slot, baton) {
  return DEALINGS + slot * BATONS + baton;
}

/** @typedef {LockWay | 'reset' | 'all' | 'churn' | 'bell' | 'private' | 'found'} Deed */
/**
 * @typedef {object} EventData
 * @property {AutoResetEventHandle[]} batons
 * @property {AutoResetEventHandle} bell
 * @property {RegionHandle} marks
 * @property {Deed[]} deeds
 */
/** @typedef {LifeData & EventData} EventLifeData */

/** @type {readonly LockWay[]} */
const ENDING_WAYS = ['try', 'try for', 'async for', 'async, aborted'];
/** The number of events that one worker creates for itself. The memory in use at the end depends on it. */
const MAX_PRIVATE = 5;

/** @param {EventLifeData} data @param {JobContext} context */
export function live(data, context) {
  return liveAndDie(new EventLife(data, context));
}

class EventLife extends CrashLife {
  /** @param {EventLifeData} data @param {JobContext} context */
  constructor(data, context) {
    super(data, context);
    this.deeds = data.deeds;
    this.batons = data.batons.map((handle) => AutoResetEvent.from(handle));
    this.bell = AutoResetEvent.from(data.bell);
    this.marks = Region.from(data.marks).int32;
    this.privates = 0;
  }

  /** @override */
  async act() {
    const deed = this.random.pick(this.deeds);
    const which = this.random.below(BATONS);
    if (deed === 'reset') await this.deal(which, (baton) => baton.reset());
    else if (deed === 'all') await this.dealWithAll();
    else if (deed === 'churn') this.churn(which);
    else if (deed === 'bell') await this.ringOrHear();
    else if (deed === 'private') await this.useOwn();
    else if (deed === 'found') this.foundMany();
    else await this.deal(which, (baton) => enterLock(asLock(baton), deed, this.random));
  }

  /** @override */
  standInLine() {
    if (this.random.chance(50)) this.bell.waitAsync({ ref: false }).catch(() => undefined);
  }

  /** @param {number} which @param {(baton: AutoResetEvent) => boolean | Promise<boolean>} take */
  async deal(which, take) {
    const baton = /** @type {AutoResetEvent} */ (this.batons[which]);
    Atomics.add(this.marks, dealing(this.life.slot, which), 1);
    if (await take(baton)) {
      this.mark(which);
      await this.linger();
      await this.dieIfDue();
      this.unmark(which);
      baton.signal();
    }
    Atomics.add(this.marks, dealing(this.life.slot, which), 1);
  }

  /** @param {number} which */
  mark(which) {
    const found = Atomics.exchange(this.marks, HOLDERS + which, this.life.slot + 1);
    if (found !== 0) throw new Error(`baton ${which} has two holders: slot ${found - 1} is the other`);
  }

  /** @param {number} which */
  unmark(which) {
    const mine = this.life.slot + 1;
    const found = Atomics.compareExchange(this.marks, HOLDERS + which, mine, 0);
    if (found !== mine) throw new Error(`baton ${which} had two holders: slot ${found - 1} was the other`);
  }

  /** Waits for all batons, each in a wait of its own. */
  async dealWithAll() {
    const deals = this.batons.map((_, which) =>
      this.deal(which, (baton) =>
        enterLock(asLock(baton), this.random.pick(['async for', 'async, aborted']), this.random),
      ),
    );
    await Promise.all(deals);
  }

  /** Consumes and signals without a pause, so that a death occurs inside the package. @param {number} which */
  churn(which) {
    const baton = /** @type {AutoResetEvent} */ (this.batons[which]);
    Atomics.add(this.marks, dealing(this.life.slot, which), 1);
    for (let times = this.random.below(200); times > 0; times--) {
      if (!baton.tryWait(0.05)) continue;
      this.mark(which);
      this.unmark(which);
      baton.signal();
    }
    Atomics.add(this.marks, dealing(this.life.slot, which), 1);
  }

  /** Signals that collapse with the kept one. */
  async ringOrHear() {
    if (this.random.chance(50)) {
      for (let times = this.random.below(20); times > 0; times--) {
        Atomics.add(this.marks, RUNG, 1);
        this.bell.signal();
      }
    } else if (await enterLock(asLock(this.bell), this.random.pick(ENDING_WAYS), this.random)) {
      Atomics.add(this.marks, HEARD, 1);
    }
  }

  get ownOptions() {
    return { arena: this.place, name: `private of ${this.place.agentId}` };
  }

  /** Creates an event, uses it and frees it. */
  async useOwn() {
    if (this.privates++ >= MAX_PRIVATE) return;
    const own = AutoResetEvent.create(this.ownOptions);
    own.signal();
    own.wait();
    const waits = Promise.allSettled([own.waitAsync({ timeout: 2 }), own.waitAsync({ timeout: 1 })]);
    await this.dieIfDue();
    if (this.random.chance(50)) own.signal();
    await waits;
    own.free();
  }

  /** Creates and frees events at once, so that a death can come in the middle. */
  foundMany() {
    for (let times = this.random.below(200); times > 0; times--) AutoResetEvent.create(this.ownOptions).free();
  }
}

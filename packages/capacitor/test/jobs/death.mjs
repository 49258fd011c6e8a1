// @ts-check
// Workers that die in capacitors, in turnstiles, and with locks behind them.
import { CapacitorLock } from '@sluice/capacitor';
import { hasCode, Region } from '@sluice/core';
import { TtsLock } from '@sluice/classics';
import { LockLife } from '../../../core/test/jobs/lock-life.mjs';
import { enterLock } from '../../../core/test/jobs/lock-ways.mjs';
import { liveAndDie, CrashLife } from '../../../core/test/jobs/crash-life.mjs';
import { asLock, openGate } from './gates.mjs';
import { Crowd } from './crowd-words.mjs';
import { foundGates, useOwnGate, useOwnLock } from './private-gates.mjs';

/** @import { CapacitorLockHandle } from '@sluice/capacitor' */
/** @import { AsyncLock, Lock, RegionHandle } from '@sluice/core' */
/** @import { JobContext } from '@sluice/harness' */
/** @import { TtsLockHandle } from '@sluice/classics' */
/** @import { LockDeed } from '../../../core/test/jobs/lock-life.mjs' */
/** @import { LockWay } from '../../../core/test/jobs/lock-ways.mjs' */
/** @import { LifeData } from '../../../core/test/jobs/crash-life.mjs' */
/** @import { AnyGateHandle } from './gates.mjs' */

/** @typedef {LockWay | 'twice' | 'burst' | 'nested' | 'churn' | 'crowd' | 'private' | 'found' | 'recover'} GateDeed */
/** @typedef {{ handle: AnyGateHandle, most: number }} GateData most: at most so many are inside; 0: one agent */
/** @typedef {LifeData & { gates: GateData[], inside: RegionHandle, exact: boolean, deeds: GateDeed[] }} GateLifeData */
/** @typedef {{ lock: CapacitorLockHandle, inner: TtsLockHandle }} Pair */
/** @typedef {LifeData & { pairs: Pair[], guarded: RegionHandle, deeds: (LockDeed | 'private')[] }} PairLifeData */
/** @typedef {{ door: Lock & AsyncLock, crowd: Crowd }} Place */

/** The number of gates that one worker creates for itself. The memory in use at the end depends on it. */
const MAX_PRIVATE = 5;
/** Async waits at the same time, so that a death hits an agent that walks a long chain. */
const CROWD = 24;
/** @type {readonly LockWay[]} */
const ENDING_WAYS = ['async for', 'async, aborted'];
/** @type {readonly LockWay[]} */
const NESTED_WAYS = ['lock', 'try for', 'async'];

/** @param {GateLifeData} data @param {JobContext} context */
export function liveAtGates(data, context) {
  return liveAndDie(new GateLife(data, context));
}

/** @param {PairLifeData} data @param {JobContext} context */
export function liveWithLocks(data, context) {
  return liveAndDie(new PairLife(data, context));
}

class GateLife extends CrashLife {
  /** @param {GateLifeData} data @param {JobContext} context */
  constructor(data, context) {
    super(data, context);
    const { int32 } = Region.from(data.inside);
    this.deeds = data.deeds;
    this.privates = 0;
    this.places = data.gates.map(({ handle, most }, which) => ({
      door: asLock(openGate(handle)),
      crowd: new Crowd(int32, which, data.slot, most, data.exact),
    }));
  }

  get any() {
    return this.random.pick(this.places);
  }

  /** @override */
  standInLine() {
    if (this.random.chance(50)) this.any.door.lockAsync({ ref: false }).catch(() => undefined);
  }

  /** @override */
  async act() {
    const deed = this.random.pick(this.deeds);
    if (deed === 'twice') await this.visitTwice(this.any);
    else if (deed === 'burst') await this.burst();
    else if (deed === 'nested') await this.nest();
    else if (deed === 'churn') this.churn(this.any);
    else if (deed === 'crowd') await this.crowd(this.any);
    else if (deed === 'private') await this.useOwn();
    else if (deed === 'found') foundGates(this);
    else if (deed === 'recover') await this.waitForTheDead();
    else await this.visit(this.any, deed);
  }

  /** @param {Place} place @param {LockWay} way @param {() => Promise<void> | void} [inside] */
  async visit({ door, crowd }, way, inside = () => undefined) {
    if (!(await enterLock(door, way, this.random))) return;
    crowd.enter();
    await this.linger();
    await this.dieIfDue();
    await inside();
    crowd.leave();
    await this.dieIfDue();
    door.unlock();
  }

  /** Starts several async waits at the same time, each of which ends by a timeout or an abort. */
  async burst() {
    await Promise.all(Array.from({ length: 3 }, () => this.visit(this.any, this.random.pick(ENDING_WAYS))));
  }

  /**
   * Enters twice, the second time only if there is room: the agent's own platoon ends only when the agent departs.
   * @param {Place} place
   */
  visitTwice(place) {
    return this.visit(place, 'lock', () => this.visit(place, 'try'));
  }

  /** Enters all gates at once, always in the same order. */
  nest(at = 0) {
    const place = this.places[at];
    return place === undefined ? Promise.resolve() : this.visitInNest(place, at);
  }

  /** @param {Place} place @param {number} at @returns {Promise<void>} */
  visitInNest(place, at) {
    return this.visit(place, this.random.pick(NESTED_WAYS), () => this.nest(at + 1));
  }

  /** Goes in and out without a pause, so that a death occurs inside the package. @param {Place} place */
  churn({ door, crowd }) {
    for (let times = this.random.below(200); times > 0; times--) {
      if (!door.tryLock(0.05)) continue;
      crowd.enter();
      crowd.leave();
      door.unlock();
    }
  }

  /** @param {Place} place */
  async crowd({ door, crowd }) {
    const waits = Array.from({ length: CROWD }, async () => {
      await door.lockAsync({ timeout: this.random.between(1, 4) });
      crowd.enter();
      crowd.leave();
      door.unlock();
    });
    for (const { status, reason } of /** @type {{ status: string, reason?: unknown }[]} */ (
      await Promise.allSettled(waits)
    )) {
      if (status === 'rejected' && !hasCode(reason, 'SLUICE_TIMEOUT')) throw reason;
    }
  }

  async useOwn() {
    if (this.privates++ < MAX_PRIVATE) await useOwnGate(this);
  }
}

class PairLife extends LockLife {
  /** @param {PairLifeData} data @param {JobContext} context */
  constructor(data, context) {
    super(
      data,
      context,
      data.pairs.map(({ lock, inner }) => CapacitorLock.from(lock, TtsLock.from(inner))),
      data.guarded,
    );
    this.deeds = data.deeds;
    this.privates = 0;
  }

  /** @override */
  async act() {
    const deed = this.random.pick(this.deeds);
    if (deed !== 'private') await this.doWith(deed);
    else if (this.privates++ < MAX_PRIVATE) await useOwnLock(this);
  }
}

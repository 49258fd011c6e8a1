// A lock of any kind behind a capacitor: the composite lock of Dice, "Capacitors", section 1, with the variants of
// section 5.
//
//   lock     arrive ▶ inner lock         unlock   inner unlock ▶ depart
//
// Its parts: the gate (create-gate.ts), the route to the inner lock (gated-entrance.ts), a call from its arrival to its
// departure (gate-visit.ts), and the calls that know dead owners (run-behind.ts, take-over.ts).

import {
  Holdable,
  MisuseError,
  type Arena,
  type NotPromise,
  type OwnerDiedOptions,
  type RecoveryGuard,
  type RunOptions,
  type WaitOptions,
} from '@sluice/core';
import {
  checkAsyncBody,
  checkBody,
  checkTimeout,
  checkWait,
  NO_WAIT_OPTIONS,
  ownerDiedIn,
  INSPECT,
  consoleText,
  refusePosting,
  refusePromise,
  RUN_OPTIONS,
  waitIn,
} from '@sluice/core/calls';
import { checkOpened, contextOf } from '@sluice/core/internal';
import { endOf, timeoutUntil } from './deadline.ts';
import { checkInner, isOwned, refOf, type InnerLock } from './inner-lock.ts';
import { createGateSettings } from './create-gate.ts';
import { findGateSettings, type CapacitorLockHandle } from './lock-handle.ts';
import type { CapacitorLockOptions } from './lock-options.ts';
import { gateFields, type CapacitorLockReport } from '../gates/report.ts';
import type { Routes } from '../gates/routes.ts';
import { runBehind, runBehindAsync } from './run-behind.ts';
import { takeOverBehind, takeOverBehindAsync } from './take-over.ts';
import { arriveAt, GateVisit } from './gate-visit.ts';
import { GatedEntrance } from './gated-entrance.ts';
import type { GateSettings } from './gate-settings.ts';

let construct: (inner: InnerLock, settings: GateSettings) => CapacitorLock;

/**
 * Makes any lock fair: puts the lock `inner` behind a capacitor (a gate with a bypass bound). Every agent that uses the
 * lock must go through a `CapacitorLock`.
 *
 * By default agents take turns, first come, first served. A turn has as many holdings as fit in half a millisecond, B
 * on average. A waiter with w waiters before it is overtaken by at most (w + 1) · 5/4 · B arrivals that came later.
 * With a number B as `bypassLimit`, at most B - 1 agents that arrive after a waiter acquire the lock before it; while
 * at least B agents are always in line, each of them does so at most once. All other promises of the inner lock (which agent may unlock, what
 * happens when its owner dies) still hold. An agent that dies at the capacitor or behind it does not close it for
 * others. `fraction` and random lanes trade the bound for speed.
 *
 * ```ts run
 * import { CapacitorLock } from '@sluice/capacitor';
 * import { LifoLock } from '@sluice/classics';
 *
 * const lock = CapacitorLock.create(LifoLock.create(), { bypassLimit: 1 });
 * const order: string[] = [];
 * lock.lock();
 * const all = ['first', 'second', 'third'].map((name) => lock.runAsync(() => order.push(name)));
 * lock.unlock();
 * await Promise.all(all);
 * console.log(order.join(' ')); // first second third
 * ```
 */
export class CapacitorLock extends Holdable {
  /** The handle to post to another thread. Pass it to `CapacitorLock.from` there, with the inner lock. */
  readonly handle: CapacitorLockHandle;
  readonly #inner: InnerLock;
  readonly #gate: GateSettings['gate'];
  readonly #fraction: number;
  readonly #routes: Routes;
  readonly #entrance: GatedEntrance;

  static {
    construct = (inner, settings) => new this(inner, settings);
  }

  private constructor(inner: InnerLock, settings: GateSettings) {
    super();
    refusePosting(this);
    checkOpened(settings, 'CapacitorLock');
    const { gate, fraction, skipWhenUncontended } = settings;
    this.#inner = inner;
    this.#gate = gate;
    this.#fraction = fraction;
    this.#routes = gate.routes;
    this.#entrance = new GatedEntrance(this, inner, settings);
    this.handle = Object.freeze({
      kind: 'sluice.capacitor-lock',
      gate: gate.handle,
      inner: refOf(inner),
      fraction,
      skipWhenUncontended,
    });
  }

  /**
   * Creates a lock that wraps `inner`. The inner lock must be in the same arena as its capacitor, or a third-party
   * lock. If the call throws, nothing was created.
   *
   * @throws {TypeError} If `inner` is not a lock, an argument has the wrong type or an option is unknown.
   * @throws {RangeError} If an option is out of range.
   * @throws {MisuseError} If `inner` is in another arena.
   * @throws {ArenaFullError} If the arena has no room left.
   */
  static create(inner: InnerLock, options: CapacitorLockOptions = {}): CapacitorLock {
    checkInner(inner);
    return construct(inner, createGateSettings(inner, options));
  }

  /**
   * Returns the lock of a handle. `inner` is this agent's instance of the same inner lock, and `gate` that of the same
   * gate, if the lock was created with one.
   *
   * @throws {HandleError} If the handle does not refer to a live lock.
   * @throws {TypeError} If `inner` is not a lock.
   * @throws {ArenaFullError} If no agent record is left for this agent.
   */
  static from(
    handle: CapacitorLockHandle,
    inner: InnerLock,
    options: Pick<CapacitorLockOptions, 'policy' | 'gate'> = {},
  ): CapacitorLock {
    checkInner(inner);
    return construct(inner, findGateSettings(handle, inner, options));
  }

  /** Returns the title, such as "CapacitorLock 'hot'". */
  override toString(): string {
    return String(this.#gate).replace(/^\w+/, 'CapacitorLock');
  }

  override [INSPECT](): string {
    return consoleText('CapacitorLock', () => ({ ...gateFields(this.#gate.inspect()), owned: this.owned }));
  }

  /** The name given to `create`; '' if none was given. */
  get name(): string {
    return this.#gate.name;
  }

  /** The arena that contains the capacitor. */
  get arena(): Arena {
    return this.#gate.arena;
  }

  /** The bypass limit B. With 'adaptive', the present average number of holdings in one turn. */
  get bypassLimit(): number {
    return this.#gate.bypassLimit;
  }

  /** Whether this agent holds the lock. */
  get owned(): boolean {
    return this.#routes.held > 0;
  }

  /**
   * Acquires the lock, blocking until this agent holds it. If the call throws, nothing has changed.
   *
   * @throws The errors of the capacitor's `arrive` and of the inner lock.
   * @throws {DeadlockError} If the capacitor is closed and opens only after this agent itself departs.
   */
  override lock(): void {
    const routes = this.#routes;
    if (routes.held !== 0 || routes.entering !== 0 || this.#fraction !== 0) return this.#entrance.lock();
    if (this.#entrance.skips()) return;
    this.#gate.arrive();
    try {
      this.#inner.lock();
    } catch (failure) {
      throw this.#entrance.failed(failure, true);
    }
    routes.held += 1;
  }

  /**
   * Acquires the lock if that is possible within `timeoutMs` ms, at the capacitor and the inner lock together; returns
   * whether this agent holds it. With 0, the call does not wait.
   *
   * @throws {MisuseError} If the inner lock has no `tryLock`.
   * @throws The other errors of `lock`.
   */
  override tryLock(timeoutMs = 0): boolean {
    if (timeoutMs !== 0) checkTimeout(timeoutMs);
    if (this.#inner.tryLock === undefined)
      throw new MisuseError(`${this.toString()} does not support tryLock: its inner lock has no tryLock.`);
    if (this.#entrance.isNested() || this.#entrance.isDiverted()) return this.#entrance.tryInner(timeoutMs, false);
    if (this.#entrance.skips()) return true;
    const end = endOf(timeoutMs);
    if (timeoutMs === Infinity) arriveAt(this.#gate, this.#routes, this);
    else if (!this.#gate.tryArrive(timeoutMs)) return false;
    return this.#entrance.tryInner(timeoutUntil(end), true);
  }

  /**
   * Acquires the lock without blocking; the promise resolves when this agent holds it. Rejects as `lock` throws and as
   * the inner lock's `lockAsync` rejects. Rejects with `MisuseError` if the inner lock has no `lockAsync`.
   */
  override async lockAsync(options: WaitOptions = NO_WAIT_OPTIONS): Promise<void> {
    const { timeout = Infinity, ...others } = checkWait(options);
    const inner = this.#inner;
    if (inner.lockAsync === undefined) {
      throw new MisuseError(
        `${this.toString()} cannot be waited for without blocking: its inner lock has no lockAsync.`,
      );
    }
    const isNested = this.#entrance.isNested() && this.#entrance.tryInner(0, false);
    const through = isNested || !this.#entrance.isDiverted();
    if (isNested || (through && this.#entrance.skips())) {
      const later = contextOf(this.arena).budget.spend();
      if (later !== undefined) await later;
      return;
    }
    const visit = new GateVisit(this, this.#gate, this.#routes, through, timeout);
    const wait = { ...others, timeout };
    try {
      await inner.lockAsync(through && !visit.arriveNow() ? await visit.arriveAsync(wait) : wait);
      visit.begin();
    } catch (failure) {
      throw this.#entrance.failed(visit.inWhole(failure), visit.finish());
    }
  }

  /**
   * Releases the lock by the route by which it was acquired.
   *
   * @throws {MisuseError} If this agent does not hold the lock.
   */
  override unlock(): void {
    const routes = this.#routes;
    if (routes.held === 0)
      throw new MisuseError(
        `${this.toString()} cannot be unlocked: this agent (agent ${this.arena.agentId}) does not hold it.`,
      );
    this.#inner.unlock();
    if (routes.leave()) this.#gate.depart();
  }

  /**
   * Calls the inner lock's `markConsistent`.
   *
   * @throws {MisuseError} If the inner lock does not detect dead owners, or as its `markConsistent` throws it.
   */
  markConsistent(): void {
    if (!isOwned(this.#inner))
      throw new MisuseError(
        `${this.toString()}: its inner lock does not detect dead owners: there is nothing to mark.`,
      );
    this.#inner.markConsistent();
  }

  /**
   * Takes over a lock that is unrecoverable or whose owner died, by the inner lock's `takeOver` behind the capacitor.
   * Returns `null` if the lock is consistent; then this agent does not hold it.
   *
   * @throws {MisuseError} If the inner lock has no `takeOver`.
   * @throws The other errors of `lock`.
   */
  takeOver(): RecoveryGuard | null {
    return takeOverBehind(this.#gate, this, this.#inner);
  }

  /** Takes the lock over as `takeOver` does, without blocking. Rejects as `lockAsync` does. */
  takeOverAsync(options: WaitOptions = NO_WAIT_OPTIONS): Promise<RecoveryGuard | null> {
    return takeOverBehindAsync(this.#gate, this, this.#inner, options);
  }

  /** Runs `body` as the inner lock's `run` does, including `onOwnerDied` if that lock detects dead owners. */
  override run<T>(body: () => NotPromise<T>, options?: OwnerDiedOptions): T {
    checkBody(body, this);
    if (options !== undefined) ownerDiedIn(options);
    const inner = this.#inner;
    if (!isOwned(inner) || this.#entrance.isNested()) return super.run(body);
    return refusePromise(
      runBehind(new GateVisit(this, this.#gate, this.#routes, !this.#entrance.isDiverted()), inner, body, options),
      this,
    );
  }

  override async runAsync<T>(body: () => T | PromiseLike<T>, options: RunOptions = NO_WAIT_OPTIONS): Promise<T> {
    checkAsyncBody(body, this);
    const onOwnerDied = ownerDiedIn(options, RUN_OPTIONS);
    const wait = waitIn(options);
    const inner = this.#inner;
    if (!isOwned(inner)) return super.runAsync(body, wait);
    const { timeout = Infinity, ...others } = checkWait(wait);
    if (this.#entrance.isNested() && this.#entrance.tryInner(0, false)) {
      try {
        const later = contextOf(this.arena).budget.spend();
        if (later !== undefined) await later;
        return await body();
      } finally {
        this.unlock();
      }
    }
    const through = !this.#entrance.isDiverted();
    const visit = new GateVisit(this, this.#gate, this.#routes, through, timeout);
    return runBehindAsync(visit, through, inner, body, { ...others, timeout }, onOwnerDied);
  }

  /**
   * Returns a snapshot: the report of the capacitor's `inspect`, and the number of this agent's holdings by each route.
   */
  inspect(): CapacitorLockReport {
    const { held, around } = this.#routes;
    return { kind: 'capacitor-lock', gate: this.#gate.inspect(), through: held - around, around };
  }

  /**
   * Frees the capacitor's memory; the inner lock stays.
   *
   * @throws {MisuseError} While agents are at the capacitor.
   */
  free(): void {
    if (this.owned)
      throw new MisuseError(
        `${this.toString()} is held by this agent (agent ${this.arena.agentId}) and cannot be freed.`,
      );
    this.#gate.free();
  }
}

// A lock of any kind behind a capacitor: the composite lock of Dice, "Capacitors", section 1, with the variants of section 5.
//
//   lock     arrive ▶ inner lock         unlock   inner unlock ▶ depart
//
// ROUTES of a holding; its unlock takes the same
//
//   through   arrived, and departs
//   around    `fraction`: a Bernoulli trial said so
//             `skipWhenUncontended`: nobody was at the capacitor, and the inner lock was free
//             nested: this agent owns the inner lock already; whether it may lock it again is that lock's to say
//
// INVARIANTS
//
//   1. An agent that arrived departs: after its unlock, or at once when the inner lock was not to be had, for whatever reason. One
//      that died is departed for by recovery (core's kernel/recover.ts).
//   2. Skipping keeps the bound. Who arrived stands at the capacitor until it departs, so whoever comes to lock after that finds it
//      not empty; those few that had looked before pass at most once each, and they came before.

import { DeadlockError, hasCode, RecoveryGuard, Holdable, MisuseError, OwnerDiedError, TimeoutError, type Arena, type OwnerDiedOptions, type RunOptions, type WaitOptions } from '@sluice/core';
import { checkAsyncBody, checkBody, checkPlace, checkTimeout, checkWait, ownerDiedIn, INSPECT, oneLine, refusePosting, refusePromise, RUN_OPTIONS, waitIn } from '@sluice/core/internal';
import { endOf, leftUntil } from './deadline.ts';
import { cameWithLock, checkInner, isOwned, placeOf, saysOwned, type InnerLock } from './inner.ts';
import { createWay, findWay, type CapacitorLockHandle, type CapacitorLockOptions, type Way } from './lock-options.ts';
import { gateFields, type CapacitorLockReport } from './report.ts';
import { Visit, type Routes } from './routes.ts';

const NO_OPTIONS: WaitOptions = {};
let construct: (inner: InnerLock, way: Way) => CapacitorLock;

/**
 * Makes any lock fair: the lock `inner` behind a capacitor of its own. All agents that use it have to come this way.
 *
 * Promises: agents take turns, first come, first served, of as many holdings as fit in half a millisecond. With a number as
 * `bypassLimit`, B: at most B - 1 agents that arrive after a waiter get the lock before it, and at most one time each if
 * B or more arrive. All other promises of the inner lock (which agent may unlock, what happens when its
 * owner dies) still hold; an agent that dies at the capacitor or behind it does not close it for others. `fraction` and random lanes
 * give the bound up for speed.
 *
 * ```ts run
 * import { CapacitorLock } from '@sluice/capacitor';
 * import { LifoLock } from '@sluice/locks';
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
  /** Post this to another thread and give it to `CapacitorLock.from` there, with the inner lock. */
  readonly handle: CapacitorLockHandle;
  readonly #inner: InnerLock;
  readonly #gate: Way['gate'];
  readonly #fraction: number;
  readonly #skips: boolean;
  readonly #routes: Routes;

  static {
    construct = (inner, way) => new this(inner, way);
  }

  private constructor(inner: InnerLock, way: Way) {
    super();
    refusePosting(this);
    checkPlace(way, 'CapacitorLock');
    const { gate, fraction, skipWhenUncontended } = way;
    this.#inner = inner;
    this.#gate = gate;
    this.#fraction = fraction;
    this.#skips = skipWhenUncontended;
    this.#routes = gate.routes;
    this.handle = Object.freeze({ kind: 'sluice.capacitor-lock', gate: gate.handle, inner: placeOf(inner), fraction, skipWhenUncontended });
  }

  /**
   * Wraps `inner`, which lives in one arena with its capacitor or is a third party's. Throws `TypeError`, `RangeError`,
   * `MisuseError` (another arena), `ArenaFullError`; then nothing was made.
   */
  static create(inner: InnerLock, options: CapacitorLockOptions = {}): CapacitorLock {
    checkInner(inner);
    return construct(inner, createWay(inner, options));
  }

  /** The lock that a handle leads to; `inner` is the same inner lock, as this agent has it. Throws `HandleError`, `TypeError`, `ArenaFullError`. */
  static from(handle: CapacitorLockHandle, inner: InnerLock, options: Pick<CapacitorLockOptions, 'policy'> = {}): CapacitorLock {
    checkInner(inner);
    return construct(inner, findWay(handle, inner, options));
  }

  /** As "CapacitorLock 'hot'". */
  override toString(): string {
    return String(this.#gate).replace(/^\w+/, 'CapacitorLock');
  }

  override [INSPECT](): string {
    return oneLine('CapacitorLock', () => ({ ...gateFields(this.#gate.inspect()), owned: this.owned }));
  }

  /** The name given at `create`, '' if none was. */
  get name(): string {
    return this.#gate.name;
  }

  /** The arena that the capacitor lives in. */
  get arena(): Arena {
    return this.#gate.arena;
  }

  /** B; with 'adaptive' the holdings of one turn at present. */
  get bypassLimit(): number {
    return this.#gate.bypassLimit;
  }

  /** Whether this agent holds the lock. */
  get owned(): boolean {
    return this.#routes.held > 0;
  }

  /**
   * Blocks until the lock is ours. Throws what the capacitor's `arrive` and the inner lock throw, and `DeadlockError` (the capacitor is
   * closed, and opens only when this same agent has departed); then nothing has changed.
   */
  override lock(): void {
    const routes = this.#routes;
    if (routes.held !== 0 || routes.entering !== 0 || this.#fraction !== 0) {
      this.#lockSpecially();
      return;
    }
    if (this.#skips && this.#gate.empty && this.#tryAround(0)) return;
    this.#gate.arrive();
    this.#lockInside();
  }

  /**
   * Waits `timeoutMs` ms at the most, in both places together; with 0 not at all. Whether the lock is ours. Throws as `lock`, and
   * `MisuseError` when the inner lock has no `tryLock`.
   */
  override tryLock(timeoutMs = 0): boolean {
    if (timeoutMs !== 0) checkTimeout(timeoutMs);
    if (this.#inner.tryLock === undefined) throw new MisuseError(`${this.toString()} does not support tryLock: its inner lock has no tryLock.`);
    if (this.#isNested() || this.#isDiverted()) return this.#tryAround(timeoutMs);
    if (this.#skips && this.#gate.empty && this.#tryAround(0)) return true;
    const end = endOf(timeoutMs);
    if (timeoutMs === Infinity) this.#arrive();
    else if (!this.#gate.tryArrive(timeoutMs)) return false;
    return this.#tryInside(leftUntil(end));
  }

  /** Resolves when the lock is ours. Rejects as `lock` throws, and as `lockAsync` of the inner lock, `MisuseError` if it has none. */
  override async lockAsync(options: WaitOptions = NO_OPTIONS): Promise<void> {
    const { timeout = Infinity, ...others } = options === NO_OPTIONS ? options : checkWait(options);
    const inner = this.#inner;
    if (inner.lockAsync === undefined) {
      throw new MisuseError(`${this.toString()} cannot be waited for without blocking: its inner lock has no lockAsync.`);
    }
    if (this.#isNested() && this.#tryAround(0)) return;
    const end = endOf(timeout);
    const through = !this.#isDiverted();
    if (through && this.#skips && this.#gate.empty && this.#tryAround(0)) return;
    const routes = this.#routes;
    if (through) routes.entering += 1;
    let left: number | undefined;
    try {
      if (through) await this.#gate.arriveAsync({ ...others, timeout });
      left = leftUntil(end);
      await this.#lockInsideAsync(inner.lockAsync, { ...others, timeout: left }, through);
    } catch (failure) {
      throw this.#inWhole(failure, timeout, left);
    } finally {
      if (through) routes.entering -= 1;
    }
  }

  /** Gives the lock back by the route that it was taken by. Throws `MisuseError` when this agent does not hold it. */
  override unlock(): void {
    const routes = this.#routes;
    if (routes.held === 0) throw new MisuseError(`${this.toString()} cannot be unlocked: this agent (agent ${this.arena.agentId}) does not hold it.`);
    this.#inner.unlock();
    if (routes.leave()) this.#gate.depart();
  }

  /** As of the inner lock, if that is one that can be inherited from an owner that died. Throws `MisuseError`. */
  markConsistent(): void {
    if (!isOwned(this.#inner)) throw new MisuseError(`${this.toString()}: its inner lock does not detect dead owners: there is nothing to mark.`);
    this.#inner.markConsistent();
  }

  /**
   * As of the inner lock, behind the capacitor: takes over a lock that is unrecoverable, or whose owner died. `null`: it is consistent,
   * nothing is held. Throws as `lock`, and `MisuseError` when the inner lock cannot be taken over.
   */
  takeOver(): RecoveryGuard | null {
    const inner = this.#inner;
    if (!isOwned(inner) || inner.takeOver === undefined) throw noTakeOver(this);
    this.#arrive();
    let guard: RecoveryGuard | null;
    try {
      guard = inner.takeOver();
    } catch (failure) {
      this.#gate.depart();
      throw failure;
    }
    return this.#succeed(guard);
  }

  /** As `takeOver` without blocking. Rejects as `lockAsync`. */
  async takeOverAsync(options: WaitOptions = {}): Promise<RecoveryGuard | null> {
    const { timeout = Infinity, ...others } = checkWait(options);
    const inner = this.#inner;
    if (!isOwned(inner) || inner.takeOverAsync === undefined) throw noTakeOver(this);
    const end = endOf(timeout);
    const routes = this.#routes;
    routes.entering += 1;
    let left: number | undefined;
    try {
      await this.#gate.arriveAsync({ ...others, timeout });
      left = leftUntil(end);
      return this.#succeed(await this.#departIfFails(inner.takeOverAsync({ ...others, timeout: left })));
    } catch (failure) {
      throw this.#inWhole(failure, timeout, left);
    } finally {
      routes.entering -= 1;
    }
  }

  /** What the caller is told. If the inner lock timed out after the `left` ms, the error names this lock and the caller's timeout. */
  #inWhole(failure: unknown, timeout: number, left: number | undefined): unknown {
    const late = ` within ${left} ms`;
    if (left === undefined || !hasCode(failure, 'SLUICE_TIMEOUT') || !failure.message.includes(late)) return failure;
    return new TimeoutError(`${this.toString()}: ${failure.message.replace(late, ` within ${timeout} ms`)}`);
  }

  async #departIfFails<T>(taken: Promise<T>): Promise<T> {
    try {
      return await taken;
    } catch (failure) {
      this.#gate.depart();
      throw failure;
    }
  }

  /** After an arrival, with what the inner lock gave. */
  #succeed(guard: RecoveryGuard | null): RecoveryGuard | null {
    if (guard === null) {
      this.#gate.depart();
      return null;
    }
    this.#routes.note(true);
    // With a guard that departs, too.
    return new RecoveryGuard(this);
  }

  /** As `run` of an owned inner lock, including `onOwnerDied`. */
  override run<T>(body: () => T, options?: OwnerDiedOptions): T {
    checkBody(body, this);
    if (options !== undefined) ownerDiedIn(options);
    const inner = this.#inner;
    // Else after an owner's death the lock would stay ours, and the notice with it: only the inner lock can pass it on unread.
    if (!isOwned(inner) || this.#isNested()) return super.run(body);
    const through = !this.#isDiverted();
    if (through) this.#arrive();
    const visit = new Visit(this.#routes, through);
    // In an object: the inner lock would refuse a promise in its own name, while this agent is still inside.
    let result: { readonly of: T };
    try {
      result = inner.run(() => {
        visit.begin();
        try {
          return { of: body() };
        } finally {
          visit.end();
        }
      }, options);
    } finally {
      if (visit.finish()) this.#gate.depart();
    }
    return refusePromise(result.of, this);
  }

  override async runAsync<T>(body: () => T | PromiseLike<T>, options: RunOptions = NO_OPTIONS): Promise<T> {
    checkAsyncBody(body, this);
    const onOwnerDied = ownerDiedIn(options, RUN_OPTIONS);
    const wait = waitIn(options);
    const inner = this.#inner;
    if (!isOwned(inner)) return super.runAsync(body, wait);
    const { timeout = Infinity, ...others } = checkWait(wait);
    if (this.#isNested() && this.#tryAround(0)) return this.#runNested(body);
    const end = endOf(timeout);
    const through = !this.#isDiverted();
    // Before it is in: a call that blocks may come between the arrival and what comes after it.
    const visit = new Visit(this.#routes, through);
    let left: number | undefined;
    try {
      if (through) await this.#arriveFor(visit, { ...others, timeout });
      const inside = async (): Promise<T> => {
        // What the body throws is its own.
        left = undefined;
        visit.begin();
        try {
          return await body();
        } finally {
          visit.end();
        }
      };
      const recoveringOwner = onOwnerDied === undefined ? {} : { onOwnerDied };
      left = leftUntil(end);
      return await inner.runAsync(inside, { ...others, ...recoveringOwner, timeout: left });
    } catch (failure) {
      throw this.#inWhole(failure, timeout, left);
    } finally {
      if (visit.finish()) this.#gate.depart();
    }
  }

  /** What the capacitor's `inspect` tells, and how often this agent holds the lock, by either route: a snapshot. */
  inspect(): CapacitorLockReport {
    const { held, around } = this.#routes;
    return { kind: 'capacitor-lock', gate: this.#gate.inspect(), through: held - around, around };
  }

  /** Gives the capacitor's memory back; the inner lock stays. Throws `MisuseError` while agents are at the capacitor. */
  free(): void {
    if (this.owned) throw new MisuseError(`${this.toString()} is held by this agent (agent ${this.arena.agentId}) and cannot be freed.`);
    this.#gate.free();
  }

  #lockSpecially(): void {
    if (this.#isNested() || this.#isDiverted()) {
      this.#lockAround();
      return;
    }
    if (this.#skips && this.#gate.empty && this.#tryAround(0)) return;
    this.#arrive();
    this.#lockInside();
  }

  /** Blocks at the capacitor, unless it would be for ever. */
  #arrive(): void {
    if (!this.#routes.isInside) this.#gate.arrive();
    else if (!this.#gate.tryArrive()) {
      throw new DeadlockError(`${this.toString()}: its capacitor is closed, and opens only after this agent has departed. A blocked agent cannot depart. It was not locked.`);
    }
  }

  async #arriveFor(visit: Visit, options: WaitOptions): Promise<void> {
    try {
      await this.#gate.arriveAsync(options);
    } catch (failure) {
      visit.departs = false;
      throw failure;
    }
  }

  #lockInside(): void {
    try {
      this.#inner.lock();
    } catch (failure) {
      throw this.#failed(failure, true);
    }
    this.#routes.held += 1;
  }

  async #lockInsideAsync(lockAsync: NonNullable<InnerLock['lockAsync']>, options: WaitOptions, through: boolean): Promise<void> {
    try {
      await lockAsync.call(this.#inner, options);
    } catch (failure) {
      throw this.#failed(failure, through);
    }
    this.#routes.note(through);
  }

  #tryInside(timeoutMs: number): boolean {
    let locked: boolean;
    try {
      locked = this.#tryInner(timeoutMs);
    } catch (failure) {
      throw this.#failed(failure, true);
    }
    if (locked) this.#routes.held += 1;
    else this.#gate.depart();
    return locked;
  }

  #lockAround(): void {
    try {
      this.#inner.lock();
    } catch (failure) {
      throw this.#failed(failure, false);
    }
    this.#routes.note(false);
  }

  #tryAround(timeoutMs: number): boolean {
    try {
      if (!this.#tryInner(timeoutMs)) return false;
    } catch (failure) {
      throw this.#failed(failure, false);
    }
    this.#routes.note(false);
    return true;
  }

  /** A third party's may answer with something else than a boolean. */
  #tryInner(timeoutMs: number): boolean {
    return Boolean(this.#inner.tryLock?.(timeoutMs));
  }

  async #runNested<T>(body: () => T | PromiseLike<T>): Promise<T> {
    try {
      return await body();
    } finally {
      this.unlock();
    }
  }

  #isDiverted(): boolean {
    return this.#fraction > 0 && Math.random() < this.#fraction;
  }

  /** Whether this agent owns the inner lock, so that nobody can be waiting for it to come through. */
  #isNested(): boolean {
    return this.#routes.held !== 0 && saysOwned(this.#inner);
  }

  /** The inner lock failed. Unless it is ours nevertheless, the agent departs. */
  #failed(failure: unknown, through: boolean): unknown {
    if (!cameWithLock(failure)) {
      if (through) this.#gate.depart();
      return failure;
    }
    this.#routes.note(through);
    // With a guard that departs, too.
    return new OwnerDiedError(failure.message, new RecoveryGuard(this));
  }
}

function noTakeOver(lock: CapacitorLock): MisuseError {
  return new MisuseError(`${lock.toString()}: its inner lock cannot be taken over. It was not locked.`);
}

// A lock of any kind behind a capacitor: the composite lock of Dice, "Capacitors", section 1, with the variants of section 5.
//
//   lock     arrive ▶ inner lock         unlock   inner unlock ▶ depart
//
// ROUTES of a holding; its unlock takes the same
//
//   through   arrived, and departs
//   around    `fraction`: a Bernoulli trial said so
//             `skipWhenUncontended`: nobody was at the capacitor, and the inner lock was free
//             nested: this agent holds the lock already; whether that is allowed is the inner lock's to say
//
// INVARIANTS
//
//   1. An agent that arrived departs: after its unlock, or at once when the inner lock was not to be had, for whatever reason. One
//      that died is departed for by recovery (core's kernel/recover.ts).
//   2. Skipping keeps the bound. Who arrived stands at the capacitor until it departs, so whoever comes to lock after that finds it
//      not empty; those few that had looked before pass at most once each, and they came before.

import { Holdable, MisuseError, OwnerDiedError, HeirGuard, type Arena, type WaitOptions } from '@sluice/core';
import { checkFunction, checkTimeout, checkWait, postTheHandleInstead } from '@sluice/core/internal';
import { cameWithLock, checkInner, isOwned, placeOf, type InnerLock } from './inner.ts';
import { createWay, findWay, type CapacitorLockHandle, type CapacitorLockOptions, type Way } from './lock-options.ts';
import type { CapacitorLockReport } from './report.ts';
import { routesAt, type Routes } from './routes.ts';

let construct: (inner: InnerLock, way: Way) => CapacitorLock;

/**
 * Makes any lock fair: the lock `inner` behind a capacitor of its own. All agents that use it have to come this way.
 *
 * Promises, with `bypassLimit` B: of all agents that come to lock after a waiter, at the most B - 1 get the lock before it, and at
 * most one time each when there are B of them or more. Whatever else the inner lock promises (who may unlock, what happens when its
 * owner dies) it promises still; an agent that dies at the capacitor or behind it closes it for nobody. `fraction` and random lanes
 * give the bound up for speed, and are fair in the long run.
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
  /** Makes posting the lock itself fail; post `handle`. */
  readonly post = postTheHandleInstead;
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

  private constructor(inner: InnerLock, { gate, fraction, skipWhenUncontended }: Way) {
    super();
    this.#inner = inner;
    this.#gate = gate;
    this.#fraction = fraction;
    this.#skips = skipWhenUncontended;
    this.#routes = routesAt(gate.arena, keyOf(gate.handle));
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

  /** Blocks until the lock is ours. Throws what the capacitor's `arrive` and the inner lock throw; then nothing has changed. */
  override lock(): void {
    const routes = this.#routes;
    if (routes.held !== 0 || this.#isDiverted()) {
      this.#lockAround();
      return;
    }
    if (this.#skips && this.#gate.empty && this.#tryAround(0)) return;
    this.#gate.arrive();
    try {
      this.#inner.lock();
    } catch (failure) {
      throw this.#failed(failure);
    }
    routes.held = 1;
  }

  /**
   * Waits `timeoutMs` ms at the most, in both places together; with 0 not at all. Whether the lock is ours. Throws as `lock`, and
   * `MisuseError` when the inner lock has no `tryLock`.
   */
  override tryLock(timeoutMs = 0): boolean {
    if (timeoutMs !== 0) checkTimeout(timeoutMs);
    const { tryLock } = this.#inner;
    if (tryLock === undefined) throw new MisuseError('The inner lock has no tryLock, so this one cannot try.');
    if (this.owned || this.#isDiverted()) return this.#tryAround(timeoutMs);
    if (this.#skips && this.#gate.empty && this.#tryAround(0)) return true;
    const until = timeoutMs === 0 || timeoutMs === Infinity ? timeoutMs : performance.now() + timeoutMs;
    if (!this.#gate.tryArrive(timeoutMs)) return false;
    let locked: boolean;
    try {
      locked = tryLock.call(this.#inner, left(timeoutMs, until));
    } catch (failure) {
      throw this.#failed(failure);
    }
    if (locked) this.#routes.held += 1;
    else this.#gate.depart();
    return locked;
  }

  /** Resolves when the lock is ours. Rejects as `lock` throws, and as `lockAsync` of the inner lock, `MisuseError` if it has none. */
  override async lockAsync(options: WaitOptions = {}): Promise<void> {
    const { timeout = Infinity, ...others } = checkWait(options);
    const { lockAsync } = this.#inner;
    if (lockAsync === undefined) throw new MisuseError('The inner lock has no lockAsync, so this one cannot be waited for without blocking.');
    const until = timeout === 0 || timeout === Infinity ? timeout : performance.now() + timeout;
    const enter = async (): Promise<void> => lockAsync.call(this.#inner, { ...others, timeout: left(timeout, until) });
    // Another task of this agent may hold the lock, and this one is none that could be nested, unless the inner lock lets it in.
    if (this.owned && this.#tryAround(0)) return;
    if (this.#isDiverted()) return this.#aroundAsync(enter);
    if (this.#skips && !this.owned && this.#gate.empty && this.#tryAround(0)) return;
    await this.#gate.arriveAsync({ ...others, timeout });
    try {
      await enter();
    } catch (failure) {
      throw this.#failed(failure);
    }
    this.#routes.held += 1;
  }

  /** Gives the lock back by the route that it was taken by. Throws `MisuseError` when this agent does not hold it. */
  override unlock(): void {
    const routes = this.#routes;
    if (routes.held === 0) throw new MisuseError('This agent does not hold the lock and cannot unlock it.');
    this.#inner.unlock();
    routes.held -= 1;
    if (routes.around === 0) this.#gate.depart();
    else routes.around -= 1;
  }

  /** As of the inner lock, if that is one that can be inherited from an owner that died. Throws `MisuseError`. */
  markConsistent(): void {
    if (!isOwned(this.#inner)) throw new MisuseError('The inner lock knows no dead owners: nothing is to be marked.');
    this.#inner.markConsistent();
  }

  override run<T>(body: () => T): T {
    checkFunction(body);
    const inner = this.#inner;
    // Else after an owner's death the lock would stay ours, and the notice with it: only the inner lock can pass it on unread.
    if (!isOwned(inner) || this.owned) return super.run(body);
    const diverted = this.#isDiverted();
    if (!diverted) this.#gate.arrive();
    try {
      return inner.run(() => this.#counted(diverted, body));
    } finally {
      if (!diverted) this.#gate.depart();
    }
  }

  override async runAsync<T>(body: () => T | PromiseLike<T>, options: WaitOptions = {}): Promise<T> {
    checkFunction(body);
    const inner = this.#inner;
    if (!isOwned(inner) || this.owned) return super.runAsync(body, options);
    const { timeout = Infinity, ...others } = checkWait(options);
    const until = timeout === 0 || timeout === Infinity ? timeout : performance.now() + timeout;
    const diverted = this.#isDiverted();
    if (!diverted) await this.#gate.arriveAsync({ ...others, timeout });
    try {
      return await inner.runAsync(() => this.#countedAsync(diverted, body), { ...others, timeout: left(timeout, until) });
    } finally {
      if (!diverted) this.#gate.depart();
    }
  }

  /** What the capacitor's `inspect` tells, and how often this agent holds the lock, by either route: a snapshot. */
  inspect(): CapacitorLockReport {
    const { held, around } = this.#routes;
    return { kind: 'capacitor-lock', gate: this.#gate.inspect(), through: held - around, around };
  }

  /** Gives the capacitor's memory back; the inner lock stays. Throws `MisuseError` while agents are at the capacitor. */
  free(): void {
    if (this.owned) throw new MisuseError('The lock is held by this agent and cannot be freed.');
    this.#gate.free();
  }

  #isDiverted(): boolean {
    return this.#fraction > 0 && Math.random() < this.#fraction;
  }

  #lockAround(): void {
    try {
      this.#inner.lock();
    } catch (failure) {
      throw this.#failedAround(failure);
    }
    this.#routes.enter(true);
  }

  #tryAround(timeoutMs: number): boolean {
    try {
      if (this.#inner.tryLock?.(timeoutMs) !== true) return false;
    } catch (failure) {
      throw this.#failedAround(failure);
    }
    this.#routes.enter(true);
    return true;
  }

  async #aroundAsync(enter: () => Promise<void>): Promise<void> {
    try {
      await enter();
    } catch (failure) {
      throw this.#failedAround(failure);
    }
    this.#routes.enter(true);
  }

  #counted<T>(diverted: boolean, body: () => T): T {
    this.#routes.enter(diverted);
    try {
      return body();
    } finally {
      this.#routes.leave(diverted);
    }
  }

  async #countedAsync<T>(diverted: boolean, body: () => T | PromiseLike<T>): Promise<T> {
    this.#routes.enter(diverted);
    try {
      return await body();
    } finally {
      this.#routes.leave(diverted);
    }
  }

  /** The inner lock failed. Unless it is ours nevertheless, the agent departs. */
  #failed(failure: unknown): unknown {
    if (!cameWithLock(failure)) {
      this.#gate.depart();
      return failure;
    }
    this.#routes.held += 1;
    return this.#inherited(failure);
  }

  #failedAround(failure: unknown): unknown {
    if (!cameWithLock(failure)) return failure;
    this.#routes.enter(true);
    return this.#inherited(failure);
  }

  /** With a guard that departs, too. */
  #inherited({ message }: Error): OwnerDiedError {
    return new OwnerDiedError(message, new HeirGuard(this));
  }
}

/** What is left of a timeout. */
function left(timeoutMs: number, until: number): number {
  return timeoutMs === 0 || timeoutMs === Infinity ? timeoutMs : Math.max(0, until - performance.now());
}

function keyOf(gate: Way['gate']['handle']): string {
  const first = gate.kind === 'sluice.random-lanes' ? gate.lanes[0] : gate;
  return `${first?.kind} ${first?.tag}`;
}

// A namespace on the server, as this process sees it: its session, and the primitives that it creates.

import { ClosedError, type WaitOptions } from '@sluice/core';
import {
  checkAsyncBody,
  checkFlag,
  checkFunction,
  checkInteger,
  checkOptions,
  INSPECT,
  MAX_PERMITS,
  show,
} from '@sluice/core/calls';
import { MAX_PARTIES, RemoteBarrier, type RemoteBarrierOptions } from './primitives/barrier.ts';
import { cronCoordinatorOver, type CronCoordinator } from './primitives/cron-coordinator.ts';
import { RemoteCache } from './cache/remote-cache.ts';
import type { RemoteCacheOptions } from './cache/options.ts';
import { RemoteKeyedLimit, type RemoteKeyedLimitOptions } from './keyed/keyed-limit.ts';
import { RemoteKeyedRateLimiter } from './keyed/keyed-rate-limiter.ts';
import { Bridge, checkBridge, type BridgeOptions } from './bridge/bridge.ts';
import { RemoteCountdownLatch } from './primitives/countdown-latch.ts';
import { RemoteOnceLine } from './line/once-line.ts';
import { checkTime, RemoteOnce, type RemoteOnceOptions } from './primitives/once.ts';
import { checkRate, type RemoteRateOptions } from './line/rate.ts';
import { RateLine } from './line/rate-line.ts';
import { RemoteRateLimiter } from './primitives/rate-limiter.ts';
import { LeaseLostError, NotRun } from './engine/errors.ts';
import { LocalWaiters, type FrontOptions } from './session/local-waiters.ts';
import { asyncDispose } from './primitives/guard.ts';
import { Holdings } from './primitives/holdings.ts';
import { RemoteKeyedMutex } from './primitives/keyed-mutex.ts';
import { lead, type LeaderOptions, type LeaderTerm } from './primitives/leader.ts';
import { RemoteLazy } from './primitives/lazy.ts';
import type { RemoteLazyOptions } from './primitives/lazy-value.ts';
import { checkLimit, type RemoteLimitOptions } from './limit/options.ts';
import { limitOver, type RemoteLimit } from './limit/limit.ts';
import { RemotePrimitive, type LineOptions } from './line/remote-primitive.ts';
import { ALL_PERMITS, RemoteLock, RemoteRwLock } from './primitives/lock.ts';
import { RoundPrimitive } from './primitives/round-primitive.ts';
import { readReport, type RemoteReport } from './report/report.ts';
import { readSpace, type SpaceReport } from './report/space-report.ts';
import { RoundLine } from './line/round-line.ts';
import { RemoteSemaphore, type RemoteSemaphoreOptions } from './primitives/semaphore.ts';
import type { RemoteKeyLock } from './primitives/key-lock.ts';
import type { RemoteGuards } from './several/guards.ts';
import { SeveralLocks } from './several/hold-all.ts';
import type { RemoteEngine } from './engine/engine.ts';
import type { OperationName } from './engine/protocol.ts';
import { checkFront, checkName, type RemoteLockOptions } from './space-checks.ts';
import { CurrentSession } from './session/current-session.ts';
import type { Session } from './session/session.ts';
import type { Timing } from './engine/timing.ts';

export type { RemoteLockOptions } from './space-checks.ts';

const STRICT: FrontOptions = { bypass: 1, linger: 0 };

export interface SpaceSettings {
  readonly namespace: string;
  readonly lease: number;
  readonly label: string;
  readonly engine: RemoteEngine;
  readonly timing: Timing;
}

/**
 * A namespace on a server. `connect` of `@sluice/local`, `@sluice/redis` or `@sluice/postgres` creates it. All processes
 * that connect to the same namespace share its primitives: a name and a kind stand for the same one in each of them.
 *
 * ```ts run
 * import { connect } from '@sluice/local';
 *
 * const space = await connect({ namespace: 'shop' });
 * const orders = space.mutex('orders');
 * console.log(await orders.runAsync(() => 'one process at a time')); // one process at a time
 * const guard = await space.semaphore('connections', 4).tryHold();
 * console.log(guard?.held); // true
 * await guard?.release();
 * await space.close();
 * ```
 */
export class Space {
  readonly namespace: string;
  /** The lease in ms. */
  readonly lease: number;
  readonly #timing: Timing;
  readonly #current: CurrentSession;
  readonly #several: SeveralLocks;

  /** @internal */
  constructor(settings: SpaceSettings) {
    const { namespace, lease, label, engine, timing } = settings;
    this.namespace = namespace;
    this.lease = lease;
    this.#timing = timing;
    this.#current = new CurrentSession({ lease, label, engine, timing });
    this.#several = new SeveralLocks(this, timing);
  }

  /** Returns a semaphore with `permits` permits. All processes must give the same number. */
  semaphore(name: string, permits: number, options: RemoteSemaphoreOptions = {}): RemoteSemaphore {
    checkOptions(options, ['bypass', 'linger', 'recovery']);
    const { recovery = true } = options;
    const title = `Semaphore ${show(checkName(name))}`;
    checkInteger(`${title}: permits`, permits, recovery ? 1 : 0, MAX_PERMITS, [`semaphore(${show(name)}, 1, OPTIONS)`]);
    return new RemoteSemaphore(
      this,
      this.#holdings('s', 'Semaphore', name, { permits, signal: !recovery }, checkFront(options, STRICT)),
    );
  }

  /** Returns the mutex of that name, which all processes share. */
  mutex(name: string, options: RemoteLockOptions = {}): RemoteLock {
    checkOptions(options, ['bypass', 'linger']);
    return new RemoteLock(
      this,
      this.#holdings('m', 'Mutex', checkName(name), { permits: 1 }, checkFront(options, STRICT)),
    );
  }

  /** Returns the read-write lock of that name, which all processes share. */
  rwLock(name: string): RemoteRwLock {
    const make = (className: string): Holdings =>
      this.#holdings('r', className, checkName(name), { permits: ALL_PERMITS }, STRICT);
    return new RemoteRwLock(this, make('Reader of RwLock'), make('Writer of RwLock'));
  }

  /** Returns a limit with p-limit's interface. The argument is a number of slots, or options. */
  limit(name: string, concurrency: number | RemoteLimitOptions): RemoteLimit {
    checkName(name);
    const options: RemoteLimitOptions = typeof concurrency === 'object' ? concurrency : { concurrency };
    const terms = checkLimit(name, options);
    const { permits, interval: every, starts, maxWaiting } = terms;
    // With an interval, a local hand-off would be a start that the server does not count.
    const front = every > 0 ? STRICT : checkFront(options, { bypass: 4, linger: 20 });
    const line = { permits, resizable: true, every, starts };
    const slots = this.#holdings('l', 'Limit', name, line, { ...front, ranks: true });
    const title = `Limit '${name}', waiting calls`;
    const counted = maxWaiting > 0 && maxWaiting < Infinity;
    const places = counted ? this.#holdings('w', '', name, { permits: maxWaiting, title }, STRICT) : undefined;
    return limitOver(this, slots, places, terms, this.#timing);
  }

  /**
   * Returns a rate limiter: at most `permits` in each `interval`, and `burst` at once. All processes must give the same
   * numbers.
   */
  rateLimiter(name: string, options: RemoteRateOptions): RemoteRateLimiter {
    const line = new RateLine(name, checkRate(`RateLimiter ${show(checkName(name))}`, options));
    return new RemoteRateLimiter(this, line, this.#timing, this.#current.request);
  }

  /**
   * Returns a once: one process runs its initialiser, and the others wait until it has returned. With a time, it runs once
   * in the namespace at that time.
   */
  once(name: string, options?: RemoteOnceOptions): RemoteOnce {
    const { request } = this.#current;
    checkName(name);
    if (options === undefined) return new RemoteOnce(this, new RemoteOnceLine('once', name), request, this.#timing);
    checkOptions(options, ['at', 'rerun']);
    const title = `Once ${show(name)}`;
    checkFlag(`${title}: rerun`, options.rerun);
    const line = new RemoteOnceLine('job', name, checkTime(title, options.at));
    return new RemoteOnce(this, line, request, this.#timing, options.rerun);
  }

  /**
   * Returns a lazy: one process computes its value, and all processes get it. All processes must give the same codec.
   */
  lazy(name: string, options: RemoteLazyOptions<number> & { readonly codec: 'int32' | 'float64' }): RemoteLazy<number>;
  lazy(name: string, options: RemoteLazyOptions<Uint8Array> & { readonly codec: 'bytes' }): RemoteLazy<Uint8Array>;
  lazy<T>(name: string, options?: RemoteLazyOptions<T>): RemoteLazy<T>;
  lazy<T>(name: string, options: RemoteLazyOptions<T> = {}): RemoteLazy<T> {
    return new RemoteLazy(
      this,
      new RemoteOnceLine('lazy', checkName(name)),
      this.#current.request,
      this.#timing,
      options,
    );
  }

  /** Returns a mutex for each key. Locks of unused keys take no memory. */
  keyedMutex(name: string): RemoteKeyedMutex {
    return new RemoteKeyedMutex(this, checkName(name), ({ name: key, title }, onUnused) =>
      this.#holdings('k', '', key, { permits: 1, title }, STRICT, onUnused),
    );
  }

  /** Returns a limit for each key, and one for all keys together. All processes must give the same numbers. */
  keyedLimit(name: string, options: RemoteKeyedLimitOptions): RemoteKeyedLimit {
    return new RemoteKeyedLimit(this, checkName(name), options, {
      now: () => this.#timing.now(),
      ofKey: (key, title, permits, bypass, onUnused) =>
        this.#holdings('n', '', key, { permits, title }, { bypass, linger: 0 }, onUnused),
      ofAll: (permits) => this.#holdings('a', 'KeyedLimit', name, { permits }, STRICT),
    });
  }

  /**
   * Returns a rate limiter for each key: at most `permits` in each `interval`, and `burst` at once. All processes must
   * give the same numbers.
   */
  keyedRateLimiter(name: string, options: RemoteRateOptions): RemoteKeyedRateLimiter {
    return new RemoteKeyedRateLimiter(this, checkName(name), options, this.#timing, this.#current.request);
  }

  /**
   * Returns a cache, whose values are computed once over all processes. All processes must give the same codec.
   */
  cache(
    name: string,
    options: RemoteCacheOptions<number> & { readonly codec: 'int32' | 'float64' },
  ): RemoteCache<number>;
  cache(name: string, options: RemoteCacheOptions<Uint8Array> & { readonly codec: 'bytes' }): RemoteCache<Uint8Array>;
  cache<T>(name: string, options?: RemoteCacheOptions<T>): RemoteCache<T>;
  cache<T>(name: string, options: RemoteCacheOptions<T> = {}): RemoteCache<T> {
    return new RemoteCache(this, checkName(name), options, this.#timing, this.#current.request);
  }

  /**
   * Returns a mutex whose grant serves up to `bypass` callers of a process (default 16) before it goes to the next
   * process.
   */
  capacitor(name: string, options: RemoteLockOptions = {}): RemoteLock {
    checkOptions(options, ['bypass', 'linger']);
    const front = checkFront(options, { bypass: 16, linger: 0 });
    return new RemoteLock(this, this.#holdings('c', 'Capacitor', checkName(name), { permits: 1 }, front));
  }

  /**
   * Runs `body` while this process is the leader of that name: one process of the namespace leads at a time. The others
   * wait in line, and the next one leads when `body` has settled, or when the process of the leader has died.
   *
   * If the leadership is lost, because the lease ended, `signal` is aborted and another process may lead. When `body`
   * has settled, this process is a candidate again. Otherwise the call settles as `body` does.
   *
   * Rejects with the errors of `RemoteLock.holdAsync`, and with `signal.reason` after an abort.
   */
  async leader<T>(
    name: string,
    body: (signal: AbortSignal, leadership: LeaderTerm) => T | PromiseLike<T>,
    options: LeaderOptions = {},
  ): Promise<T> {
    checkOptions(options, ['signal', 'ref']);
    const title = `Leader ${show(checkName(name))}`;
    checkAsyncBody(body, title);
    return lead(new RemoteLock(this, this.#holdings('e', 'Leader', name, { permits: 1 }, STRICT)), body, options);
  }

  /**
   * Returns a run coordinator for node-cron: of all processes of the namespace, one runs a job at each scheduled time.
   */
  cronCoordinator(): CronCoordinator {
    return cronCoordinatorOver(this.keyedMutex('node-cron'), this.#timing);
  }

  /** Returns a countdown latch. All processes must give the same initial `count`, 0 to 2^31 − 1. */
  countdownLatch(name: string, count = 0): RemoteCountdownLatch {
    checkInteger(`CountdownLatch ${show(checkName(name))}: count`, count, 0, MAX_PERMITS);
    return new RemoteCountdownLatch(this.#roundPrimitive('latch', name, count));
  }

  /**
   * Returns a cyclic barrier. All processes must give the same initial number of `parties`, 0 to 32767. Each process
   * has its own `action`.
   */
  barrier(name: string, parties: number, options: RemoteBarrierOptions = {}): RemoteBarrier {
    checkOptions(options, ['action']);
    const { action } = options;
    if (action !== undefined) checkFunction(action);
    checkInteger(`Barrier ${show(checkName(name))}: parties`, parties, 0, MAX_PARTIES, [
      `barrier(${show(name)}, 2, OPTIONS)`,
    ]);
    return new RemoteBarrier(this.#roundPrimitive('barrier', name, parties), action);
  }

  /**
   * Acquires several locks without a deadlock; resolves with one guard that releases them. Takes mutexes, sides of
   * read-write locks, `asLock` of semaphores, capacitors, and locks of keys (`keyedMutex.at`), in any order.
   *
   * - Every call, in every process, acquires its locks one after the other, in the order of their names on the server.
   *   So calls never wait for each other in a cycle. While a call waits for a lock, it holds those already acquired.
   * - A lock may be given several times, as one object or as several, and is acquired once. Of a read-write lock the
   *   stronger side is acquired. Only permits of one semaphore add up.
   * - `timeout` is for all locks together. If the promise rejects, no lock is held.
   *
   * Rejects with `TypeError` for something that is no lock of a space, `MisuseError` for a lock of another space, and the
   * errors of `RemoteLock.holdAsync`.
   */
  async holdAllAsync(locks: readonly (RemoteLock | RemoteKeyLock)[], options: WaitOptions = {}): Promise<RemoteGuards> {
    return this.#several.hold('holdAllAsync', locks, options);
  }

  /**
   * Acquires several locks as `holdAllAsync` does, if all of them become available within `timeoutMs`. Resolves with the
   * guard, or `null`. With 0, the default, it does not wait.
   */
  async tryHoldAll(locks: readonly (RemoteLock | RemoteKeyLock)[], timeoutMs = 0): Promise<RemoteGuards | null> {
    return this.#several.tryHold('tryHoldAll', locks, timeoutMs);
  }

  /** Runs `body` with several locks held, which it acquires as `holdAllAsync` does. `body` gets the guard. */
  async runAllAsync<T>(
    locks: readonly (RemoteLock | RemoteKeyLock)[],
    body: (guard: RemoteGuards) => T | PromiseLike<T>,
    options: WaitOptions = {},
  ): Promise<T> {
    return this.#several.run('runAllAsync', locks, body, options);
  }

  /**
   * Creates a bridge, which lets the worker threads of this process block on a semaphore of the server: a semaphore in
   * shared memory, which this thread feeds with permits of the remote one.
   */
  bridge(semaphore: RemoteSemaphore, options: BridgeOptions = {}): Bridge {
    const checked = checkBridge(semaphore, options);
    const line = this.#line('s', 'Semaphore', semaphore.name, { permits: semaphore.permits, sticky: true });
    return new Bridge(line, this.#current.request, this.#timing, checked);
  }

  /**
   * Returns all sessions of the namespace, what they hold and wait for, and the cycles in which sessions wait for each
   * other. Asks the server once for each primitive that is held or waited for, 64 at a time, so the report is no snapshot of one moment.
   */
  async report(): Promise<SpaceReport> {
    return readSpace(this.namespace, await this.ask('sessions'), (operation, key) => this.ask(operation, key));
  }

  /**
   * Closes the session: waits reject with `ClosedError`, the signals of guards are aborted, and all permits and locks
   * of this process go to the next waiters. The client that was given to `connect` stays open.
   */
  async close(): Promise<void> {
    await this.#current.close(new ClosedError(`The space '${this.namespace}' is closed.`));
  }

  [asyncDispose](): Promise<void> {
    return this.close();
  }

  [INSPECT](): string {
    return `Space { namespace: '${this.namespace}', lease: ${this.lease} }`;
  }

  /** Resolves with the session whose lease runs. Opens one if the last session was lost. @internal */
  session(): Promise<Session> {
    return this.#current.get();
  }

  /** Makes a call once more if its session had ended before the engine ran it. @internal */
  inSession<T>(call: (session: Session) => Promise<T>): Promise<T> {
    return this.#current.twice(call, (failure) => failure instanceof NotRun);
  }

  /** Asks the engine for something that the call does not change. @internal */
  async ask(operation: OperationName, ...args: readonly (string | number)[]): Promise<readonly string[]> {
    const call = async (session: Session): Promise<readonly string[]> => (await session.call(operation, args)).reply;
    return this.#current.twice(call, (failure) => failure instanceof LeaseLostError);
  }

  /** @internal */
  async look(line: RemotePrimitive): Promise<RemoteReport> {
    return readReport(line.name, line.permits, await this.ask('look', line.key));
  }

  /** @internal */
  async shut(line: RemotePrimitive): Promise<void> {
    await this.inSession((session) => session.call('close', [line.key, ...line.made]));
  }

  /** @internal */
  async resize(line: RemotePrimitive, permits: number): Promise<void> {
    checkInteger(`${line.title}: concurrency`, permits, 1, MAX_PERMITS);
    await this.inSession(async (session) => {
      const { reply } = await session.call('resize', [line.key, permits, ...line.made]);
      if (reply[0] === 'closed') throw line.closed();
      line.permits = permits;
      session.takeGrants(reply, 1);
    });
  }

  #roundPrimitive(kind: 'latch' | 'barrier', name: string, size: number): RoundPrimitive {
    return new RoundPrimitive(this, this.#timing, new RoundLine(kind, name, size));
  }

  #line(kind: string, className: string, name: string, options: LineOptions): RemotePrimitive {
    return new RemotePrimitive(kind, className, name, options);
  }

  #holdings(
    kind: string,
    className: string,
    name: string,
    options: LineOptions,
    front: FrontOptions,
    onUnused?: () => void,
  ): Holdings {
    const line = this.#line(kind, className, name, { ...options, sticky: front.linger > 0 });
    return new Holdings(line, new LocalWaiters(line, this.#current.request, this.#timing, front), onUnused);
  }
}

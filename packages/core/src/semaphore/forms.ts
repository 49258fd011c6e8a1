// The scoped forms of acquiring permits, which release them for the caller, built on the four operations.

import { INSPECT, oneLine } from '../api/one-line.ts';
import { Holdable, type Guard } from '../api/lock.ts';
import { type WaitOptions } from '../api/wait-options.ts';
import type { NotPromise } from '../api/not-promise.ts';

/**
 * The scoped forms that all semaphores share: `hold`, `run` and `asLock`. A subclass implements the four operations.
 */
export abstract class PermitForms {
  /** The title that messages use. */
  abstract toString(): string;
  /** Acquires `permits` (default 1), blocking the calling thread until they are available. */
  abstract acquire(permits?: number): void;
  /**
   * Acquires `permits` (default 1) if they become available within `timeoutMs` ms (default 0); returns whether it did.
   */
  abstract tryAcquire(permits?: number, timeoutMs?: number): boolean;
  /** Acquires `permits` (default 1) without blocking; the promise resolves when they are acquired. */
  abstract acquireAsync(permits?: number, options?: WaitOptions): Promise<void>;
  /** Releases `permits` (default 1). */
  abstract release(permits?: number): void;

  /** Returns a lock whose `lock` acquires `permits` and whose `unlock` releases them, for APIs that take a `Lock`. */
  asLock(permits = 1): Holdable {
    return new PermitLock(this, permits);
  }

  /** Acquires `permits` as `acquire` does; returns a guard that releases them. */
  hold(permits = 1): Guard {
    return this.asLock(permits).hold();
  }

  /** Acquires `permits` as `tryAcquire` does; returns a guard, or `null` if they were not acquired. */
  tryHold(permits = 1, timeoutMs = 0): Guard | null {
    return this.asLock(permits).tryHold(timeoutMs);
  }

  /** Acquires `permits` as `acquireAsync` does; resolves with a guard that releases them. */
  async holdAsync(permits = 1, options?: WaitOptions): Promise<Guard> {
    return this.asLock(permits).holdAsync(options);
  }

  /**
   * Runs `body` with `permits` held and returns its result; releases them even if `body` throws.
   *
   * An async function is refused before anything is taken. A body that returns a thenable is refused after the release.
   * See `Holdable.run`.
   *
   * @throws {MisuseError} If `body` is an async or generator function, or returns a thenable; use `runAsync`.
   */
  run<T>(body: () => NotPromise<T>, permits = 1): T {
    return this.asLock(permits).run(body);
  }

  /**
   * Runs `body` with `permits` held until the promise that `body` returns settles; releases them even if it rejects.
   */
  async runAsync<T>(body: () => T | PromiseLike<T>, permits = 1, options?: WaitOptions): Promise<T> {
    return this.asLock(permits).runAsync(body, options);
  }
}

/** A lock made of a fixed number of a semaphore's permits. */
class PermitLock extends Holdable {
  /** Own and enumerable, so that posting the lock fails as for `Guard`. */
  private readonly _semaphore: PermitForms;
  readonly #permits: number;

  constructor(semaphore: PermitForms, permits: number) {
    super();
    this._semaphore = semaphore;
    this.#permits = permits;
  }

  override toString(): string {
    return String(this._semaphore);
  }

  override [INSPECT](): string {
    return oneLine('PermitLock', () => ({ of: String(this._semaphore), permits: this.#permits }));
  }

  override lock(): void {
    this._semaphore.acquire(this.#permits);
  }

  override tryLock(timeoutMs = 0): boolean {
    return this._semaphore.tryAcquire(this.#permits, timeoutMs);
  }

  override lockAsync(options?: WaitOptions): Promise<void> {
    return this._semaphore.acquireAsync(this.#permits, options);
  }

  override unlock(): void {
    this._semaphore.release(this.#permits);
  }
}

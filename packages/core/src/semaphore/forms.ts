// The forms of taking permits that cannot forget to give them back, on top of the four operations.

import { INSPECT, oneLine } from '../one-line.ts';
import { Holdable, type Guard, type WaitOptions } from '../lock.ts';

/** What a semaphore's permits can be taken by. */
export abstract class PermitForms {
  /** How messages call it. */
  abstract toString(): string;
  abstract acquire(permits?: number): void;
  abstract tryAcquire(permits?: number, timeoutMs?: number): boolean;
  abstract acquireAsync(permits?: number, options?: WaitOptions): Promise<void>;
  abstract release(permits?: number): void;

  /** `permits` taken and given back as one lock: for guards, `run`, and everything that takes a `Lock`. */
  asLock(permits = 1): Holdable {
    return new PermitLock(this, permits);
  }

  /** As `acquire`; the guard gives the permits back, once. */
  hold(permits = 1): Guard {
    return this.asLock(permits).hold();
  }

  /** As `tryAcquire`; a guard, or `null`. */
  tryHold(permits = 1, timeoutMs = 0): Guard | null {
    return this.asLock(permits).tryHold(timeoutMs);
  }

  /** As `acquireAsync`; resolves with a guard. */
  async holdAsync(permits = 1, options?: WaitOptions): Promise<Guard> {
    return this.asLock(permits).holdAsync(options);
  }

  /**
   * Runs `body` with `permits` taken; gives them back also when it throws. Throws `MisuseError` for an async function, before anything is
   * taken, and for a body that returns a thenable, after the release: see `Holdable.run`.
   */
  run<T>(body: () => T, permits = 1): T {
    return this.asLock(permits).run(body);
  }

  /** Runs `body` with `permits` taken until the promise that it returns settles. */
  async runAsync<T>(body: () => T | PromiseLike<T>, permits = 1, options?: WaitOptions): Promise<T> {
    return this.asLock(permits).runAsync(body, options);
  }
}

/** A semaphore's permits, always the same number of them, as a lock. */
class PermitLock extends Holdable {
  /** Own and enumerable: see `Guard`. */
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

// A guard of several permits, which can be divided, joined and given up for good. Apart from the semaphore: programs that do not use it do not
// load it.

import { contextOf } from './arena/arena.ts';
import { checkNotFreed } from './arena/primitive.ts';
import { tagOf } from './arena/tags.ts';
import { checkInteger, MAX_PERMITS } from './check.ts';
import { MisuseError } from './errors.ts';
import { asBlock } from './kernel/addresses.ts';
import { CAPACITY, ENTRY_HELD, FLAG_RECOVERY, FLAGS, RELEASED_FOR_OTHERS } from './kernel/layout.ts';
import { dispose, type WaitOptions } from './lock.ts';
import { INSPECT, oneLine } from './one-line.ts';
import { Semaphore } from './semaphore.ts';
import { wrongInstance } from './wrong-instance.ts';

/**
 * Holds permits of a semaphore until `release` or the end of a `using` block. It can be split, merged, and forgotten.
 *
 * As tokio's `SemaphorePermit`.
 *
 * ```ts run
 * import { PermitGuard, Semaphore } from '@sluice/core';
 *
 * const slots = Semaphore.create(4);
 * const guard = PermitGuard.hold(slots, 3);
 * const part = guard.split(2);
 * part.release();
 * console.log(guard.permits, slots.available); // 1 3
 * guard.forget();
 * console.log(slots.available, slots.inspect().holders.length); // 3 0
 * ```
 */
export class PermitGuard {
  /** Own and enumerable, so that posting the guard fails: see `Guard`. */
  private readonly _semaphore: Semaphore;
  #permits: number;

  /**
   * Takes charge of permits that the caller has acquired.
   *
   * @param permits - 1 to 2^31 − 1. Default: 1.
   * @throws {TypeError} If `semaphore` is not a `Semaphore`.
   * @throws {RangeError} If `permits` is out of range.
   */
  constructor(semaphore: Semaphore, permits = 1) {
    checkSemaphore(semaphore);
    this._semaphore = semaphore;
    this.#permits = checkInteger('The number of permits', permits, 1, MAX_PERMITS);
  }

  /** Acquires permits as `semaphore.acquire` does; returns a guard that releases them. */
  static hold(semaphore: Semaphore, permits = 1): PermitGuard {
    checkSemaphore(semaphore);
    semaphore.acquire(permits);
    return new PermitGuard(semaphore, permits);
  }

  /** Acquires permits as `semaphore.tryAcquire` does; returns a guard, or `null` if they were not acquired. */
  static tryHold(semaphore: Semaphore, permits = 1, timeoutMs = 0): PermitGuard | null {
    checkSemaphore(semaphore);
    return semaphore.tryAcquire(permits, timeoutMs) ? new PermitGuard(semaphore, permits) : null;
  }

  /** Acquires permits as `semaphore.acquireAsync` does; resolves with a guard that releases them. */
  static async holdAsync(semaphore: Semaphore, permits = 1, options?: WaitOptions): Promise<PermitGuard> {
    checkSemaphore(semaphore);
    await semaphore.acquireAsync(permits, options);
    return new PermitGuard(semaphore, permits);
  }

  /** The number of permits that it holds; 0 after `release`, `forget`, and `merge` into another guard. */
  get permits(): number {
    return this.#permits;
  }

  /** Whether it holds any. */
  get held(): boolean {
    return this.#permits > 0;
  }

  /**
   * Moves `permits` of its permits to a new guard, and returns that.
   *
   * @param permits - 1 to the number that it holds.
   * @throws {RangeError} If it holds fewer. Then nothing was moved.
   */
  split(permits: number): PermitGuard {
    checkInteger(`The guard of ${String(this._semaphore)} holds ${this.#permits}: the number to split off`, permits, 1, this.#permits);
    this.#permits -= permits;
    return new PermitGuard(this._semaphore, permits);
  }

  /**
   * Moves all permits of `other`, a guard of the same semaphore, to this one. Afterwards `other` holds none.
   *
   * @throws {MisuseError} If `other` is of another semaphore or the same guard, one of them holds none, or both together more than
   *   2^31 − 1. Then nothing was moved.
   * @throws {TypeError} If `other` is not a `PermitGuard`.
   */
  merge(other: PermitGuard): void {
    if (!(other instanceof PermitGuard)) throw new TypeError(`Only a PermitGuard can be merged into the guard of ${String(this._semaphore)}.`);
    const why = this.#whyNotMerge(other);
    if (why !== '') throw new MisuseError(`${String(other._semaphore)}: its guard cannot be merged into the guard of ${String(this._semaphore)}: ${why}. Nothing was moved.`);
    this.#permits += other.#permits;
    other.#permits = 0;
  }

  /**
   * Releases its permits. Later calls have no effect.
   *
   * @throws {RangeError} If more than `max` permits of the semaphore would be free. Then it still holds them.
   */
  release(): void {
    if (this.#permits > 0) this._semaphore.release(this.#permits);
    this.#permits = 0;
  }

  /**
   * Gives its permits up for good: they are not released, also not when this agent dies, or the agent that acquired them. The semaphore has
   * fewer permits from then on. Returns their number.
   */
  forget(): number {
    const permits = this.#permits;
    if (permits > 0) strike(this._semaphore, permits);
    this.#permits = 0;
    return permits;
  }

  [INSPECT](): string {
    return oneLine('PermitGuard', () => ({ permits: this.#permits, of: String(this._semaphore) }));
  }

  [dispose](): void {
    this.release();
  }

  #whyNotMerge(other: PermitGuard): string {
    const [ours, theirs] = [this._semaphore.handle, other._semaphore.handle];
    if (other === this) return 'they are the same guard';
    if (ours.arena !== theirs.arena || ours.address !== theirs.address || ours.tag !== theirs.tag) return 'they are of different semaphores';
    if (!this.held || !other.held) return 'one of them holds no permit';
    // One release could not give back more.
    return this.#permits + other.#permits > MAX_PERMITS ? `together they hold more than ${MAX_PERMITS} permits` : '';
  }
}

function checkSemaphore(semaphore: unknown): asserts semaphore is Semaphore {
  if (!(semaphore instanceof Semaphore)) throw wrongInstance('The semaphore', 'Semaphore', 'sluice.semaphore', semaphore);
}

/** Removes permits from this agent's ledger, as far as it holds them, and from the permits that exist. Throws `MisuseError` if the semaphore was freed. */
function strike(semaphore: Semaphore, permits: number): void {
  const { arena, handle } = semaphore;
  const context = contextOf(arena);
  const { words } = context;
  const [address, tag] = [asBlock(handle.address), tagOf(handle)];
  checkNotFreed({ arena, context, address, tag }, 'The semaphore');
  if ((words.get32(address + FLAGS) & FLAG_RECOVERY) === 0) return;
  const { entry } = context.localState(address, tag, { recorded: true });
  const held = Number(words.get64(entry + ENTRY_HELD));
  // The ledger first: if the agent dies in between, its recovery gives back none of them.
  words.put64(entry + ENTRY_HELD, BigInt(Math.max(0, held - permits)));
  // Another agent acquired the rest: as with a release for it, its recovery must not give them back.
  if (permits > held) words.add64(address + RELEASED_FOR_OTHERS, BigInt(permits - held));
  words.add64(address + CAPACITY, BigInt(0 - permits));
}

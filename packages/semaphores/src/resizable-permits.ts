// The permits of a resizable semaphore: the counts of existing, free and owed permits, and the calls that change them
// without waiting. The steps, with the protocol: kernel/resizable.ts.

import { MisuseError, type SemaphoreOptions, type SemaphoreReport, type WaitingPolicy } from '@sluice/core';
import {
  BLOCK_KIND,
  BLOCK_TAG,
  CAPACITY,
  FLAGS,
  NEEDS_WALK,
  OVERFLOW,
  RACED,
  SHUT,
  TOO_FEW,
  type LineAddress,
} from '@sluice/core/format';
import { checkInteger, checkOptions, MAX_PERMITS, PLACED_OPTIONS } from '@sluice/core/calls';
import {
  openWithPolicy,
  PrimitiveErrors,
  asCorrupt,
  createPermits,
  retryOrThrow,
  SemaphoreBlock,
  retryWhileRaced,
  wakeNext,
  type NewBlock,
  type PrimitiveHandle,
} from '@sluice/core/internal';
import { BALANCE, FLAG_WATCH } from './kernel/layout.ts';
import type { ReleaseSized } from './kernel/resizable.ts';
import { kernelOf, type OwnKernel } from './own-kernel.ts';
import { availability, balanceOf, officeOf } from './resizable-balance.ts';
import { RESIZABLE } from './resizable-kind.ts';
import type { Membership } from './semaphore-base.ts';

export type ResizableHandle = PrimitiveHandle<'sluice.resizable-semaphore'>;

/** `max` and `recovery` are missing: `size` is the number of permits, and the holders are always recorded. */
export type ResizableOptions = Pick<SemaphoreOptions, 'arena' | 'name' | 'policy'>;

export interface ResizableReport extends SemaphoreReport {
  /** The number of permits that exist, free or held. */
  readonly size: number;
  /** The number of held permits beyond the number that exist. Releases pay this debt before any call gets a permit. */
  readonly debt: number;
}

/** Creates the semaphore. Throws the errors of `ResizableSemaphore.create`. */
export function createResizable(permits: number, options: ResizableOptions): Membership {
  checkOptions(options, PLACED_OPTIONS);
  checkInteger('permits', permits, -MAX_PERMITS, MAX_PERMITS, ['create(1, OPTIONS)']);
  const fill = ({ words, address: home, tag }: NewBlock): void => {
    const office = officeOf(home);
    words.put32(office + BLOCK_TAG, tag);
    words.put32(office + BLOCK_KIND, RESIZABLE.code);
    words.put32(office + FLAGS, FLAG_WATCH);
    words.store64(office + BALANCE, BigInt(permits) << 32n);
    words.store64(home + CAPACITY, BigInt(permits));
  };
  const [ref, policy] = createPermits(0, options, { kind: RESIZABLE, lines: 2, fill });
  return { ref, policy };
}

/** Opens the semaphore. Throws the errors of `ResizableSemaphore.from`. */
export function openResizable(handle: ResizableHandle, options: Pick<ResizableOptions, 'policy'>): Membership {
  const [ref, policy] = openWithPolicy(RESIZABLE, handle, options);
  return { ref, policy };
}

/** A semaphore whose number of permits changes. A subclass acquires, cancels and closes. */
export abstract class ResizablePermits extends SemaphoreBlock {
  readonly #errors: PrimitiveErrors;
  readonly #lines: readonly LineAddress[];

  /** `membership` is `undefined` if a caller uses `new` itself. */
  protected constructor(membership: Membership | undefined) {
    super(membership?.ref, membership?.policy as WaitingPolicy, 'ResizableSemaphore', { kind: RESIZABLE });
    const { ref } = this;
    this.#lines = [officeOf(ref.address)];
    this.#errors = new PrimitiveErrors(
      {
        className: 'ResizableSemaphore',
        late: 'gave no permit',
        untouched: 'No permit was taken.',
        state: availability,
      },
      ref,
    );
  }

  /**
   * The number of permits that exist, free or held. A release of permits that no agent holds raises it. Negative after
   * a negative start.
   */
  get size(): number {
    this.checkThere();
    return Number(this.context.words.load64(this.ref.address + CAPACITY));
  }

  /** The number of held permits beyond the number that exist. Releases pay this debt before any call gets a permit. */
  get debt(): number {
    this.checkThere();
    return Math.max(0, -balanceOf(this.ref));
  }

  override get available(): number {
    this.checkThere();
    return this.isOpen ? Math.max(0, balanceOf(this.ref)) : 0;
  }

  /** Whether no permit is free: an `acquire` would wait. */
  get isLocked(): boolean {
    return this.available === 0;
  }

  /** Returns a snapshot: the agents that hold permits, the waiters, and the size. */
  override inspect(): ResizableReport {
    return { ...super.inspect(), available: this.available, size: this.size, debt: this.debt };
  }

  /**
   * Acquires all free permits at once, without waiting. Returns their number.
   *
   * @throws {ClosedError} If the semaphore is closed.
   */
  drain(): number {
    const { address, tag } = this.ref;
    const taken = retryWhileRaced(() => this.kernel.drainSized(address, tag, this.lineState.entry));
    if (taken === SHUT) throw this.shut();
    return taken;
  }

  /**
   * Releases `permits` and wakes the waiters that can now proceed. They pay the debt first.
   *
   * Any agent may release, also permits that another agent acquired. On a closed semaphore the call succeeds and wakes
   * no waiter.
   *
   * @param permits - 1 to 2^31 − 1.
   * @throws {RangeError} If `permits` is out of range, or more than 2^31 − 1 permits would be free. Nothing was
   *   released.
   */
  override release(permits = 1): void {
    if (permits !== 1) this.checkPermits(permits);
    const { address, tag } = this.ref;
    const { agent } = this.context;
    const { entry } = this.lineState;
    const { kernel } = this;
    let released: ReleaseSized;
    let tries = 0;
    try {
      do released = kernel.releaseSized(address, tag, agent, entry, permits);
      while (released === RACED && retryOrThrow(++tries, this));
    } catch (failure) {
      throw asCorrupt(failure, this);
    }
    if (released === NEEDS_WALK) wakeNext(this.context, address, this.policy);
    else if (released === SHUT) this.#noteReleased(permits);
    else if (released === OVERFLOW) throw this.#tooMany(`releasing ${permits}`);
  }

  /**
   * Sets the number of permits that exist. More permits wake waiters. Fewer are taken from the free ones; if more
   * permits are held than exist, the difference is a debt.
   *
   * @param size - 0 to 2^31 − 1.
   * @throws {RangeError} If `size` is out of range.
   * @throws {ClosedError} If the semaphore is closed.
   */
  resize(size: number): void {
    checkInteger(`${this.toString()}: size`, size, 0, MAX_PERMITS);
    this.#resize(size, 0, `a size of ${size}`);
  }

  /**
   * Adds `permits` new permits.
   *
   * @throws {RangeError} If the number is out of range, or if there would be more than 2^31 − 1.
   * @throws {ClosedError} If the semaphore is closed.
   */
  addPermits(permits: number): void {
    checkInteger(`${this.toString()}: permits to add`, permits, 1, MAX_PERMITS);
    this.#resize(permits, 1, `adding ${permits}`);
  }

  /**
   * Takes `permits` permits out of the semaphore, as `Semaphore.reducePermits` of `java.util.concurrent` does: first
   * the free ones, and for the rest a debt.
   *
   * @throws {RangeError} If the number is out of range.
   * @throws {ClosedError} If the semaphore is closed.
   */
  reducePermits(permits: number): void {
    checkInteger(`${this.toString()}: permits to take out`, permits, 1, MAX_PERMITS);
    this.#resize(-permits, 1, `taking out ${permits}`);
  }

  /**
   * Gives up `permits` permits that the caller has acquired: they are never released, and `size` decreases by their
   * number. See `PermitGuard.forget`.
   *
   * @throws {RangeError} If `permits` is out of range.
   * @throws {MisuseError} If fewer permits are held, by all agents together. Nothing was changed.
   */
  forget(permits: number): void {
    this.checkPermits(permits);
    const { address, tag } = this.ref;
    const forgotten = this.kernel.forgetSized(address, tag, this.lineState.entry, permits);
    if (forgotten === SHUT) this.checkThere();
    if (forgotten === TOO_FEW)
      throw new MisuseError(
        `${this.toString()}: forget(${permits}) is for more permits than are held. Nothing was changed.`,
      );
  }

  protected override get lines(): readonly LineAddress[] {
    return this.#lines;
  }

  protected override get errors(): PrimitiveErrors {
    return this.#errors;
  }

  protected get kernel(): OwnKernel {
    return kernelOf(this.context);
  }

  protected shut(): Error {
    this.checkThere();
    return this.#errors.closed();
  }

  #resize(value: number, isChange: number, what: string): void {
    const { address, tag } = this.ref;
    let resized: ReleaseSized;
    try {
      resized = retryWhileRaced(() => this.kernel.resizeSized(address, tag, this.context.agent, value, isChange));
    } catch (failure) {
      throw asCorrupt(failure, this);
    }
    if (resized === NEEDS_WALK) wakeNext(this.context, address, this.policy);
    else if (resized === SHUT) throw this.shut();
    else if (resized === OVERFLOW) throw this.#tooMany(what);
  }

  /**
   * Corrects the ledger after a release on a closed semaphore: no waiter needs the permits, and the agent no longer
   * holds them.
   */
  #noteReleased(permits: number): void {
    this.checkThere();
    const { entry } = this.lineState;
    const { words } = this.context;
    words.put64(entry, BigInt(Math.max(0, Number(words.get64(entry)) - permits)));
  }

  #tooMany(what: string): RangeError {
    return new RangeError(
      `${this.toString()}: ${what} would leave more than ${MAX_PERMITS} permits, or a debt of more (size ${this.size}, ${this.available} available). Nothing was changed.`,
    );
  }
}

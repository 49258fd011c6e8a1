// The parts that every semaphore with a block of its own shares: everything except acquiring, releasing and closing.

import type { PrimitiveErrors } from '../error-text/primitive-errors.ts';
import type { LineRef } from '../error-text/blockers.ts';
import type { Counted } from '../report/counted.ts';
import type { LineState, LineTraits } from '../agent/agent-context.ts';
import { finishPending } from '../recovery/claim-dead-agent.ts';
import { createBlock, loadKind, type NewBlock } from '../primitive/block.ts';
import { Primitive } from '../primitive/primitive.ts';
import type { BlockRef } from '../arena/block-ref.ts';
import { checkFlag, checkInteger, checkOptions, MAX_PERMITS, PERMIT_CALLS } from '../api/check.ts';
import type { ElementAddress, LineAddress } from '../kernel/addresses.ts';
import { BLOCK_LINE, BLOCK_TAG, CAPACITY, FLAG_RECOVERY, FLAGS, GRANT, LIMIT } from '../kernel/layout.ts';
import type { Kind } from '../agent/kind.ts';
import { observer } from '../agent/observer.ts';
import type { Guard } from '../api/guard.ts';
import type { Holdable } from '../api/lock.ts';
import type { NotPromise } from '../api/not-promise.ts';
import type { WaitingPolicy } from '../api/waiting-policy.ts';
import type { WaitOptions } from '../api/wait-options.ts';
import { permitsErrors } from './semaphore-errors.ts';
import { PermitLock } from './permit-lock.ts';
import { SEMAPHORE_OPTIONS, type SemaphoreOptions } from './options.ts';
import { countWaiters, permitFields, reportSemaphore, type SemaphoreReport } from '../report/semaphore-report.ts';

/**
 * The order in which an agent's async waits settle, and the kind, which has the steps of its waiters. Default: the order
 * of their tickets, and the core's semaphore.
 */
export interface PermitsBehaviour extends Pick<LineTraits, 'ordered' | 'orderedLines'> {
  readonly kind?: Kind<never> | undefined;
}

/** The initial state of a block with permits. */
export interface PermitsTraits extends PermitsBehaviour {
  /** The number of its lines. Default 1. */
  readonly lines?: number;
  readonly flags?: number;
  /** Writes the block's other words. Must not fail. */
  readonly fill?: ((block: NewBlock) => void) | undefined;
  /** The names of this kind's own options, in addition to those of every semaphore. */
  readonly own?: readonly string[];
}

/**
 * Creates a block with permits, and returns it with this agent's policy. Throws as `create` does, with nothing created.
 */
export function createPermits(
  permits: number,
  options: SemaphoreOptions,
  { kind, lines = 1, flags = 0, fill, own = [], ...behaviour }: PermitsTraits = {},
): [BlockRef, WaitingPolicy] {
  checkOptions(options, [...SEMAPHORE_OPTIONS, ...own]);
  const { max, recovery = true } = options;
  if (max !== undefined) checkInteger('max', max, 1, MAX_PERMITS);
  checkInteger('permits', permits, 0, max ?? MAX_PERMITS, ['create(1, OPTIONS)']);
  checkFlag('recovery', recovery);
  return createBlock(kind, options, {
    bytes: lines * BLOCK_LINE,
    entries: recovery ? 1 : 0,
    fill: (block) => {
      const { context, words, address: sem, tag, line } = block;
      words.store64(sem + GRANT, BigInt(permits));
      words.store64(sem + CAPACITY, BigInt(permits));
      words.put32(sem + LIMIT, max ?? 0);
      words.put32(sem + FLAGS, flags | (recovery ? FLAG_RECOVERY : 0));
      fill?.(block);
      context.lineState(sem, tag, { recorded: recovery, line, ...behaviour });
    },
  });
}

/**
 * The base of every semaphore with a block of its own: its end, and the scoped forms `hold`, `run` and `asLock`. A
 * subclass acquires, releases and closes.
 */
export abstract class SemaphoreBlock extends Primitive {
  readonly #lineState: LineState;
  readonly #policy: WaitingPolicy;
  readonly #errors: PrimitiveErrors;
  readonly #limit: number;

  /** `ref` is `undefined` if a program calls the constructor itself. */
  protected constructor(
    ref: BlockRef | undefined,
    policy: WaitingPolicy,
    className: string,
    { ordered = true, orderedLines, kind }: PermitsBehaviour = {},
  ) {
    super(ref, { className, what: 'The semaphore' });
    const { context } = this;
    const { address, tag } = this.ref;
    const recorded = (context.words.get32(address + FLAGS) & FLAG_RECOVERY) !== 0;
    const line = kind === undefined ? undefined : loadKind(context, kind).steps;
    this.#lineState = context.lineState(address, tag, { recorded, ordered, orderedLines, line });
    this.#policy = policy;
    this.#errors = permitsErrors(className, this.ref, ordered, {
      lines: () => this.waitedIn,
      count: (_place, element) => this.countForText(element),
    });
    this.#limit = context.words.get32(address + LIMIT);
    observer?.opened(this, { ref });
  }

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

  // These are accessors because code that enumerates an instance would see fields.
  protected get lineState(): LineState {
    return this.#lineState;
  }

  protected get policy(): WaitingPolicy {
    return this.#policy;
  }

  /** The lines of the semaphore's waiters. */
  protected get waitedIn(): readonly LineRef[] {
    return [this.ref];
  }

  /**
   * Counts waiters that are in no line, for a message. `_element` is the caller's own element, which does not count.
   */
  protected countForText(_element: ElementAddress | 0): Counted | undefined {
    return undefined;
  }

  /** Makes the error messages about the semaphore. */
  protected get errors(): PrimitiveErrors {
    return this.#errors;
  }

  /** The maximum number of permits that may be free at once; `Infinity` if unbounded. */
  get max(): number {
    return this.#limit === 0 ? Infinity : this.#limit;
  }

  /** The number of permits that `tryAcquire` could take now; 0 if the semaphore is closed. */
  get available(): number {
    this.checkThere();
    return this.isOpen ? Math.max(0, this.context.kernel.balance(this.ref.address)) : 0;
  }

  /**
   * The number of waiters in line, blocking and async. Unless permits are free, the call scans all waiters of the
   * arena.
   */
  get waiting(): number {
    this.checkThere();
    return countWaiters(this.context, this.ref.address, this.ref.tag);
  }

  /** A snapshot of the semaphore: its holders, its waiters and since when each has waited. */
  inspect(): SemaphoreReport {
    this.checkThere();
    return reportSemaphore(this.context, this.ref.address, this.ref.tag);
  }

  protected override shown(): Readonly<Record<string, unknown>> {
    return permitFields(this.inspect());
  }

  /**
   * Returns a lock whose `lock` acquires `permits` and whose `unlock` releases them.
   *
   * Each call makes a new object; if you use the lock often, make it once.
   *
   * @throws {RangeError} If `permits` is out of range.
   */
  asLock(permits = 1): Holdable {
    this.checkPermits(permits);
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

  /**
   * Frees the semaphore's memory, which another primitive may reuse.
   *
   * No agent may be inside a call on the semaphore. Every later use throws `MisuseError`.
   *
   * @throws {MisuseError} If agents wait for it (close it first), or it was already freed.
   */
  override free(): void {
    // The recovery of a dead agent may need an agent with this kind.
    finishPending(this.context);
    // Waiters of a closed semaphore read only its tag.
    if (this.isOpen && this.waiting > 0) throw this.#errors.inUse(' Close it first.');
    this.freeBlock(1 + this.lines.length);
  }

  /** The other lines of the block at which agents wait. */
  protected get lines(): readonly LineAddress[] {
    return [];
  }

  protected get isOpen(): boolean {
    return this.context.words.load32(this.ref.address + BLOCK_TAG) === this.ref.tag;
  }

  protected checkPermits(permits: number): void {
    const most = this.#limit === 0 ? MAX_PERMITS : this.#limit;
    if (!Number.isInteger(permits) || permits < 1 || permits > most)
      checkInteger(`${this.toString()}: permits`, permits, 1, most, PERMIT_CALLS);
  }
}

// The lightweight semaphore (Preshing): a box office in front of another semaphore. The inner semaphore stays untouched
// while permits are free, and an agent spins briefly before it waits there. Table of words and invariants:
// kernel/box-office.ts.
//
// From Preshing: the signed count, the spin before an agent is counted, and taking several free permits at once. Sluice
// adds: any semaphore of the family inside, bounds, timeouts, async waits, and a spin that stops if it does not pay
// (the core's `SpinBudget`).

import type { WaitOptions } from '@sluice/core';
import {
  asLine,
  BLOCK_LINE,
  MODE_ASYNC,
  MODE_BLOCKING,
  RACED,
  SHUT,
  TAKEN,
  WAITING,
  type Draw,
  type LineAddress,
  type Poll,
} from '@sluice/core/format';
import { checkInteger, checkObject, checkWait, MAX_PERMITS, NO_WAIT_OPTIONS } from '@sluice/core/calls';
import { asCorrupt, PermitErrors, retryOrThrow, spinIfItPays, type NewBlock } from '@sluice/core/internal';
import { allWaiting } from '@sluice/core/report';
import type { Capabilities } from '@sluice/semaphores';
import type { ReleaseOrTell } from '@sluice/semaphores/kernel';
import { FrontSemaphore, writeLine } from './front-semaphore.ts';
import { FLAG_BOX, FLAG_INNER } from './kernel/layout.ts';
import type { TicketWaits } from './ticket-waits.ts';
import { createMember, findMember, type FamilyHandle, type Membership } from './create-and-open.ts';
import type { FamilyOptions } from './options.ts';
import { flagOf, lineAt, schemeAt, wakesOne, type SchemeName } from './inner-semaphores.ts';

export interface LightweightOptions extends FamilyOptions {
  /** The semaphore behind the box office: the core's (`semaphore`), or a member of the family. Default: `semaphore`. */
  readonly inner?: SchemeName | undefined;
}

const CAPABILITIES: Capabilities = { fifo: false, weighted: false, givesUp: true, bounded: true, wakesOne: true };

/**
 * A semaphore with a fast path. An acquire takes a free permit by one compare-and-swap, and uses the inner semaphore
 * only to wait. Waiters are served in the inner semaphore's order, and an arriving agent does not overtake them. While
 * an agent spins it is not in the queue yet, and may be overtaken.
 *
 * ```ts run
 * import { LightweightSemaphore } from '@sluice/classics';
 *
 * const tasks = LightweightSemaphore.create(3, { inner: 'chain' });
 * tasks.acquire();
 * console.log(tasks.available, tasks.waitMany(10)); // 2 2
 * tasks.release(3);
 * await tasks.runAsync(async () => console.log(tasks.available)); // 2
 * ```
 */
export class LightweightSemaphore extends FrontSemaphore {
  /**
   * The capabilities of a semaphore with the default options. Several permits at once are possible only with
   * `waitMany`, or without waiting.
   */
  static get capabilities(): Capabilities {
    return CAPABILITIES;
  }

  readonly #line: TicketWaits;
  readonly #inner: LineAddress;

  private constructor(membership: Membership) {
    super(membership, 'LightweightSemaphore');
    const { context, policy, ref } = this;
    this.#inner = asLine(ref.address + BLOCK_LINE);
    this.#line = lineAt({ context, policy, line: this.#inner }, this.lineState);
  }

  /**
   * Creates a semaphore with `permits` free permits.
   *
   * @throws {RangeError} If `permits` or an option is out of range.
   * @throws {TypeError} If an argument has the wrong type or an option is unknown.
   * @throws {ArenaFullError} If the arena has no room left.
   */
  static create(permits: number, options: LightweightOptions = {}): LightweightSemaphore {
    checkObject(options);
    const { inner = 'semaphore' } = options;
    const flags = flagOf('inner', inner) | FLAG_INNER;
    const fill = ({ context, address, tag }: NewBlock): void => void writeLine(context, address, tag, 0, flags);
    return new LightweightSemaphore(createMember(FLAG_BOX, permits, options, { lines: 2, fill, own: ['inner'] }));
  }

  /**
   * Opens the semaphore that a handle refers to.
   *
   * @throws {HandleError} If the handle does not refer to a live semaphore.
   * @throws {ArenaFullError} If no agent record is left for this agent.
   */
  static from(handle: FamilyHandle, options: Pick<FamilyOptions, 'policy'> = {}): LightweightSemaphore {
    return new LightweightSemaphore(findMember(FLAG_BOX, handle, options, 'LightweightSemaphore'));
  }

  /** The capabilities of this instance, with its options. */
  override get capabilities(): Capabilities {
    return { ...CAPABILITIES, wakesOne: wakesOne(this.inner) };
  }

  /** The semaphore behind the box office. */
  get inner(): SchemeName {
    this.checkThere();
    return schemeAt({ context: this.context, line: this.#inner });
  }

  /** The number of agents and async waits without a permit. */
  override get waiting(): number {
    this.checkThere();
    const { context, ref } = this;
    if (this.isOpen) return Math.max(0, -context.kernel.balance(ref.address));
    return [...allWaiting(context)].filter(({ address, tag }) => address === this.#inner && tag === ref.tag).length;
  }

  /**
   * Acquires permits as the base class does. Several permits are possible only without a timeout: it acquires all of
   * them or none.
   */
  override tryAcquire(permits = 1, timeoutMs = 0): boolean {
    if (permits === 1 || timeoutMs !== 0) return super.tryAcquire(permits, timeoutMs);
    this.checkPermits(permits);
    const { address, tag } = this.ref;
    let taken: number;
    let tries = 0;
    do taken = this.kernel.takeTokens(address, tag, this.lineState.entry, permits);
    while (taken === RACED && retryOrThrow(++tries, this));
    if (taken === SHUT) throw this.shut();
    return taken === TAKEN;
  }

  /**
   * Takes the free permits, at most `most` and at least one, blocking for the first. Returns their number.
   *
   * @throws {RangeError} If `most` is out of range.
   * @throws The other errors of `acquire`.
   */
  waitMany(most: number): number {
    const taken = this.tryWaitMany(most);
    if (taken > 0) return taken;
    this.acquire();
    return 1 + this.#takeMore(most);
  }

  /** Takes permits as `waitMany` does, without waiting. Returns 0 if no permit is free. */
  tryWaitMany(most: number): number {
    checkInteger('most', most, 1, MAX_PERMITS);
    return this.take(most);
  }

  /** Takes permits as `waitMany` does, without blocking. Rejects with the errors of `acquireAsync`. */
  async waitManyAsync(most: number, options: WaitOptions = NO_WAIT_OPTIONS): Promise<number> {
    checkInteger('most', most, 1, MAX_PERMITS, ['waitManyAsync(1, OPTIONS)']);
    const checked = checkWait(options);
    const taken = this.take(most);
    if (taken > 0) {
      const later = this.context.budget.spend();
      if (later !== undefined) await later;
      return taken;
    }
    await this.enterAsync(checked);
    return 1 + this.#takeMore(most);
  }

  protected override get lines(): readonly LineAddress[] {
    return [this.#inner];
  }

  protected override takeOnce(most: number): number {
    const { address, tag } = this.ref;
    return this.kernel.takeAtBox(address, tag, this.lineState.entry, most);
  }

  protected override releaseOnce(permits: number): ReleaseOrTell {
    const { address, tag } = this.ref;
    try {
      return this.kernel.boxRelease(address, tag, this.context.agent, this.lineState.entry, permits);
    } catch (failure) {
      throw asCorrupt(failure, this);
    }
  }

  protected override block(timeoutMs: number): Poll {
    // Here a closed semaphore looks like one without permits. The agent learns that it is closed when it enqueues.
    const seen = spinIfItPays(this.context, this.policy, () => (this.takeOnce(1) > 0 ? TAKEN : WAITING));
    if (seen === TAKEN) return seen;
    return this.#line.block(this.#enqueueAtMutex(MODE_BLOCKING), timeoutMs, this.errors);
  }

  protected override async await(options: WaitOptions): Promise<void> {
    const outcome = await this.#line.await(
      () => this.#enqueueAtMutex(MODE_ASYNC),
      options,
      new PermitErrors(this.errors, 1),
    );
    if (outcome === SHUT) throw this.shutInLine();
  }

  protected override instead(permits: number): string {
    return `waitMany(${permits}) takes as many as there are, the other semaphores of the family take ${permits} or none`;
  }

  #enqueueAtMutex(mode: number): Draw {
    const { context } = this;
    const { address, tag } = this.ref;
    // Before the waiter is counted: from then on the wait must have everything that it needs.
    context.refill(mode);
    const drawn = this.kernel.enqueueAtBox(address, tag, this.lineState.entry, context.agent);
    return drawn === TAKEN || drawn === SHUT ? drawn : context.begin(drawn, this.lineState.entry, mode);
  }

  /** Takes free permits after the wait for the first one. Takes nothing if the semaphore was closed. */
  #takeMore(most: number): number {
    if (most === 1) return 0;
    let taken: number;
    let tries = 0;
    do taken = this.takeOnce(most - 1);
    while (taken === RACED && retryOrThrow(++tries, this));
    return Math.max(0, taken);
  }
}

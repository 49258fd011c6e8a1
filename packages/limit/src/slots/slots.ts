// The slots of a limit are permits of a semaphore. So all agents wait in one queue, and the slots of a dead agent are
// released.

import { hasCode, MisuseError, type Semaphore } from '@sluice/core';
import { asBlock, BLOCK_TAG, CAPACITY } from '@sluice/core/format';
import {
  PrimitiveErrors,
  acquireFor,
  checkNotFreed,
  countIn,
  holdersOf,
  contextOf,
  type BlockRef,
  type AgentContext,
  tagAt,
} from '@sluice/core/internal';
import type { Counted } from '@sluice/core/report';
import type { LimitHandle } from '../api/handle.ts';
import { countPending, notePending } from './pending.ts';
import { reportLimit, type LimitReport } from '../api/report.ts';
import type { PlaceInLine } from '../line/place-in-line.ts';

/** The slots of a limit over a given semaphore: one slot for each permit. */
export class Slots {
  readonly semaphore: Semaphore;
  /** The place of the semaphore. */
  readonly ref: BlockRef;
  /** The waiting calls of this agent that stay out of its queue for a time. `notePending` counts them, too. */
  heldBack: { readonly size: number } = NOTHING_HELD;
  protected readonly lineState: ReturnType<AgentContext['lineState']>;
  readonly errors: PrimitiveErrors;

  /** Throws `MisuseError` if the semaphore was freed. */
  constructor(semaphore: Semaphore, ref = refOf(semaphore), className = 'Limit') {
    this.semaphore = semaphore;
    this.ref = ref;
    this.errors = new PrimitiveErrors(
      {
        className,
        late: 'did not start the call',
        untouched: 'The function was not called.',
        noun: 'thread',
        count: () => this.countForText(),
        state: () => this.inUse(),
        blame: () => [{ how: 'held', agents: holdersOf(ref.context, ref) }],
      },
      ref,
    );
    this.checkThere();
    // The semaphore has created the line state. This call only finds it.
    this.lineState = ref.context.lineState(ref.address, ref.tag, { recorded: true });
  }

  get handle(): LimitHandle {
    return Object.freeze({ kind: 'sluice.limit', slots: this.semaphore.handle });
  }

  get size(): number {
    this.checkThere();
    return Number(this.ref.context.words.load64(this.ref.address + CAPACITY));
  }

  resize(_size: number): void {
    throw new MisuseError(
      `The concurrency of ${this.toString()} cannot be set: the limit was created over a semaphore, whose number of permits it is.`,
    );
  }

  /**
   * Takes a slot if one is free and no call waits for it. Returns whether it did. Throws as `Semaphore.tryAcquire`
   * does.
   */
  tryTake(): boolean {
    try {
      return this.semaphore.tryAcquire();
    } catch (failure) {
      throw hasCode(failure, 'SLUICE_CLOSED') ? this.errors.closed() : failure;
    }
  }

  /**
   * Waits in line for a slot, until `signal` ends the wait. Calls `granted` when the slot is taken, or `refused` with
   * the error.
   */
  take(signal: PlaceInLine, granted: () => void, refused: (failure: unknown) => void): void {
    this.queueFor(this.semaphore, signal).then(granted, refused);
  }

  /**
   * Returns the number of slots that the waiters of all agents lack. Never throws.
   *
   * `Infinity`: a slot in flight must be released, because the limit was closed or freed, or has too many slots.
   */
  wanted(): number {
    const {
      context: { kernel, words },
      address,
    } = this.ref;
    // Without its tag the agent has left the arena. Then its kernel must not be called.
    return words.load32(address + BLOCK_TAG) === this.lineState.tag ? -kernel.balance(address) : Infinity;
  }

  /** Whether no slot is free. Never throws. */
  get isSaturated(): boolean {
    const {
      context: { kernel, words },
      address,
    } = this.ref;
    // As in `wanted`.
    return words.load32(address + BLOCK_TAG) === this.lineState.tag && kernel.balance(address) <= 0;
  }

  /** Notes the number of this agent's waiting calls for reports. */
  notePending(count: number): void {
    notePending(this.ref, this.lineState.entry, count + this.heldBack.size);
  }

  /**
   * Returns the number of waiting calls of all agents. With `recovery: false`: the number of waiters in the limit's
   * line.
   */
  pending(waiters: number): number {
    return this.lineState.entry === 0 ? waiters : countPending(this.ref);
  }

  /** Creates the error of a call that timed out. `timeout` in ms. */
  late(timeout: number): Error {
    return this.errors.timedOut(timeout, 0);
  }

  /** Returns the title, such as "Limit 'downloads'". */
  toString(): string {
    return this.errors.toString();
  }

  /** Counts the agents with waiting calls, for a message. */
  protected countForText(): Counted {
    return countIn(this.ref.context, this.ref);
  }

  /** Returns the current use of the limit, for a message. */
  protected inUse(): string {
    const {
      context: { kernel },
      address,
    } = this.ref;
    const { size } = this;
    // Some free slots may be promised to earlier calls.
    return size === Infinity
      ? 'slots without limit'
      : `${Math.max(0, size - Math.max(0, kernel.balance(address)))} of ${size} slots in use`;
  }

  /**
   * Waits for one permit, until `signal` ends the wait. Rejects as `Semaphore.acquireAsync` does, with the limit's
   * messages.
   */
  protected queueFor(semaphore: Semaphore, signal: PlaceInLine): Promise<void> {
    // No `ref`: the waiting calls themselves keep the event loop alive.
    return acquireFor(semaphore, { signal: signal as unknown as AbortSignal, ref: false }, this.errors);
  }

  report(): LimitReport {
    return reportLimit(this, this.semaphore.inspect());
  }

  close(): void {
    this.semaphore.close();
  }

  /** Releases the slot of a function that has ended. Never throws, because no caller could handle the error. */
  giveBack(): void {
    this.releaseSlots(1);
    this.settleOwn();
  }

  free(): void {
    throw new MisuseError(
      `${this.toString()} cannot be freed: it was created over a semaphore. Free the semaphore instead.`,
    );
  }

  /**
   * Releases `count` slots. If the semaphore was freed, or other code released too many permits, only removes them from
   * the ledger.
   */
  protected releaseSlots(count: number): void {
    try {
      this.semaphore.release(count);
    } catch {
      this.#forget(count);
    }
  }

  #forget(count: number): void {
    const { entry } = this.lineState;
    const {
      context: { words },
      address,
      tag,
    } = this.ref;
    if (entry === 0 || tagAt(words, address) !== tag) return;
    words.put64(entry, BigInt(Math.max(0, Number(words.get64(entry)) - count)));
  }

  /**
   * Settles the decided waits of this agent, without a turn of the event loop. Returns whether it settled all of them.
   * The others settle in later turns of the event loop.
   */
  settleOwn(): boolean {
    const { asyncWaits } = this.lineState;
    asyncWaits.settle();
    return !asyncWaits.goesOn;
  }

  /** Throws if the limit was freed. */
  checkThere(): void {
    checkNotFreed(this.ref, 'The limit');
  }
}

const NOTHING_HELD = { size: 0 };

function refOf({ arena, handle: { address, tag } }: Semaphore): BlockRef {
  return { arena, context: contextOf(arena), address: asBlock(address), tag };
}

// The two lines of a read-write lock, as one agent sees them. The reader and the writer share this object. The words,
// states and invariants of the box office are in kernel/rw-lock.ts.

import type { WaitingPolicy } from '@sluice/core';
import {
  asBlock,
  BLOCK_LINE,
  NOT_SEEN,
  OFFICE_HIGH,
  OVERFLOW,
  RACED,
  SHUT,
  type ElementAddress,
  type HandOver,
} from '@sluice/core/format';
import { consoleText } from '@sluice/core/calls';
import {
  PrimitiveErrors,
  WaitLine,
  checkNotFreed,
  holdersOf,
  isElement,
  readName,
  turnToTake,
  retryWhileRaced,
  type Blame,
  type LineRef,
  type OwnTurn,
  type BlockRef,
  type EnterOrEnqueue,
} from '@sluice/core/internal';
import { MAX_READERS, MAX_WRITERS, SUCCESSOR } from './kernel/layout.ts';
import { RW_LOCK, type RwKernel } from './kinds.ts';
import { SEAT_AT, type ErrorsAt } from './seat.ts';
import { turnAt, writersTraits } from './turn-traits.ts';

/** How messages name a read-write lock. */
export const NAMING = { className: 'RwLock', what: 'The read-write lock' };

export class ReadWriteLines {
  readonly ref: BlockRef;
  /** The writers' line: the second of the block. */
  readonly writersRef: BlockRef;
  readonly kernel: RwKernel;
  readonly readers: WaitLine;
  readonly writers: WaitLine;
  readonly readersErrors: PrimitiveErrors;
  readonly writersErrors: PrimitiveErrors;
  /** The errors of waits for the seat. */
  readonly seatErrors: ErrorsAt;
  /** The writers' turn as this agent sees it while it runs, with the order 'turns'. */
  readonly turn: OwnTurn | undefined;

  constructor(ref: BlockRef, policy: WaitingPolicy) {
    const { context, address, tag } = ref;
    const { agent } = context;
    const { kernel, steps: readersLine } = context.load(RW_LOCK);
    this.ref = ref;
    this.writersRef = { ...ref, address: asBlock(address + BLOCK_LINE) };
    this.kernel = kernel;
    this.turn = turnAt(ref);
    const blame = (): Blame[] => [
      { how: 'held for writing', agents: holdersOf(context, this.writersRef) },
      { how: 'held for reading', agents: holdersOf(context, ref) },
    ];
    // If the lock has a seat, its holder stands in the first of these lines.
    const writersLines = (): readonly LineRef[] => [this.writersRef, { ...ref, address: address + SEAT_AT }];
    const shape = { className: NAMING.className, untouched: 'It was not locked.', blame };
    this.readersErrors = new PrimitiveErrors({ ...shape, late: 'could not be locked for reading' }, ref);
    this.writersErrors = new PrimitiveErrors(
      { ...shape, late: 'could not be locked for writing', lines: writersLines },
      ref,
      this.writersRef,
    );
    this.seatErrors = (seat) =>
      new PrimitiveErrors({ ...shape, late: 'could not be locked', lines: writersLines }, ref, seat);
    this.readers = new WaitLine(
      ref,
      policy,
      { recorded: true, line: readersLine },
      (mayWait) => kernel.enqueueReader(address, tag, agent, this.readers.entry, mayWait),
      this.readersErrors,
    );
    this.writers = new WaitLine(this.writersRef, policy, writersTraits(ref), this.#visitToWrite(), this.writersErrors);
  }

  /** The number of async waits of this agent in both lines. */
  get asyncWaits(): number {
    return this.readers.asyncWaits + this.writers.asyncWaits;
  }

  /** The number of read locks that this agent holds. */
  get reads(): number {
    return this.#held(this.readers);
  }

  /** Whether this agent holds the write lock. */
  get writes(): boolean {
    return this.#held(this.writers) > 0;
  }

  /** Throws the error for an outcome, if the outcome is an error. */
  check<Outcome extends number>(
    outcome: Outcome,
    side: 'readers' | 'writers',
  ): asserts outcome is Exclude<Outcome, typeof OVERFLOW> {
    if (outcome === SHUT) this.checkThere();
    if (outcome === OVERFLOW)
      throw new RangeError(
        `${this.readersErrors.toString()} has ${side === 'readers' ? MAX_READERS : MAX_WRITERS} ${side} already, which is the maximum. It was not locked.`,
      );
  }

  checkThere(): void {
    checkNotFreed(this.ref, NAMING.what);
  }

  /** The line that `console.log` shows for one of the lock's sides. */
  line(className: string, more: () => Readonly<Record<string, unknown>>): string {
    return consoleText(className, () => {
      this.checkThere();
      return { name: readName(this.ref.context.words, this.ref.address), ...more(), waiting: this.waiting };
    });
  }

  /** The number of waiters in both lines. */
  get waiting(): number {
    return this.readers.inspect().waiters.length + this.writers.inspect().waiters.length;
  }

  /** Whether a waiting writer has a permit. The lock may be free meanwhile. */
  get hasSuccessor(): boolean {
    return (this.ref.context.words.load32(this.ref.address + OFFICE_HIGH) & SUCCESSOR) !== 0;
  }

  /** Unlocks a writer on the contended path. */
  unlockWriter(): void {
    const {
      kernel,
      writers: { entry },
      ref: {
        address,
        context: { agent },
      },
    } = this;
    if (this.turn === undefined) this.#handOverWriter();
    else this.turn.leave((ends) => kernel.handOverWriter(address, agent, entry, ends));
  }

  /** Unlocks a writer that continues by waiting for a condition. */
  unlockWriterToWait(): void {
    this.turn?.end();
    this.#handOverWriter();
  }

  /** Hands the lock to the waiting readers, or to the longest waiting writer if no reader waits. */
  #handOverWriter(): void {
    const {
      kernel,
      writers: { entry },
      ref: {
        address,
        context: { agent },
      },
    } = this;
    this.wakeWriters(retryWhileRaced(() => kernel.handOverWriter(address, agent, entry, 1)));
  }

  /** Finishes the step in which a reader or a writer left: wakes the agents that it admitted. */
  wakeWriters(left: HandOver | ElementAddress): void {
    if (this.turn === undefined && !isElement(left)) this.writers.wake(left);
    else this.ref.context.wakeAdmitted(left);
  }

  #visitToWrite(): EnterOrEnqueue {
    const {
      context: { agent },
      address,
      tag,
    } = this.ref;
    let seen: number = NOT_SEEN;
    return (mayWait, entry) => {
      const outcome = this.kernel.enqueueWriter(address, tag, agent, entry, mayWait, seen);
      seen = outcome === RACED ? turnToTake(this.ref) : NOT_SEEN;
      return outcome;
    };
  }

  #held(line: WaitLine): number {
    // After `free` the ledger entry may belong to another primitive.
    this.checkThere();
    return Number(this.ref.context.words.get64(line.entry));
  }
}

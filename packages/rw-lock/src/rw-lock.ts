// The read-write lock: one word as box office, in front of two of core's fair semaphores as bouncers.
// After Preshing, "Semaphores are Surprisingly Versatile", section 3 (NonRecursiveRWLock). Our additions: cancellation,
// downgrade, recovery. The words, states and invariants are in kernel/rw-lock.ts.

import { Guard, MisuseError, type Arena, type WaitingPolicy } from '@sluice/core';
import {
  asLine,
  BLOCK_KIND,
  BLOCK_LINE,
  BLOCK_NAME,
  BLOCK_TAG,
  FLAG_OWNED,
  FLAG_RECOVERY,
  FLAG_SHARED,
  FLAG_TURNS,
  FLAGS,
  FOREIGN,
  TAKEN,
} from '@sluice/core/format';
import { checkFlag, checkOptions, PLACED_OPTIONS, show } from '@sluice/core/calls';
import {
  createBlock,
  handleTo,
  LockHealth,
  openWithPolicy,
  LOCK_POSITION,
  Primitive,
  tellHeld,
  retryWhileRaced,
  type OwnTurn,
  type BlockRef,
  type NewBlock,
  type PrimitiveHandle,
} from '@sluice/core/internal';
import { NAMING, ReadWriteLines } from './read-write-lines.ts';
import { FLAG_SEAT } from './kernel/layout.ts';
import { RW_LOCK, WRITERS } from './kinds.ts';
import { ReaderLock } from './reader.ts';
import { reportRwLock, type RwLockReport } from './report.ts';
import { fillSeat, Seat } from './seat.ts';
import { SeatedEntrance } from './seated-entrance.ts';
import { writersTraits } from './turn-traits.ts';
import { UpgradeableLock } from './upgradeable.ts';
import { WriterLock } from './writer.ts';

export type RwLockHandle = PrimitiveHandle<'sluice.rw-lock'>;

/**
 * The order in which threads get a read-write lock for writing. In both orders a waiting reader enters at the next
 * unlock of a writer.
 *
 * - `'turns'`: a thread that writes may lock again and again for half a millisecond, even past waiting writers. Then
 *   the longest waiting writer gets the lock. The turn ends sooner if a reader waits. A writer with w writers before it
 *   waits for at most w + 1 turns, plus the time of critical sections and wake-ups, and of the readers that enter at
 *   the end of each turn.
 * - `'fifo'`: each unlock hands the lock to the longest waiter. That costs a wake-up per critical section.
 */
export type RwLockOrder = 'turns' | 'fifo';

export interface RwLockOptions {
  /** The arena that contains it. Default: the realm's default arena. */
  readonly arena?: Arena | undefined;
  /** Name for reports and messages, at most 60 bytes of UTF-8. */
  readonly name?: string | undefined;
  /** The order in which writers get the lock. Default: `'turns'`. */
  readonly order?: RwLockOrder | undefined;
  /**
   * Whether the lock has an `upgradeable` side. If so, each write lock takes two more steps, and writers wait in FIFO
   * order. Default: `false`.
   */
  readonly upgradeable?: boolean | undefined;
  /** How this agent waits for it. Default: the arena's policy. */
  readonly policy?: Partial<Omit<WaitingPolicy, 'buckets'>> | undefined;
}

const LINES = 2;
const OPTIONS: readonly string[] = [...PLACED_OPTIONS, 'order', 'upgradeable'];
let construct: (ref: BlockRef, policy: WaitingPolicy) => RwLock;

/**
 * A fair read-write lock (readers-writer lock), shared by all agents of an arena: any number of readers, or one writer.
 *
 * `reader` and `writer` are locks, with guards, `run` and async forms.
 *
 * - Readers and writers alternate, and neither side starves. When a writer unlocks, all waiting readers enter, then the
 *   next writer.
 * - A reader that arrives while a writer waits queues behind that writer.
 * - Among writers, and among readers, waiters are served in FIFO order, blocking and async waiters together. While no
 *   reader waits, a thread that writes may pass waiting writers for a turn of half a millisecond; with the order
 *   `'fifo'` it may not.
 * - While no writer holds the lock or waits, readers touch one word and never wait for each other.
 *
 * ```ts run
 * import { RwLock } from '@sluice/rw-lock';
 *
 * const table = RwLock.create({ name: 'table' });
 * table.reader.lock();
 * console.log(table.reader.tryLock(), table.writer.tryLock()); // true false
 * table.reader.unlock();
 * table.reader.unlock();
 * table.writer.run(() => console.log(table.inspect().writer > 0)); // true
 * ```
 */
export class RwLock extends Primitive {
  /** The handle to post to another thread. Pass it to `RwLock.from` there. */
  readonly handle: RwLockHandle;
  /** The read lock. Any number of agents can hold it at once. */
  readonly reader: ReaderLock;
  /** The write lock. One agent can hold it, while no agent holds the read lock. */
  readonly writer: WriterLock;
  readonly #lines: ReadWriteLines;
  readonly #health: LockHealth;
  readonly #seat: Seat | undefined;
  readonly #upgradeable: UpgradeableLock | undefined;

  static {
    construct = (ref, policy) => new this(ref, policy);
  }

  private constructor(ref: BlockRef, policy: WaitingPolicy) {
    super(ref, NAMING);
    this.#lines = new ReadWriteLines(ref, policy);
    this.#health = new LockHealth(ref.context.words, ref.address);
    this.reader = new ReaderLock(this.#lines);
    const isSeated = (ref.context.words.get32(ref.address + FLAGS) & FLAG_SEAT) !== 0;
    if (isSeated) {
      const seat = new Seat(ref, policy, this.#lines.seatErrors);
      const seated = new SeatedEntrance(this.#lines, seat);
      this.#seat = seat;
      this.writer = new WriterLock(this.#lines, seated);
      this.#upgradeable = new UpgradeableLock(this.#lines, seat, seated, this.writer, (to) => this.#toReader(to));
    } else this.writer = new WriterLock(this.#lines);
    this.handle = handleTo('sluice.rw-lock', ref, RW_LOCK.kernel.id);
  }

  /**
   * Creates an unlocked read-write lock.
   *
   * @throws {RangeError} If an option is out of range.
   * @throws {TypeError} If an option has the wrong type or is unknown, or `order` is neither `'turns'` nor `'fifo'`.
   * @throws {ArenaFullError} If the arena has no room left.
   */
  static create(options: RwLockOptions = {}): RwLock {
    checkOptions(options, OPTIONS);
    const { order = 'turns' }: { readonly order?: unknown } = options;
    if (order !== 'turns' && order !== 'fifo')
      throw new TypeError(`order must be 'turns' or 'fifo': received ${show(order)}`);
    const { upgradeable = false } = options;
    checkFlag('upgradeable', upgradeable);
    const lines = upgradeable ? LINES + 1 : LINES;
    const fill = ({ context, words, address: lock, tag, line }: NewBlock): void => {
      const writers = asLine(lock + BLOCK_LINE);
      words.put32(
        lock + FLAGS,
        FLAG_SHARED | FLAG_OWNED | FLAG_RECOVERY | (order === 'turns' ? FLAG_TURNS : 0) | (upgradeable ? FLAG_SEAT : 0),
      );
      words.put32(writers + FLAGS, FLAG_OWNED | FLAG_RECOVERY);
      words.put32(writers + BLOCK_KIND, WRITERS.code);
      words.put32(writers + BLOCK_TAG, tag);
      // Reports that see only the writers' line read the name there.
      for (let at = BLOCK_NAME; at < BLOCK_LINE; at += 4) words.put32(writers + at, words.get32(lock + at));
      context.lineState(lock, tag, { recorded: true, line });
      context.lineState(writers, tag, writersTraits({ context, address: lock }));
      if (upgradeable) fillSeat(words, lock, tag, context);
    };
    return construct(...createBlock(RW_LOCK, options, { bytes: lines * BLOCK_LINE, entries: lines, fill }));
  }

  /**
   * Opens the read-write lock that `handle` refers to.
   *
   * @throws {HandleError} If the handle does not refer to a live read-write lock.
   * @throws {ArenaFullError} If no agent record is left for this agent.
   */
  static from(handle: RwLockHandle, options: Pick<RwLockOptions, 'policy'> = {}): RwLock {
    return construct(...openWithPolicy(RW_LOCK, handle, options));
  }

  /**
   * The upgradeable read lock. One agent can hold it, beside readers, and become the writer.
   *
   * @throws {MisuseError} If the lock was created without `upgradeable: true`.
   */
  get upgradeable(): UpgradeableLock {
    if (this.#upgradeable !== undefined) return this.#upgradeable;
    throw new MisuseError(`${this.toString()} has no upgradeable readers: create it with { upgradeable: true }.`);
  }

  /**
   * Turns this agent's write lock into a read lock, atomically: no other agent can write in between.
   *
   * Waiting readers enter, too. The returned guard releases the read lock, as `reader.unlock` does. Do not call
   * `downgrade` inside `writer.run` or while a guard of the writer exists: each of them would then unlock a write lock
   * that this agent no longer holds.
   *
   * @throws {MisuseError} If this agent does not hold the write lock, or inherited it and has not marked it consistent.
   * @throws {RangeError} If there are 2,097,151 readers already.
   */
  downgrade(): Guard {
    this.#toReader(this.reader);
    this.#seat?.leave();
    return new Guard(this.reader);
  }

  /** Turns the writer into a reader, which holds `to` from now on. With a seat, it keeps the seat. */
  #toReader(to: ReaderLock | UpgradeableLock): void {
    const { kernel, readers, writers, writes } = this.#lines;
    if (writes && this.#health.isDoubtful) {
      throw new MisuseError(
        `${this.toString()} was inherited from an owner that died: mark it consistent before others read.`,
      );
    }
    const { address, tag, context } = this.ref;
    const outcome = retryWhileRaced(
      () => kernel.downgradeWriter(address, tag, context.agent, writers.entry, readers.entry),
      this,
    );
    if (outcome === FOREIGN) throw this.#lines.writersErrors.notOwner('be downgraded');
    this.#lines.check(outcome, 'readers');
    tellHeld(this.writer, false);
    tellHeld(to, true);
    readers.wake(outcome);
  }

  /** The writers' turn as this agent sees it while it runs, with the order 'turns'. */
  protected get turn(): OwnTurn | undefined {
    return this.#lines.turn;
  }

  /** A snapshot of the lock: its writer, its readers, its waiters and since when each has waited. */
  inspect(): RwLockReport {
    this.checkThere();
    return reportRwLock(
      this.ref,
      this.#lines.writersRef,
      this.#lines.readers.inspect(),
      this.#lines.writers.inspect(),
      this.#seat,
    );
  }

  /** The message of `holdAll` if it gets the read-write lock itself. */
  get [LOCK_POSITION](): string {
    return 'pass one of its sides, lock.reader or lock.writer';
  }

  protected override shown(): Readonly<Record<string, unknown>> {
    const { writer, readers } = this.inspect();
    return { writer, readers: readers.length, waiting: this.#lines.waiting };
  }

  /**
   * Frees the lock's memory, which another primitive may reuse.
   *
   * No agent may be inside a call on the lock. Every later use throws `MisuseError`.
   *
   * @throws {MisuseError} If an agent holds the lock or waits for it, or it was already freed.
   */
  override free(): void {
    this.checkThere();
    const seat = this.#seat;
    if (seat !== undefined && seat.enter(0) !== TAKEN) throw this.#lines.writersErrors.inUse();
    // Take the write lock first, so that no other agent can enter.
    if (this.#lines.writers.enter(0) !== TAKEN) {
      seat?.leave();
      throw this.#lines.writersErrors.inUse();
    }
    // In a turn the lock is free while writers wait.
    if (this.#lines.hasSuccessor) {
      this.#lines.unlockWriter();
      seat?.leave();
      throw this.#lines.writersErrors.inUse();
    }
    this.freeBlock(seat === undefined ? LINES : LINES + 1);
    seat?.forget();
    // The ledger entry still records the write lock of this agent.
    this.ref.context.words.put64(this.#lines.writers.entry, 0n);
  }
}

/** Opens a read-write lock over words that exist already, for models. */
export function rwLockAt(ref: BlockRef, policy: WaitingPolicy): RwLock {
  return construct(ref, policy);
}

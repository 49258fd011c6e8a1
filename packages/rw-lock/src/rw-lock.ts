// The read-write lock: one word as box office, in front of two of core's fair semaphores as bouncers.
// After Preshing, "Semaphores are Surprisingly Versatile", section 3 (NonRecursiveRWLock). Ours: waits that can be given up,
// downgrade, recovery. The words, states and invariants are in core's kernel/rw-lock.ts.

import { Guard, MisuseError, type Arena, type WaitingPolicy } from '@sluice/core';
import {
  BLOCK_LINE,
  BLOCK_NAME,
  BLOCK_TAG,
  checkOptions,
  checkPlace,
  chosenArena,
  createPrimitive,
  findPrimitive,
  FLAG_OWNED,
  FLAG_READERS,
  FLAG_RECOVERY,
  FLAG_WRITERS,
  FLAGS,
  FOREIGN,
  freePrimitive,
  FROM_OPTIONS,
  handleTo,
  INSPECT,
  KIND_RW_LOCK,
  LockHealth,
  mergePolicy,
  PLACED_OPTIONS,
  refusePosting,
  mayRetry,
  RACED,
  readName,
  contextOf,
  TAKEN,
  type Place,
  type PrimitiveHandle,
} from '@sluice/core/internal';
import { BoxOffice } from './box-office.ts';
import { ReaderLock } from './reader.ts';
import { reportRwLock, type RwLockReport } from './report.ts';
import { WriterLock } from './writer.ts';

export type RwLockHandle = PrimitiveHandle<'sluice.rw-lock'>;

export interface RwLockOptions {
  /** Where it lives. Default: the realm's default arena. */
  readonly arena?: Arena | undefined;
  /** Shown by `inspect`; up to 60 bytes of UTF-8. */
  readonly name?: string | undefined;
  /** How this agent waits here. Default: the arena's policy. */
  readonly policy?: Partial<Omit<WaitingPolicy, 'buckets'>> | undefined;
}

const LINES = 2;
let construct: (place: Place, policy: WaitingPolicy) => RwLock;

/**
 * Many may read at once, or one may write. `reader` and `writer` are locks, with guards, `run` and async forms.
 *
 * Promises: readers and writers take turns and nobody starves. When a writer leaves, all readers that wait go in, then the
 * next writer; who comes to read while a writer waits waits behind it. Among writers, and among readers, first come, first
 * served, blocking and async together. While no writer is about, readers touch one word and never wait for each other.
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
export class RwLock {
  /** Post this to another thread and give it to `RwLock.from` there. */
  readonly handle: RwLockHandle;
  /** Many at once. */
  readonly reader: ReaderLock;
  /** One alone. */
  readonly writer: WriterLock;
  readonly #place: Place;
  readonly #office: BoxOffice;
  readonly #health: LockHealth;

  static {
    construct = (place, policy) => new this(place, policy);
  }

  private constructor(place: Place, policy: WaitingPolicy) {
    refusePosting(this);
    checkPlace(place, 'RwLock');
    this.#place = place;
    this.#office = new BoxOffice(place, policy);
    this.#health = new LockHealth(place.context.words, place.address);
    this.reader = new ReaderLock(this.#office);
    this.writer = new WriterLock(this.#office);
    this.handle = handleTo('sluice.rw-lock', place);
  }

  /** A new lock, free. Throws `RangeError`, `TypeError`, `ArenaFullError`. */
  static create(options: RwLockOptions = {}): RwLock {
    checkOptions(options, PLACED_OPTIONS);
    const arena = chosenArena(options.arena);
    const policy = mergePolicy(arena.policy, options.policy);
    const context = contextOf(arena);
    // Before the block: what `fill` needs must not fail or die half-way.
    context.reserveEntry(LINES);
    const place = createPrimitive(arena, KIND_RW_LOCK, LINES * BLOCK_LINE, options.name, (words, lock, tag) => {
      const writers = lock + BLOCK_LINE;
      words.put32(lock + FLAGS, FLAG_READERS | FLAG_OWNED | FLAG_RECOVERY);
      words.put32(writers + FLAGS, FLAG_WRITERS | FLAG_OWNED | FLAG_RECOVERY);
      words.put32(writers + BLOCK_TAG, tag);
      // Reports that only know the line read its name there.
      for (let at = BLOCK_NAME; at < BLOCK_LINE; at += 4) words.put32(writers + at, words.get32(lock + at));
      for (const line of [lock, writers]) context.localState(line, tag, true);
    });
    return construct(place, policy);
  }

  /** The lock that a handle leads to. Throws `HandleError`; `ArenaFullError` when no record is left for this agent. */
  static from(handle: RwLockHandle, options: Pick<RwLockOptions, 'policy'> = {}): RwLock {
    checkOptions(options, FROM_OPTIONS);
    const place = findPrimitive(handle, 'sluice.rw-lock', KIND_RW_LOCK);
    return construct(place, mergePolicy(place.arena.policy, options.policy));
  }

  /** As "RwLock 'table'". */
  toString(): string {
    return this.#office.readersAccount.toString();
  }

  /** The name given at `create`, '' if none was. */
  get name(): string {
    this.#office.checkThere();
    return readName(this.#place.context.words, this.#place.address);
  }

  /** The arena that it lives in. */
  get arena(): Arena {
    return this.#place.arena;
  }

  /**
   * Turns this agent's write lock into a read lock, without a moment between in which another could write; readers that wait
   * come in with it. The guard gives the read lock back, as `reader.unlock` does. Not within `writer.run` or beside a guard of
   * the writer: those would unlock what is not theirs any more. Throws `MisuseError` (this agent does not write; it inherited
   * the lock and has not marked it consistent), `RangeError` (2,097,151 readers).
   */
  downgrade(): Guard {
    const { kernel, readers, writers, writes } = this.#office;
    if (writes && this.#health.isDoubtful) {
      throw new MisuseError(`${this.toString()} was inherited from an owner that died: mark it consistent before others read.`);
    }
    const { address, tag, context } = this.#place;
    let outcome: number;
    let tries = 0;
    do outcome = kernel.downgrade(address, tag, context.agent, writers.entry, readers.entry);
    while (outcome === RACED && mayRetry(++tries));
    if (outcome === FOREIGN) throw this.#office.writersAccount.notOwner('be downgraded');
    this.#office.check(outcome, 'readers');
    readers.wake(outcome);
    return new Guard(this.reader);
  }

  /** Who writes, who reads, who waits and since when: a snapshot. */
  inspect(): RwLockReport {
    this.#office.checkThere();
    return reportRwLock(this.#place, this.#office.writersPlace, this.#office.readers.inspect(), this.#office.writers.inspect());
  }

  [INSPECT](): string {
    return this.#office.line('RwLock', () => {
      const { writer, readers } = this.inspect();
      return { writer, readers: readers.length };
    });
  }

  /**
   * Gives its memory back: another primitive may get it, so no agent may be inside a call on this one. Throws
   * `MisuseError` while agents hold it or wait for it, and when it was freed before; every later use throws it, too.
   */
  free(): void {
    this.#office.checkThere();
    // Writing for the moment: nobody else can come in any more.
    if (this.#office.writers.enter(0) !== TAKEN) throw this.#office.writersAccount.inUse();
    freePrimitive(this.#place, 'The read-write lock', LINES);
    // It still says that this agent writes.
    this.#place.context.words.put64(this.#office.writers.entry, 0n);
  }
}

/** A lock over words that already lie somewhere: for models. */
export function rwLockAt(place: Place, policy: WaitingPolicy): RwLock {
  return construct(place, policy);
}

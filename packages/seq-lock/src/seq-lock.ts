// The seq-lock as its callers see it. The algorithm is in sequence.ts.

import type { WaitingPolicy, WaitOptions } from '@sluice/core';
import { BLOCK_LINE } from '@sluice/core/format';
import { checkFunction, checkTimeout, checkWait, NO_WAIT_OPTIONS } from '@sluice/core/calls';
import { handleTo, Primitive, openWithPolicy, type BlockRef, type PrimitiveHandle } from '@sluice/core/internal';
import { createMutex } from '@sluice/mutex/internal';
import { ATTEMPTS, readContended } from './contended-read.ts';
import { KeptValue } from './kept-value.ts';
import { SEQ_LOCK } from './kinds.ts';
import { BYTES, CLOSED } from './kernel/layout.ts';
import { dataBytesOf, extentOf } from './layout.ts';
import { lengthOf, OPTIONS, type SeqLockOptions } from './options.ts';
import { reportSeqLock, type SeqLockReport } from './report.ts';
import { NONE, Sequence } from './sequence.ts';
import { SeqSnapshot } from './snapshot.ts';
import { SeqValue, wordsOf } from './value.ts';
import { Values, type Use } from './values.ts';
import { NAMING, Writers } from './writers.ts';
import { Writes } from './writes.ts';

export type SeqLockHandle = PrimitiveHandle<'sluice.seq-lock'>;

/** Stands for the value before the first `read`. No caller has it. */
const NOT_GIVEN = /* @__PURE__ */ new SeqValue(0);

/**
 * A small value that many threads read and few write, shared by all agents of an arena (a sequence lock; Java's
 * `StampedLock` in its optimistic mode).
 *
 * - A read copies the value to memory of the calling thread and checks that no writer has changed it meanwhile. It
 *   writes nothing that another thread reads, so it does not delay a writer. It never returns a torn value.
 * - A read has to try again only if one write ends and another begins while it copies. After 8 attempts it waits in
 *   line with the writers, so it always ends.
 * - Writers exclude each other by a mutex. A write replaces the whole value or nothing, even if the writer throws or
 *   dies. So there is nothing to repair, and no call gets a notice: readers and later writers find the last value that
 *   was written completely.
 *
 * ```ts run
 * import { SeqLock } from '@sluice/seq-lock';
 *
 * const position = SeqLock.create({ byteLength: 16, name: 'position' });
 * position.write(({ float64 }) => float64.set([1.5, 2.5]));
 * position.update(({ float64 }) => { float64[0] += 1; });
 * console.log(position.read(({ float64: [x, y] }) => [x, y])); // [ 2.5, 2.5 ]
 * ```
 */
export class SeqLock extends Primitive {
  /** The handle to post to another thread. Pass it to `SeqLock.from` there. */
  readonly handle: SeqLockHandle;
  /** The length of the value in bytes. */
  readonly byteLength: number;
  readonly #writers: Writers;
  readonly #sequence: Sequence;
  readonly #kept: KeptValue;
  readonly #values: Values;
  readonly #writes: Writes;
  /** The value that the last `read` was given, and its words. The next `read` of the same value skips the check. */
  #given = NOT_GIVEN;
  #givenWords = wordsOf(NOT_GIVEN);

  private constructor(ref: BlockRef, policy: WaitingPolicy) {
    super(ref, NAMING);
    const { context, address } = ref;
    const { words } = context;
    const data = address + BLOCK_LINE;
    this.#writers = new Writers(ref, policy);
    this.byteLength = words.load32(data + BYTES);
    // Keep this order: the block may be freed between the check of its handle and this read.
    this.#writers.check();
    this.#sequence = new Sequence(context, this.#writers.block, data, extentOf(this.byteLength));
    this.#kept = new KeptValue(this.#sequence);
    this.#values = new Values(this.#writers, this.byteLength);
    this.#writes = new Writes(this.#writers, this.#sequence, this.#values, words, data + CLOSED);
    this.handle = handleTo('sluice.seq-lock', ref, SEQ_LOCK.kernel.id);
  }

  /**
   * Creates a seq-lock. Its value is all zero.
   *
   * @throws {RangeError} If an option is out of range.
   * @throws {TypeError} If an option has the wrong type or is unknown.
   * @throws {ArenaFullError} If the arena has no room left.
   */
  static create(options: SeqLockOptions): SeqLock {
    const byteLength = lengthOf(options);
    return new this(
      ...createMutex(SEQ_LOCK, options, {
        names: OPTIONS,
        dataBytes: dataBytesOf(byteLength),
        fill: (words, lock) => words.store32(lock + BLOCK_LINE + BYTES, byteLength),
      }),
    );
  }

  /**
   * Opens the seq-lock that `handle` refers to.
   *
   * @throws {HandleError} If the handle does not refer to a live seq-lock.
   * @throws {ArenaFullError} If no agent record is left for this agent.
   */
  static from(handle: SeqLockHandle, options: Pick<SeqLockOptions, 'policy'> = {}): SeqLock {
    return new this(...openWithPolicy(SEQ_LOCK, handle, options));
  }

  /**
   * Copies the value into `into`, or into a new copy, and returns it. With a function, calls it with a copy and returns
   * its result. That copy is valid during the call only.
   *
   * The value was written completely. It is at least as new as the last write that had ended before the call. If 8
   * attempts fail, the call blocks until it has the writers' mutex. A thread that must not wait, such as a browser's
   * main thread, tries 1,000 times.
   *
   * @throws {MisuseError} If the function returns a promise; or if the thread may not block and all attempts have
   *   failed: use `readAsync`.
   * @throws {RangeError} If `into` has another length.
   * @throws {DeadlockError} If this agent has an async write in line and all attempts have failed.
   */
  read<T>(body: Use<T>): T;
  read(into?: SeqValue): SeqValue;
  read<T>(given?: SeqValue | Use<T>): SeqValue | T {
    if (given === this.#given && this.#kept.tryLoad(this.#givenWords) !== NONE) return given;
    if (typeof given === 'function') return this.#readWith(given);
    const into = given === undefined ? new SeqValue(this.byteLength) : this.#values.own(given);
    const words = wordsOf(into);
    if (given !== undefined) {
      this.#given = into;
      this.#givenWords = words;
    }
    if (this.#kept.tryLoad(words) === NONE) readContended(this.#sequence, this.#writers, words);
    return into;
  }

  /**
   * Creates a copy that knows its version: its `refresh` copies only if there was a write. Use it in a thread that
   * reads more often than other threads write.
   *
   * @throws The errors of `read`.
   */
  snapshot(): SeqSnapshot {
    return new SeqSnapshot(this.#sequence, this.#writers, this.byteLength);
  }

  /**
   * Copies the value into `into` in one attempt; returns whether that succeeded. If it did not, do not use `into`.
   * Never waits.
   *
   * @throws The errors of `read`.
   */
  tryRead(into: SeqValue): boolean {
    if (this.#sequence.tryLoad(wordsOf(this.#values.own(into))) !== NONE) return true;
    this.#writers.check();
    return false;
  }

  /**
   * Reads as `read` does, without blocking the thread. Rejects with `TimeoutError`, `signal.reason` or
   * `ArenaFullError`.
   */
  async readAsync(into?: SeqValue, options: WaitOptions = NO_WAIT_OPTIONS): Promise<SeqValue> {
    const value = into === undefined ? new SeqValue(this.byteLength) : this.#values.own(into);
    const wait = checkWait(options);
    const words = wordsOf(value);
    for (let tries = 0; tries < ATTEMPTS; tries++) {
      if (this.#sequence.tryLoad(words) === NONE) continue;
      const later = this.ref.context.budget.spend();
      if (later !== undefined) await later;
      return value;
    }
    await this.#writers.runInTurn(() => this.#sequence.load(words), wait);
    return value;
  }

  /**
   * Replaces the value, blocking the thread while another thread writes. If `value` is a function, it is called before
   * the wait with a copy that is all zero, and fills that copy.
   *
   * If the call throws, nothing was written.
   *
   * @throws {MisuseError} If the function returns a promise, in the function of an `update` of this agent, or on a
   *   browser's main thread; use `writeAsync` there.
   * @throws {RangeError} If the value has another length.
   * @throws {ClosedError} If the seq-lock is closed, before or during the wait.
   * @throws {DeadlockError} If this agent has an earlier async write in line, which could not settle while the agent is
   *   blocked.
   */
  write<T>(value: SeqValue | Use<T>): void {
    this.tryWrite(value, Infinity);
  }

  /**
   * Replaces the value as `write` does if the wait takes at most `timeoutMs` (default 0: does not wait); returns
   * whether it did.
   *
   * @param timeoutMs - Milliseconds, 0 or more; `Infinity` for no limit.
   * @throws The errors of `write`.
   */
  tryWrite<T>(value: SeqValue | Use<T>, timeoutMs = 0): boolean {
    if (timeoutMs !== 0) checkTimeout(timeoutMs);
    return typeof value === 'function'
      ? this.#writes.tryFill(value, timeoutMs)
      : this.#writes.tryReplace(wordsOf(this.#values.own(value)), timeoutMs);
  }

  /**
   * Replaces the value as `write` does, without blocking the thread. Rejects with `TimeoutError`, `signal.reason` or
   * `ArenaFullError`; then nothing was written.
   */
  async writeAsync<T>(value: SeqValue | Use<T>, options: WaitOptions = NO_WAIT_OPTIONS): Promise<void> {
    // Copy the value: the caller may change it, and other calls run meanwhile.
    const wait = checkWait(options);
    const draft = new SeqValue(this.byteLength);
    if (typeof value === 'function') this.#values.call(value, draft);
    else draft.bytes.set(this.#values.own(value).bytes);
    await this.#writers.runInTurn(() => this.#writes.replace(wordsOf(draft)), wait);
  }

  /**
   * Calls `body` with a copy of the value while no other thread can write, then makes the copy the value. Returns the
   * result of `body`.
   *
   * Readers do not wait meanwhile: they get the previous value. If the call throws, nothing was written.
   *
   * @throws The errors of `write`.
   */
  update<T>(body: Use<T>): T {
    checkFunction(body);
    this.#writers.lock();
    return this.#writes.updateAndUnlock(body);
  }

  /**
   * Updates the value as `update` does if the wait takes at most `timeoutMs` (default 0: does not wait); returns
   * whether it did.
   *
   * @param timeoutMs - Milliseconds, 0 or more; `Infinity` for no limit.
   */
  tryUpdate<T>(body: Use<T>, timeoutMs = 0): boolean {
    checkFunction(body);
    if (timeoutMs !== 0) checkTimeout(timeoutMs);
    if (!this.#writers.tryLock(timeoutMs)) return false;
    this.#writes.updateAndUnlock(body);
    return true;
  }

  /**
   * Updates the value as `update` does, without blocking the thread. `body` must not return a promise. Rejects as
   * `writeAsync` does.
   */
  async updateAsync<T>(body: Use<T>, options: WaitOptions = NO_WAIT_OPTIONS): Promise<T> {
    checkFunction(body);
    const draft = new SeqValue(this.byteLength);
    const results: T[] = [];
    await this.#writers.runInTurn(() => results.push(this.#writes.change(draft, body)), options);
    return results[0] as T;
  }

  /** A number that changes with each write: the number of writes so far, modulo 2^31. */
  get version(): number {
    this.#writers.check();
    return this.#sequence.version;
  }

  /** Whether the seq-lock was closed. */
  get closed(): boolean {
    this.#writers.check();
    return this.#writes.isClosed;
  }

  /**
   * Ends writing: later writes, and writers that wait now, fail with `ClosedError`. Reads continue and return the last
   * value.
   */
  close(): void {
    this.#writers.check();
    this.#writes.close();
  }

  /** A snapshot of the seq-lock: its version, the agent that writes, and the waiters. */
  inspect(): SeqLockReport {
    const report = this.#writers.report();
    return reportSeqLock(report, this.byteLength, this.version, this.closed);
  }

  protected override shown(): Readonly<Record<string, unknown>> {
    const { byteLength, version, owner, waiters, closed } = this.inspect();
    return { byteLength, version, owner, waiting: waiters.length, closed: closed ? true : undefined };
  }

  /**
   * Frees the memory, which another primitive may reuse.
   *
   * A read in progress fails. No agent may be inside another call. Every later use throws `MisuseError`.
   *
   * @throws {MisuseError} If an agent writes or waits, or it was already freed.
   */
  override free(): void {
    this.#writers.free();
  }

  #readWith<T>(body: Use<T>): T {
    const value = this.#values.borrow();
    try {
      return this.#values.call(body, this.read(value));
    } finally {
      this.#values.giveBack(value);
    }
  }
}

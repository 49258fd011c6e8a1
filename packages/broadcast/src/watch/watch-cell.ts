// The watch cell, as one agent sees it. The words, their states and the invariants are in kernel/watch-cell.ts.

import { ClosedError, hasCode, type WaitingPolicy, type WaitOptions } from '@sluice/core';
import { BLOCK_TAG, GRANT, IDLE, RACED, SHUT, TAKEN, type AgentAddress, type LineAddress } from '@sluice/core/format';
import { checkTimeout, TakeIterator, NO_WAIT_OPTIONS, packedFor, reserveStack } from '@sluice/core/calls';
import {
  asCorrupt,
  finishPending,
  handleTo,
  retryOrThrow,
  orCorrupt,
  retryWhileRaced,
  Waitable,
  PrimitiveLine,
  type LineState,
  type Words,
} from '@sluice/core/internal';
import type { ValueSlots } from '../slots/byte-slots.ts';
import { CELL_CLOSED, READ_WORD, SLOT_MASK, SLOTS, VERSION_BITS } from './kernel/layout.ts';
import { LastRead } from './last-read.ts';
import { WATCH_CELL, type WatchKernel, type WatchSteps } from './kinds.ts';
import type { WatchCellFromOptions, WatchCellHandle, WatchCellOptions } from './options.ts';
import { createCell, openCell, shapeFor, type OpenedCell, type SeenVersion } from './create-and-open.ts';
import { isClosedAt, reportWatchCell, versionAt, versionOf, type WatchCellReport } from './report.ts';

let construct: <T>(found: OpenedCell) => WatchCell<T>;

/**
 * A cell for one value: any thread sets it, and every thread reads the newest value and waits for a newer one. A slow
 * reader may miss values, but never the newest.
 *
 * - A value is set whole. A thread that dies while it sets one leaves the previous value.
 * - `set` and `get` take no lock and never wait for another thread's event loop.
 * - Each instance remembers which value it got last. `changed` waits until there is a newer one, and returns the
 *   newest.
 * - After `close` each reader gets the last value. Then its waits fail with `ClosedError`, and its loops end.
 *
 * It corresponds to tokio's `watch` channel.
 *
 * ```ts run
 * import { WatchCell } from '@sluice/broadcast';
 *
 * const progress = WatchCell.create({ done: 0, of: 10 }, { name: 'progress' });
 * const reader = WatchCell.from(progress.handle);
 * console.log(reader.get().done, reader.hasChanged); // 0 false
 * progress.set({ done: 1, of: 10 });
 * progress.set({ done: 2, of: 10 });
 * console.log(reader.hasChanged, (await reader.changedAsync()).done, reader.tryChanged()); // true 2 undefined
 * progress.set({ done: 10, of: 10 });
 * progress.close();
 * for await (const { done } of reader) console.log(done); // 10
 * ```
 */
export class WatchCell<T> extends Waitable {
  /** The handle to post to another thread. Pass it to `WatchCell.from` there. */
  readonly handle: WatchCellHandle<T>;
  readonly #waits: PrimitiveLine;
  // The fields of the uncontended paths are separate, to save a lookup per call.
  readonly #cell: LineAddress;
  readonly #agent: AgentAddress;
  readonly #lineState: LineState;
  readonly #words: Words;
  readonly #slots: ValueSlots;
  readonly #kept: LastRead;
  readonly #begin: WatchSteps['beginWatchRead'];
  readonly #confirm: WatchSteps['confirmWatchRead'];
  readonly #claim: WatchSteps['claimWatchSlot'];
  readonly #publish: WatchSteps['publishWatchSlot'];
  /**
   * The halves of the cell's word when this instance last got or set a value. Before that, halves that no version has.
   */
  readonly #seen: SeenVersion;
  /** The slot that this agent tries first. */
  #next = 1;

  static {
    construct = (found) => new this(found, { low: -1, high: -1 });
  }

  /** `found` is `undefined` if a caller uses `new` itself. `PrimitiveLine` refuses that. */
  private constructor(found: OpenedCell | undefined, seen: SeenVersion) {
    const waits = new PrimitiveLine(found?.ref, found?.policy as WaitingPolicy, shapeFor(seen));
    super(waits);
    this.#waits = waits;
    const { ref, slots, codec } = found as OpenedCell;
    const kernel = ref.context.kernel as WatchKernel;
    this.#cell = ref.address;
    this.#agent = ref.context.agent;
    this.#lineState = waits.lineState;
    this.#words = ref.context.words;
    this.#slots = slots;
    this.#kept = new LastRead(slots, codec);
    this.#begin = kernel.beginWatchRead;
    this.#confirm = kernel.confirmWatchRead;
    this.#claim = kernel.claimWatchSlot;
    this.#publish = kernel.publishWatchSlot;
    this.#seen = seen;
    this.handle = Object.freeze({ ...handleTo('sluice.watch-cell', ref, WATCH_CELL.kernel.id), codec });
  }

  /**
   * Creates a cell with the value `first`.
   *
   * @throws {RangeError} If an option is out of range, or the value is too long.
   * @throws {TypeError} If an option has the wrong type or is unknown, or the codec does not take the value.
   * @throws {ArenaFullError} If the arena has no room left.
   */
  static create(
    first: number,
    options: WatchCellOptions<number> & { readonly codec: 'int32' | 'float64' },
  ): WatchCell<number>;
  static create(
    first: Uint8Array,
    options: WatchCellOptions<Uint8Array> & { readonly codec: 'bytes' },
  ): WatchCell<Uint8Array>;
  static create<T>(first: T, options?: WatchCellOptions<T>): WatchCell<T>;
  static create<T>(first: T, options: WatchCellOptions<T> = {}): WatchCell<T> {
    return construct<T>(createCell(first, options));
  }

  /**
   * Opens the cell that `handle` refers to. If the cell was created with a codec of your own, pass the same codec as
   * `codec`.
   *
   * @throws {HandleError} If the handle does not refer to a live cell.
   * @throws {TypeError} If the codec is not that of the cell.
   * @throws {ArenaFullError} If no agent record is left for this agent.
   */
  static from<T>(handle: WatchCellHandle<T>, options: WatchCellFromOptions<T> = {}): WatchCell<T> {
    return construct<T>(openCell(handle, options));
  }

  /** The number of values set after the first. Another agent may set one at any moment. */
  get version(): number {
    this.#waits.checkThere();
    return versionAt(this.#waits.ref);
  }

  /** Whether there is a value newer than the last one that this instance got or set. True before the first `get`. */
  get hasChanged(): boolean {
    return this.version !== versionOf(this.#seen.low, this.#seen.high);
  }

  /** Whether the cell is closed. */
  get closed(): boolean {
    this.#waits.checkThere();
    return isClosedAt(this.#waits.ref);
  }

  /**
   * Returns the newest value. A later `changed` waits for a newer one.
   *
   * @throws The errors of the codec's `decode`.
   */
  get(): T {
    const kept = this.#kept;
    const words = this.#words;
    const cell = this.#cell;
    // Reads the low half first. The word never decreases. So if the high half equals the kept one, it was the same when
    // the low half was read.
    if (
      words.load32(cell + BLOCK_TAG) === this.#lineState.tag &&
      words.load32(cell + GRANT) === kept.low &&
      words.load32(cell + GRANT + 4) === kept.high
    ) {
      return kept.again() as T;
    }
    const { low, high, packed } = this.#read();
    return this.#note(low, high, packed);
  }

  /**
   * Sets the value, and wakes the threads that wait for a newer one. Returns the value's version. A later `changed` of
   * this instance waits for a newer value.
   *
   * Any agent may call it at any time. If several agents call it at once, the value with the highest version is the
   * newest. It does not wait for readers. There are seven slots for new values. While stopped or dead writers have all
   * of them, the call tries for up to ten seconds. If it throws, the previous value stays. It throws `TypeError` and
   * `RangeError` for a value that the cell does not take, the errors of the codec's `encode`, `ClosedError`, and
   * `CorruptArenaError` after the ten seconds.
   */
  set(value: T): number {
    const packed = packedFor(this, () => this.#slots.pack(value));
    // Once a slot is taken, the call must be able to publish it.
    reserveStack();
    const slot = this.#takeSlot();
    this.#slots.write(slot, packed);
    const { tag, entry } = this.#lineState;
    let published: ReturnType<WatchSteps['publishWatchSlot']>;
    let tries = 0;
    try {
      do published = this.#publish(this.#cell, tag, this.#agent, entry, slot);
      while (published === RACED && retryOrThrow(++tries, this));
    } catch (failure) {
      throw asCorrupt(failure, this);
    }
    if (published !== SHUT) {
      this.#seen.low = this.#words.get32(entry + READ_WORD);
      this.#seen.high = this.#words.get32(entry + READ_WORD + 4);
    }
    if (published !== IDLE) this.#waits.wake(published);
    if (published === SHUT) throw this.#over();
    return versionOf(this.#seen.low, this.#seen.high);
  }

  /**
   * Waits until there is a newer value than the last one that this instance got, blocking the calling thread. Returns
   * the newest value.
   *
   * @throws {ClosedError} If the cell is closed, before or during the wait, and this instance has got its last value.
   * @throws {MisuseError} On a browser's main thread; use `changedAsync`.
   * @throws {ArenaFullError} If the arena has no room for the waiter.
   */
  changed(): T {
    this.#waits.checkBlocking();
    if (!this.#waits.enter(0)) this.#waits.enter(Infinity);
    return this.#getNewer();
  }

  /**
   * Waits as `changed` does, for at most `timeoutMs` ms. Returns `undefined` if there was no newer value. With 0, the
   * default, the call does not wait.
   */
  tryChanged(timeoutMs = 0): T | undefined {
    if (timeoutMs !== 0) checkTimeout(timeoutMs);
    return this.#waits.enter(timeoutMs) ? this.#getNewer() : undefined;
  }

  /**
   * Waits as `changed` does, without blocking the thread.
   *
   * A pending wait keeps the event loop alive, unless `ref` is `false`. Rejects with `TimeoutError`, `signal.reason`,
   * `ClosedError` or `ArenaFullError`.
   */
  async changedAsync(options: WaitOptions = NO_WAIT_OPTIONS): Promise<T> {
    await this.#waits.enterAsync(options);
    return this.#getNewer();
  }

  /**
   * Iterates over the newest values, without blocking. The iterator waits as `changedAsync` does when the loop asks for
   * a value. It ends after the last value of a closed cell.
   */
  [Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    const unchanged = (value: unknown): T => value as T;
    return new TakeIterator(
      (options) => this.changedAsync(options),
      unchanged,
      (failure) => hasCode(failure, 'SLUICE_CLOSED') && this.closed,
    );
  }

  /**
   * Closes the cell: no further value is set. The last value stays, and every waiter wakes. Closing again has no
   * effect.
   */
  close(): void {
    reserveStack();
    const { closeWatch } = this.#waits.context.kernel as WatchKernel;
    this.#waits.wake(orCorrupt(() => retryWhileRaced(() => closeWatch(this.#cell, this.#lineState.tag, this.#agent))));
  }

  /** Returns a snapshot of the cell: its version, its waiters and the start of each wait. */
  inspect(): WatchCellReport {
    return reportWatchCell(this.#waits.ref, this.#waits.report());
  }

  protected override shown(): Readonly<Record<string, unknown>> {
    return { version: this.version, waiting: this.waiting, closed: this.closed ? true : undefined };
  }

  /** Returns the newest value after an admitted wait. Throws `ClosedError` if only the closing ended the wait. */
  #getNewer(): T {
    const { low: before, high: highBefore } = this.#seen;
    const { low, high, packed } = this.#read();
    if ((low & CELL_CLOSED) !== 0 && high === highBefore && low >>> VERSION_BITS === before >>> VERSION_BITS)
      throw this.#over();
    return this.#note(low, high, packed);
  }

  #note(low: number, high: number, packed: unknown): T {
    this.#seen.low = low;
    this.#seen.high = high;
    return this.#kept.first(low, high, packed) as T;
  }

  #over(): ClosedError {
    return new ClosedError(`${this.toString()} is closed. Nothing was changed.`);
  }

  /** Returns a whole value, which was the newest at some moment within this call. */
  #read(): { readonly low: number; readonly high: number; readonly packed: unknown } {
    for (let tries = 1; ; tries++) {
      const { tag, entry } = this.#lineState;
      const claims = this.#begin(this.#cell, tag, entry);
      if (claims === SHUT) this.#waits.checkThere();
      if (claims >= 0) {
        const low = this.#words.get32(entry + READ_WORD);
        const high = this.#words.get32(entry + READ_WORD + 4);
        const packed = this.#slots.read(low & SLOT_MASK);
        if (this.#confirm(this.#cell, low & SLOT_MASK) === claims) return { low, high, packed };
      }
      retryOrThrow(tries, this);
    }
  }

  /** Takes a free slot. This is immediate unless other threads are writing in all other slots, or have died there. */
  #takeSlot(): number {
    for (let tries = 1; ; tries++) {
      for (let n = 0; n < SLOTS; n++) {
        const slot = (this.#next + n) & SLOT_MASK;
        const { tag, entry } = this.#lineState;
        const claimed = this.#claim(this.#cell, tag, entry, slot);
        if (claimed === SHUT) this.#waits.checkThere();
        if (claimed !== TAKEN) continue;
        this.#next = (slot + 1) & SLOT_MASK;
        return slot;
      }
      if (!finishPending(this.#waits.context)) retryOrThrow(tries, this);
    }
  }
}

/** Creates a cell over existing words. For models. */
export function watchCellAt<T>(found: OpenedCell): WatchCell<T> {
  return construct<T>(found);
}

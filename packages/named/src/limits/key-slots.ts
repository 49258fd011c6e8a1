// The slots of a keyed limit as one agent sees them: those of each key, and those of all keys together.
//
// A call takes a slot of its key first, and then one of all keys. Both lines are FIFO. So at most as many calls of a
// key stand in the second line as the key has slots: the other calls of the key wait in the line of the key. A key with
// thousands of waiting calls delays the first call of another key by no more than that.
//
// INVARIANTS
//
//   1. A call takes a slot of a key, or draws a ticket, while it owns the mutex of the table (entry-lists.ts,
//      invariant 2).
//   2. Each call takes the slots in the same order, and gives up the slot of its key if it does not get the second one.
//      So a call that gives up holds nothing, and a circle of waiting calls needs an agent that blocks while an async
//      call of its own has a slot of a key. `AsyncCalls` counts these, and the blocking call throws `DeadlockError`.
//   3. Each slot is a permit of a semaphore whose holders are recorded. If an agent dies, the recovery releases the
//      slots that it held, of either line.

import type { WaitOptions } from '@sluice/core';
import { BLOCK_TAG } from '@sluice/core/format';
import { deadlineIn, isElement, leftUntil, perLineState, withCallTimeout, type BlockRef } from '@sluice/core/internal';
import type { KeyTable } from '../table/key-table.ts';
import { USUALLY_KEPT } from '../table/layout.ts';
import { handled } from '../table/locks.ts';
import { SlotLine } from './slot-line.ts';

/** The number of opened lines that are kept for later calls. */
const MAX_OPENED = 8 * USUALLY_KEPT;

/**
 * The async calls of an agent that wait, through any of its objects. A call counts from its first line until it has
 * both slots or has given up, also while it has a slot that its promise has not passed on.
 */
interface AsyncCalls {
  readonly ofKeys: Map<string, number>;
  /** Those that have the slot of their key. */
  atTotal: number;
}

const callsAt: (ref: BlockRef) => AsyncCalls = perLineState(() => ({
  ofKeys: new Map<string, number>(),
  atTotal: 0,
}));

export class KeySlots {
  readonly keys: KeyTable;
  /** The slots of all keys together. `undefined`: without a limit. */
  readonly total: SlotLine | undefined;
  readonly #calls: AsyncCalls;
  readonly #opened = new Map<number, SlotLine>();
  /** The lines of the last calls, by key. */
  readonly #ofKeys = new Map<string, SlotLine>();

  constructor(keys: KeyTable, total?: SlotLine) {
    this.keys = keys;
    this.total = total;
    this.#calls = callsAt(keys.ref);
  }

  /** Takes the slots of a call, if all are free and no call waits for them. */
  tryTake(key: string): boolean {
    return this.#tryKey(key) && this.#thenTotal(key, (total) => total.tryTake());
  }

  /** Takes the slots of a call. Blocks the thread. Returns whether that took at most `timeoutMs`. */
  take(key: string, timeoutMs: number): boolean {
    const { parking } = this.keys.context;
    const deadline = deadlineIn(parking, timeoutMs);
    return (
      (this.#tryKey(key) || this.#blockAtKey(key, timeoutMs)) &&
      this.#thenTotal(
        key,
        (total) => total.tryTake() || total.sleep(total.draw(), leftUntil(parking, deadline), this.#calls.atTotal),
      )
    );
  }

  /**
   * Takes the slots of a call without blocking. Rejects with the errors of a wait, and then holds nothing. The caller has
   * checked `options`.
   */
  takeAsync(key: string, options: WaitOptions): Promise<void> {
    const { parking, budget } = this.keys.context;
    const deadline = deadlineIn(parking, options.timeout ?? Infinity);
    if (!this.#tryKey(key)) return this.#counted(key, () => this.#waitAtBoth(key, options, deadline));
    if (this.#tryTotal(key)) return budget.done();
    return this.#counted(key, () => this.#waitAtTotal(key, options, deadline));
  }

  /** Releases the slots of a call. */
  release(key: string): void {
    // First the slot that other keys wait for: the next call of this key then stands behind them.
    this.total?.release();
    this.#releaseKey(key);
  }

  /** Returns the line of an entry. Call it under the mutex of the table. */
  open(entry: number): SlotLine {
    const known = this.#opened.get(entry);
    if (known !== undefined && this.#tagOf(entry) === known.tag) return known;
    if (this.#opened.size >= MAX_OPENED) this.#opened.clear();
    const line = new SlotLine(this.keys.blocks.refOf(entry));
    this.#opened.set(entry, line);
    return line;
  }

  /** Frees the table, and then the slots of all keys. Throws `MisuseError` while a call runs or waits. */
  free(): void {
    this.keys.free((entry) => this.open(entry).errors.inUse());
    this.total?.semaphore.free();
  }

  #tryKey(key: string): boolean {
    const { keys } = this;
    const known = this.#ofKeys.get(key);
    if (known !== undefined && keys.enterNow()) {
      try {
        if (keys.isThere(known)) return known.tryTake();
      } finally {
        keys.leave();
      }
    }
    return keys.visit(key, known, (entry) => this.#lineOf(key, entry).tryTake());
  }

  #blockAtKey(key: string, timeoutMs: number): boolean {
    const [line, drawn] = this.keys.visit(key, this.#ofKeys.get(key), (entry) => {
      const found = this.#lineOf(key, entry);
      return [found, found.draw()] as const;
    });
    let isTaken = false;
    try {
      isTaken = line.sleep(drawn, timeoutMs, this.#aheadAt(key));
      return isTaken;
    } finally {
      if (!isTaken && isElement(drawn)) this.keys.tidy(key);
    }
  }

  async #counted(key: string, wait: () => Promise<void>): Promise<void> {
    const { ofKeys } = this.#calls;
    ofKeys.set(key, (ofKeys.get(key) ?? 0) + 1);
    try {
      await wait();
    } finally {
      const left = (ofKeys.get(key) ?? 1) - 1;
      if (left === 0) ofKeys.delete(key);
      else ofKeys.set(key, left);
    }
  }

  async #waitAtBoth(key: string, options: WaitOptions, deadline: number): Promise<void> {
    await this.#waitAtKey(key, options);
    await this.#waitAtTotal(key, options, deadline);
  }

  async #waitAtKey(key: string, options: WaitOptions): Promise<void> {
    let isTaken = false;
    try {
      await this.keys.visit(key, this.#ofKeys.get(key), (entry) => handled(this.#lineOf(key, entry).take(options)));
      isTaken = true;
    } finally {
      if (!isTaken) this.keys.tidy(key);
    }
  }

  /**
   * Returns the number of this agent's async calls that a blocking call for a key may have to wait for. They could not
   * go on while the agent is blocked: those for the same key, and those that are before it at the slots of all keys.
   */
  #aheadAt(key: string): number {
    const { ofKeys, atTotal } = this.#calls;
    return Math.max(ofKeys.get(key) ?? 0, atTotal);
  }

  /** Takes the second slot of a call that has the slot of its key, if it is free. Keeps the slot of the key. */
  #tryTotal(key: string): boolean {
    try {
      return this.total?.tryTake() ?? true;
    } catch (failure) {
      this.#releaseKey(key);
      throw failure;
    }
  }

  /** Waits for the second slot of a call that has the slot of its key. If that fails, releases the slot of the key. */
  async #waitAtTotal(key: string, options: WaitOptions, deadline: number): Promise<void> {
    const { total } = this;
    if (total === undefined) return;
    let isTaken = false;
    this.#calls.atTotal += 1;
    try {
      const left = leftUntil(this.keys.context.parking, deadline);
      const timeout = left === Infinity ? undefined : left;
      await total.take({ ...options, timeout }, withCallTimeout(total.errors, options.timeout ?? Infinity));
      isTaken = true;
    } finally {
      this.#calls.atTotal -= 1;
      if (!isTaken) this.#releaseKey(key);
    }
  }

  /** Takes the second slot of a call that has the slot of its key. Without it, releases the slot of the key. */
  #thenTotal(key: string, take: (total: SlotLine) => boolean): boolean {
    const { total } = this;
    if (total === undefined) return true;
    let isTaken = false;
    try {
      isTaken = take(total);
      return isTaken;
    } finally {
      if (!isTaken) this.#releaseKey(key);
    }
  }

  #releaseKey(key: string): void {
    const { keys } = this;
    const known = this.#ofKeys.get(key);
    if (known !== undefined && keys.isThere(known) && keys.table.stays(known.entry)) {
      known.release();
      return;
    }
    let line: SlotLine | undefined;
    keys.look(key, known, false, (entry) => {
      // The call holds a slot, so the entry is there, unless the memory is damaged.
      if (entry === 0) return;
      line = this.#lineOf(key, entry);
      line.semaphore.release();
      keys.table.tidy(entry);
    });
    // Outside of the table: the calls that go on may enter it.
    line?.settle();
  }

  /** Returns the line of an entry that has that key. */
  #lineOf(key: string, entry: number): SlotLine {
    const known = this.#ofKeys.get(key);
    if (known?.entry === entry && known.tag === this.#tagOf(entry)) return known;
    const line = this.open(entry);
    if (this.#ofKeys.size >= MAX_OPENED) this.#ofKeys.clear();
    this.#ofKeys.set(key, line);
    return line;
  }

  #tagOf(entry: number): number {
    return this.keys.context.words.load32(entry + BLOCK_TAG);
  }
}

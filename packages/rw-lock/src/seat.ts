// The seat of a read-write lock with upgradeable readers: a semaphore of one permit in a third line of its block. An
// agent must hold the seat to read upgradeably or to write. So only the holder of the seat can become a writer, and no
// writer can come between the read lock and the write lock of an upgrade. If an agent dies, its permit returns without
// a notice. Only the write lock has a notice.

import type { WaitingPolicy, WaitOptions } from '@sluice/core';
import {
  asBlock,
  asLine,
  BLOCK_KIND,
  BLOCK_LINE,
  BLOCK_NAME,
  BLOCK_TAG,
  CAPACITY,
  FLAG_RECOVERY,
  FLAGS,
  GRANT,
  KIND_SEMAPHORE,
  LIMIT,
  type BlockAddress,
} from '@sluice/core/format';
import {
  WaitLine,
  leftUntil,
  retryWhileRaced,
  type PrimitiveErrors,
  type AgentContext,
  type BlockRef,
  type Words,
} from '@sluice/core/internal';
import type { LineReport } from '@sluice/core/report';

export const SEAT_AT = 2 * BLOCK_LINE;

/** Returns the errors of waits for the seat. */
export type ErrorsAt = (seat: BlockRef) => PrimitiveErrors;

export class Seat {
  readonly ref: BlockRef;
  readonly #waitLine: WaitLine;

  constructor(lock: BlockRef, policy: WaitingPolicy, errorsAt: ErrorsAt) {
    const {
      context: { kernel, agent },
      tag,
    } = lock;
    const seat = asLine(lock.address + SEAT_AT);
    this.ref = { ...lock, address: asBlock(seat) };
    this.#waitLine = new WaitLine(
      this.ref,
      policy,
      { recorded: true },
      (mayWait, entry) =>
        mayWait === 0 ? kernel.tryAcquire(seat, tag, entry, 1) : kernel.acquire(seat, tag, entry, 1, agent),
      errorsAt(this.ref),
    );
  }

  /** Whether this agent holds the seat. */
  get isOurs(): boolean {
    return this.ref.context.words.get64(this.#waitLine.entry) > 0n;
  }

  /**
   * Waits for the seat, for at most `timeoutMs`. `before` is the number of async waits of this agent in the lock's
   * other lines. Returns TAKEN, WAITING if it timed out, or SHUT if the lock was freed. Throws as `WaitLine.enter` does.
   */
  enter(timeoutMs: number, before = 0): number {
    return this.#waitLine.enter(timeoutMs, before);
  }

  /** Waits as `enter` does, without blocking. Rejects with `TimeoutError` and the signal's reason. */
  enterAsync(options: WaitOptions): Promise<number> {
    return this.#waitLine.enterAsync(options);
  }

  /** Gives the seat to the agent that has waited longest. */
  leave(): void {
    const { context, address, tag } = this.ref;
    const { kernel, agent } = context;
    const left = retryWhileRaced(() => kernel.release(address, tag, agent, this.#waitLine.entry, 1));
    context.wakeAdmitted(left);
  }

  /** Clears the ledger entry after `free`. It still records the seat for this agent. */
  forget(): void {
    this.ref.context.words.put64(this.#waitLine.entry, 0n);
  }

  report(): LineReport {
    return this.#waitLine.inspect();
  }
}

/** Writes the line of a new lock's seat, which no agent holds. Must not fail: the entry is reserved. */
export function fillSeat(words: Words, lock: BlockAddress, tag: number, context: AgentContext): void {
  const seat = asLine(lock + SEAT_AT);
  words.put32(seat + FLAGS, FLAG_RECOVERY);
  words.put32(seat + BLOCK_KIND, KIND_SEMAPHORE);
  words.put32(seat + LIMIT, 1);
  words.store64(seat + GRANT, 1n);
  words.store64(seat + CAPACITY, 1n);
  words.put32(seat + BLOCK_TAG, tag);
  // Reports that see only this line read the name there.
  for (let at = BLOCK_NAME; at < BLOCK_LINE; at += 4) words.put32(seat + at, words.get32(lock + at));
  context.lineState(seat, tag, { recorded: true });
}

/** Returns the options of the second of two waits, which end together at `deadline`. */
export function optionsLeft({ context: { parking } }: BlockRef, options: WaitOptions, deadline: number): WaitOptions {
  return deadline === Infinity ? options : { ...options, timeout: leftUntil(parking, deadline) };
}

// The slots of one key of a keyed limit: a semaphore (slot-entries.ts). Each slot is a permit. So the calls for a key
// wait in FIFO order, and the slots of a dead agent are released.

import type { Semaphore, WaitOptions } from '@sluice/core';
import { asBlock, MODE_BLOCKING, SHUT, TAKEN, type Draw } from '@sluice/core/format';
import {
  acquireFor,
  blockInLine,
  contextOf,
  holdersOf,
  orCorrupt,
  PrimitiveErrors,
  semaphoreAt,
  type LineState,
  type BlockRef,
  type WaitErrors,
} from '@sluice/core/internal';

/** The slots of a key, or of all keys together, as one agent sees them. */
export class SlotLine {
  readonly entry: number;
  readonly tag: number;
  readonly semaphore: Semaphore;
  readonly errors: PrimitiveErrors;
  readonly #ref: BlockRef;
  readonly #lineState: LineState;

  constructor(ref: BlockRef) {
    const { arena, context, address, tag } = ref;
    this.entry = address;
    this.tag = tag;
    this.semaphore = semaphoreAt(ref, arena.policy);
    this.errors = new PrimitiveErrors(
      {
        className: 'KeyedLimit',
        late: 'gave no slot',
        untouched: 'No slot was taken.',
        blame: () => [{ how: 'used', agents: holdersOf(context, ref) }],
      },
      ref,
    );
    this.#ref = ref;
    // This finds the existing state: the semaphore has created it.
    this.#lineState = context.lineState(address, tag, { recorded: true });
  }

  /** Takes a slot if one is free and no call waits for it. */
  tryTake(): boolean {
    return this.semaphore.tryAcquire();
  }

  /** Takes a slot, or draws a ticket. Then call `sleep`. */
  draw(): Draw {
    const { context } = this.#ref;
    const { block, tag, entry } = this.#lineState;
    context.refill(MODE_BLOCKING);
    return orCorrupt(() => context.kernel.acquire(block, tag, entry, 1, context.agent));
  }

  /**
   * Blocks until the slot of a ticket is granted. Returns false if that took longer than `timeoutMs`. `ahead`: the async
   * calls of this agent that it would wait for, which could not go on. Then a wait without a time limit throws
   * `DeadlockError`.
   */
  sleep(drawn: Draw, timeoutMs: number, ahead: number): boolean {
    const { context, arena } = this.#ref;
    const outcome = blockInLine(context, this.#lineState, drawn, arena.policy, timeoutMs, this.errors, ahead);
    if (outcome === SHUT) throw this.errors.closed();
    return outcome === TAKEN;
  }

  /** Takes a slot, or draws a ticket, within this call. Resolves when the slot is taken. */
  take(options: WaitOptions, errors: WaitErrors = this.errors): Promise<void> {
    return acquireFor(this.semaphore, options, errors);
  }

  /** Releases a slot. Async calls of this agent that can then have it go on without a wake-up. */
  release(): void {
    this.semaphore.release();
    this.settle();
  }

  /** Settles the async calls of this agent that were granted a slot. */
  settle(): void {
    this.#lineState.asyncWaits.settleOwn(1);
  }
}

/** Returns the line of a semaphore with a block of its own. */
export function lineOf({ arena, name, handle: { address, tag } }: Semaphore): SlotLine {
  return new SlotLine({ arena, context: contextOf(arena), address: asBlock(address), tag, name });
}

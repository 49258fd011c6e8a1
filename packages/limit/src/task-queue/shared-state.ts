// The parts of a task queue in shared memory beside its limit: whether it is paused, and a semaphore for the
// agents that wait for a change of the queue: `changes`, which is `bell` in the handle.
//
// `changes` has no permits. A waiter enters its line, and then looks at the queue. An agent that changes the queue
// changes it, and then notifies the agents in the line. So either the waiter sees the change, or the agent sees the
// waiter. Two agents that notify at once may release a permit too many. Then a later waiter wakes without a change,
// looks, and enters the line again.

import { Region, Semaphore, type Arena, type RegionHandle, type SemaphoreHandle } from '@sluice/core';
import { asBlock, BLOCK_LINE, BLOCK_TAG } from '@sluice/core/format';
import { acquireFor, contextOf, type AgentContext, type WaitErrors } from '@sluice/core/internal';
import { foreignTo } from './handle.ts';
import type { WordRegion } from '../slots/sized-slots.ts';
import type { PlaceInLine } from '../line/place-in-line.ts';

/** The word that says whether the queue is paused: 0 or 1. Any agent may write it. */
const STATE_BYTES = 8;

export class SharedState {
  readonly changes: Semaphore;
  readonly region: WordRegion;
  readonly #context: AgentContext;
  readonly #at: number;

  constructor(changes: Semaphore, region: WordRegion, context = contextOf(changes.arena)) {
    this.changes = changes;
    this.region = region;
    this.#context = context;
    this.#at = region.handle.address + BLOCK_LINE;
  }

  /** Throws `ArenaFullError`. Then nothing stays allocated. */
  static create(arena: Arena, isPaused: boolean): SharedState {
    const changes = Semaphore.create(0, { arena, recovery: false, name: 'bell' });
    try {
      const state = new SharedState(changes, Region.create(STATE_BYTES, { arena, name: 'paused' }));
      state.setPaused(isPaused);
      return state;
    } catch (failure) {
      changes.free();
      throw failure;
    }
  }

  /** Throws `HandleError`. */
  static from(bell: unknown, region: unknown, arena: Arena): SharedState {
    const changes = Semaphore.from(bell as SemaphoreHandle);
    const word = Region.from(region as RegionHandle);
    // Otherwise an address of one arena would be used in another.
    if (changes.handle.arena !== arena.handle.arena || word.handle.arena !== arena.handle.arena)
      throw foreignTo('its parts lie in different arenas');
    if (word.byteLength < STATE_BYTES) throw foreignTo(`its state has ${word.byteLength} bytes`);
    return new SharedState(changes, word);
  }

  get isPaused(): boolean {
    return this.#context.words.load32(this.#at) !== 0;
  }

  setPaused(isPaused: boolean): void {
    this.#context.words.store32(this.#at, isPaused ? 1 : 0);
  }

  get isShut(): boolean {
    const { address, tag } = this.changes.handle;
    return this.#context.words.load32(address + BLOCK_TAG) !== tag;
  }

  /** Wakes the agents in the line of `changes`. Call it after the change. Pairs with `listen`. Never throws. */
  notifyChange(): void {
    if (this.isShut) return;
    const waiting = -this.#context.kernel.balance(asBlock(this.changes.handle.address));
    if (waiting <= 0) return;
    try {
      this.changes.release(waiting);
    } catch {
      // The queue was closed meanwhile, which has woken all waiters.
    }
  }

  /**
   * Enters the line of `changes`, at once. The promise resolves with the next notification. Look at the queue after the
   * call, not before. Pairs with `notifyChange`.
   */
  listen(place: PlaceInLine, timeout: number, errors: WaitErrors): Promise<void> {
    return acquireFor(this.changes, { signal: place as unknown as AbortSignal, timeout, ref: false }, errors);
  }

  close(): void {
    this.changes.close();
  }

  free(): void {
    this.changes.free();
    this.region.free();
  }
}

// The parts of a task queue in shared memory beside its limit: whether it is paused, and a bell for the agents that
// wait for a change of the queue.
//
// The bell is a semaphore without permits. A waiter enters the bell's line, and then looks at the queue. An agent that
// changes the queue changes it, and then rings for the agents in the line. So either the waiter sees the change, or the
// agent sees the waiter. Two agents that ring at once may release a permit too many. Then a later waiter wakes without
// a change, looks, and enters the line again.

import { Region, Semaphore, type Arena, type RegionHandle, type SemaphoreHandle } from '@sluice/core';
import {
  acquireFor,
  asBlock,
  BLOCK_LINE,
  BLOCK_TAG,
  contextOf,
  type AgentContext,
  type WaitErrors,
} from '@sluice/core/internal';
import { foreignTo } from './handle.ts';
import type { Word } from '../sized-slots.ts';
import type { PlaceInLine } from '../place-in-line.ts';

/** The word that says whether the queue is paused: 0 or 1. Any agent may write it. */
const STATE_BYTES = 8;

export class SharedState {
  readonly bell: Semaphore;
  readonly region: Word;
  readonly #context: AgentContext;
  readonly #at: number;

  constructor(bell: Semaphore, region: Word, context = contextOf(bell.arena)) {
    this.bell = bell;
    this.region = region;
    this.#context = context;
    this.#at = region.handle.address + BLOCK_LINE;
  }

  /** Throws `ArenaFullError`. Then nothing stays allocated. */
  static create(arena: Arena, isPaused: boolean): SharedState {
    const bell = Semaphore.create(0, { arena, recovery: false, name: 'bell' });
    try {
      const state = new SharedState(bell, Region.create(STATE_BYTES, { arena, name: 'paused' }));
      state.setPaused(isPaused);
      return state;
    } catch (failure) {
      bell.free();
      throw failure;
    }
  }

  /** Throws `HandleError`. */
  static from(bell: unknown, region: unknown, arena: Arena): SharedState {
    const ring = Semaphore.from(bell as SemaphoreHandle);
    const word = Region.from(region as RegionHandle);
    // Otherwise an address of one arena would be used in another.
    if (ring.handle.arena !== arena.handle.arena || word.handle.arena !== arena.handle.arena)
      throw foreignTo('its parts lie in different arenas');
    if (word.byteLength < STATE_BYTES) throw foreignTo(`its state has ${word.byteLength} bytes`);
    return new SharedState(ring, word);
  }

  get isPaused(): boolean {
    return this.#context.words.load32(this.#at) !== 0;
  }

  setPaused(isPaused: boolean): void {
    this.#context.words.store32(this.#at, isPaused ? 1 : 0);
  }

  get isShut(): boolean {
    const { address, tag } = this.bell.handle;
    return this.#context.words.load32(address + BLOCK_TAG) !== tag;
  }

  /** Wakes the agents in the bell's line. Call it after the change. Pairs with `listen`. Never throws. */
  ring(): void {
    if (this.isShut) return;
    const waiting = -this.#context.kernel.balance(asBlock(this.bell.handle.address));
    if (waiting <= 0) return;
    try {
      this.bell.release(waiting);
    } catch {
      // The queue was closed meanwhile, which has woken all waiters.
    }
  }

  /**
   * Enters the bell's line, at once. The promise resolves with the next ring. Look at the queue after the call, not
   * before. Pairs with `ring`.
   */
  listen(place: PlaceInLine, timeout: number, errors: WaitErrors): Promise<void> {
    return acquireFor(this.bell, { signal: place as unknown as AbortSignal, timeout, ref: false }, errors);
  }

  close(): void {
    this.bell.close();
  }

  free(): void {
    this.bell.free();
    this.region.free();
  }
}

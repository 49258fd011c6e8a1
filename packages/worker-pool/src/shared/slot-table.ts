// The slots of the tasks in flight, in shared memory: which worker took each task, and whether the task was cancelled.
//
//   word            value                                                   written by
//   taken[slot]     number of the worker that took the task; 0: none        the worker, as it takes it (onTake)
//   stopped[slot]   1: the pool no longer waits for the task                the pool
//   claim[slot]     which task has the slot                                 claims.ts
//   notifications   how often a worker was notified of a task               event-count.ts
//   leader          the idle worker that gets the next task                 leadership.ts
//   asleep          whether the pool's thread waits for a message           wake-message.ts

import { Region, type RegionHandle } from '@sluice/core';
import { BLOCK_LINE } from '@sluice/core/format';
import { contextOf, type Words } from '@sluice/core/internal';
import { WakeMessage } from './wake-message.ts';
import { PoolEventCount } from './event-count.ts';
import { Claims } from './claims.ts';
import { Leadership } from './leadership.ts';

const WORD = 4;
/** The number of words per slot. The README of the repository names both numbers (tools/checks: facts.mjs). */
const SLOT_WORDS = 3;
/** The number of words that all slots share. */
const SHARED_WORDS = 3;

export function slotTableBytes(slots: number): number {
  return (SLOT_WORDS * slots + SHARED_WORDS) * WORD;
}

export interface SlotTableHandle {
  readonly region: RegionHandle;
  readonly slots: number;
}

export class SlotTable {
  readonly handle: SlotTableHandle;
  readonly eventCount: PoolEventCount;
  readonly leadership: Leadership;
  readonly wakeMessage: WakeMessage;
  readonly #region: Region;
  readonly #words: Words;
  readonly #taken: number;
  readonly #stopped: number;
  readonly #claims: Claims;

  constructor(region: Region, slots: number) {
    this.#region = region;
    const { words, parking } = contextOf(region.arena);
    this.#words = words;
    this.#taken = region.handle.address + BLOCK_LINE;
    this.#stopped = this.#taken + slots * WORD;
    const claims = this.#stopped + slots * WORD;
    this.#claims = new Claims(words, claims);
    const notifications = claims + slots * WORD;
    this.eventCount = new PoolEventCount(words, parking, notifications);
    this.leadership = new Leadership(words, notifications + WORD, this.eventCount);
    this.wakeMessage = new WakeMessage(words, notifications + 2 * WORD);
    this.handle = { region: region.handle, slots };
  }

  static from({ region, slots }: SlotTableHandle): SlotTable {
    return new SlotTable(Region.from(region), slots);
  }

  /** For the pool: puts a task into the slot. No worker can know of it yet. */
  assign(slot: number, generation: number): void {
    this.#words.store32(this.#taken + slot * WORD, 0);
    this.#words.store32(this.#stopped + slot * WORD, 0);
    this.#claims.assign(slot, generation);
  }

  /** For the worker that takes the entry of this generation. Returns whether the worker is to run the task. */
  take(slot: number, generation: number, worker: number): boolean {
    if (!this.#claims.take(slot, generation)) return false;
    this.#words.store32(this.#taken + slot * WORD, worker);
    return true;
  }

  /** Withdraws the task unless a worker has begun to take it. Returns true if no worker runs the task. */
  withdraw(slot: number, generation: number): boolean {
    return this.#claims.withdraw(slot, generation);
  }

  takenBy(slot: number): number {
    return this.#words.load32(this.#taken + slot * WORD);
  }

  /** Whether this worker took the current task of a slot, or the last task of a free slot. */
  hasTaken(worker: number): boolean {
    for (let slot = 0; slot < this.handle.slots; slot++) if (this.takenBy(slot) === worker) return true;
    return false;
  }

  stop(slot: number): void {
    this.#words.store32(this.#stopped + slot * WORD, 1);
  }

  isStopped(slot: number): boolean {
    return this.#words.load32(this.#stopped + slot * WORD) === 1;
  }

  free(): void {
    this.#region.free();
  }
}

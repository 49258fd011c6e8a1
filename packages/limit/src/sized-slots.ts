// Slots whose number any agent may change.
//
// One word says how many there should be and how many there are, and each change of it is one kernel step that also writes the ledger of
// who holds what (core's kernel/slots.ts). More: the agent that asks for them makes them, and lets them go. Fewer: whoever has one in
// hand, or finds one free, takes it away while there are too many. So nobody owes anything that could die with it, and what a dead agent
// had in hand is in its ledger and comes back.

import { Region, Semaphore, type Arena } from '@sluice/core';
import { BLOCK_LINE, MAX_PERMITS, mayRetry, RACED, SHUT, TAKEN, type Place } from '@sluice/core/internal';
import type { LimitHandle } from './handle.ts';
import { Slots } from './slots.ts';

/** What leads to the word, and gives it back. */
export type Word = Pick<Region, 'handle' | 'free'>;

export class SizedSlots extends Slots {
  readonly #word: Word;
  readonly #at: number;

  constructor(semaphore: Semaphore, word: Word, place?: Place) {
    super(semaphore, place);
    this.#word = word;
    this.#at = word.handle.address + BLOCK_LINE;
  }

  /** Throws `RangeError`, `TypeError`, `ArenaFullError`; then nothing stays allocated. */
  static create(size: number, arena: Arena | undefined, name: string | undefined): SizedSlots {
    const semaphore = Semaphore.create(size, { arena, name });
    try {
      const slots = new SizedSlots(semaphore, Region.create(8, { arena: semaphore.arena, name: 'slots' }));
      slots.place.context.words.store64(slots.#at, (BigInt(size) << 32n) | BigInt(size));
      return slots;
    } catch (failure) {
      semaphore.free();
      throw failure;
    }
  }

  override get handle(): LimitHandle {
    return Object.freeze({ kind: 'sluice.limit', slots: this.semaphore.handle, size: this.#word.handle });
  }

  override get size(): number {
    this.checkThere();
    const [size] = this.#count();
    return size === MAX_PERMITS ? Infinity : size;
  }

  override resize(size: number): void {
    this.checkThere();
    this.letGo(this.#setSize(size));
    this.settleOwn();
  }

  override tryTake(): boolean {
    for (let tries = 1; super.tryTake(); tries++) {
      // One that a dead agent left while there were too many.
      if (this.#reduce(1) === 0) return true;
      mayRetry(tries);
    }
    return false;
  }

  override free(): void {
    if (this.semaphore.inspect().holders.length > 0) throw this.account.inUse();
    this.semaphore.free();
    this.#word.free();
  }

  /** Gives back so many that are in hand, less those that there are too many, free ones included. */
  protected override letGo(inHand: number): void {
    let left = inHand;
    let tries = 0;
    do {
      if (left > 0) left -= this.#reduce(left);
      if (left > 0) super.letGo(left);
      // After the release, too, never only before it: who sets the size writes it and then looks what is free, so one of the two
      // sees the other.
      left = this.#takeSurplus();
    } while (left > 0 && mayRetry(++tries));
  }

  /** Both at one moment. */
  #count(): readonly [should: number, are: number] {
    const both = this.place.context.words.load64(this.#at);
    return [Number(BigInt.asIntN(32, both)), Number(both >> 32n)];
  }

  /** How many it made, which are in hand. */
  #setSize(size: number): number {
    const { context: { kernel }, address, tag } = this.place;
    let made: number;
    let tries = 0;
    do made = kernel.resize(address, tag, this.localState.entry, this.#at, size);
    while (made === RACED && mayRetry(++tries));
    if (made === SHUT) throw this.account.closed('The concurrency was not changed.');
    return made;
  }

  /** How many of those in hand went. */
  #reduce(most: number): number {
    const { context: { kernel }, address, tag } = this.place;
    let gone: number;
    let tries = 0;
    do gone = kernel.reduce(address, tag, this.localState.entry, this.#at, most);
    while (gone === RACED && mayRetry(++tries));
    return gone === SHUT ? 0 : gone;
  }

  /** Free ones, no more than there are too many. */
  #takeSurplus(): number {
    const { context: { kernel }, address, tag } = this.place;
    for (let tries = 1; ; tries++) {
      const [should, are] = this.#count();
      const count = Math.min(are - should, kernel.balance(address));
      if (count <= 0) return 0;
      const taken = kernel.tryAcquire(address, tag, this.localState.entry, count);
      if (taken !== RACED) return taken === TAKEN ? count : 0;
      mayRetry(tries);
    }
  }
}

// Slots whose number any agent may change.
//
// There are always MAX_PERMITS permits: most of them lie in a second semaphore, the spare one, which nobody waits for. To
// change the size is to move permits between the two. A move is one kernel step, on the agent's own ledger entry of the first
// semaphore:
//
//   free or running   in the slots' semaphore, or in some agent's ledger entry of it
//   retire            spare.release with that entry: off the ledger, into the spare ones
//   fetch             spare.tryAcquire with that entry: out of the spare ones, onto the ledger
//
// So at every moment each permit is in one of the three places, and what a dead agent had in hand is in its ledger and comes
// back. The word SIZE says how many there ought to be outside the spare ones; whoever has a permit in hand, or finds one free,
// sets right what is not (level). Nobody owes anything that could die with it.
//
// Two agents may both retire, or fetch, for the same difference: so each looks again before it lets go of what it has in hand.
// Nothing wrong is let out meanwhile.

import { MisuseError, Region, Semaphore, type Arena } from '@sluice/core';
import { BLOCK_LINE, MAX_PERMITS, SHUT, TAKEN } from '@sluice/core/internal';
import type { LimitHandle } from './handle.ts';
import { Slots } from './slots.ts';

export class SizedSlots extends Slots {
  readonly #spare: Semaphore;
  readonly #region: Region;
  readonly #size: number;

  constructor(semaphore: Semaphore, spare: Semaphore, region: Region) {
    super(semaphore);
    this.#spare = spare;
    this.#region = region;
    this.#size = region.handle.address + BLOCK_LINE;
  }

  /** Throws `RangeError`, `TypeError`, `ArenaFullError`; then nothing stays allocated. */
  static create(size: number, arena: Arena | undefined, name: string | undefined): SizedSlots {
    const made: { free(): void }[] = [];
    const keep = <T extends { free(): void }>(one: T): T => (made.push(one), one);
    try {
      const semaphore = keep(Semaphore.create(size, { arena, name }));
      const own = { arena: semaphore.arena };
      const spare = keep(Semaphore.create(MAX_PERMITS - size, { ...own, name: 'spare slots', recovery: false }));
      const region = keep(Region.create(4, { ...own, name: 'slots' }));
      const slots = new SizedSlots(semaphore, spare, region);
      slots.seat.words.store32(slots.#size, size);
      return slots;
    } catch (failure) {
      for (const one of made) one.free();
      throw failure;
    }
  }

  override get handle(): LimitHandle {
    const { handle: slots } = this.semaphore;
    return Object.freeze({ kind: 'sluice.limit', slots, spare: this.#spare.handle, size: this.#region.handle });
  }

  override get size(): number {
    this.checkThere();
    const size = this.seat.words.load32(this.#size);
    return size === MAX_PERMITS ? Infinity : size;
  }

  override resize(size: number): void {
    this.checkThere();
    this.seat.words.store32(this.#size, size);
    this.#letGo(0);
    this.settleOwn();
  }

  override tryTake(): boolean {
    while (this.semaphore.tryAcquire()) {
      if (this.#excess() <= 0) return true;
      // One that a dead agent left while there were too many.
      this.#letGo(1);
    }
    return false;
  }

  override giveBack(): void {
    this.#letGo(1);
    this.settleOwn();
  }

  override free(): void {
    if (this.semaphore.inspect().holders.length > 0) throw new MisuseError('A limit whose functions run cannot be freed.');
    this.semaphore.free();
    this.#spare.free();
    this.#region.free();
  }

  /** How many slots there are too many outside the spare ones; below 0: too few. */
  #excess(): number {
    const { words, kernel } = this.seat;
    return MAX_PERMITS - words.load32(this.#size) - kernel.balance(this.#spare.handle.address);
  }

  /** Gives back so many that are in hand, less those that there are too many. */
  #letGo(inHand: number): void {
    let left = inHand;
    do {
      left = this.#level(left);
      if (left > 0) this.semaphore.release(left);
      left = 0;
      // Again after the release, never only before it: who sets the size writes it and then looks what is free, so one of the
      // two sees the other.
    } while (this.#excess() > 0 && this.semaphore.available > 0);
  }

  /** Sets the number right, as far as slots are in hand or free: how many are in hand then. */
  #level(inHand: number): number {
    let left = inHand;
    for (;;) {
      const excess = this.#excess();
      if (excess === 0) return left;
      if (excess < 0) left += this.#fetch(-excess);
      else if (left > 0) left -= this.#retire(Math.min(excess, left));
      else if ((left = this.#takeFree(excess)) === 0) return 0;
    }
  }

  #takeFree(most: number): number {
    for (;;) {
      const count = Math.min(most, this.semaphore.available);
      if (count === 0 || this.semaphore.tryAcquire(count)) return count;
    }
  }

  #retire(count: number): number {
    const { address, tag } = this.#spare.handle;
    const { kernel, agent } = this.seat;
    this.#check(kernel.release(address, tag, agent, this.standing.entry, count));
    return count;
  }

  /** 0: others were faster. */
  #fetch(count: number): number {
    const { address, tag } = this.#spare.handle;
    return this.#check(this.seat.kernel.tryAcquire(address, tag, this.standing.entry, count)) === TAKEN ? count : 0;
  }

  #check(outcome: number): number {
    if (outcome === SHUT) throw new MisuseError('The limit was freed and cannot be used any more.');
    return outcome;
  }
}

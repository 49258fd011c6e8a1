// Slots whose number any agent may change.
//
// One word holds two numbers: how many slots there should be, and how many exist. One kernel step changes the word and
// the ledger, the record of each agent's slots (kernel/slots.ts).
//
// To add slots, the agent that sets the number creates and releases them. To remove slots, any agent that has a slot in
// flight or finds a free one removes it while there are too many. So no pending removal can die with an agent. The
// slots of a dead agent are in its ledger, and are recovered.

import { Region, Semaphore, type Arena } from '@sluice/core';
import {
  BLOCK_LINE,
  isHeld,
  MAX_PERMITS,
  retryOrThrow,
  RACED,
  retryWhileRaced,
  SHUT,
  TAKEN,
  type Kernel,
  type BlockRef,
} from '@sluice/core/internal';
import type { LimitHandle } from './handle.ts';
import { LIMIT_KERNEL, type LimitSteps } from './kernel.ts';
import { Slots } from './slots.ts';

/** The region with the word. */
export type Word = Pick<Region, 'handle' | 'free'>;

export class SizedSlots extends Slots {
  readonly word: Word;
  /** The address of the word. */
  protected readonly at: number;
  protected readonly kernel: Kernel & LimitSteps;

  constructor(semaphore: Semaphore, word: Word, ref?: BlockRef, className?: string) {
    super(semaphore, ref, className);
    this.word = word;
    this.at = word.handle.address + BLOCK_LINE;
    this.kernel = this.ref.context.addKernel(LIMIT_KERNEL);
  }

  /** Creates `size` slots. If it throws `RangeError`, `TypeError` or `ArenaFullError`, nothing stays allocated. */
  static create(size: number, arena: Arena | undefined, name: string | undefined, className?: string): SizedSlots {
    const semaphore = Semaphore.create(size, { arena, name });
    try {
      const slots = new SizedSlots(
        semaphore,
        Region.create(8, { arena: semaphore.arena, name: 'slots' }),
        undefined,
        className,
      );
      slots.ref.context.words.store64(slots.at, (BigInt(size) << 32n) | BigInt(size));
      return slots;
    } catch (failure) {
      semaphore.free();
      throw failure;
    }
  }

  override get handle(): LimitHandle {
    return Object.freeze({ kind: 'sluice.limit', slots: this.semaphore.handle, size: this.word.handle });
  }

  override get size(): number {
    this.checkThere();
    const [size] = this.#count();
    return size === MAX_PERMITS ? Infinity : size;
  }

  /** The number of slots in use, over all agents. */
  get taken(): number {
    this.checkThere();
    const { context, address } = this.ref;
    const [, are] = this.#count();
    // Negative: waiters lack that many.
    return are - Math.max(0, context.kernel.balance(address));
  }

  override resize(size: number): void {
    this.checkThere();
    this.letGo(this.#setSize(size));
    this.settleOwn();
  }

  override tryTake(): boolean {
    for (let tries = 1; super.tryTake(); tries++) {
      // The slot may be surplus: recovery releases the slots of a dead agent even while there are too many.
      if (this.#reduce(1) === 0) return true;
      retryOrThrow(tries, this.errors);
    }
    return false;
  }

  override free(): void {
    if (isHeld(this.ref.context, this.ref)) throw this.errors.inUse();
    this.semaphore.free();
    this.word.free();
  }

  override wanted(): number {
    const { words } = this.ref.context;
    // If `resize` runs between the two reads, the result may be stale. That is as if the slot had been handed on before
    // `resize`.
    return words.load32(this.at + 4) > words.load32(this.at) ? Infinity : super.wanted();
  }

  /** Releases `inHand` slots that are in flight. Removes surplus slots instead, free ones included. */
  protected override letGo(inHand: number): void {
    let left = inHand;
    let tries = 0;
    do {
      if (left > 0) left -= this.#reduce(left);
      if (left > 0) super.letGo(left);
      // Checked after the release, too: an agent that sets the number writes it, and then looks for free slots. So one
      // of the two agents sees the other's change.
      left = this.#takeSurplus();
    } while (left > 0 && retryOrThrow(++tries, this.errors));
  }

  /** Reads both numbers in one step. */
  #count(): readonly [should: number, are: number] {
    const both = this.ref.context.words.load64(this.at);
    return [Number(BigInt.asIntN(32, both)), Number(both >> 32n)];
  }

  /** Sets how many slots there should be. Returns the number of slots that it created, which are in flight. */
  #setSize(size: number): number {
    const { address, tag } = this.ref;
    const made = retryWhileRaced(
      () => this.kernel.resizeLimit(address, tag, this.lineState.entry, this.at, size),
      this.errors,
    );
    if (made === SHUT) throw this.errors.closed('The concurrency was not changed.');
    return made;
  }

  /** Removes surplus slots in flight, at most `most`. Returns their number. */
  #reduce(most: number): number {
    const { address, tag } = this.ref;
    let gone: number;
    let tries = 0;
    do gone = this.kernel.reduceLimit(address, tag, this.lineState.entry, this.at, most);
    while (gone === RACED && retryOrThrow(++tries, this.errors));
    return gone === SHUT ? 0 : gone;
  }

  /** Takes free slots, at most as many as are surplus. Returns their number. */
  #takeSurplus(): number {
    const {
      context: { kernel, words },
      address,
      tag,
    } = this.ref;
    // Two reads need no BigInt. They may miss a change, but the agent that sets the number looks for free slots
    // afterwards itself.
    if (words.load32(this.at + 4) <= words.load32(this.at)) return 0;
    for (let tries = 1; ; tries++) {
      const [should, are] = this.#count();
      const count = Math.min(are - should, kernel.balance(address));
      if (count <= 0) return 0;
      const taken = kernel.tryAcquire(address, tag, this.lineState.entry, count);
      if (taken !== RACED) return taken === TAKEN ? count : 0;
      retryOrThrow(tries, this.errors);
    }
  }
}

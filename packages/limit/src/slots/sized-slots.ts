// Slots whose number any agent may change.
//
// One word holds two numbers: how many slots there should be, and how many exist. One kernel step changes the word and
// the ledger, the record of each agent's slots (kernel/slots.ts).
//
// To add slots, the agent that sets the number creates and releases them. To remove slots, each agent removes the slots
// that it has in flight or finds free, while there are too many. So no pending removal can die with an agent. The slots
// of a dead agent are in its ledger, and are recovered.

import { Region, Semaphore, type Arena } from '@sluice/core';
import { MAX_PERMITS } from '@sluice/core/calls';
import { BLOCK_LINE, RACED, SHUT, TAKEN } from '@sluice/core/format';
import { retryOrThrow, retryWhileRaced, type Kernel, type BlockRef } from '@sluice/core/internal';
import { isHeld } from '@sluice/core/report';
import type { LimitHandle } from '../api/handle.ts';
import { LIMIT_KERNEL, type LimitSteps } from '../kernel/kernel.ts';
import { Slots } from './slots.ts';

export type WordRegion = Pick<Region, 'handle' | 'free'>;

export class SizedSlots extends Slots {
  readonly word: WordRegion;
  /** The address of the word. */
  protected readonly at: number;
  protected readonly kernel: Kernel & LimitSteps;

  constructor(semaphore: Semaphore, word: WordRegion, ref?: BlockRef, className?: string) {
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
    const [, existing] = this.#count();
    // The balance is negative while waiters lack permits.
    return existing - Math.max(0, context.kernel.balance(address));
  }

  override resize(size: number): void {
    this.checkThere();
    this.releaseSlots(this.#setSize(size));
    this.settleOwn();
  }

  override tryTake(): boolean {
    for (let tries = 1; super.tryTake(); tries++) {
      // The slot may be surplus: recovery releases the slots of a dead agent even while there are too many.
      if (this.#removeSurplus(1) === 0) return true;
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
    // If `resize` runs between the reads, the result may be the one from before it: the slot is then handed on as it
    // would have been before `resize`.
    return words.load32(this.at + 4) > words.load32(this.at) ? Infinity : super.wanted();
  }

  /** Releases `inHand` slots that are in flight. Removes surplus slots instead, free ones included. */
  protected override releaseSlots(inHand: number): void {
    let left = inHand;
    let tries = 0;
    do {
      if (left > 0) left -= this.#removeSurplus(left);
      if (left > 0) super.releaseSlots(left);
      // Check after the release. Pairs with `resize`, which writes the number before it looks for free slots. So one of
      // the two agents sees the other's change.
      left = this.#takeSurplus();
    } while (left > 0 && retryOrThrow(++tries, this.errors));
  }

  /** Reads both numbers in one step. */
  #count(): readonly [target: number, existing: number] {
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
  #removeSurplus(most: number): number {
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
      const [target, existing] = this.#count();
      const count = Math.min(existing - target, kernel.balance(address));
      if (count <= 0) return 0;
      const taken = kernel.tryAcquire(address, tag, this.lineState.entry, count);
      if (taken !== RACED) return taken === TAKEN ? count : 0;
      retryOrThrow(tries, this.errors);
    }
  }
}

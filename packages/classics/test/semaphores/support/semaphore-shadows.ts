// Tasks of a living agent at a semaphore of several lines or of tokens, and their outcomes.

import type { Semaphore } from '@sluice/core';
import { records } from '../../../../core/src/memory/records.ts';
import * as L from '../../../../core/src/kernel/layout.ts';
import { ABANDONED } from '../../../../core/src/kernel/states.ts';
import type { Words } from '../../../../core/src/kernel/words.ts';
import type { Witness } from '../../../../core/test/support/crash-stage.ts';
import { ShadowUser } from '../../../../core/test/support/shadow-user.ts';
import { FRONT } from '../../../../semaphores/src/kernel/layout.ts';
import { FLAG_DEALT } from '../../../src/semaphores/kernel/layout.ts';
import { AddressSemaphore, MultilaneSemaphore, type LightweightSemaphore } from '../../../src/index.ts';
import type { PrioritySemaphore } from '../../../../semaphores/src/index.ts';
import { expectSame } from '../../../../core/test/support/expect-same.ts';

export type Composite = AddressSemaphore | LightweightSemaphore | MultilaneSemaphore | PrioritySemaphore;

export class SemaphoreShadows extends ShadowUser implements Witness {
  readonly #words: Words;
  readonly #composite: Composite;
  #asked = 0;

  constructor(words: Words, sem: Composite, permits: number) {
    // The calls are the same. The classes differ in their private parts.
    super(sem as unknown as Semaphore, permits);
    this.#words = words;
    this.#composite = sem;
  }

  /** Starts that many waits for one permit each. */
  come(times = 1): void {
    this.wait(...Array.from({ length: times }, () => 1));
  }

  expected(): readonly string[] {
    const end = this.#state === 'open' ? 'granted' : 'closed';
    this.#asked = this.waits.length;
    return this.waits.map(({ outcome }) => (outcome === 'waits' ? end : outcome));
  }

  override take(times = 1): void {
    for (let count = 0; count < times; count++) super.take();
  }

  override async finish(settle: () => Promise<void>, expected: readonly string[] = []): Promise<void> {
    await settle();
    if (this.#state === 'open') {
      expectSame(this.#balance, this.permits - this.held - this.#drawn);
      await super.finish(settle);
      this.#expectAll();
    }
    expectSame(
      this.waits.slice(0, this.#asked).map(({ outcome }) => outcome),
      expected,
    );
  }

  /** After a death in the middle of a step permits may be lost, but none is doubled. */
  override async doubled(settle: () => Promise<void>, how: 'stay' | 'leave'): Promise<readonly string[]> {
    await settle();
    if (this.#state !== 'open') return [];
    if (how === 'leave') for (const wait of this.waiting) wait.leave();
    await settle();
    while (this.held > 0) {
      this.giveBack(this.held);
      await settle();
    }
    let free = 0;
    while (free <= this.permits && this.#composite.tryAcquire()) free += 1;
    return free > this.permits ? [`${free} permits were free, but there are only ${this.permits}`] : [];
  }

  /** Checks that each permit can be taken, and no more. */
  #expectAll(): void {
    const sem = this.#composite;
    expectSame([sem.available, sem.waiting], [this.permits, 0]);
    for (let taken = 0; taken < this.permits; taken++) expectSame(sem.tryAcquire(), true);
    expectSame([sem.tryAcquire(), sem.available], [false, 0]);
    sem.release(this.permits);
    expectSame(sem.drain(), this.permits);
    for (let given = 0; given < this.permits; given++) sem.release();
    expectSame(sem.available, this.permits);
  }

  get #state(): 'open' | 'ended' {
    return this.#words.load32(this.#composite.handle.address + L.BLOCK_TAG) === this.#composite.handle.tag
      ? 'open'
      : 'ended';
  }

  get #balance(): number {
    const { address } = this.#composite.handle;
    return Number(this.#words.load64(address + L.GRANT) - this.#words.load64(address + L.TICKET));
  }

  /** A waiter for a token has no ticket, and the waits of an agent in lanes share one number. */
  get #drawn(): number {
    if (this.#composite instanceof AddressSemaphore) return 0;
    return (this.#composite instanceof MultilaneSemaphore ? Math.min(1, this.wanted) : this.wanted) + this.#strays;
  }

  /** Waiters that left a lane and are still counted. */
  get #strays(): number {
    const { address } = this.#composite.handle;
    return [...records(this.#words, L.HEADER_ELEMENT_POOL)].filter(({ record }) => {
      const lane = this.#words.get32(record + L.LINE);
      const isHere = this.#words.load32(record + L.GATE) === ABANDONED && this.#words.get32(record + L.LEAVING) === 0;
      return (
        isHere && (this.#words.get32(lane + L.FLAGS) & FLAG_DEALT) !== 0 && this.#words.get32(lane + FRONT) === address
      );
    }).length;
  }
}

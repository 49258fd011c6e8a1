// Tasks of a living agent at a resizable semaphore, with their own records of what they hold, wait for and watch.

import type { Semaphore } from '@sluice/core';
import * as L from '../../../core/src/kernel/layout.ts';
import type { Words } from '../../../core/src/kernel/words.ts';
import type { Witness } from '../../../core/test/support/crash-stage.ts';
import { expectNone, expectSame } from '../../../core/test/support/expect-same.ts';
import { leftBehind } from '../../../core/test/support/in-order.ts';
import { ShadowUser } from '../../../core/test/support/shadow-user.ts';
import { signalByHand } from '../../../core/test/support/signal-by-hand.ts';
import { BALANCE, CANCELLED_AT, CANCELS_SEEN } from '../../src/kernel/layout.ts';
import type { ResizableSemaphore } from '../../src/index.ts';

/** The place of a wait when it began. */
interface Arrival {
  /** The ticket behind its last permit, and the number of earlier cancels, in 32 bits each. */
  readonly end: number;
  readonly cancels: number;
}

interface Watcher {
  outcome: 'waits' | 'seen' | 'left';
  readonly leave: () => void;
}

export class ResizableShadows extends ShadowUser implements Witness {
  readonly resizable: ResizableSemaphore;
  readonly #words: Words;
  /** The possible numbers of permits: before and after the victim's call. */
  readonly #sizes: readonly number[];
  readonly #arrivals: Arrival[] = [];
  readonly #watchers: Watcher[] = [];
  #asked = 0;

  constructor(words: Words, sem: ResizableSemaphore, sizes: readonly number[]) {
    // The calls are the same, but the private members make the classes different types.
    super(sem as unknown as Semaphore, sizes[0] ?? 0);
    this.#words = words;
    this.resizable = sem;
    this.#sizes = sizes;
  }

  /** Begins one wait for each of these numbers of permits. */
  override wait(...wishes: readonly number[]): void {
    for (const permits of wishes) {
      const cancels = high(this.#cancels);
      super.wait(permits);
      this.#arrivals.push({ end: low(this.#words.load64(this.#home + L.TICKET)), cancels });
    }
  }

  /** Lets that many tasks wait until a permit is free. */
  watch(times = 1): void {
    for (let count = 0; count < times; count++) {
      const { signal, leave } = signalByHand();
      const watcher: Watcher = { outcome: 'waits', leave };
      this.#watchers.push(watcher);
      this.resizable.waitForUnlockAsync(1, { signal, ref: false }).then(
        () => (watcher.outcome = 'seen'),
        () => (watcher.outcome = 'left'),
      );
    }
  }

  expected(): readonly string[] {
    this.#asked = this.waits.length;
    const end = this.#isOpen ? 'granted' : 'closed';
    return this.waits.map(({ outcome }, index) =>
      outcome !== 'waits' ? outcome : this.#hasLost(this.#arrivals[index]) ? 'cancelled' : end,
    );
  }

  override async finish(settle: () => Promise<void>, expected: readonly string[] = []): Promise<void> {
    await settle();
    if (this.#isOpen) {
      this.permits = this.resizable.size;
      expectSame(this.#sizes.includes(this.permits), true);
      expectSame(this.#balance, this.permits - this.held - this.wanted);
      if (this.permits === 0) {
        this.#addFirst();
        await settle();
      }
      await super.finish(settle);
      this.#expectAll();
      await settle();
      expectNone(this.#watchers.filter(({ outcome }) => outcome === 'waits'));
    }
    expectSame(
      this.waits.slice(0, this.#asked).map(({ outcome }) => outcome),
      expected,
    );
  }

  /** Returns a fault if a permit exists twice. After a death within a step permits may be lost. */
  override async doubled(settle: () => Promise<void>, how: 'stay' | 'leave'): Promise<readonly string[]> {
    await settle();
    for (const watcher of this.#watchers) watcher.leave();
    if (!this.#isOpen) return [];
    if (how === 'leave') for (const wait of this.waiting) wait.leave();
    await settle();
    while (this.held > 0) {
      this.giveBack(this.held);
      await settle();
    }
    const most = Math.max(...this.#sizes);
    let free = 0;
    while (free <= most && this.resizable.tryAcquire()) free += 1;
    return free > most ? [`${free} permits were free, but at most ${most} exist`] : [];
  }

  /** The victim removed all permits and died before it added them again. */
  #addFirst(): void {
    [this.permits = 0] = this.#sizes;
    this.resizable.resize(this.permits);
  }

  /** Expects that each free permit can be acquired, and no more. */
  #expectAll(): void {
    const sem = this.resizable;
    expectSame([sem.available, sem.waiting, sem.debt], [this.permits, 0, 0]);
    expectSame(
      [sem.tryAcquire(this.permits + 1), sem.tryAcquire(this.permits), sem.tryAcquire(), sem.available],
      [false, true, false, 0],
    );
    sem.release(this.permits);
    expectSame(sem.drain(), this.permits);
    for (let given = 0; given < this.permits; given++) sem.release();
    expectSame([sem.available, sem.size], [this.permits, this.permits]);
  }

  #hasLost(arrival: Arrival | undefined): boolean {
    return arrival !== undefined && hasLost(this.#cancels, arrival);
  }

  get #home(): number {
    return this.resizable.handle.address;
  }

  get #cancels(): bigint {
    return this.#words.load64(this.#home + L.BLOCK_LINE + CANCELLED_AT);
  }

  get #isOpen(): boolean {
    return this.#words.load32(this.#home + L.BLOCK_TAG) === this.resizable.handle.tag;
  }

  /** The number of free permits. A negative number is what living waiters lack. */
  get #balance(): number {
    const inLine = this.#words.load64(this.#home + L.GRANT) - this.#words.load64(this.#home + L.TICKET);
    return (
      Number(inLine) +
      high(this.#words.load64(this.#home + L.BLOCK_LINE + BALANCE)) +
      leftBehind(this.#words, this.#home)
    );
  }
}

/** Returns whether a wait was cancelled before its permits were released, or two cancels have passed it. */
function hasLost(cancels: bigint, { end, cancels: seen }: Arrival): boolean {
  const since = high(cancels) - seen;
  return since !== 0 && (since !== 1 || end - low(cancels) > 0);
}

/** The same for an element in line. */
export function elementHasLost(words: Words, element: number): boolean {
  const cancels = words.load64(words.get32(element + L.LINE) + L.BLOCK_LINE + CANCELLED_AT);
  const end = low(words.get64(element + L.DRAWN) + BigInt(words.get32(element + L.COUNT)));
  return hasLost(cancels, { end, cancels: words.get32(element + CANCELS_SEEN) });
}

function low(pair: bigint): number {
  return Number(BigInt.asIntN(32, pair));
}

function high(pair: bigint): number {
  return Number(pair >> 32n);
}

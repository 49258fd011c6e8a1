// Living agents that wait on a condition, and the outcome of each wait.

import { expect } from 'vitest';
import { BUCKETS, BUCKET_SHIFT, CHAIN, HEADER_BUCKET_MASK, SLOT } from '../../../core/src/kernel/layout.ts';
import type { Stage, Witness } from '../../../core/test/support/crash-stage.ts';
import {
  addressSignal,
  addressWaitUntilAsync,
  keyOf,
  keySignal,
  locationWait,
  locationWakeAll,
  SharedWord,
  waitOnAddressAsync,
  wakeByAddressAll,
} from '../../src/index.ts';

interface Wait {
  outcome: 'waits' | 'came' | 'left';
  readonly leave: () => void;
}

export class Watchers implements Witness {
  readonly word: SharedWord;
  readonly #stage: Stage;
  readonly #waits: Wait[] = [];
  #onChain = false;

  constructor(stage: Stage) {
    this.#stage = stage;
    // `SharedWord.from` finds a word by its handle also in the agent that created it. So the memory needs the id that
    // the living agent knows.
    stage.world.handle({ arena: '' }, stage.living);
    this.word = SharedWord.create(0, { arena: stage.living.arena });
  }

  get #holds(): boolean {
    return this.word.load() === 1;
  }

  /** Starts `times` waits until the word is 1, alternating between two ways to wait. */
  come(times: number): void {
    const { word } = this;
    for (let count = 0; count < times; count++) {
      this.#add((options) =>
        this.#waits.length % 2 === 0
          ? addressWaitUntilAsync(word, () => this.#holds, options)
          : waitOnAddressAsync(word, 0, options),
      );
    }
  }

  /** Starts `times` waits for the same word under a ticket. */
  comeElsewhere(times: number): void {
    for (let count = 0; count < times; count++)
      this.#add((options) => addressWaitUntilAsync(keyOf(this.word, 3), () => this.#holds, options));
  }

  /** Pushes the living agent's element at the location; its next call sleeps. */
  pushOntoChain(): void {
    this.#onChain = locationWait(this.word);
  }

  leave(index: number): void {
    this.#waits[index]?.leave();
  }

  /** Makes the condition true and signals in every way, as a living agent. */
  change(): void {
    this.word.store(1);
    for (const signal of [addressSignal, keySignal, locationWakeAll, wakeByAddressAll]) signal(this.word);
    addressSignal(keyOf(this.word, 3));
  }

  #add(begin: (options: { readonly signal: AbortSignal; readonly ref: false }) => Promise<unknown>): void {
    const controller = new AbortController();
    const wait: Wait = { outcome: 'waits', leave: () => controller.abort() };
    this.#waits.push(wait);
    begin({ signal: controller.signal, ref: false }).then(
      () => (wait.outcome = 'came'),
      (failure: unknown) => {
        if (!controller.signal.aborted) throw failure;
        wait.outcome = 'left';
      },
    );
  }

  expected(): readonly string[] {
    return this.#waits.map(({ outcome }) => (outcome === 'waits' ? 'came' : outcome));
  }

  /**
   * Checks that no agent sleeps while its condition holds. If the condition does not hold, a living agent makes it true
   * first.
   */
  async finish(settle: () => Promise<void>, expected: readonly string[]): Promise<void> {
    await settle();
    if (!this.#holds) {
      expect(this.#asleep).toEqual(this.#waits.filter(({ outcome }) => outcome === 'waits'));
      this.change();
      await settle();
    }
    expect(this.#asleep).toEqual([]);
    expect(this.#waits.map(({ outcome }) => outcome).slice(0, expected.length)).toEqual(expected);
    // With a timeout: a lost wake-up lets the wait time out.
    if (this.#onChain) expect(locationWait(this.word, 5)).toBe(true);
    expect(this.#chains).toEqual([]);
  }

  get #asleep(): readonly Wait[] {
    return this.#waits.filter(({ outcome }) => outcome === 'waits');
  }

  get #chains(): readonly number[] {
    const { words } = this.#stage.world;
    const buckets = Array.from(
      { length: words.get32(HEADER_BUCKET_MASK) + 1 },
      (_, index) => BUCKETS + (index << BUCKET_SHIFT),
    );
    return buckets.filter((bucket) => words.load32(bucket + CHAIN) !== 0 || words.load32(bucket + SLOT) !== 0);
  }

  /**
   * Checks what still holds with engine 'js', where a death within a step may lose wake-ups: no wait ends while its
   * condition does not hold.
   */
  async doubled(settle: () => Promise<void>, how: 'stay' | 'leave'): Promise<readonly string[]> {
    await settle();
    const early = this.#holds
      ? []
      : this.#waits.filter(({ outcome }) => outcome === 'came').map(() => 'came too early');
    if (how === 'leave') for (const { leave } of this.#asleep) leave();
    this.change();
    await settle();
    // The waiters below the dead one may be lost. A new wait is not.
    const late = this.#waits.length;
    this.word.store(0);
    this.come(1);
    this.change();
    await settle();
    return this.#waits[late]?.outcome === 'came' ? early : [...early, 'a new wait was not woken'];
  }
}

import { expect, test } from 'vitest';
import type { Random } from '../../../harness/src/random.mjs';
import { ending, until, type Ending } from '../observe.ts';
import type { ConformingSemaphore, CreateSemaphore } from '../types.ts';
import { HISTORIES, MAX_FREE, MAX_PERMITS, playAll, STEPS } from './random-histories.ts';
import type { Traits } from './traits.ts';

interface Wait {
  readonly permits: number;
  readonly controller: AbortController;
  end: Ending | undefined;
}

/**
 * Makes random calls and compares the semaphore with a count of the permits given and taken. In every order of service
 * the sum is correct, and no agent waits for a free permit.
 */
export function bargingHistories(name: string, create: CreateSemaphore, traits: Traits): void {
  test(`${HISTORIES} histories of ${STEPS} random calls keep every permit, and no agent waits for a free one`, async () => {
    await playAll(name, async (random) => {
      const permits = random.below(4);
      await new History(create(permits), permits, random, traits).play();
      return undefined;
    });
  });
}

class History {
  readonly #sem: ConformingSemaphore;
  readonly #random: Random;
  readonly #traits: Traits;
  readonly #waits: Wait[] = [];
  readonly #calls: string[];
  /**
   * The permits given, minus the permits taken without a wait. The permits of a wait are subtracted when the wait ends.
   */
  #given: number;

  constructor(sem: ConformingSemaphore, permits: number, random: Random, traits: Traits) {
    this.#sem = sem;
    this.#random = random;
    this.#traits = traits;
    this.#given = permits;
    this.#calls = [`create ${permits}`];
  }

  async play(): Promise<void> {
    for (let step = 0; step < STEPS; step++) {
      // With FIFO order, the result of a call is undefined until each granted waiter has looked at its grant.
      if (!this.#traits.barging) await this.#settle();
      this.#perform();
      // A pending wait may already have taken its permits without reporting them. No permit exists twice.
      expect(this.#sem.available, this.#log).toBeLessThanOrEqual(this.#given - this.#reported);
      if (this.#random.chance(30)) await this.#settle();
    }
    for (const { controller } of this.#waits) controller.abort('end');
    await this.#settle();
  }

  #perform(): void {
    const sem = this.#sem;
    const count = this.#random.between(1, MAX_PERMITS);
    const kind = this.#random.below(10);
    if (kind < 4) this.#wait(this.#traits.size(count));
    else if (kind < 6 && this.#waits.length > 0) {
      this.#note('abort');
      this.#random.pick(this.#waits).controller.abort('left');
    } else if (kind < 7) {
      const free = sem.available;
      const wanted = this.#traits.triesSeveral ? count : 1;
      const taken = sem.tryAcquire(wanted);
      this.#note(`tryAcquire ${wanted}`);
      expect(taken, this.#log).toBe(wanted <= free);
      if (taken) this.#given -= wanted;
    } else if (kind < 8 && this.#random.chance(30)) {
      this.#note('drain');
      this.#given -= sem.drain();
      expect(sem.available, this.#log).toBe(0);
    } else if (this.#given + count <= MAX_FREE) {
      this.#note(`release ${count}`);
      sem.release(count);
      this.#given += count;
    }
  }

  #wait(permits: number): void {
    this.#note(`acquireAsync ${permits}`);
    const controller = new AbortController();
    const wait: Wait = { permits, controller, end: undefined };
    this.#waits.push(wait);
    void ending(this.#sem.acquireAsync(permits, { signal: controller.signal })).then((end) => (wait.end = end));
  }

  async #settle(): Promise<void> {
    await until(() => this.#isSettled, this.#log);
  }

  /** Whether the number of waiters is known and none of them could be served. */
  get #isSettled(): boolean {
    const { available, waiting } = this.#sem;
    const waits = this.#waits.filter(({ end }) => end === undefined);
    const isBalanced = available === this.#given - this.#reported && waiting === waits.length;
    return isBalanced && waits.every(({ permits, controller }) => permits > available && !controller.signal.aborted);
  }

  get #reported(): number {
    return this.#waits
      .filter(({ end }) => end !== undefined && 'value' in end)
      .reduce((sum, { permits }) => sum + permits, 0);
  }

  #note(call: string): void {
    this.#calls.push(call);
  }

  get #log(): string {
    return this.#calls.join(', ');
  }
}

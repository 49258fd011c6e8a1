// A line of workers. The main thread lets them join one after the other, so that it knows the order of service.

import { Arena, Semaphore, type Region } from '@sluice/core';
import type { WorkerGroup, Random } from '@sluice/harness';
import { CONTROL_WORDS, LEAVES, LEFT, PERMITS, TURN, WAY, type LineData } from '../jobs/line.mjs';
import { sharedWords } from './stress.ts';

export interface LineOptions {
  readonly workers: number;
  readonly rounds: number;
  /** The maximum number of permits that a staying waiter wants. Leaving waiters want more. */
  readonly most: number;
  readonly ways: readonly number[];
  readonly buckets?: number;
}

/** The waiter at one place of the line, and its number of permits. */
export interface Place {
  readonly index: number;
  readonly permits: number;
}

export class EnqueueAtSide {
  readonly arena: Arena;
  readonly sem: Semaphore;
  readonly #control: Region;
  readonly #log: Region;
  readonly #options: LineOptions;
  readonly #random: Random;
  readonly #left: number[];

  /** The number of `permits` that the main thread holds. */
  constructor(options: LineOptions, random: Random, permits: number) {
    this.#options = options;
    this.#random = random;
    this.arena = Arena.create({ maxPages: 64, policy: { buckets: options.buckets ?? 256 } });
    this.sem = Semaphore.create(permits, { arena: this.arena, name: 'line' });
    this.sem.drain();
    this.#control = sharedWords(this.arena, options.workers * CONTROL_WORDS);
    this.#log = sharedWords(this.arena, options.workers + 1);
    this.#left = Array.from({ length: options.workers }, () => 0);
  }

  start(group: WorkerGroup, passOn: boolean): void {
    const { rounds, workers } = this.#options;
    const data: LineData = {
      semaphore: this.sem.handle,
      control: this.#control.handle,
      log: this.#log.handle,
      rounds,
      passOn,
    };
    group.start(workers, 'joinLine', () => data);
  }

  /** Lets all workers join in a random order. Returns the line without the waiters that left it. */
  async gather(group: WorkerGroup): Promise<Place[]> {
    const { most, workers, ways } = this.#options;
    const outside = Array.from({ length: workers }, (_, index) => index);
    const line: Place[] = [];
    this.#log.int32.fill(0);
    while (outside.length > 0) {
      const [index = 0] = outside.splice(this.#random.below(outside.length), 1);
      const way = this.#random.pick(ways);
      const permits = this.#random.between(1, most) + (way === LEAVES ? most : 0);
      this.#send(index, permits, way);
      if (way === LEAVES) continue;
      line.push({ index, permits });
      await group.until(`${line.length} in line`, () => this.#staying() === line.length);
    }
    await group.until('the leaving waiters to be gone', () =>
      this.#left.every((left, index) => this.#word(index, LEFT) === left),
    );
    return line;
  }

  /** Returns the number of waiters admitted in this round. */
  get admitted(): number {
    return Atomics.load(this.#log.int32, 0);
  }

  /** Returns the waiters admitted in this round, in order. */
  get order(): number[] {
    return [...this.#log.int32.subarray(1, 1 + this.admitted)];
  }

  #send(index: number, permits: number, way: number): void {
    const words = this.#control.int32;
    const mine = index * CONTROL_WORDS;
    if (way === LEAVES) this.#left[index] = (this.#left[index] ?? 0) + 1;
    Atomics.store(words, mine + PERMITS, permits);
    Atomics.store(words, mine + WAY, way);
    Atomics.add(words, mine + TURN, 1);
    Atomics.notify(words, mine + TURN);
  }

  #word(index: number, word: number): number {
    return Atomics.load(this.#control.int32, index * CONTROL_WORDS + word);
  }

  #staying(): number {
    if (!this.#options.ways.includes(LEAVES)) return this.sem.waiting;
    return this.sem.inspect().waiters.filter(({ permits }) => permits <= this.#options.most).length;
  }
}

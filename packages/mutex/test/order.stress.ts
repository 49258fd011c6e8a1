import { Arena, Region } from '@sluice/core';
import { type WorkerGroup, shortOf, Session, withWorkers } from '@sluice/harness';
import { Mutex, RecursiveMutex } from '@sluice/mutex';
import { expect, test } from 'vitest';
import { expectOfficeAtRest } from '../../core/test/support/office-rest.ts';
import {
  ASYNC,
  BLOCKING,
  joinLine,
  LEAVES,
  LEFT,
  PATIENT,
  TURN,
  WAY,
  WORKER_WORDS,
  type LineData,
} from './jobs/line.mjs';

const jobs = new URL('./jobs/line.mjs', import.meta.url);

interface Line {
  readonly kind: typeof Mutex | typeof RecursiveMutex;
  readonly workers: number;
  readonly rounds: number;
  readonly ways: readonly number[];
  readonly buckets?: number;
}

const LINES: readonly (readonly [what: string, line: Line])[] = [
  ['8 blocking waiters', { kind: Mutex, workers: 8, rounds: 60, ways: [BLOCKING] }],
  ['16 blocking and async waiters', { kind: Mutex, workers: 16, rounds: 40, ways: [BLOCKING, ASYNC, PATIENT] }],
  ['16 waiters in one bucket', { kind: RecursiveMutex, workers: 16, rounds: 40, ways: [BLOCKING, ASYNC], buckets: 1 }],
  [
    'the waiters of 24 that do not time out',
    { kind: Mutex, workers: 24, rounds: 30, ways: [BLOCKING, ASYNC, LEAVES], buckets: 4 },
  ],
  [
    '64 waiters of a recursive mutex',
    { kind: RecursiveMutex, workers: 64, rounds: 6, ways: [BLOCKING, ASYNC, PATIENT] },
  ],
];

/** The words by which the main thread tells workers to wait, and the log of the workers. */
class OrderedArrivals {
  readonly arena: Arena;
  readonly mutex: Mutex | RecursiveMutex;
  readonly data: LineData;
  readonly #control: Int32Array;
  readonly #log: Int32Array;
  readonly #left: number[];

  constructor({ kind, workers, rounds, buckets = 256 }: Line) {
    this.arena = Arena.create({ maxPages: 64, policy: { buckets } });
    this.mutex = kind.create({ arena: this.arena, name: 'line', order: 'fifo' });
    const control = Region.create(4 * workers * WORKER_WORDS, { arena: this.arena });
    const log = Region.create(4 * (workers + 1), { arena: this.arena });
    this.data = { mutex: this.mutex.handle, control: control.handle, log: log.handle, rounds: shortOf(rounds) };
    this.#control = control.int32;
    this.#log = log.int32;
    this.#left = Array.from({ length: workers }, () => 0);
  }

  /** Tells all workers to wait, one after the other. Returns the workers that do not time out. */
  async gather(group: WorkerGroup, session: Session, ways: readonly number[]): Promise<number[]> {
    const outside = this.#left.map((_, index) => index);
    const line: number[] = [];
    this.#log.fill(0);
    while (outside.length > 0) {
      const [index = 0] = outside.splice(session.random.below(outside.length), 1);
      const way = session.random.pick(ways);
      this.#send(index, way);
      if (way === LEAVES) continue;
      line.push(index);
      // Waiters that time out may be before or behind this one.
      await group.until(`${line.length} waiters`, () => this.#staying === line.length);
    }
    await group.until('all other waiters to time out', () =>
      this.#left.every((left, index) => this.#word(index, LEFT) === left),
    );
    return line;
  }

  get #staying(): number {
    const leavers = this.#left.filter((left, index) => this.#word(index, LEFT) !== left).length;
    return leavers > 0 ? -1 : this.mutex.inspect().waiters.length;
  }

  #send(index: number, way: number): void {
    if (way === LEAVES) this.#left[index] = (this.#left[index] ?? 0) + 1;
    Atomics.store(this.#control, index * WORKER_WORDS + WAY, way);
    Atomics.add(this.#control, index * WORKER_WORDS + TURN, 1);
    Atomics.notify(this.#control, index * WORKER_WORDS + TURN);
  }

  #word(index: number, word: number): number {
    return Atomics.load(this.#control, index * WORKER_WORDS + word);
  }

  /** Returns the owners of this round. */
  get order(): number[] {
    return [...this.#log.subarray(1, 1 + Atomics.load(this.#log, 0))];
  }
}

test.each(LINES)('%s own the mutex in the order of arrival', async (what, line) => {
  const session = new Session(what);
  const arrivals = new OrderedArrivals(line);
  const { arena, mutex } = arrivals;
  const dump = (): unknown => ({ mutex: mutex.inspect(), order: arrivals.order });
  await withWorkers({ jobs, seed: session.seed, dump }, async (group) => {
    group.start(line.workers, joinLine.name, () => arrivals.data);
    for (let round = 0; round < arrivals.data.rounds; round++) {
      mutex.lock();
      const expected = await arrivals.gather(group, session, line.ways);
      mutex.unlock();
      await group.until(
        'all waiters to have owned it',
        () => arrivals.order.length === expected.length && mutex.inspect().owner === 0,
      );
      expect(arrivals.order).toEqual(expected);
    }
    await group.results();
  });
  session.done(shortOf(line.rounds) * line.workers);
  expectOfficeAtRest(arena, mutex.handle);
});

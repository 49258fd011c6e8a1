// Workers that really sleep at one lock, and the order in which they own it. They use the built packages.

import { Arena, Region } from '@sluice/core';
import { Session, withWorkers, type WorkerGroup } from '@sluice/harness';
import { expect, test } from 'vitest';
import { expectAtRest } from '../../core/test/support/at-rest.ts';
import {
  ASYNC,
  BLOCKING,
  GO,
  GOT,
  joinLine,
  LOG,
  TIMED,
  TURN,
  WAY,
  WORKER_WORDS,
  type LineData,
} from './jobs/line.mjs';
import type { Order, OwnedLockKind } from '../../core/test/support/owned-lock/kind.ts';
import { KINDS } from './support/kinds.ts';

const jobs = new URL('./jobs/line.mjs', import.meta.url);
/** No timer of a test can end a blocked thread. */
const MAX_BLOCKED_MS = 20_000;
const WORKERS = 5;
const WAYS = [BLOCKING, ASYNC, TIMED];
const ROUNDS = 4;
/** Workers 0 to 2 arrive before the main thread unlocks. Workers 3 and 4 arrive while the next owner has the lock. */
const ORDERS: Readonly<Record<Order, readonly number[]>> = {
  first: [0, 1, 2, 3, 4],
  last: [2, 4, 3, 1, 0],
  segments: [2, 1, 0, 4, 3],
  any: [],
};

class OrderedArrivals {
  readonly arena = Arena.create({ maxPages: 16 });
  readonly lock;
  readonly data: LineData;
  readonly #words: Int32Array;

  constructor(kind: OwnedLockKind) {
    this.lock = kind.create({ arena: this.arena, name: 'line' });
    const log = ROUNDS * WORKERS;
    const words = Region.create(4 * (LOG + log + WORKERS * WORKER_WORDS), { arena: this.arena });
    this.#words = words.int32;
    this.data = { lock: this.lock.handle as LineData['lock'], words: words.handle, rounds: ROUNDS, control: LOG + log };
  }

  /** Tells these workers to wait for the lock, each after the previous one has enqueued. */
  async send(group: WorkerGroup, workers: readonly number[], session: Session): Promise<void> {
    for (const worker of workers) {
      const { length } = this.lock.inspect().waiters;
      const at = this.data.control + worker * WORKER_WORDS;
      Atomics.store(this.#words, at + WAY, session.random.pick(WAYS));
      Atomics.add(this.#words, at + TURN, 1);
      Atomics.notify(this.#words, at + TURN);
      await group.until(`worker ${worker} enqueues`, () => this.lock.inspect().waiters.length === length + 1);
    }
  }

  get got(): number {
    return Atomics.load(this.#words, GOT);
  }

  /** Tells the owner to unlock. */
  release(): void {
    Atomics.add(this.#words, GO, 1);
    Atomics.notify(this.#words, GO);
  }

  /** Returns the owners of that round. */
  order(round: number): number[] {
    return [...this.#words.subarray(LOG + round * WORKERS, LOG + (round + 1) * WORKERS)];
  }
}

test.each(KINDS)(
  '$what: blocking and async waiters of several workers are served in the order of the lock',
  async (kind) => {
    const session = new Session(`${kind.what}, waiting workers`);
    const arrivals = new OrderedArrivals(kind);
    const { arena, lock } = arrivals;
    await withWorkers({ jobs, seed: session.seed, dump: () => arena.inspect() }, async (group) => {
      group.start(WORKERS, joinLine.name, () => arrivals.data);
      for (let round = 0; round < ROUNDS; round++) {
        const had = round * WORKERS;
        const upTo = (count: number): Promise<void> =>
          group.until(`${count} workers have owned the lock`, () => arrivals.got === had + count);
        expect(lock.tryLock(MAX_BLOCKED_MS)).toBe(true);
        await arrivals.send(group, [0, 1, 2], session);
        lock.unlock();
        await upTo(1);
        await arrivals.send(group, [3, 4], session);
        for (let count = 2; count <= WORKERS; count++) {
          arrivals.release();
          await upTo(count);
        }
        arrivals.release();
        const order = arrivals.order(round);
        if (kind.order === 'any') expect(order.sort()).toEqual([0, 1, 2, 3, 4]);
        else expect(order).toEqual(ORDERS[kind.order]);
        await group.until('the lock is free', () => lock.inspect().owner === 0);
      }
      await group.results();
    });
    expectAtRest(arena, lock.handle);
    session.done(ROUNDS * WORKERS);
  },
);

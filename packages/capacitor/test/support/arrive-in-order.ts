// Sends workers to a capacitor one after another, so that their order is known.

import type { Arena } from '@sluice/core';
import type { WorkerGroup, Session } from '@sluice/harness';
import { HOME, LEAVES, LEFT, TURN, WAY, WORKER_WORDS, type ArrivalData } from '../jobs/arrive-in-order.mjs';
import { createDoor, waitersAt, type Door } from './platoons.ts';

export interface ArrivalPlan {
  readonly workers: number;
  readonly limit: number;
  readonly lanes?: number;
  readonly rounds: number;
  readonly ways: readonly number[];
}

export class OrderedArrivals {
  readonly gate: Door;
  readonly data: ArrivalData;
  readonly #control: Int32Array;
  readonly #log: Int32Array;
  readonly #turns: number[];
  readonly #left: number[];

  constructor(arena: Arena, { workers, limit, lanes }: ArrivalPlan) {
    this.gate = createDoor(arena, limit, lanes);
    this.#control = new Int32Array(new SharedArrayBuffer(4 * workers * WORKER_WORDS));
    this.#log = new Int32Array(new SharedArrayBuffer(4 * (workers + 1)));
    this.data = { gate: this.gate.handle, control: this.#control, log: this.#log };
    this.#turns = Array.from({ length: workers }, () => 0);
    this.#left = [...this.#turns];
  }

  /** Uses up all permits. Returns their number. */
  close(): number {
    let inside = 0;
    while (this.gate.tryArrive()) inside += 1;
    return inside;
  }

  /** Sends all workers in. Returns the agents that arrived, and those that stay. */
  async gather(
    group: WorkerGroup,
    { random }: Session,
    ways: readonly number[],
  ): Promise<{ came: number[]; leaving: number[] }> {
    const outside = this.#turns.map((_, index) => index);
    const [came, leaving]: [number[], number[]] = [[], []];
    this.#log.fill(0);
    while (outside.length > 0) {
      const [index = 0] = outside.splice(random.below(outside.length), 1);
      const way = random.pick(ways);
      Atomics.store(this.#control, index * WORKER_WORDS + WAY, way);
      this.#raise(index);
      came.push(index);
      if (way === LEAVES) leaving.push(index);
      await group.until(`${came.length} workers wait`, () => waitersAt(this.gate) === came.length);
    }
    for (const index of leaving) {
      this.#left[index] = (this.#left[index] ?? 0) + 1;
      this.#raise(index);
    }
    await group.until('the workers that cancel have left', () =>
      this.#left.every((left, index) => this.#word(index, LEFT) === left),
    );
    return { came, leaving };
  }

  goHome(): void {
    for (const index of this.#turns.keys()) this.#send(index, HOME);
  }

  /** Returns the agents admitted in this round. */
  get order(): number[] {
    return [...this.#log.subarray(1, 1 + Atomics.load(this.#log, 0))];
  }

  #raise(index: number): void {
    const turn = (this.#turns[index] ?? 0) + 1;
    this.#turns[index] = turn;
    this.#send(index, turn);
  }

  #send(index: number, turn: number): void {
    Atomics.store(this.#control, index * WORKER_WORDS + TURN, turn);
    Atomics.notify(this.#control, index * WORKER_WORDS + TURN);
  }

  #word(index: number, word: number): number {
    return Atomics.load(this.#control, index * WORKER_WORDS + word);
  }
}

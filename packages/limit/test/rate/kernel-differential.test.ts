// The rate limiter's kernel in WebAssembly and in TypeScript: random agents take, book and return permits at random
// times, and occupy the line.

import { scale, type Random } from '@sluice/harness';
import * as L from '../../../core/src/kernel/layout.ts';
import { RACED, SHUT, TAKEN, WAITING } from '../../../core/src/kernel/states.ts';
import { compareKernels } from '../../../core/test/support/kernel-comparison.ts';
import type { Twins } from '../../../core/test/support/twins.ts';
import { RATE_KERNEL } from '../../src/rate/kernel/kernel.ts';
import { BUCKET_BYTES, TOLERANCE } from '../../src/rate/kernel/layout.ts';
import * as steps from '../../src/rate/kernel/steps.ts';

const TAG = 5;
const COST = 1000;

class RateDriver {
  steps = 0;
  readonly #twins: Twins;
  readonly #random: Random;
  readonly #coverage: Map<string, number>;
  readonly #heap: number;
  #now: number;
  #held = 0;
  #booked = 0;

  constructor(twins: Twins, random: Random, coverage: Map<string, number>, heap: number, ticket: bigint) {
    this.#twins = twins;
    this.#random = random;
    this.#coverage = coverage;
    this.#heap = heap;
    // Times are below 2^53, and most of them need more than 32 bits.
    this.#now = random.between(0, 2 ** 30) * random.pick([1, 2 ** 20]);
    this.#twins.put32(heap + L.BLOCK_TAG, TAG);
    this.#twins.put64(heap + L.BLOCK_LINE + TOLERANCE, BigInt(5 * COST));
    this.#twins.put64(heap + L.TICKET, ticket);
    this.#twins.put64(heap + L.GRANT, BigInt.asIntN(64, ticket + 1n));
  }

  step(): void {
    const random = this.#random;
    // A wrong tag stands for a limiter that was closed or freed.
    const tag = random.chance(3) ? TAG + 1 : TAG;
    const weight = random.between(1, 4);
    this.#now = Math.max(0, this.#now + random.between(-2 * COST, 6 * COST));
    const from = random.below(2);
    const bucket = this.#heap + L.BLOCK_LINE;
    const kind = random.below(10);
    if (kind < 5) this.#call('takeAtRate', this.#heap, tag, bucket, this.#now, weight * COST, this.#since(from));
    else if (kind < 7)
      this.#booked = Math.max(
        this.#booked,
        this.#call('bookAtRate', this.#heap, tag, bucket, this.#now, COST, from - 1),
      );
    else if (kind < 9) this.#call('returnToRate', this.#heap, tag, bucket, this.#booked, COST);
    else this.#occupy();
  }

  /** When the caller joined the line, or -1: not in line. Some waiters have a clock that is ahead. */
  #since(from: number): number {
    return from === 0 ? -1 : Math.max(0, this.#now + this.#random.between(-10 * COST, COST));
  }

  /** Acquires or releases the head of the line as another agent. */
  #occupy(): void {
    const entry = this.#heap + 2 * L.BLOCK_LINE;
    if (this.#held === 0) this.#held = this.#call('tryAcquire', this.#heap, TAG, entry, 1) === TAKEN ? 1 : 0;
    else {
      this.#call('release', this.#heap, TAG, this.#heap + 4 * L.BLOCK_LINE, entry, 1);
      this.#held = 0;
    }
  }

  #call(step: string, ...args: number[]): number {
    const result = this.#twins.call(step, ...args);
    this.steps += 1;
    const what =
      result === TAKEN || result === 0
        ? 'taken'
        : result > 0
          ? 'more'
          : result === RACED
            ? 'raced'
            : result === SHUT
              ? 'shut'
              : result === WAITING
                ? 'waiting'
                : 'none';
    this.#coverage.set(`${step} ${what}`, (this.#coverage.get(`${step} ${what}`) ?? 0) + 1);
    return result;
  }
}

compareKernels([
  {
    name: 'at a rate',
    steps: scale(100_000),
    reachable: [
      'takeAtRate taken',
      'takeAtRate more',
      'takeAtRate waiting',
      'takeAtRate shut',
      'bookAtRate more',
      'bookAtRate waiting',
      'bookAtRate shut',
      'returnToRate taken',
      'returnToRate waiting',
      'returnToRate shut',
      'tryAcquire taken',
      'release none',
    ],
    bytes: (heap) => heap + 4 * L.BLOCK_LINE + L.AGENT_STRIDE + BUCKET_BYTES,
    Driver: RateDriver,
    kinds: [{ source: RATE_KERNEL, steps }],
  },
]);

// The limit's kernel in WebAssembly and in TypeScript: random agents set the number of slots, acquire slots and release them.

import { scale, type Random } from '@sluice/harness';
import * as L from '../../core/src/kernel/layout.ts';
import { RACED, SHUT, TAKEN } from '../../core/src/kernel/states.ts';
import { compareKernels } from '../../core/test/support/kernel-comparison.ts';
import type { Twins } from '../../core/test/support/twins.ts';
import { LIMIT_KERNEL } from '../src/kernel.ts';
import * as steps from '../src/kernel/steps.ts';

const AGENTS = 3;
const MOST_SLOTS = 6;
const TAG = 5;

class SlotsDriver {
  steps = 0;
  readonly #twins: Twins;
  readonly #random: Random;
  readonly #coverage: Map<string, number>;
  readonly #heap: number;

  constructor(twins: Twins, random: Random, coverage: Map<string, number>, heap: number, ticket: bigint) {
    this.#twins = twins;
    this.#random = random;
    this.#coverage = coverage;
    this.#heap = heap;
    this.#twins.put32(this.#sem + L.BLOCK_TAG, TAG);
    for (const word of [L.TICKET, L.GRANT]) this.#twins.put64(this.#sem + word, ticket);
  }

  step(): void {
    const agent = this.#random.below(AGENTS);
    const record = this.#recordOf(agent);
    const entry = this.#entryOf(agent);
    const count = this.#random.between(1, MOST_SLOTS);
    // A wrong tag stands for a semaphore that was freed.
    const tag = this.#random.chance(3) ? TAG + 1 : TAG;
    const kind = this.#random.below(10);
    if (kind < 3) this.#call('resize', this.#sem, tag, entry, this.#slots, count);
    else if (kind < 6) this.#call('reduce', this.#sem, tag, entry, this.#slots, count);
    else if (kind < 8) this.#call('tryAcquire', this.#sem, TAG, entry, 1);
    else if (this.#twins.words.get64(entry + L.ENTRY_HELD) > 0n) this.#call('release', this.#sem, TAG, record, entry, 1);
  }

  #call(step: string, ...args: number[]): void {
    const result = this.#twins.call(step, ...args);
    this.steps += 1;
    const what = result > 0 || result === TAKEN ? 'some' : result === RACED ? 'raced' : result === SHUT ? 'shut' : 'none';
    this.#coverage.set(`${step} ${what}`, (this.#coverage.get(`${step} ${what}`) ?? 0) + 1);
  }

  get #sem(): number {
    return this.#heap;
  }

  get #slots(): number {
    return this.#heap + L.BLOCK_LINE;
  }

  #entryOf(agent: number): number {
    return this.#heap + 2 * L.BLOCK_LINE + agent * L.ENTRY_STRIDE;
  }

  #recordOf(agent: number): number {
    return this.#heap + 4 * L.BLOCK_LINE + agent * L.AGENT_STRIDE;
  }
}

compareKernels([
  {
    name: 'at slots',
    steps: scale(100_000),
    reachable: ['resize some', 'resize none', 'resize shut', 'reduce some', 'reduce none', 'reduce shut', 'tryAcquire some', 'tryAcquire none', 'release none'],
    bytes: (heap) => heap + 4 * L.BLOCK_LINE + AGENTS * L.AGENT_STRIDE,
    Driver: SlotsDriver,
    kinds: [{ source: LIMIT_KERNEL, steps }],
  },
]);

// Compares the limit's kernel in WebAssembly and in TypeScript. Random agents set the number of slots, acquire slots
// and release them. Others count starts in an interval at random times.

import { scale, type Random } from '@sluice/harness';
import * as L from '../../core/src/kernel/layout.ts';
import { RACED, SHUT, TAKEN, WAITING } from '../../core/src/kernel/states.ts';
import { compareKernels } from '../../core/test/support/kernel-comparison.ts';
import type { Twins } from '../../core/test/support/twins.ts';
import { LIMIT_KERNEL } from '../src/kernel/kernel.ts';
import { CAP, CARRYING, COUNT_BYTES, FIXED, MODE, PARTS, SIZE, SLIDING, SLOTS } from '../src/kernel/layout.ts';
import { STARTED } from '../src/kernel/outcomes.ts';
import * as steps from '../src/kernel/steps.ts';

const AGENTS = 3;
const MAX_SLOTS = 6;
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
    const count = this.#random.between(1, MAX_SLOTS);
    // A wrong tag stands for a freed semaphore.
    const tag = this.#random.chance(3) ? TAG + 1 : TAG;
    const kind = this.#random.below(10);
    if (kind < 3) this.#call('resizeLimit', this.#sem, tag, entry, this.#slots, count);
    else if (kind < 6) this.#call('reduceLimit', this.#sem, tag, entry, this.#slots, count);
    else if (kind < 8) this.#call('tryAcquire', this.#sem, TAG, entry, 1);
    else if (this.#twins.words.get64(entry + L.ENTRY_HELD) > 0n)
      this.#call('release', this.#sem, TAG, record, entry, 1);
  }

  #call(step: string, ...args: number[]): void {
    const result = this.#twins.call(step, ...args);
    this.steps += 1;
    const what =
      result > 0 || result === TAKEN ? 'some' : result === RACED ? 'raced' : result === SHUT ? 'shut' : 'none';
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

/** The maximum of starts in an interval. */
const MAX_STARTS = 4;

/** Starts in the interval of a limit: the line is the first block, the slots are the second. */
class StartsDriver {
  steps = 0;
  readonly #twins: Twins;
  readonly #random: Random;
  readonly #coverage: Map<string, number>;
  readonly #heap: number;
  readonly #parts: number;
  readonly #step: 'startInWindow' | 'startInRing';
  #now: number;
  #isOccupied = false;
  /** The index in RING of the start that was counted last. */
  #place = -1;

  constructor(twins: Twins, random: Random, coverage: Map<string, number>, heap: number, ticket: bigint) {
    this.#twins = twins;
    this.#random = random;
    this.#coverage = coverage;
    this.#heap = heap;
    this.#parts = random.between(1, 1000);
    const mode = random.pick([FIXED, CARRYING, SLIDING]);
    this.#step = mode === SLIDING ? 'startInRing' : 'startInWindow';
    // Times with their counts are below 2^53, and most of them need more than 32 bits.
    this.#now = random.between(0, 2 ** 30) * random.pick([1, 2 ** 19]);
    for (const block of [this.#line, this.#slots]) {
      twins.put32(block + L.BLOCK_TAG, TAG);
      twins.put64(block + L.TICKET, ticket);
    }
    twins.put64(this.#line + L.GRANT, BigInt.asIntN(64, ticket + 1n));
    twins.put64(this.#slots + L.GRANT, BigInt.asIntN(64, ticket + BigInt(random.between(0, MAX_SLOTS))));
    twins.put64(this.#size, (BigInt(MAX_SLOTS) << 32n) | BigInt(MAX_SLOTS));
    twins.put64(this.#count + PARTS, BigInt(this.#parts));
    twins.put32(this.#count + SLOTS, this.#slots);
    twins.put32(this.#count + SIZE, this.#size);
    twins.put32(this.#count + CAP, random.between(1, MAX_STARTS));
    twins.put32(this.#count + MODE, mode);
  }

  step(): void {
    const random = this.#random;
    const tag = random.chance(3) ? TAG + 1 : TAG;
    this.#now = Math.max(0, this.#now + random.between(-2 * this.#parts, 4 * this.#parts) / 4);
    if (random.chance(10)) {
      this.#isOccupied = !this.#isOccupied;
      const entry = this.#heap + 4 * L.BLOCK_LINE;
      if (this.#isOccupied) this.#call('tryAcquire', this.#line, TAG, entry, 1);
      else this.#call('release', this.#line, TAG, this.#heap + 6 * L.BLOCK_LINE, entry, 1);
    } else if (this.#step === 'startInRing' && this.#place >= 0 && random.chance(20))
      this.#call('moveInRing', this.#count, this.#place, this.#now);
    else
      this.#call(
        this.#step,
        this.#line,
        tag,
        this.#count,
        this.#now,
        random.below(2),
        random.chance(80) ? random.between(1, 3) : 0,
      );
  }

  #call(step: string, ...args: number[]): void {
    const result = this.#twins.call(step, ...args);
    this.steps += 1;
    if (step === 'startInRing' && result <= STARTED) this.#place = STARTED - result;
    const what =
      result <= STARTED
        ? 'started'
        : result === 0
          ? 'free'
          : result > 0
            ? 'later'
            : result === RACED
              ? 'raced'
              : result === SHUT
                ? 'shut'
                : result === WAITING
                  ? 'waiting'
                  : 'none';
    this.#coverage.set(`${step} ${what}`, (this.#coverage.get(`${step} ${what}`) ?? 0) + 1);
  }

  get #line(): number {
    return this.#heap;
  }

  get #slots(): number {
    return this.#heap + L.BLOCK_LINE;
  }

  get #size(): number {
    return this.#heap + 2 * L.BLOCK_LINE;
  }

  get #count(): number {
    return this.#heap + 3 * L.BLOCK_LINE;
  }
}

compareKernels([
  {
    name: 'in an interval',
    steps: scale(100_000),
    reachable: [
      'startInWindow started',
      'startInWindow free',
      'startInWindow later',
      'startInWindow shut',
      'startInWindow waiting',
      'startInRing started',
      'startInRing free',
      'startInRing later',
      'startInRing shut',
      'startInRing waiting',
      'moveInRing started',
    ],
    bytes: (heap) => heap + 6 * L.BLOCK_LINE + L.AGENT_STRIDE + COUNT_BYTES,
    Driver: StartsDriver,
    kinds: [{ source: LIMIT_KERNEL, steps }],
  },
  {
    name: 'at slots',
    steps: scale(100_000),
    reachable: [
      'resizeLimit some',
      'resizeLimit none',
      'resizeLimit shut',
      'reduceLimit some',
      'reduceLimit none',
      'reduceLimit shut',
      'tryAcquire some',
      'tryAcquire none',
      'release none',
    ],
    bytes: (heap) => heap + 4 * L.BLOCK_LINE + AGENTS * L.AGENT_STRIDE,
    Driver: SlotsDriver,
    kinds: [{ source: LIMIT_KERNEL, steps }],
  },
]);

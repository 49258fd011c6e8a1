// Compares the kernel in WebAssembly with the one in TypeScript, the core's and those of kinds, over a random protocol.

import { scale, Session, type Random } from '@sluice/harness';
import { expect, test } from 'vitest';
import { heapStart } from '../../src/memory/lay-out-arena.ts';
import { EDGES } from './semaphore-words.ts';
import { Twins, type TwinKind } from './twins.ts';

/** The number of steps between two fresh arenas. In each, counters that begin just below an edge cross it. */
const EPISODE = 2000;
/** The number of turns of random agents. Many of them take no step. */
const MAX_TURNS = 100 * EPISODE;
const BUCKETS = [1, 2, 16];
const STARTS = [0n, ...EDGES.map(([, edge]) => edge - 40n)];

/** A driver whose agents take random steps. */
interface Driver {
  readonly steps: number;
  step(): void;
}

export interface Comparison {
  readonly name: string;
  readonly steps: number;
  /** All results that a step can return if no thread is within another thread's step. */
  readonly reachable: readonly string[];
  /** The largest number of bytes that a driver uses, with a heap that begins there. */
  readonly bytes: (heap: number) => number;
  readonly Driver: new (
    twins: Twins,
    random: Random,
    coverage: Map<string, number>,
    heap: number,
    ticket: bigint,
  ) => Driver;
  /** The kinds whose steps are compared in addition to the core's. */
  readonly kinds?: readonly TwinKind[];
  /**
   * The start values of a driver's counter, used by the episodes in turn. Default: 0, and just below each edge of a
   * word.
   */
  readonly starts?: readonly bigint[];
  /** Results that have another name in the drivers than in `reachable`. */
  readonly names?: Readonly<Record<string, string>>;
  /** Steps that must return an address or a number at least once. */
  readonly counted?: readonly string[];
}

export function compareKernels(comparisons: readonly Comparison[]): void {
  test.each(comparisons)(
    'after every step the WebAssembly kernel and the TypeScript kernel have the same result and the same bytes $name',
    { timeout: scale(300_000) },
    ({ name, steps: wanted, reachable, bytes, Driver, kinds, starts = STARTS, names = {}, counted = [] }) => {
      const session = new Session(`kernels compared ${name}`);
      const coverage = new Map<string, number>();
      const twins = new Twins(bytes(heapStart(Math.max(...BUCKETS), 1)), kinds);
      let steps = 0;
      for (let episode = 0; steps < wanted; episode++) {
        const heap = twins.reset(BUCKETS[Math.floor(episode / starts.length) % BUCKETS.length] ?? 1);
        const driver = new Driver(twins, session.random, coverage, heap, starts[episode % starts.length] ?? 0n);
        try {
          for (let turns = 0; driver.steps < EPISODE; turns++) {
            if (turns > MAX_TURNS) twins.fail(`${driver.steps} steps in ${turns} turns`);
            driver.step();
          }
        } catch (failure) {
          throw new Error(`episode ${episode}, SLUICE_SEED=${session.seed}`, { cause: failure });
        }
        steps += driver.steps;
      }
      session.done(steps, `${coverage.size} kinds of results`);
      const seen = new Set([...coverage.keys()].map((key) => names[key] ?? key));
      expect(reachable.filter((key) => !seen.has(key))).toEqual([]);
      expect(counted.filter((step) => ![...seen].some((key) => new RegExp(`^${step} \\d+$`).test(key)))).toEqual([]);
    },
  );
}

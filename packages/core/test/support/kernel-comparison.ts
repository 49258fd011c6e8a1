// Compares the kernel in WebAssembly with the one in TypeScript, the core's and those of kinds, over a random protocol.

import { scale, Session, type Random } from '@sluice/harness';
import { expect, test } from 'vitest';
import { heapStart } from '../../src/arena/found.ts';
import { EDGES } from './inside.ts';
import { Twins, type TwinKind } from './twins.ts';

/** Steps between two fresh arenas: counters that begin just below an edge cross it in each. */
const EPISODE = 2000;
/** Turns of random agents: many of them take no step. */
const MOST_TURNS = 100 * EPISODE;
const BUCKETS = [1, 2, 16];
const STARTS: readonly (readonly [string, bigint])[] = [
  ['0', 0n],
  ...EDGES.map(([name, edge]) => [`just below ${name}`, edge - 40n] as const),
];

/** Agents that take random steps. */
interface Driver {
  readonly steps: number;
  step(): void;
}

export interface Comparison {
  readonly name: string;
  readonly steps: number;
  /** Every result that a step can give without a thread in the middle of another thread's step. */
  readonly reachable: readonly string[];
  /** The largest number of bytes that a driver uses, with a heap that begins there. */
  readonly bytes: (heap: number) => number;
  readonly Driver: new (twins: Twins, random: Random, coverage: Map<string, number>, heap: number, ticket: bigint) => Driver;
  /** Whose steps are compared, beside the core's. */
  readonly kinds?: readonly TwinKind[];
}

export function compareKernels(comparisons: readonly Comparison[]): void {
  test.each(comparisons)(
    'the WebAssembly kernel and the reference kernel agree in every answer and every byte after every step $name',
    { timeout: scale(60_000) },
    ({ name, steps: wanted, reachable, bytes, Driver, kinds }) => {
      const session = new Session(`kernels compared ${name}`);
      const coverage = new Map<string, number>();
      const twins = new Twins(bytes(heapStart(Math.max(...BUCKETS), 1)), kinds);
      let steps = 0;
      for (let episode = 0; steps < wanted; episode++) {
        const [, start] = STARTS[episode % STARTS.length] ?? ['0', 0n];
        const buckets = BUCKETS[Math.floor(episode / STARTS.length) % BUCKETS.length] ?? 1;
        const heap = twins.reset(buckets);
        const driver = new Driver(twins, session.random, coverage, heap, start);
        try {
          for (let turns = 0; driver.steps < EPISODE; turns++) {
            if (turns > MOST_TURNS) twins.fail(`${driver.steps} steps in ${turns} turns`);
            driver.step();
          }
        } catch (failure) {
          throw new Error(`episode ${episode}, SLUICE_SEED=${session.seed}`, { cause: failure });
        }
        steps += driver.steps;
      }
      const counts = [...coverage].sort(([a], [b]) => a.localeCompare(b)).map(([key, count]) => `${key} ${count}`);
      session.done(steps, `counters from ${STARTS.map(([name]) => name).join(', ')}; ${counts.join(' · ')}`);
      expect(steps).toBeGreaterThanOrEqual(wanted);
      expect(reachable.filter((key) => !coverage.has(key))).toEqual([]);
    },
  );
}

import { scale, Session } from '@sluice/harness';
import { expect, test } from 'vitest';
import { heapStart } from '../src/arena/found.ts';
import { EDGES } from './support/inside.ts';
import { bytesUsed, KernelDriver } from './support/kernel-driver.ts';
import { Twins } from './support/twins.ts';

/** Steps between two fresh arenas: counters that begin just below an edge cross it in each. */
const EPISODE = 2000;
const STEPS = scale(1_100_000);
const BUCKETS = [1, 2, 16];
const STARTS: readonly (readonly [string, bigint])[] = [
  ['0', 0n],
  ...EDGES.map(([name, edge]) => [`just below ${name}`, edge - 40n] as const),
];

/** Every result that a step can give without a thread in the middle of another thread's step. */
const REACHABLE = [
  ...['acquire waiting', 'acquire taken', 'acquire shut', 'adopt element', 'withdraw out', 'tryAcquire waiting', 'tryAcquire taken', 'tryAcquire shut'],
  ...['drain none', 'drain some', 'drain shut', 'balance positive', 'balance zero', 'balance negative'],
  ...['release idle', 'release walk', 'release shut', 'release full'],
  ...['distance positive', 'distance zero', 'distance negative', 'link linked', 'park linked', 'park granted'],
  ...['park closed', 'park parked', 'poll waiting', 'poll taken', 'poll shut', 'leave taken', 'leave out', 'leave gone'],
  ...['leave shut', 'rouse notify', 'rouse nobody', 'walk idle', 'walk again', 'walk notify', 'claim taken', 'claim raced'],
  ...['extend block', 'extend full', 'reuse taken', 'reuse waiting', 'publish done', 'addToPool taken', 'close taken', 'close raced'],
  ...['retire taken', 'retire raced', 'enrol taken', 'enrol raced', 'takeOver taken', 'takeOver raced', 'dismiss taken', 'dismiss raced'],
  ...['forfeit taken', 'forfeit out', 'forfeit gone', 'forfeit shut', 'restore some', 'restore none', 'restore raced'],
  'freeBlock done',
];

test(
  'the WebAssembly kernel and the reference kernel agree in every answer and every byte after every step',
  () => {
    const session = new Session('kernels compared');
    const coverage = new Map<string, number>();
    const twins = new Twins(bytesUsed(heapStart(Math.max(...BUCKETS))));
    let steps = 0;
    for (let episode = 0; steps < STEPS; episode++) {
      const [, start] = STARTS[episode % STARTS.length] ?? ['0', 0n];
      const buckets = BUCKETS[Math.floor(episode / STARTS.length) % BUCKETS.length] ?? 1;
      const heap = twins.reset(buckets);
      const driver = new KernelDriver(twins, session.random, coverage, heap, start);
      try {
        while (driver.steps < EPISODE) driver.step();
      } catch (failure) {
        throw new Error(`episode ${episode}, SLUICE_SEED=${session.seed}`, { cause: failure });
      }
      steps += driver.steps;
    }
    const counts = [...coverage].sort(([a], [b]) => a.localeCompare(b)).map(([key, count]) => `${key} ${count}`);
    session.done(steps, `counters from ${STARTS.map(([name]) => name).join(', ')}; ${counts.join(' · ')}`);
    expect(steps).toBeGreaterThanOrEqual(1_000_000);
    expect(REACHABLE.filter((key) => !coverage.has(key))).toEqual([]);
  },
  scale(60_000),
);

import { scale, Session } from '@sluice/harness';
import { expect, test } from 'vitest';
import { heapStart } from '../../core/src/arena/found.ts';
import { Twins } from '../../core/test/support/twins.ts';
import * as steps from '../src/kernel/steps.ts';
import { LATCH } from '../src/kinds.ts';
import { latchBytesUsed, LatchDriver } from './support/latch-driver.ts';

const EPISODE = 2000;
const STEPS = scale(200_000);
const BUCKETS = [1, 2, 16];
/** Rounds that have ended at the start: at 0 and just below each edge of the upper half. */
const STARTS = [0n, 2n ** 31n - 20n, 2n ** 32n - 20n];

/** Every result that a step can give without a thread in the middle of another thread's step. */
const REACHABLE = [
  ...['addToLatch idle', 'addToLatch full', 'addToLatch shut', 'claimAtLatch idle', 'claimAtLatch full', 'claimAtLatch shut'],
  ...['countDown idle', 'countDown walk', 'countDown full', 'countDown shut', 'enqueueAtLatch taken', 'enqueueAtLatch waiting', 'enqueueAtLatch shut'],
  ...['pollLatch waiting', 'pollLatch taken', 'pollLatch shut', 'cancelLatchWait taken', 'cancelLatchWait caught', 'cancelLatchWait out'],
  ...['cancelLatchWait gone', 'cancelLatchWait shut', 'restoreClaims 0', 'restoreClaims 1', 'restoreClaims 3', 'link linked', 'park parked', 'park granted'],
  ...['walk idle', 'walk again', 'walk notify'],
];
/** Results that the core's drivers call by another name. */
const NAMES: Readonly<Record<string, string>> = {
  'restoreClaims waiting': 'restoreClaims 0',
  'restoreClaims taken': 'restoreClaims 1',
  'restoreClaims gone': 'restoreClaims 3',
};

test('the WebAssembly kernel and the TypeScript kernel agree in every result and every byte after every step at latches', { timeout: scale(60_000) }, () => {
  const session = new Session('kernels compared at latches');
  const coverage = new Map<string, number>();
  const twins = new Twins(latchBytesUsed(heapStart(Math.max(...BUCKETS), 1)), [{ source: LATCH.kernel, steps }]);
  let done = 0;
  for (let episode = 0; done < STEPS; episode++) {
    const heap = twins.reset(BUCKETS[Math.floor(episode / STARTS.length) % BUCKETS.length] ?? 1);
    const driver = new LatchDriver(twins, session.random, coverage, heap, STARTS[episode % STARTS.length] ?? 0n);
    try {
      for (let turns = 0; driver.steps < EPISODE; turns++) {
        if (turns > 100 * EPISODE) twins.fail(`${driver.steps} steps in ${turns} turns`);
        driver.step();
      }
    } catch (failure) {
      throw new Error(`episode ${episode}, SLUICE_SEED=${session.seed}`, { cause: failure });
    }
    done += driver.steps;
  }
  session.done(done, `${coverage.size} kinds of results`);
  const seen = new Set([...coverage.keys()].map((key) => NAMES[key] ?? key));
  expect(REACHABLE.filter((key) => !seen.has(key))).toEqual([]);
  expect([...seen].some((key) => /^enqueueAtLatch \d+$/.test(key))).toBe(true);
});

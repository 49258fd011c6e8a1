import { scale, Session } from '@sluice/harness';
import { expect, test } from 'vitest';
import { heapStart } from '../../core/src/arena/found.ts';
import { Twins } from '../../core/test/support/twins.ts';
import { DONE, OWN } from '../src/kernel/once-results.ts';
import * as steps from '../src/kernel/steps.ts';
import { ONCE } from '../src/kinds.ts';
import { onceBytesUsed, OnceDriver } from './support/once-driver.ts';

const EPISODE = 2000;
const STEPS = scale(200_000);
const BUCKETS = [1, 2, 16];
/** Attempts that have ended at the start: at 0 and just below each edge of the upper half. */
const STARTS = [0n, 2n ** 31n - 20n, 2n ** 32n - 20n];

/** Every result that a step can give without a thread in the middle of another thread's step. */
const REACHABLE = [
  ...['claimOnce taken', 'claimOnce done', 'claimOnce own', 'claimOnce waiting', 'claimOnce full', 'claimOnce shut'],
  ...['endOnce idle', 'endOnce walk', 'endOnce foreign', 'endOnce shut', 'closeOnce taken', 'closeOnce waiting', 'closeOnce shut'],
  ...['enqueueAtOnce taken', 'enqueueAtOnce waiting', 'enqueueAtOnce shut', 'restoreOnce 0', 'restoreOnce 1'],
  ...['pollManualEvent waiting', 'pollManualEvent taken', 'pollManualEvent shut', 'cancelManualWait taken', 'cancelManualWait caught'],
  ...['cancelManualWait out', 'cancelManualWait gone', 'cancelManualWait shut', 'link linked', 'park parked', 'park granted', 'walk idle', 'walk again', 'walk notify'],
];
/** Results that the core's drivers call by another name. */
const NAMES: Readonly<Record<string, string>> = {
  [`claimOnce ${DONE}`]: 'claimOnce done',
  [`claimOnce ${OWN}`]: 'claimOnce own',
  'restoreOnce waiting': 'restoreOnce 0',
  'restoreOnce taken': 'restoreOnce 1',
};

test('the WebAssembly kernel and the TypeScript kernel agree in every result and every byte after every step at onces', { timeout: scale(60_000) }, () => {
  const session = new Session('kernels compared at onces');
  const coverage = new Map<string, number>();
  const twins = new Twins(onceBytesUsed(heapStart(Math.max(...BUCKETS), 1)), [{ source: ONCE.kernel, steps }]);
  let done = 0;
  for (let episode = 0; done < STEPS; episode++) {
    const heap = twins.reset(BUCKETS[Math.floor(episode / STARTS.length) % BUCKETS.length] ?? 1);
    const driver = new OnceDriver(twins, session.random, coverage, heap, STARTS[episode % STARTS.length] ?? 0n);
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
  expect([...seen].some((key) => /^enqueueAtOnce \d+$/.test(key))).toBe(true);
});

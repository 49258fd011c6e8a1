import { scale, Session } from '@sluice/harness';
import { expect, test } from 'vitest';
import { heapStart } from '../../core/src/arena/found.ts';
import { Twins } from '../../core/test/support/twins.ts';
import * as steps from '../src/kernel/steps.ts';
import { MANUAL_EVENT } from '../src/kinds.ts';
import { eventBytesUsed, EventDriver } from './support/event-driver.ts';

const EPISODE = 2000;
const STEPS = scale(200_000);
const BUCKETS = [1, 2, 16];
/** The word at the start: 0, and just below each edge. */
const STARTS = [0n, 2n ** 31n - 20n, 2n ** 32n - 20n, 2n ** 63n - 20n];

/** Every result that a step can give without a thread in the middle of another thread's step. */
const REACHABLE = [
  ...['setManualEvent idle', 'setManualEvent walk', 'setManualEvent shut', 'resetManualEvent taken', 'resetManualEvent waiting', 'resetManualEvent shut'],
  ...['enqueueAtManualEvent taken', 'enqueueAtManualEvent waiting', 'enqueueAtManualEvent shut', 'pollManualEvent waiting', 'pollManualEvent taken'],
  ...['pollManualEvent shut', 'cancelManualWait taken', 'cancelManualWait caught', 'cancelManualWait out', 'cancelManualWait gone', 'cancelManualWait shut'],
  ...['link linked', 'park parked', 'park granted', 'walk idle', 'walk again', 'walk notify'],
];

test('the WebAssembly kernel and the TypeScript kernel agree in every result and every byte after every step at manual-reset events', { timeout: scale(60_000) }, () => {
  const session = new Session('kernels compared at manual-reset events');
  const coverage = new Map<string, number>();
  const twins = new Twins(eventBytesUsed(heapStart(Math.max(...BUCKETS), 1)), [{ source: MANUAL_EVENT.kernel, steps }]);
  let done = 0;
  for (let episode = 0; done < STEPS; episode++) {
    const heap = twins.reset(BUCKETS[Math.floor(episode / STARTS.length) % BUCKETS.length] ?? 1);
    const driver = new EventDriver(twins, session.random, coverage, heap, STARTS[episode % STARTS.length] ?? 0n);
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
  const seen = new Set(coverage.keys());
  expect(REACHABLE.filter((key) => !seen.has(key))).toEqual([]);
  expect([...seen].some((key) => /^enqueueAtManualEvent \d+$/.test(key))).toBe(true);
});

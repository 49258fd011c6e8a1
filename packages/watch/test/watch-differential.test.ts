import { scale, Session } from '@sluice/harness';
import { expect, test } from 'vitest';
import { heapStart } from '../../core/src/arena/found.ts';
import { Twins } from '../../core/test/support/twins.ts';
import * as steps from '../src/kernel/steps.ts';
import { WATCH_CELL } from '../src/kinds.ts';
import { cellBytesUsed, CellDriver } from './support/cell-driver.ts';

const EPISODE = 2000;
const STEPS = scale(200_000);
const BUCKETS = [1, 2, 16];
/** The word at the start: 0, and just below each edge. */
const STARTS = [0n, 2n ** 31n - 160n, 2n ** 32n - 160n, 2n ** 63n - 160n];

/** Every result that a step can give without a thread in the middle of another thread's step. */
const REACHABLE = [
  ...['claimWatchSlot taken', 'claimWatchSlot full', 'claimWatchSlot shut', 'publishWatchSlot idle', 'publishWatchSlot walk', 'publishWatchSlot shut'],
  ...['closeWatch idle', 'closeWatch walk', 'closeWatch shut'],
  ...['beginWatchRead shut', 'enqueueAtWatch taken', 'enqueueAtWatch waiting', 'enqueueAtWatch shut', 'pollWatch waiting', 'pollWatch taken'],
  ...['pollWatch shut', 'cancelWatchWait taken', 'cancelWatchWait caught', 'cancelWatchWait out', 'cancelWatchWait gone', 'cancelWatchWait shut'],
  ...['link linked', 'park parked', 'park granted', 'walk idle', 'walk again', 'walk notify'],
];

test('the WebAssembly kernel and the TypeScript kernel agree in every result and every byte after every step at watch cells', { timeout: scale(60_000) }, () => {
  const session = new Session('kernels compared at watch cells');
  const coverage = new Map<string, number>();
  const twins = new Twins(cellBytesUsed(heapStart(Math.max(...BUCKETS), 1)), [{ source: WATCH_CELL.kernel, steps }]);
  let done = 0;
  for (let episode = 0; done < STEPS; episode++) {
    const heap = twins.reset(BUCKETS[Math.floor(episode / STARTS.length) % BUCKETS.length] ?? 1);
    const driver = new CellDriver(twins, session.random, coverage, heap, STARTS[episode % STARTS.length] ?? 0n);
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
  expect([...seen].some((key) => /^enqueueAtWatch \d+$/.test(key))).toBe(true);
});

import { scale, Session } from '@sluice/harness';
import { expect, test } from 'vitest';
import { heapStart } from '../../core/src/arena/found.ts';
import { Twins } from '../../core/test/support/twins.ts';
import * as steps from '../src/kernel/steps.ts';
import { BROADCAST } from '../src/kinds.ts';
import { HeldDriver, heldBytesUsed } from './support/held-driver.ts';

const EPISODE = 2000;
const STEPS = scale(200_000);
const BUCKETS = [1, 2, 16];
/** The word at the start: 0, and just below each edge of the word and of the position in it. */
const STARTS = [0n, 2n ** 31n - 40n, 2n ** 32n - 40n, 2n ** 33n - 40n, 2n ** 63n - 40n];

/** Every result that a step can give without a thread in the middle of another thread's step. */
const REACHABLE = [
  ...['seekBroadcastRoom taken', 'seekBroadcastRoom waiting', 'seekBroadcastRoom full', 'seekBroadcastRoom shut', 'publishHeldBroadcast idle'],
  ...['publishHeldBroadcast waiting', 'publishHeldBroadcast shut', 'beginBroadcastScan -11', 'scanBroadcastMark -11', 'endBroadcastScan taken'],
  ...['enqueueForBroadcastRoom taken', 'enqueueForBroadcastRoom waiting', 'enqueueForBroadcastRoom shut', 'takeBroadcastMark taken', 'takeBroadcastMark full'],
  ...['takeBroadcastMark shut', 'passBroadcastMark taken', 'passBroadcastMark walk', 'freeBroadcastMark idle', 'freeBroadcastMark walk'],
  ...['freeBroadcastMark shut', 'freeDeadBroadcastMark -11', 'freeDeadBroadcastMark idle', 'closeHeldBroadcast walk', 'closeHeldBroadcast shut'],
  ...['pollBroadcast waiting', 'pollBroadcast taken', 'cancelBroadcastWait out', 'cancelBroadcastWait gone', 'link linked', 'park parked', 'walk notify'],
];

test('both kernels agree in every result and every byte after every step at a broadcast whose publishers wait', { timeout: scale(60_000) }, () => {
  const session = new Session('kernels compared at a broadcast whose publishers wait');
  const coverage = new Map<string, number>();
  const twins = new Twins(heldBytesUsed(heapStart(Math.max(...BUCKETS), 1)), [{ source: BROADCAST.kernel, steps }]);
  let done = 0;
  for (let episode = 0; done < STEPS; episode++) {
    const heap = twins.reset(BUCKETS[Math.floor(episode / STARTS.length) % BUCKETS.length] ?? 1);
    const driver = new HeldDriver(twins, session.random, coverage, heap, STARTS[episode % STARTS.length] ?? 0n);
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
  for (const step of ['enqueueForBroadcastRoom', 'endBroadcastScan']) expect([...seen].some((key) => new RegExp(`^${step} \\d+$`).test(key))).toBe(true);
});

import { scale, Session } from '@sluice/harness';
import { expect, test } from 'vitest';
import { heapStart } from '../../core/src/arena/found.ts';
import { Twins } from '../../core/test/support/twins.ts';
import * as steps from '../src/kernel/steps.ts';
import { BARRIER } from '../src/kinds.ts';
import { barrierBytesUsed, BarrierDriver } from './support/barrier-driver.ts';

const EPISODE = 2000;
const STEPS = scale(200_000);
const BUCKETS = [1, 2, 16];
/** Generations that have ended at the start: at 0 and just below each edge of the upper half. */
const STARTS = [0n, 2n ** 31n - 20n, 2n ** 32n - 20n];

/** Every result that a step can give without a thread in the middle of another thread's step. */
const REACHABLE = [
  ...['arriveAtBarrier taken', 'arriveAtBarrier waiting', 'arriveAtBarrier shut', 'tripBarrier idle', 'tripBarrier walk', 'tripBarrier -33', 'tripBarrier shut'],
  ...['breakBarrier idle', 'breakBarrier walk', 'breakBarrier shut', 'mendBarrier idle', 'mendBarrier shut'],
  ...['registerAtBarrier idle', 'registerAtBarrier full', 'registerAtBarrier shut', 'claimParties idle', 'claimParties full', 'claimParties shut'],
  ...['leaveBarrier idle', 'leaveBarrier walk', 'leaveBarrier full', 'leaveBarrier shut', 'leaveBarrier -32'],
  ...['pollBarrier waiting', 'pollBarrier taken', 'pollBarrier shut', 'cancelBarrierWait taken', 'cancelBarrierWait caught', 'cancelBarrierWait out'],
  ...['cancelBarrierWait gone', 'cancelBarrierWait shut', 'cancelDeadBarrierWait out', 'cancelDeadBarrierWait gone'],
  ...['restoreParties 0', 'restoreParties 1', 'restoreParties 2', 'link linked', 'park parked', 'park granted', 'walk idle', 'walk again', 'walk notify'],
  ...['arriveToSleep asleep', 'arriveToSleep taken', 'arriveToSleep walk', 'arriveToSleep shut', 'arriveToSleep -34', 'arriveToSleep -35', 'arriveToSleep -36'],
  ...['listenAtBarrier asleep', 'listenAtBarrier taken', 'listenAtBarrier waiting', 'wakeAtBarrier over', 'wakeAtBarrier waiting', 'wakeAtBarrier shut'],
  ...['ringBarrier notify', 'ringBarrier -11'],
];
/** Results that the core's drivers call by another name. */
const NAMES: Readonly<Record<string, string>> = {
  'restoreParties waiting': 'restoreParties 0',
  'restoreParties free': 'restoreParties 0',
};

test('the WebAssembly kernel and the TypeScript kernel agree in every result and every byte after every step at barriers', { timeout: scale(60_000) }, () => {
  const session = new Session('kernels compared at barriers');
  const coverage = new Map<string, number>();
  const twins = new Twins(barrierBytesUsed(heapStart(Math.max(...BUCKETS), 1)), [{ source: BARRIER.kernel, steps }]);
  let done = 0;
  for (let episode = 0; done < STEPS; episode++) {
    const heap = twins.reset(BUCKETS[Math.floor(episode / STARTS.length) % BUCKETS.length] ?? 1);
    const driver = new BarrierDriver(twins, session.random, coverage, heap, STARTS[episode % STARTS.length] ?? 0n);
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
  expect(REACHABLE.filter((key) => !seen.has(key)), [...seen].sort().join(', ')).toEqual([]);
  expect([...seen].some((key) => /^arriveAtBarrier \d+$/.test(key))).toBe(true);
});

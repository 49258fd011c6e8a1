// Agents die at every point of what they do with bounded buffers, and the agent that recovers them has not loaded the kind.

import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import '../../core/test/support/crash-injection.ts';
import type { Engine } from '../../core/src/kernel/kernel.ts';
import { dieAndLeave, dieFinishing, dieLeaving } from '../../core/test/support/crash-run.ts';
import type { Operation } from '../../core/test/support/crash-stage.ts';
import { bufferHands } from './support/crash-buffer-hands.ts';
import { bufferOperations } from './support/crash-buffers.ts';

const tally = { deaths: 0, reclaimers: 0, left: 0, byWaiters: 0, later: 0 };

/** Each operation with one engine, by turns: both engines do the same in every byte, as the differential tests show. */
function rows(operations: readonly Operation[], first: number): readonly (readonly [string, Engine, Operation])[] {
  return operations.map((operation, index) => [operation.name, (index + first) % 2 === 0 ? 'wasm' : 'js', operation]);
}

const all = [...bufferOperations, ...bufferHands];
/** A reclaimer's death at each deed takes one run for each pair: a part of the operations has all that the others have. */
const some = all.filter(({ large }, index) => large !== true && index % 4 === 0);

// An async call that waits for the lock of a side looks again after a moment: here in the next turn.
beforeAll(() => vi.stubGlobal('setTimeout', (look: () => void) => setImmediate(look)));

test.each(rows(all, 0))('an agent that %s (%s) is recovered by an agent without the kind and by agents with it', async (_, engine, operation) => {
  await dieAndLeave(operation, engine, tally);
});

test.each(rows(some, 1))('an agent without the kind that recovers one that %s (%s) can die at any point', async (_, engine, operation) => {
  await dieLeaving(operation, engine, tally);
});

test.each(rows(some, 0))('an agent with the kind that finishes the recovery of one that %s (%s) can die at any point', async (_, engine, operation) => {
  await dieFinishing(operation, engine, tally);
});

afterAll(() => {
  const { deaths, reclaimers, left, byWaiters, later } = tally;
  console.log(
    `${all.length} operations, ${deaths} deaths, in ${reclaimers} of them the agent that recovered died too; ` +
      `${left} recoveries left, ${byWaiters} finished by waiters, ${later} by a later agent`,
  );
  expect(Math.min(byWaiters, later)).toBeGreaterThan(0);
});

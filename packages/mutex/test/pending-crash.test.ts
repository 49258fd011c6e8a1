// Agents die at every point of their operations on mutexes, and the agent that reclaims them has not loaded the mutex's kinds.

import { afterAll, expect, test } from 'vitest';
import '../../core/test/support/crash-injection.ts';
import { mutexOperations } from './support/crash-mutexes.ts';
import { dieAndLeave, dieFinishing, dieLeaving } from '../../core/test/support/crash-run.ts';
import type { Operation } from '../../core/test/support/crash-stage.ts';
import type { Engine } from '../../core/src/kernel/kernel.ts';
import './support/kinds.ts';

const tally = { deaths: 0, reclaimers: 0, left: 0, byWaiters: 0, later: 0 };

/** Each operation with one engine, by turns: both engines do the same in every byte, as the differential tests show. */
function rows(operations: readonly Operation[], first: number): readonly (readonly [string, Engine, Operation])[] {
  return operations.map((operation, index) => [operation.name, (index + first) % 2 === 0 ? 'wasm' : 'js', operation]);
}

const small = mutexOperations.filter(({ large }) => large !== true);

test.each(rows(mutexOperations, 0))('an agent that %s (%s) is recovered by an agent without the kind and by agents with it', async (_, engine, operation) => {
  await dieAndLeave(operation, engine, tally);
});

test.each(rows(small, 1))('an agent without the kind that recovers one that %s (%s) can die at any point', async (_, engine, operation) => {
  await dieLeaving(operation, engine, tally);
});

test.each(rows(small, 0))('an agent with the kind that finishes the recovery of one that %s (%s) can die at any point', async (_, engine, operation) => {
  await dieFinishing(operation, engine, tally);
});

afterAll(() => {
  const { deaths, reclaimers, left, byWaiters, later } = tally;
  console.log(
    `${mutexOperations.length} operations, ${deaths} deaths, in ${reclaimers} of them the agent that recovered died too; ` +
      `${left} recoveries left, ${byWaiters} finished by waiters, ${later} by a later agent`,
  );
  expect(Math.min(byWaiters, later)).toBeGreaterThan(0);
});

// Agents die at every point of what they do with semaphores of this package, and the agent that recovers them has not loaded their kind.

import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import '../../core/test/support/crash-injection.ts';
import { ControllerByHand } from '../../core/test/support/controller-by-hand.ts';
import { lineOperations } from '../../core/test/support/crash-lines.ts';
import { releaseOperations } from '../../core/test/support/crash-releases.ts';
import { dieAndLeave, dieFinishing, dieLeaving } from '../../core/test/support/crash-run.ts';
import type { Operation } from '../../core/test/support/crash-stage.ts';
import { rounds } from '../../core/test/support/rounds.ts';
import type { Engine } from '../../core/src/kernel/kernel.ts';
import { KINDS, operationsAt, TOKENS } from './support/crash-composite.ts';
import { atMember, TICKETED } from './support/crash-members.ts';
import './support/kinds.ts';

const tally = { deaths: 0, reclaimers: 0, left: 0, byWaiters: 0, later: 0 };

beforeAll(() => {
  rounds.install();
  vi.stubGlobal('AbortController', ControllerByHand);
});

const composite = [TOKENS, ...KINDS].flatMap((kind) => operationsAt(kind));
const members = TICKETED.flatMap((Member) => [...lineOperations, ...releaseOperations].map((each) => atMember(each, Member)));

/** Each `share`-th of the operations, with one engine, by turns: both engines do the same in every byte, as the differential tests show. */
function rows(operations: readonly Operation[], share: number, first: number): readonly (readonly [string, Engine, Operation])[] {
  const picked = operations.filter(({ large }, index) => index % share === first % share && (share === 1 || large !== true));
  return picked.map((operation, index) => [operation.name, (index + first) % 2 === 0 ? 'wasm' : 'js', operation]);
}

test.each([...rows(composite, 3, 0), ...rows(members, 3, 1)])('an agent that %s (%s) is recovered by an agent without the kind and by agents with it', async (_, engine, operation) => {
  await dieAndLeave(operation, engine, tally);
});

// No share is a divisor of the number of operations of a semaphore, so that the semaphores take turns.
test.each([...rows(composite, 23, 1), ...rows(members, 29, 2)])('an agent without the kind that recovers one that %s (%s) can die at any point', async (_, engine, operation) => {
  await dieLeaving(operation, engine, tally);
});

test.each([...rows(composite, 23, 2), ...rows(members, 29, 3)])('an agent with the kind that finishes the recovery of one that %s (%s) can die at any point', async (_, engine, operation) => {
  await dieFinishing(operation, engine, tally);
});

afterAll(() => {
  const { deaths, reclaimers, left, byWaiters, later } = tally;
  console.log(
    `${composite.length + members.length} operations, ${deaths} deaths, in ${reclaimers} of them the agent that recovered died too; ` +
      `${left} recoveries left, ${byWaiters} finished by waiters, ${later} by a later agent`,
  );
  expect(Math.min(byWaiters, later)).toBeGreaterThan(0);
});

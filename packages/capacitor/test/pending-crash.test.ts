// Agents die at every point of what they do at capacitors and turnstiles, and the agent that recovers them has not loaded the kinds.

import { scale } from '@sluice/harness';
import { afterAll, beforeAll, expect, test } from 'vitest';
import '../../core/test/support/crash-injection.ts';
import { dieAndLeave, dieFinishing, dieLeaving } from '../../core/test/support/crash-run.ts';
import type { Operation } from '../../core/test/support/crash-stage.ts';
import { rounds } from '../../core/test/support/rounds.ts';
import type { Engine } from '../../core/src/kernel/kernel.ts';
import { capacitorHands, capacitorOperations } from './support/crash-capacitors.ts';
import { turnstileHands, turnstileOperations } from './support/crash-turnstiles.ts';
import './support/kinds.ts';

const tally = { deaths: 0, reclaimers: 0, left: 0, byWaiters: 0, later: 0 };
const operations: readonly Operation[] = [...capacitorOperations, ...capacitorHands, ...turnstileOperations, ...turnstileHands];
const small = operations.filter(({ large }) => large !== true);
const LONG = { timeout: 60_000 };
/** One in how many operations a short run takes where a second agent dies, too. */
const SHARE = scale(1) > 1 ? 1 : 4;

/** Each operation with one engine, by turns: both engines do the same in every byte, as the differential test shows. */
function rows(some: readonly Operation[], first: number, share = 1): readonly (readonly [string, Engine, Operation])[] {
  const chosen = some.filter((_, index) => index % share === first % share);
  return chosen.map((operation, index) => [operation.name, (index + first) % 2 === 0 ? 'wasm' : 'js', operation]);
}

beforeAll(() => rounds.install());

test.each(rows(operations, 0))('an agent that %s (%s) is recovered by an agent without the kind and by agents with it', async (_, engine, operation) => {
  await dieAndLeave(operation, engine, tally);
});

test.each(rows(small, 1, SHARE))('an agent without the kind that recovers one that %s (%s) can die at any point', LONG, async (_, engine, operation) => {
  await dieLeaving(operation, engine, tally);
});

test.each(rows(small, 2, SHARE))('an agent with the kind that finishes the recovery of one that %s (%s) can die at any point', LONG, async (_, engine, operation) => {
  await dieFinishing(operation, engine, tally);
});

afterAll(() => {
  const { deaths, reclaimers, left, byWaiters, later } = tally;
  console.log(
    `${operations.length} operations, ${deaths} deaths, in ${reclaimers} of them the agent that recovered died too; ` +
      `${left} recoveries left, ${byWaiters} finished by waiters, ${later} by a later agent`,
  );
  expect(Math.min(byWaiters, later)).toBeGreaterThan(0);
});

// The crash tests of recoveries that an agent without the kind begins: an agent dies at every point of every operation,
// the agent that recovers it has not loaded the primitive's kind, and agents that have loaded it finish the recovery.

import { afterAll, expect, test } from 'vitest';
import type { Engine } from '../../src/kernel/kernel.ts';
import { dieAndLeave, dieFinishing, dieLeaving, stepOf } from './crash-run.ts';
import type { Operation } from './crash-stage.ts';

export interface PendingGroup {
  /** The operations of the victim. */
  readonly operations: readonly Operation[];
  /** A run at full depth tests one in `share` operations. A short run tests fewer, the soak all. Default: 1. */
  readonly share?: number;
  /**
   * The same, where a second agent dies, too. A divisor of the number of operations of each class would leave classes
   * out. Default: `share`.
   */
  readonly shareOfTwo?: number;
}

type Row = readonly [name: string, engine: Engine, operation: Operation];

/**
 * Returns each `share`-th operation from `first` on, with alternating engines. One engine per operation is enough: the
 * differential tests show that both engines write the same bytes.
 */
function rows(operations: readonly Operation[], share: number, first: number): readonly Row[] {
  const step = stepOf(share);
  const picked = operations.filter((_, index) => index % step === first % step);
  return picked.map((operation, index) => [operation.name, (index + first) % 2 === 0 ? 'wasm' : 'js', operation]);
}

/** Operations with so many deeds that only a run with all of them takes them. */
const without = (operations: readonly Operation[], large: boolean): readonly Operation[] =>
  large ? operations.filter((each) => each.large !== true) : operations;

export function pendingSuite(groups: readonly PendingGroup[]): void {
  const tally = { deaths: 0, reclaimers: 0, left: 0, byWaiters: 0, later: 0 };
  const one = groups.flatMap(({ operations, share = 1 }) => rows(without(operations, share > 1), share, 0));
  const two = (first: number): readonly Row[] =>
    groups.flatMap(({ operations, share = 1, shareOfTwo = share }) =>
      rows(without(operations, true), shareOfTwo, first),
    );

  test.each(one)(
    'an agent that %s (%s) is recovered by an agent without the kind and by agents with it',
    async (_, engine, operation) => {
      await dieAndLeave(operation, engine, tally);
    },
  );

  test.each(two(1))(
    'a reclaimer without the kind of an agent that %s (%s) can die at any point',
    async (_, engine, operation) => {
      await dieLeaving(operation, engine, tally);
    },
  );

  test.each(two(2))(
    'an agent with the kind that finishes the recovery of an agent that %s (%s) can die at any point',
    async (_, engine, operation) => {
      await dieFinishing(operation, engine, tally);
    },
  );

  afterAll(() => {
    const { deaths, reclaimers, left, byWaiters, later } = tally;
    const all = groups.reduce((sum, { operations }) => sum + operations.length, 0);
    console.log(
      `${all} operations, ${deaths} deaths, in ${reclaimers} of them the agent that recovered died too; ` +
        `${left} recoveries left, ${byWaiters} finished by waiters, ${later} by a later agent`,
    );
    expect(Math.min(byWaiters, later)).toBeGreaterThan(0);
  });
}

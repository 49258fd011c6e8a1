// The crash tests of one primitive. The victim dies at every point of every operation, and so does its reclaimer.

import { byDepth, depth, scale } from '@sluice/harness';
import { expect, test } from 'vitest';
import type { Engine } from '../../src/kernel/kernel.ts';
import { ALL_DEEDS, dieEverywhere, dieInside, dieTwice, HOLDINGS, stepOf, type Tally } from './crash-run.ts';
import type { Operation } from './crash-stage.ts';

export interface CrashSuite {
  /** The operations of the victim. */
  readonly operations: readonly Operation[];
  /**
   * Operations in which the victim dies without a deed while it holds something. Their recovery is cut before every
   * single write.
   */
  readonly holdings: readonly Operation[];
  /** Operations in which the victim dies between the writes of one step. Default: `operations`. */
  readonly inside?: readonly Operation[];
  /** Operations after which the victim is found dead by an agent that asks. Default: `holdings`. */
  readonly asked?: readonly Operation[];
  /** Calls of living agents that may end with `CorruptArenaError` after a death within a step. */
  readonly mayEndCorrupt?: RegExp;
  /** The deeds, and pairs of consecutive deeds, that the victim's deaths must cover. */
  readonly covers?: readonly string[];
  /**
   * For each test, n if a run at full depth tests one in n operations. A short run tests fewer, the soak all. Default:
   * 1.
   */
  readonly shares?: Partial<Record<'told' | 'twice' | 'writes' | 'inside' | 'insideTwice', number>>;
}

type Row = readonly [name: string, engine: Engine, operation: Operation];

const long = scale(1) > 1;

/**
 * The step for deaths that the reclaimer finds by a check. They equal the deaths that a reclaimer is told of, so a
 * short run tests one operation in three.
 */
const ASKED = byDepth({ quick: 3, ci: 2, full: 1 });
const isShort = ({ large }: Operation): boolean => large !== true;

/**
 * Returns one in `share` operations, with alternating engines. One engine per operation is enough: the differential
 * test shows that both engines write the same bytes.
 */
function rows(operations: readonly Operation[], share = 1, first: Engine = 'wasm'): readonly Row[] {
  const second = first === 'wasm' ? 'js' : 'wasm';
  if (long)
    return operations.flatMap(
      (operation) =>
        [
          [operation.name, first, operation],
          [operation.name, second, operation],
        ] as const,
    );
  const step = stepOf(share);
  const some = operations.filter((_, index) => index % step === 0);
  return some.map((operation, index) => [operation.name, index % 2 === 0 ? first : second, operation]);
}

export function crashSuite({
  operations,
  holdings,
  inside = operations,
  asked = holdings,
  mayEndCorrupt,
  covers = [],
  shares = {},
}: CrashSuite): void {
  const stuck: string[] = [];
  const corrupt: string[] = [];
  const deeds = new Set<string>();
  const tally: Tally = { deaths: 0, reclaimers: 0, deeds, stuck, corrupt };
  const all = [...operations, ...holdings];

  test.each(rows(all, shares.told))(
    'an agent that %s (%s) can die at any point of it',
    async (_, engine, operation) => {
      await dieEverywhere(operation, engine, tally, 'told');
    },
  );

  test.each(rows(asked, ASKED, 'js'))(
    'an agent that %s (%s) is found dead by an agent that asks',
    async (_, engine, operation) => {
      await dieEverywhere(operation, engine, tally, 'asks');
    },
  );

  test.each(rows(operations.filter(isShort), shares.twice, 'js'))(
    'the reclaimer of an agent that %s (%s) can die before any step',
    async (_, engine, operation) => {
      await dieTwice(operation, engine, tally, ['step', 'parking']);
    },
  );

  test.each(rows(holdings, shares.writes))(
    'the reclaimer of an agent that %s (%s) can die before any single write',
    async (_, engine, operation) => {
      await dieTwice(operation, engine, tally, ALL_DEEDS, HOLDINGS);
    },
  );

  // Only the engine 'js' can be cut within a step.
  const cut = rows(inside, shares.inside).filter(([, engine]) => !long || engine === 'js');
  test.each(cut)('when an agent that %s dies within a step, nothing exists twice', async (_, _engine, operation) => {
    await dieInside(operation, tally, 'victim');
  });

  const cutHoldings = rows(holdings, shares.insideTwice).filter(([, engine]) => !long || engine === 'js');
  test.each(cutHoldings)(
    'when the reclaimer of an agent that %s dies within a step, nothing exists twice',
    async (_, _engine, operation) => {
      await dieInside(operation, tally, 'reclaimer');
    },
  );

  test('no call of a living agent loops forever after a death within a step', () => {
    expect([...new Set(stuck)]).toEqual([]);
    expect([...new Set(corrupt)].filter((message) => mayEndCorrupt?.test(message) !== true)).toEqual([]);
    if (mayEndCorrupt !== undefined) expect(corrupt, 'the exception is needed').not.toEqual([]);
  });

  test('no two operations have one name, and most of them can be cut at several points', () => {
    expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
    // A quick run tests only one operation in three.
    if (depth !== 'quick') expect(covers.filter((deed) => !deeds.has(deed))).toEqual([]);
    const { deaths, reclaimers } = tally;
    console.log(`${all.length} operations, ${deaths} deaths, and in ${reclaimers} of them the reclaimer died, too`);
    expect(deaths).toBeGreaterThan(10 * rows(all, shares.told).length);
  });
}

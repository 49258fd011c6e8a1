// Death at every moment of what agents do at the members of the family: at the ticketed ones of all that the core's own semaphore is
// tested with, at the one of tokens of what can be done there.

import { scale } from '@sluice/harness';
import { beforeAll, expect, test, vi } from 'vitest';
import { lineOperations } from '../../core/test/support/crash-lines.ts';
import { handOperations, rareOperations } from '../../core/test/support/crash-rarities.ts';
import { releaseOperations } from '../../core/test/support/crash-releases.ts';
import { ALL_DEEDS, dieEverywhere, dieInside, dieTwice, type Tally } from '../../core/test/support/crash-run.ts';
import type { Operation } from '../../core/test/support/crash-stage.ts';
import { ControllerByHand } from '../../core/test/support/controller-by-hand.ts';
import { handsAt, operationsAt, TOKENS } from './support/crash-composite.ts';
import { atMember, TICKETED } from './support/crash-members.ts';

vi.mock('../../core/src/kernel/kernel.ts', async (original) => (await import('../../core/test/support/crash.ts')).crashingKernels(await original()));
vi.mock('../../core/src/kernel/words.ts', async (original) => (await import('../../core/test/support/crash.ts')).crashingWords(await original()));
vi.mock('../../core/src/parking.ts', async (original) => (await import('../../core/test/support/crash.ts')).crashingParking(await original()));

beforeAll(() => {
  vi.stubGlobal('AbortController', ControllerByHand);
});

const stuck: string[] = [];
const tally: Tally = { deaths: 0, reclaimers: 0, stuck };

const atAll = (operations: readonly Operation[]): readonly Operation[] => TICKETED.flatMap((Member) => operations.map((each) => atMember(each, Member)));
const HANDS = [...handsAt(TOKENS), ...atAll(handOperations)];
/** Where the elements are counted out to the last it is not the same: all waits of an agent take one more here. */
const rare = rareOperations.filter(({ name }) => !name.startsWith('has no element for its ticket'));
const ALL = [...operationsAt(TOKENS), ...atAll([...lineOperations, ...releaseOperations, ...rare]), ...HANDS];
/** Of the operations that take long, a part; all of them in long runs. */
const few = <T>(all: readonly T[], one: number): readonly T[] => all.filter((_, index) => index % one === 0 || scale(1) > 1);

const rows = ALL.map((operation, index) => [operation.name, index % 2 === 0 ? 'wasm' : 'js', operation] as const);
/** Of tokens with the other engine, too. */
const others = operationsAt(TOKENS).map((operation, index) => [operation.name, index % 2 === 0 ? 'js' : 'wasm', operation] as const);

test.each([...rows, ...others])('an agent that %s (%s) may die at any moment of it', async (_, engine, operation) => {
  await dieEverywhere(operation, engine, tally, 'told');
});

test.each(few(rows.filter(([, , { large }]) => large !== true), 13))(
  'whoever recovers an agent that %s (%s) may die before any step of it',
  { timeout: 30_000 },
  async (_, engine, operation) => {
    await dieTwice(operation, engine, tally, ['step', 'parking']);
  },
);

test.each(few(HANDS, 3).map((operation) => [operation.name, operation] as const))(
  'whoever recovers an agent that %s may die also before any single write',
  { timeout: 30_000 },
  async (_, operation) => {
    await dieTwice(operation, 'wasm', tally, ALL_DEEDS);
  },
);

test.each(rows)('when an agent that %s dies in the middle of a step no permit is there twice', async (_, _engine, operation) => {
  await dieInside(operation, tally, 'victim');
});

test.each(HANDS.map((operation) => [operation.name, operation] as const))(
  'when whoever recovers an agent that %s dies in the middle of a step no permit is there twice',
  async (_, operation) => {
    await dieInside(operation, tally, 'reclaimer');
  },
);

test('no call of the living goes round for ever after a death in the middle of a step', () => {
  expect([...new Set(stuck)]).toEqual([]);
});

test('figures of all of them are shown', () => {
  console.log(`${rows.length} operations, ${tally.deaths} deaths, in ${tally.reclaimers} of them whoever recovered died as well`);
  expect(tally.deaths).toBeGreaterThan(20_000);
});

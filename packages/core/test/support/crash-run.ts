// Runs one operation with deaths in it: kills the victim, recovers it, and checks that everything is in order.

import { byDepth, scale } from '@sluice/harness';
import { expect } from 'vitest';
import { CorruptArenaError } from '../../src/api/errors.ts';
import { compact } from '../../src/agent/compaction.ts';
import { isPending } from '../../src/recovery/pending.ts';
import { finishPending, hasLeft, recover, tidy } from '../../src/recovery/claim-dead-agent.ts';
import { freeBlocksOfJoiners } from '../../src/recovery/recover-blocks.ts';
import type { ReclaimReport } from '../../src/recovery/reclaim-report.ts';
import { threadWord } from '../../src/platform/thread.ts';
import type { Engine } from '../../src/kernel/kernel.ts';
import { AGENT_IN_FLIGHT, AGENT_POSTS, AGENT_RECLAIMER, HEADER_AGENTS } from '../../src/kernel/layout.ts';
import { comparable, predictReport, type PredictedReport } from './predict-report.ts';
import { expectQuiet, expectRecovered, isOnlySpent, stateOf } from './in-order.ts';
import { Stuck, type Deed } from './crash.ts';
import { outlives, Stage, type Act, type Bare, type Operation } from './crash-stage.ts';
import type { Agent } from './crash-world.ts';
import { turn } from './turn.ts';
import { expectNone, expectSame } from './expect-same.ts';
import { asAgent } from '../../src/kernel/addresses.ts';

export const ALL_DEEDS: readonly Deed[] = ['step', 'write', 'parking'];

export interface Tally {
  deaths: number;
  reclaimers: number;
  /** The deeds of victims, and each pair of consecutive deeds: a victim died between them, too. */
  readonly deeds?: Set<string>;
  /** Calls of living agents that would never have ended after a death within a step. */
  readonly stuck?: string[];
  /** Calls of living agents that ended with `CorruptArenaError` after a death within a step. */
  readonly corrupt?: string[];
}

/**
 * The victim dies before each of its deeds, and after the last deed. Then another agent recovers it. That agent was
 * told of the death, or it checks which agents are dead.
 */
export async function dieEverywhere(
  operation: Operation,
  engine: Engine,
  tally: Tally,
  how: 'told' | 'asks',
): Promise<void> {
  for (let deed = 0, lived = false; !lived; deed++) {
    const scene = await kill(operation, engine, deed);
    const { reclaimer, third } = scene.stage;
    lived = scene.lived;
    tally.deaths += 1;
    scene.stage.life.deeds.forEach((name, index, all) =>
      tally.deeds?.add(name).add(`${name}, ${all[index + 1] ?? ''}`),
    );
    await explain(scene, async () => {
      const report = how === 'asks' ? onlyOne(reclaimer.arena.reclaimDead()) : putInOrder(scene, reclaimer);
      if (report !== undefined) expectPredicted(comparable(report), scene.predicted, operation);
      await expectInOrder(scene, [reclaimer, third]);
    });
  }
}

function expectPredicted(report: PredictedReport, predicted: PredictedReport, { cascades, collects }: Operation): void {
  if (collects === true) {
    expect(sumOf(report)).toBeGreaterThanOrEqual(sumOf(predicted));
    return;
  }
  if (cascades === true) expectSame(sumOf(report), sumOf(predicted));
  else expectSame(report, predicted);
}

function sumOf({ permits, ticketsWithdrawn }: PredictedReport): number {
  return permits.reduce((sum, part) => sum + part.permits, ticketsWithdrawn);
}

function onlyOne(reports: readonly ReclaimReport[]): ReclaimReport | undefined {
  expect(reports).toHaveLength(1);
  return reports[0];
}

/**
 * The step between the points at which a recovery is cut. The soak cuts a recovery at every point after each death of
 * the victim. Other runs cut it at every `PAIRS`-th point, and begin one point later with each point of the victim. So
 * they cut each point of both agents, but not each pair of points.
 */
const PAIRS = scale(1) > 1 ? 1 : byDepth({ quick: 24, ci: 6, full: 3 });
/** As `PAIRS`, for victims without deeds, which have only one death. */
export const HOLDINGS = byDepth({ quick: 6, ci: 2, full: 1 });
/**
 * Returns the step with which a run selects operations, if a suite asks for one in `share`. A short run selects fewer.
 * The step is odd, so that a list of alternating operations does not lose half of its alternatives.
 */
export function stepOf(share: number): number {
  if (scale(1) > 1) return 1;
  return byDepth({ quick: 4 * share - 1, ci: 2 * share - 1, full: share });
}

/** The step between the writes within a kernel step that are cut. */
const INSIDE = byDepth({ quick: 8, ci: 4, full: 2 });

/**
 * As `dieEverywhere`, and the reclaimer dies before its own deeds of these kinds. Then a third agent recovers both.
 */
export async function dieTwice(
  operation: Operation,
  engine: Engine,
  tally: Tally,
  kinds: readonly Deed[],
  pairs = PAIRS,
): Promise<void> {
  for (let deed = 0, lived = false; !lived; deed++) {
    for (let second = deed % pairs; ; second += pairs) {
      const scene = await kill(operation, engine, deed);
      const { stage } = scene;
      lived = scene.lived;
      const done = await outlives(stage.reclaimer.life, () => putInOrder(scene, stage.reclaimer), kinds, second);
      if (done) break;
      tally.deaths += 1;
      tally.reclaimers += 1;
      await explain(scene, async () => {
        recoverBoth(scene);
        await expectInOrder(scene, [stage.third]);
      });
    }
  }
}

/** The outcome of recoveries by agents that have loaded no kind. */
export interface Leftovers {
  /** The number of recoveries that were left to agents with the kinds. */
  left: number;
  /** The number of these recoveries that living waiters finished, and the number that a later agent finished. */
  byWaiters: number;
  later: number;
}

/**
 * As `dieEverywhere`, with a reclaimer that has loaded no kind. Waiters finish what it leaves, and a later agent
 * finishes the rest.
 */
export async function dieAndLeave(operation: Operation, engine: Engine, tally: Tally & Leftovers): Promise<void> {
  for (let deed = 0, lived = false; !lived; deed++) {
    const scene = await kill(operation, engine, deed, ALL_DEEDS, undefined, 'reclaimer');
    const { stage } = scene;
    lived = scene.lived;
    tally.deaths += 1;
    await explain(scene, async () => {
      const report = putInOrder(scene, stage.reclaimer);
      const left = isLeft(scene);
      expectSame((report?.pending.length ?? 0) > 0, left);
      await stage.settle();
      if (left) tally.left += 1;
      if (isLeft(scene)) tally.later += 1;
      else if (left) tally.byWaiters += 1;
      finishPending(stage.third.context);
      expectSame(isLeft(scene), false);
      await expectInOrder(scene, [stage.reclaimer, stage.third]);
    });
  }
}

/**
 * The reclaimer of the victim has loaded no kind and dies before each of its deeds. Then an agent with the kinds
 * recovers both.
 */
export async function dieLeaving(operation: Operation, engine: Engine, tally: Tally): Promise<void> {
  await inPairs(
    operation,
    engine,
    tally,
    'reclaimer',
    (scene) => putInOrder(scene, scene.stage.reclaimer),
    (scene) => recoverBoth(scene),
  );
}

/**
 * An agent without kinds recovers the victim. An agent with the kinds finishes that recovery and dies before each of
 * its deeds. The first agent then recovers it, too.
 */
export async function dieFinishing(operation: Operation, engine: Engine, tally: Tally): Promise<void> {
  await inPairs(
    operation,
    engine,
    tally,
    'third',
    ({ stage }) => finishPending(stage.reclaimer.context),
    ({ stage }) => recover(stage.third.context, stage.reclaimer.context.agent, stage.reclaimer.context.id, true),
    (scene) => putInOrder(scene, scene.stage.third),
  );
}

type InScene = (scene: Scene) => unknown;

/**
 * After the victim's death, `stage.reclaimer` dies before each of its deeds in `act`. `stage.third` performs `before`
 * and `after`.
 */
async function inPairs(
  operation: Operation,
  engine: Engine,
  tally: Tally,
  bare: Bare,
  act: InScene,
  after: InScene,
  before?: InScene,
): Promise<void> {
  for (let deed = 0, lived = false; !lived; deed++) {
    for (let second = deed % PAIRS; ; second += PAIRS) {
      const scene = await kill(operation, engine, deed, ALL_DEEDS, undefined, bare);
      const { stage } = scene;
      lived = scene.lived;
      before?.(scene);
      const done = await outlives(stage.reclaimer.life, () => act(scene), ALL_DEEDS, second);
      if (done) break;
      tally.deaths += 1;
      tally.reclaimers += 1;
      await explain(scene, async () => {
        after(scene);
        await stage.settle();
        finishPending(stage.living.context);
        await expectInOrder(scene, [stage.third]);
      });
    }
  }
}

function isLeft({ stage, victim }: Scene): boolean {
  const record = stage.recordOf(victim);
  return record !== 0 && isPending(stage.world.words, asAgent(record));
}

/**
 * The victim or, in the other kind of scene, the reclaimer dies within its steps, before each single write. Resources
 * that the dead agent had in flight may be lost, but none may exist twice.
 */
export async function dieInside(operation: Operation, tally: Tally, dies: 'victim' | 'reclaimer'): Promise<void> {
  // In a soak the waiters do both after each death. Otherwise they stay after some deaths and leave after others.
  const ways = scale(1) > 1 ? 1 : INSIDE;
  for (const [first, how] of [
    [0, 'stay'],
    [ways >> 1, 'leave'],
  ] as const) {
    for (let deed = first, lived = false; !lived; deed += ways) {
      const scene = await kill(operation, 'js', dies === 'victim' ? deed : Infinity, ['inner'], tally);
      const { stage } = scene;
      const recovers = (): unknown => putInOrder(scene, stage.reclaimer);
      lived = dies === 'victim' ? scene.lived : await outlives(stage.reclaimer.life, recovers, ['inner'], deed);
      tally.deaths += 1;
      await explain(scene, async () => {
        expectOnePlace(stage, scene.victim);
        await noteStuck(tally, operation.name, async () => {
          if (dies === 'victim') recoverVictim(scene, stage.reclaimer);
          else if (!lived) recoverBoth(scene);
          for (const witness of [...stage.witnesses, ...stage.shadowUsers])
            expectNone((await witness.doubled?.(() => stage.settle(), how)) ?? []);
        });
      });
    }
  }
}

/**
 * Expects that the victim's record is in exactly one place. Otherwise it would be returned to the pool twice, the
 * second time when it already belongs to another agent.
 */
function expectOnePlace(stage: Stage, victim: number): void {
  const record = stage.recordOf(victim);
  const held = record === 0 ? 0 : stage.world.words.get32(record + AGENT_IN_FLIGHT);
  if (held !== 0)
    expect(stage.world.words.get32(record + AGENT_POSTS), 'an element is both in hand and in a post').not.toBe(held);
}

/** Records a call that is stuck or ended as corrupt. If the tally has no list for it, the call fails. */
async function noteStuck({ stuck, corrupt }: Tally, name: string, act: Act): Promise<void> {
  try {
    await act();
  } catch (failure) {
    if (failure instanceof CorruptArenaError && corrupt !== undefined) {
      corrupt.push(`${name}: ${failure.message}`);
      return;
    }
    if (!(failure instanceof Stuck) || stuck === undefined) throw failure;
    stuck.push(`${name}: ${failure.message}`);
  }
}

interface Scene {
  readonly stage: Stage;
  readonly victim: number;
  readonly name: string;
  /** Whether the victim completed the operation and died afterwards. */
  readonly lived: boolean;
  /** For each primitive: the expected outcomes of the waiters in line. */
  readonly told: readonly (readonly string[])[];
  /** The expected report of the recovery, without the chains. */
  readonly predicted: PredictedReport;
}

/** Kills the victim. Calls of living agents that its death leaves stuck are recorded in `tally`. */
async function kill(
  operation: Operation,
  engine: Engine,
  deed: number,
  kinds = ALL_DEEDS,
  tally?: Tally,
  bare?: Bare,
): Promise<Scene> {
  const stage = new Stage(operation, engine, bare);
  const { words } = stage.world;
  const act = await operation.prepare(stage);
  const next = words.load32(HEADER_AGENTS) + 1;
  const mayStick = (): unknown => (tally === undefined ? act() : noteStuck(tally, operation.name, act));
  const lived = await outlives(stage.life, mayStick, kinds, deed);
  stage.life.die();
  // The living agents now process the outcomes that they got before.
  await turn();
  const victim = operation.joins === true ? next : stage.victim.context.id;
  const told = stage.witnesses.map((witness) => witness.expected(words, victim));
  return { stage, victim, name: operation.name, lived, told, predicted: predictReport(words, victim) };
}

/** Recovers the victim as a watch does when a worker has ended. */
function recoverVictim({ stage, victim }: Scene, by: Agent): ReturnType<typeof recover> | undefined {
  const record = stage.recordOf(victim);
  const outcome =
    record === 0 || hasLeft(by.context, record) ? undefined : recover(by.context, asAgent(record), victim, true);
  freeBlocksOfJoiners(by.context, threadWord());
  return outcome;
}

function putInOrder(scene: Scene, by: Agent): ReclaimReport | undefined {
  const outcome = recoverVictim(scene, by);
  if (typeof outcome === 'string') throw new Error(`The agent was not recovered: ${outcome}`);
  return outcome;
}

function recoverBoth(scene: Scene): void {
  const { stage, victim } = scene;
  const { words } = stage.world;
  const [first, second] = [stage.recordOf(victim), stage.reclaimer];
  const begun = first !== 0 && words.load32(first + AGENT_RECLAIMER) === second.context.id;
  const outcome = recover(stage.third.context, second.context.agent, second.context.id, true);
  if (typeof outcome === 'string') throw new Error(`The reclaimer was not recovered: ${outcome}`);
  if (begun)
    expectSame(
      outcome.finished.map(({ agent }) => agent),
      [victim],
    );
  putInOrder(scene, stage.third);
}

async function expectInOrder({ stage, told }: Scene, others: readonly Agent[]): Promise<void> {
  const { world, shadowUsers, living } = stage;
  const ids = (): number[] => [...stage.bystanders, ...[living, ...others].map(({ context }) => context.id)];
  await stage.settle();
  expectRecovered(world, ids(), shadowUsers);
  for (const shadowUser of shadowUsers)
    if (stateOf(world.words, shadowUser) === 'open') await shadowUser.finish(() => stage.settle());
  for (const [index, witness] of stage.witnesses.entries())
    await witness.finish(() => stage.settle(), told[index] ?? []);
  tidy(stage.third.context);
  if (isOnlySpent(world.words)) compact(stage.third.context);
  expectQuiet(world, ids(), shadowUsers);
}

/** Runs `check`. A failure names the death at which it occurred. */
async function explain({ stage, name, lived }: Scene, check: () => Promise<void>): Promise<void> {
  try {
    await check();
  } catch (failure) {
    const { deeds } = stage.life;
    const second = stage.reclaimer.life.deeds;
    const where = `${name}; dead ${lived ? 'after its end' : `after ${deeds.length} deeds: ${deeds.slice(-6).join(', ')}`}`;
    const then = `; reclaimer dead after ${second.length} deeds: ${second.slice(-6).join(', ')}`;
    const both = stage.reclaimer.life.isDead ? where + then : where;
    (failure as Error).message = `${both}\n${(failure as Error).message}`;
    throw failure;
  }
}

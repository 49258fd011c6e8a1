// Scenarios in which one agent merges tombstones while other agents release, cancel, close, merge or die.

import type { Options, Scenario, Words } from '@sluice/model';
import { AGENT_SPARE, GATE, MODE, OWNER, TICKET } from '../../src/kernel/layout.ts';
import { IDLE, LINKED, PARKED, RACED } from '../../src/kernel/states.ts';
import { give } from './bodies.ts';
import { reclaim } from './death-bodies.ts';
import { checkDead } from './death-cases.ts';
import { leave, sleepOn } from './line-cases.ts';
import { agentAt, elementAt, entryAt, semaphoreAddress, tagOf } from './places.ts';
import type { Case, Model } from './case.ts';
import { OUTSIDER, SILENT, World, type Body, type Core, type Setup } from './world.ts';
import { GATHER_MUTANTS } from './gather-mutants.ts';

export const LEFT = true;

/**
 * A waiter that drew a ticket: the index of its element, the permits that it wants, whether it gave up, and its
 * semaphore.
 */
export type Place = readonly [element: number, permits: number, left?: boolean, semaphore?: number];

/**
 * Lays out a line, in the order of tickets. Element i belongs to agent i, which sleeps, or it is a tombstone of an
 * agent that is not in the world.
 */
export function lineUp(world: World, words: Words, line: readonly Place[]): void {
  const kernel = world.core.referenceKernel(words);
  // The set-up borrows words of agent 0's record and restores them.
  const [agent, spare] = [agentAt(0), words.get32(agentAt(0) + AGENT_SPARE)];
  for (const [index, permits, , semaphore = 0] of line) {
    const element = elementAt(index);
    words.put32(element + OWNER, index + 1);
    words.put32(element + MODE, 0);
    words.put32(agent + AGENT_SPARE, element);
    kernel.acquire(semaphoreAddress(semaphore), tagOf(semaphore), entryAt(0, semaphore), permits, agent);
    while (kernel.link(agent, element) === RACED);
    while (kernel.walk(agent) !== IDLE);
    words.store32(element + GATE, PARKED);
  }
  for (const [index, , left] of line) {
    if (left !== LEFT) continue;
    words.store32(elementAt(index) + GATE, LINKED);
    words.put32(elementAt(index) + OWNER, OUTSIDER);
    while (kernel.leaveLine(agent, elementAt(index)) === RACED);
    while (kernel.walk(agent) !== IDLE);
  }
  words.put32(agent + AGENT_SPARE, spare);
}

const merge: Body = ({ core, context }) => core.compact(context);

const ONE_PREEMPTION: Options = { preemptions: 1 };
const TWO_PREEMPTIONS: Options = { preemptions: 2 };

/** Two waiters, and four cancelled waiters between them. */
const FOUR: readonly Place[] = [
  [0, 1],
  [2, 1, LEFT],
  [3, 1, LEFT],
  [4, 1, LEFT],
  [5, 1, LEFT],
  [1, 1],
];
const THREE: readonly Place[] = [
  [0, 1],
  [2, 1, LEFT],
  [3, 1, LEFT],
  [4, 1, LEFT],
  [1, 1],
];
const WEIGHTS: readonly Place[] = [
  [0, 1],
  [2, 2, LEFT],
  [3, 1, LEFT],
  [4, 3, LEFT],
  [5, 1, LEFT],
  [1, 2],
];
/** Tombstones on both sides of a waiter. The last waiter waits forever. */
const APART: readonly Place[] = [
  [0, 1],
  [2, 1, LEFT],
  [1, 1],
  [3, 1, LEFT],
  [4, 1, LEFT],
  [5, 1],
];
/** Waiters at two semaphores whose elements have neighbouring indices. */
const TWO_LINES: readonly Place[] = [
  [0, 1],
  [2, 1, LEFT],
  [3, 1, LEFT],
  [1, 1],
  [6, 3, false, 1],
  [4, 1, LEFT, 1],
  [5, 1, LEFT, 1],
  [7, 1, false, 1],
];

export function gatherCases(core: Core): Case[] {
  const setup: Setup = { permits: [0], agents: 5, most: 2, elements: 7, buckets: 4 };
  const make = (
    name: string,
    line: readonly Place[],
    bodies: readonly Body[],
    options: Options,
    more: Partial<Setup> = {},
    fate: Fate = {},
  ): Case => {
    const world = new World(core, { ...setup, agents: bodies.length, ...more });
    return { scenario: scenarioOf(world, name, line, bodies, fate), options };
  };
  const sleep: Body = () => undefined;
  const bothEnd: readonly Body[] = [sleepOn(), sleepOn()];
  const strict: Fate = { strict: true };
  return [
    make(
      'an agent merges tombstones during a release of two permits',
      FOUR,
      [...bothEnd, merge, give(2)],
      TWO_PREEMPTIONS,
    ),
    make('an agent merges tombstones during two releases', THREE, [...bothEnd, merge, give(), give()], ONE_PREEMPTION),
    make(
      'an agent merges tombstones during two releases, with one bucket',
      THREE,
      [...bothEnd, merge, give(), give()],
      ONE_PREEMPTION,
      { buckets: 1 },
    ),
    make(
      'one release of two permits meets merged tombstones',
      FOUR,
      [...bothEnd, (actor) => (merge(actor), give(2)(actor))],
      {},
    ),
    make(
      'an agent merges tombstones of several permits during a release',
      WEIGHTS,
      [...bothEnd, merge, give(3)],
      TWO_PREEMPTIONS,
      { most: 3 },
    ),
    make(
      'a waiter between tombstones that are merged does not get the permit of another waiter',
      APART,
      [sleepOn(), sleep, merge, give()],
      TWO_PREEMPTIONS,
      {},
      { balance: -4 },
    ),
    make(
      'an agent merges the tombstones of two lines',
      TWO_LINES,
      [...bothEnd, merge, give(2)],
      TWO_PREEMPTIONS,
      { permits: [0, 0], buckets: 1, elements: 8 },
      { balance: 0 },
    ),
    make(
      'the last waiter leaves while an agent merges the tombstones before it',
      FOUR,
      [sleep, leave(), merge],
      TWO_PREEMPTIONS,
      {},
      strict,
    ),
    make(
      'the last waiter leaves while an agent merges tombstones of several permits',
      WEIGHTS,
      [sleep, leave(2), merge],
      TWO_PREEMPTIONS,
      { most: 3 },
      strict,
    ),
    make(
      'the last waiter leaves behind merged tombstones',
      FOUR,
      [sleep, sleep, (actor) => (merge(actor), leaveFor(1)(actor))],
      {},
      {},
      strict,
    ),
    make('two agents merge, and one of them releases', FOUR, [...bothEnd, merge, merge, give(2)], ONE_PREEMPTION),
    make(
      'two agents merge, and the last waiter leaves',
      FOUR,
      [sleep, leave(), merge, merge],
      ONE_PREEMPTION,
      {},
      { alone: true },
    ),
    make(
      'an agent merges tombstones while the semaphore is closed',
      THREE,
      [sleepOn(), sleepOn(), merge, ({ sem }) => sem.close()],
      TWO_PREEMPTIONS,
      {},
      { gates: true },
    ),
    make(
      'an agent dies while it merges',
      FOUR,
      [...bothEnd, merge, give(2), reclaim(2)],
      ONE_PREEMPTION,
      {},
      { dies: 2 },
    ),
    make(
      'an agent dies while it merges, and the last waiter leaves',
      THREE,
      [sleep, leave(), merge, reclaim(2)],
      ONE_PREEMPTION,
      {},
      { dies: 2, alone: true },
    ),
    ...[2n ** 31n - 3n, 2n ** 32n - 3n, 2n ** 63n - 3n].map((start) =>
      make(
        `an agent merges tombstones with counters from ${start}`,
        FOUR,
        [...bothEnd, merge, give(2)],
        ONE_PREEMPTION,
        { start },
      ),
    ),
  ];
}

/** The agent gives up on behalf of the waiter with that element. */
const leaveFor =
  (element: number): Body =>
  ({ core, context, entry }) =>
    core.leaveLine(context, { line: context.semaphoreLine, entry }, elementAt(element));

interface Fate {
  /** Whether only the first waiter's ticket may remain. */
  readonly strict?: boolean;
  /** Like `strict`, after another merge while no other agent runs. */
  readonly alone?: boolean;
  /** Whether only the elements are checked: all must be free. */
  readonly gates?: boolean;
  /** The number of permits of the first semaphore at the end. The line is not checked. */
  readonly balance?: number;
  readonly dies?: number;
}

function scenarioOf(world: World, name: string, line: readonly Place[], bodies: readonly Body[], fate: Fate): Scenario {
  return world.scenario(name, bodies, undefined, {
    setup: (words) => {
      world.layOut(words);
      lineUp(world, words, line);
    },
    ...(fate.dies === undefined ? {} : { mayCrash: [fate.dies], deaths: 1 }),
    final: (words, outcomes) =>
      (fate.dies === undefined ? undefined : checkDead(world, words, outcomes)) ?? check(world, words, fate),
  });
}

function check(
  world: World,
  words: Words,
  { strict = false, alone = false, gates = false, balance }: Fate,
): string | undefined {
  if (!strict) mergeAlone(world, words);
  if (gates) return world.checkGates(words);
  const ends = world.core.referenceKernel(words).balance(semaphoreAddress(0));
  if (balance !== undefined) return ends === balance ? undefined : `the line ends with ${ends}, expected ${balance}`;
  if (!strict && !alone) return world.checkEnd(words, [0]);
  const drawn = BigInt.asIntN(64, words.load64(semaphoreAddress(0) + TICKET) - world.setup.start);
  if (drawn !== 1n) return `${drawn} tickets are drawn, expected one`;
  for (let index = 1; index < world.setup.elements; index++) {
    if (words.load32(elementAt(index) + GATE) !== 0 && words.load32(elementAt(index) + OWNER) !== 0)
      return `element ${index} is still in use`;
  }
  return undefined;
}

/** Merges once more while no other agent runs. This frees tombstones that earlier merges missed. */
function mergeAlone(world: World, words: Words): void {
  const context = new world.core.AgentContext({
    words,
    kernel: world.core.referenceKernel(words),
    parking: SILENT,
    heap: undefined as never,
    agent: agentAt(world.setup.agents - 1),
    id: OUTSIDER,
  });
  world.core.compact(context);
}

export const MODELS: readonly Model[] = [
  { name: 'gather', entry: new URL('entry.ts', import.meta.url), cases: gatherCases, mutants: GATHER_MUTANTS },
];

// Cases in which the tombstones of a line with its own chain are merged while other agents release, cancel, close,
// merge or die.

import type { Options, Words } from '@sluice/model';
import {
  AGENT_CHAIN,
  AGENT_IN_FLIGHT,
  AGENT_SPARE,
  GATE,
  KIND_AREA,
  OWN_CHAIN,
  OWNER,
  TICKET,
} from '../../../../core/src/kernel/layout.ts';
import { FREE, IDLE, RACED, TAKEN } from '../../../../core/src/kernel/states.ts';
import { agentAt, elementAt, entryAt, semaphoreAddress, tagOf } from '../../../../core/test/model/places.ts';
import type { Case, Model } from '../../../../core/test/model/case.ts';
import { OUTSIDER, type Setup } from '../../../../core/test/model/world.ts';
import { recover, type Plan, type Someone } from '../../../../core/test/model/condition-world.ts';
import { FLAG_CHAINED, FLAG_GLOBAL } from '../../../src/semaphores/kernel/layout.ts';
import type { FamilyCore } from './family-cases.ts';
import { MemberWorld } from './member-world.ts';
import { MERGE_MUTANTS } from './merge-mutants.ts';

type Agent = Someone<FamilyCore>;
type Body = (agent: Agent) => unknown;

const LEFT = true;
/**
 * An agent that drew a ticket, in ticket order: the index of its element, the permits that it wants, whether it
 * cancelled.
 */
type Place = readonly [element: number, permits: number, left?: boolean];

const POLICY = { longTermThreshold: 1, spinMicros: 0, buckets: 1 };
const TWO: Options = { preemptions: 2 };
const ONE: Options = { preemptions: 1 };
const NONE: Options = { preemptions: 0 };

/** Two waiters, with three cancelled ones between them. */
const THREE: readonly Place[] = [
  [0, 1],
  [2, 1, LEFT],
  [3, 1, LEFT],
  [4, 1, LEFT],
  [1, 1],
];
const TWO_LEFT: readonly Place[] = [
  [0, 1],
  [2, 1, LEFT],
  [3, 1, LEFT],
  [1, 1],
];
const WEIGHTS: readonly Place[] = [
  [0, 1],
  [2, 2, LEFT],
  [3, 1, LEFT],
  [4, 3, LEFT],
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

interface Fate {
  /** The number of free permits at the end. Default: 0. */
  readonly balance?: number;
  /** The first waiter's ticket and its element are the only ones left. */
  readonly strict?: boolean;
  /** The line was closed, so the counters are not checked. */
  readonly closed?: boolean;
  readonly dies?: number;
}

/** Element i belongs to agent i, which waits. Otherwise it is a tombstone of an agent that is not in the world. */
function lineUp(core: FamilyCore, words: Words, line: readonly Place[]): void {
  const kernel = core.referenceKernel(words);
  const agent = agentAt(0);
  const walk = (): void => {
    do while (kernel.walk(agent) !== IDLE);
    while (kernel.walkMembers(agent) !== IDLE);
  };
  for (const [index, permits] of line) {
    words.put32(elementAt(index) + OWNER, index + 1);
    words.put32(agent + AGENT_SPARE, elementAt(index));
    kernel.acquireTicket(semaphoreAddress(0), tagOf(0), entryAt(0, 0), permits, agent);
  }
  for (const [index, , left] of line) {
    if (left !== LEFT) continue;
    words.put32(elementAt(index) + OWNER, OUTSIDER);
    kernel.cancelMemberWait(agent, elementAt(index), entryAt(0, 0), 0);
    while (kernel.leaveLine(agent, elementAt(index)) === RACED);
    walk();
  }
  words.put32(agent + AGENT_SPARE, 0);
}

/** Lets the waiter with that element wait until it has its permits. */
const wait =
  (element: number): Body =>
  ({ core, context, ref }) => {
    const lineState = context.lineState(ref.address, ref.tag, {
      recorded: true,
      line: context.load(core.SEMAPHORES).steps,
    });
    const outcome = core
      .lineAt({ context, policy: POLICY, line: ref.address }, lineState)
      .block(elementAt(element), Infinity, undefined as never);
    return outcome === TAKEN ? undefined : 'closed';
  };

const giveUp =
  (element: number): Body =>
  ({ core, context, ref }) => {
    const { line, entry } = context.lineState(ref.address, ref.tag, {
      recorded: true,
      line: context.load(core.SEMAPHORES).steps,
    });
    core.leaveLine(context, { line, entry }, elementAt(element));
  };

const merge: Body = ({ core, context, ref }) => core.mergeAt(context, ref.address, ref.tag);

const release =
  (...parts: readonly number[]): Body =>
  ({ core, ref }) => {
    const sem = Reflect.construct(core.ChainSemaphore, [{ ref, policy: POLICY }]) as {
      release(permits: number): void;
    };
    for (const permits of parts) sem.release(permits);
  };

const close: Body = ({ core, ref }) =>
  (Reflect.construct(core.ChainSemaphore, [{ ref, policy: POLICY }]) as { close(): void }).close();
const sleep: Body = () => undefined;

export function mergeCases(core: FamilyCore): Case[] {
  const make = (
    name: string,
    line: readonly Place[],
    bodies: readonly Body[],
    options: Options,
    fate: Fate = {},
    more: Partial<Setup> = {},
    flag = FLAG_CHAINED,
  ): Case => caseOf(core, flag, name, line, { bodies, options }, fate, more);
  const both: readonly Body[] = [wait(0), wait(1)];
  const five = { elements: 9 };
  return [
    make('tombstones are merged while two permits are released at once', THREE, [...both, merge, release(2)], ONE),
    make('tombstones are merged during two releases', TWO_LEFT, [...both, merge, release(1), release(1)], ONE),
    make(
      'tombstones are merged during two releases, and all waiters sleep on one word',
      TWO_LEFT,
      [...both, merge, release(1, 1)],
      ONE,
      {},
      {},
      FLAG_GLOBAL,
    ),
    make(
      'two permits come at once after tombstones were merged',
      THREE,
      [...both, (agent) => (merge(agent), release(2)(agent))],
      ONE,
      {},
      { buckets: 4 },
    ),
    make(
      'tombstones for several permits are merged during a release',
      WEIGHTS,
      [...both, merge, release(3)],
      ONE,
      {},
      { most: 3 },
    ),
    make(
      'a waiter between merged tombstones does not get the permit of another waiter',
      APART,
      [wait(0), sleep, merge, release(1)],
      ONE,
      { balance: -4 },
      five,
    ),
    make('the last waiter cancels while tombstones before it are merged', THREE, [sleep, giveUp(1), merge], TWO, {
      strict: true,
    }),
    make(
      'the last waiter cancels behind merged tombstones',
      THREE,
      [sleep, sleep, (agent) => (merge(agent), giveUp(1)(agent))],
      TWO,
      { strict: true },
    ),
    make('two agents merge while a third releases', THREE, [...both, merge, merge, release(2)], ONE),
    make('tombstones are merged while the semaphore is closed', TWO_LEFT, [...both, merge, close], ONE, {
      closed: true,
    }),
    make('an agent dies while it merges', THREE, [...both, merge, release(2), (agent) => recover(agent, 2)], NONE, {
      dies: 2,
    }),
    make(
      'an agent dies while it merges, and the last waiter cancels',
      THREE,
      [sleep, giveUp(1), merge, (agent) => recover(agent, 2)],
      ONE,
      { dies: 2, strict: true },
    ),
    ...[2n ** 31n - 3n, 2n ** 32n - 3n, 2n ** 63n - 3n].map((start) =>
      make(`tombstones are merged at counters from ${start}`, THREE, [...both, merge, release(2)], ONE, {}, { start }),
    ),
  ];
}

type Deeds = Pick<Plan<FamilyCore>, 'bodies' | 'options'>;

function caseOf(
  core: FamilyCore,
  flag: number,
  name: string,
  line: readonly Place[],
  deeds: Deeds,
  fate: Fate,
  more: Partial<Setup>,
): Case {
  const world = new MemberWorld(
    core,
    { permits: [0], agents: deeds.bodies.length, most: 2, elements: 8, ...more },
    flag,
  );
  const built = world.case({
    ...deeds,
    name,
    invariant: (words) => world.checkHeld(words),
    final: (words) => check(world, words, fate),
    ...(fate.dies === undefined ? {} : { mayCrash: [fate.dies] }),
  });
  const setup = (words: Words): void => {
    world.layOut(words);
    lineUp(core, words, line);
  };
  return { ...built, scenario: { ...built.scenario, setup } };
}

function check(
  world: MemberWorld,
  words: Words,
  { balance = 0, strict = false, closed = false }: Fate,
): string | undefined {
  for (let agent = 0; agent < world.setup.agents; agent++) {
    for (const word of [AGENT_CHAIN, AGENT_IN_FLIGHT]) {
      if (words.load32(agentAt(agent) + KIND_AREA + word) !== 0)
        return `agent ${agent} still has tombstones to put back`;
    }
  }
  if (strict) return checkAlone(world, words);
  if (closed) return world.checkElements(words);
  const free = world.core.referenceKernel(words).balance(semaphoreAddress(0));
  if (free !== balance) return `the line ends with ${free}, expected ${balance}`;
  return balance < 0
    ? undefined
    : (world.checkElements(words) ??
        (words.load32(semaphoreAddress(0) + OWN_CHAIN) === 0 ? undefined : 'a tombstone is left'));
}

function checkAlone(world: MemberWorld, words: Words): string | undefined {
  const drawn = BigInt.asIntN(64, words.load64(semaphoreAddress(0) + TICKET) - world.setup.start);
  if (drawn !== 1n) return `${drawn} tickets are drawn, but one agent waits`;
  for (let index = 1; index < world.setup.elements; index++) {
    if (words.load32(elementAt(index) + OWNER) !== 0 && words.load32(elementAt(index) + GATE) !== FREE)
      return `element ${index} is still in use`;
  }
  return undefined;
}

export const MODELS: readonly Model[] = [
  { name: 'merge', entry: new URL('entry.ts', import.meta.url), cases: mergeCases, mutants: MERGE_MUTANTS },
];

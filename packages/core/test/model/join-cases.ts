// Scenarios in which agents join an arena, or die while they join. Recovery returns each resource of a dead agent
// exactly once. Memory that other agents refer to is not reused.

import type { Options, Words } from '@sluice/model';
import { blockBytes } from '../../src/memory/heap.ts';
import { records } from '../../src/memory/records.ts';
import {
  AGENT_HAZARD,
  AGENT_STATE,
  AGENT_STRIDE,
  BLOCK_KIND,
  BLOCK_LINE,
  BLOCK_TAG,
  HEADER_AGENTS,
  HEADER_AGENT_POOL,
  HEADER_RETIRED,
  KIND_LEAVING,
  KIND_RETIRED,
  OWNER,
  POOL_RECORDS,
} from '../../src/kernel/layout.ts';
import { recoverOnce } from './death-bodies.ts';
import { HeapWorld, type HeapSetup } from './heap-world.ts';
import { agentAt, semaphoreAddress } from './places.ts';
import type { Case, Model } from './case.ts';
import type { Actor, Body, Core } from './world.ts';
import { JOIN_MUTANTS } from './leave-mutants.ts';

const TWO_PREEMPTIONS: Options = { preemptions: 2 };
/** Agents that join during a scenario get ids above this one. */
const LAST_ID = 100;
/** Lines of the block by which the pool of agents grows: 16 records. */
const POOL_LINES = blockBytes(POOL_RECORDS + 16 * AGENT_STRIDE) / BLOCK_LINE;

interface Start {
  /** Whether the record of agent 0 is free. If not, an agent that joins has to grow the pool. */
  readonly hasFreeRecord?: boolean;
  /** The block of the semaphore was freed, and agent 1 still refers to it. */
  readonly isRetired?: boolean;
}

export function joinCases(core: Core): Case[] {
  const make = (
    name: string,
    setup: Partial<HeapSetup>,
    start: Start,
    bodies: readonly Body[],
    mayCrash: readonly number[],
  ): Case => {
    const world = new HeapWorld(core, { permits: [1], agents: bodies.length, spare: POOL_LINES, ...setup });
    const scenario = world.scenario(name, bodies, undefined, {
      setup: (words) => {
        world.layOut(words);
        prepare(words, start);
      },
      invariant: (words) => (start.isRetired === true ? checkRetired(words) : undefined),
      final: (words, outcomes) => world.checkHeap(words) ?? checkRecords(words, outcomes),
      mayCrash,
      deaths: mayCrash.length,
    });
    return { scenario, options: TWO_PREEMPTIONS };
  };
  const free = { free: [POOL_LINES] };
  return [
    make('an agent dies while it joins with a free record', {}, { hasFreeRecord: true }, [join, recoverJoiner], [0]),
    make('an agent dies while it joins and grows the pool', free, {}, [join, recoverJoiner], [0]),
    make('an agent dies while it joins and takes its pool block from the end', {}, {}, [join, recoverJoiner], [0]),
    make('two agents join, and one of them dies', free, {}, [join, join, recoverJoiner], [0]),
    make('two agents recover an agent that died while it joined', free, {}, [join, recoverJoiner, recoverJoiner], [0]),
    make(
      'an agent dies while it joins, and so does its reclaimer',
      free,
      {},
      [join, recoverJoiner, recoverBoth],
      [0, 1],
    ),
    make(
      'an agent dies while it joins, and another agent refers to a retired block',
      {},
      { isRetired: true },
      [join, recoverJoiner],
      [0],
    ),
  ];
}

function prepare(words: Words, { hasFreeRecord = false, isRetired = false }: Start): void {
  words.put32(HEADER_AGENTS, LAST_ID);
  if (hasFreeRecord) for (const word of [OWNER, AGENT_STATE]) words.put32(agentAt(0) + word, 0);
  if (!isRetired) return;
  words.put32(semaphoreAddress(0) + BLOCK_TAG, 0);
  words.put32(semaphoreAddress(0) + BLOCK_KIND, KIND_RETIRED);
  words.put32(HEADER_RETIRED, semaphoreAddress(0));
  words.put32(agentAt(1) + AGENT_HAZARD, semaphoreAddress(0));
}

/** Joins the arena as an agent of a thread of its own. */
const join: Body = ({ ctx, core, context }) =>
  core.join(context.words, context.kernel, context.heap, threadOf(ctx.index)).id;

function threadOf(agent: number): number {
  return agent + 1;
}

/** Recovers as a watch does when the thread of agent 0 has ended. */
const recoverJoiner: Body = (actor) => {
  if (actor.ctx.waitForDeath(0)) recoverThread(actor);
};

/** Recovers the joiner, and also its reclaimer if that died. */
const recoverBoth: Body = (actor) => {
  const { ctx } = actor;
  if (ctx.waitForDeath(1)) recoverOnce(actor, 1);
  if (ctx.waitForDeath(0)) recoverThread(actor);
};

function recoverThread({ core, context }: Actor): void {
  core.recoverThread(context, threadOf(0));
}

function checkRetired(words: Words): string | undefined {
  const kind = words.load32(semaphoreAddress(0) + BLOCK_KIND);
  return kind === KIND_RETIRED || kind === KIND_LEAVING ? undefined : `a block that agent 1 refers to has kind ${kind}`;
}

/** Checks that exactly the agents that joined have a record each. */
function checkRecords(words: Words, outcomes: readonly unknown[]): string | undefined {
  const owners = [...records(words as never, HEADER_AGENT_POOL)]
    .map(({ owner }) => owner)
    .filter((owner) => owner > LAST_ID);
  const joined = outcomes.filter((outcome): outcome is number => typeof outcome === 'number');
  const [found, expected] = [owners.toSorted((a, b) => a - b).join(), joined.toSorted((a, b) => a - b).join()];
  return found === expected ? undefined : `agents ${expected} joined, and there are records of agents ${found}`;
}

export const MODELS: readonly Model[] = [
  { name: 'join', entry: new URL('entry.ts', import.meta.url), cases: joinCases, mutants: JOIN_MUTANTS },
];

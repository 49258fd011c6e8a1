// Scenarios in which a semaphore is freed and its memory reused while other agents still act on the old semaphore. The
// new semaphore has exactly the permits it was created with.

import type { Options, Scenario, Words } from '@sluice/model';
import {
  AGENT_SPARE,
  AGENT_STUB,
  BLOCK_LINE,
  BLOCK_TAG,
  GRANT,
  KIND_SEMAPHORE,
  OWNER,
  TICKET,
} from '../../src/kernel/layout.ts';
import { CANCELLED_LEFT_BEHIND } from '../../src/kernel/states.ts';
import { HeapWorld } from './heap-world.ts';
import { agentAt, elementAt, semaphoreAddress, tagOf } from './places.ts';
import { LEFT, lineUp } from './gather-cases.ts';
import type { Case, Model } from './case.ts';
import type { Actor, Body, Core } from './world.ts';
import { asElement } from '../../src/kernel/addresses.ts';
import { REUSE_MUTANTS } from './reuse-mutants.ts';

const TWO_PREEMPTIONS: Options = { preemptions: 2 };
/** An agent's own words are scheduling points, too, because a ticket moves through them. */
const EACH_WRITE: Options = { preemptions: 3, scheduleLocal: true };
const NEW_TAG = 30;
const SETUP = { permits: [0, 0], most: 1, agents: 2 };

export function reuseCases(core: Core): Case[] {
  const make = (
    name: string,
    bodies: readonly Body[],
    options: Options,
    prepare: Prepare = nothing,
    elements = 3,
  ): Case => {
    const world = new HeapWorld(core, { ...SETUP, elements });
    return { scenario: scenarioOf(world, name, bodies, prepare), options };
  };
  return [
    make('a tombstone that another walker has in hand', [giveUpThenReplace, giveUp(1)], TWO_PREEMPTIONS),
    make(
      'a waiter that has not linked cancels while its semaphore is replaced',
      [giveUpElement, replace],
      TWO_PREEMPTIONS,
      standInLine,
    ),
    make(
      'an agent merges tombstones while their semaphore is replaced',
      [mergeAndWait, replace],
      TWO_PREEMPTIONS,
      fourLeft,
      6,
    ),
    make(
      'an agent rolls back a ticket in its stub while the semaphore is replaced',
      [giveBackStub, replace],
      TWO_PREEMPTIONS,
      waitInStub,
      0,
    ),
    make(
      'a ticket moves from a stub to an element while the semaphore is replaced',
      [adoptAndGiveUp, replace],
      TWO_PREEMPTIONS,
      waitInStub,
      3,
    ),
    make(
      'a region with the bytes of a semaphore replaces the semaphore of a tombstone',
      [giveUpThenFill, giveUp(1)],
      TWO_PREEMPTIONS,
    ),
    make(
      'a region with the bytes of a semaphore replaces the semaphore of a ticket that moves',
      [adoptAndGiveUp, closeThenFill],
      EACH_WRITE,
      waitInStub,
      3,
    ),
  ];
}

type Prepare = (world: HeapWorld, words: Words) => void;
const nothing: Prepare = () => undefined;

function scenarioOf(world: HeapWorld, name: string, bodies: readonly Body[], prepare: Prepare): Scenario {
  return world.scenario(name, bodies, undefined, {
    setup: (words) => {
      world.layOut(words);
      prepare(world, words);
    },
    final: (words, outcomes) =>
      world.checkGates(words) ??
      world.checkHeap(words, [filledBy(outcomes)]) ??
      checkNew(world, words) ??
      checkBytes(words, filledBy(outcomes)),
  });
}

/** Checks that no operation on the old semaphore changed the new one. */
function checkNew({ core }: HeapWorld, words: Words): string | undefined {
  const found = [...core.blocks(words)].find((block) => words.load32(block + BLOCK_TAG) === NEW_TAG);
  if (found === undefined) return undefined;
  const free = core.referenceKernel(words).balance(found);
  return free === 1 ? undefined : `the new semaphore ends with ${free} free permits, expected 1`;
}

/** Returns the block that a body filled; 0 if none did. */
function filledBy(outcomes: readonly unknown[]): number {
  return outcomes.find((outcome): outcome is number => typeof outcome === 'number') ?? 0;
}

/** Checks that the bytes of a block that is not a semaphore did not change. */
function checkBytes(words: Words, block: number): string | undefined {
  if (block === 0) return undefined;
  const [ticket, grant] = [words.load64(block + TICKET), words.load64(block + GRANT)];
  return ticket === 1n && grant === 0n
    ? undefined
    : `the bytes of another block were changed to ${ticket} and ${grant}`;
}

/** Agent 0 has a ticket of the first semaphore, in an element that is in no chain. */
const standInLine: Prepare = ({ core }, words) => {
  words.put32(elementAt(0) + OWNER, 1);
  words.put32(agentAt(0) + AGENT_SPARE, elementAt(0));
  core.referenceKernel(words).acquire(semaphoreAddress(0), tagOf(0), 0, 1, agentAt(0));
};

/** Elements 0 to 3 are tombstones of the first semaphore, between two waiters. */
const fourLeft: Prepare = (world, words) =>
  lineUp(world, words, [
    [4, 1],
    [0, 1, LEFT],
    [1, 1, LEFT],
    [2, 1, LEFT],
    [3, 1, LEFT],
    [5, 1],
  ]);
const mergeAndWait: Body = ({ core, context }) => {
  core.compact(context);
  for (const element of [elementAt(4), elementAt(5)]) {
    core.sleepInLine(
      context,
      { line: context.semaphoreLine, entry: 0 },
      element,
      { ...core.DEFAULT_POLICY, spinMicros: 0 },
      Infinity,
    );
    context.keep(element);
  }
};

/** Agent 0 has a ticket of the first semaphore in its stub, without an element. */
const waitInStub: Prepare = ({ core }, words) => {
  core.referenceKernel(words).acquire(semaphoreAddress(0), tagOf(0), 0, 1, agentAt(0));
};

/** Draws a ticket of one of the semaphores, links it and gives up. */
const giveUp =
  (semaphore: number): Body =>
  ({ core, context }) => {
    context.refill();
    const drawn = context.kernel.acquire(semaphoreAddress(semaphore), tagOf(semaphore), 0, 1, context.agent);
    if (drawn <= 0) return;
    core.enterChain(context, asElement(drawn));
    if (core.leaveLine(context, { line: context.semaphoreLine, entry: 0 }, asElement(drawn)) !== CANCELLED_LEFT_BEHIND)
      context.keep(asElement(drawn));
  };

const giveUpElement: Body = ({ core, context }) => {
  if (core.leaveLine(context, { line: context.semaphoreLine, entry: 0 }, elementAt(0)) !== CANCELLED_LEFT_BEHIND)
    context.keep(elementAt(0));
};

const giveBackStub: Body = ({ core, context }) => {
  try {
    const element = context.begin(asElement(stubOf(context.agent)), 0, 0);
    if (
      element > 0 &&
      core.leaveLine(context, { line: context.semaphoreLine, entry: 0 }, asElement(element)) !== CANCELLED_LEFT_BEHIND
    )
      context.keep(asElement(element));
  } catch (error) {
    if (!core.hasCode(error, 'SLUICE_ARENA_FULL')) throw error;
  }
};

const adoptAndGiveUp: Body = ({ core, context }) => {
  const element = context.begin(asElement(stubOf(context.agent)), 0, 0);
  if (
    element > 0 &&
    core.leaveLine(context, { line: context.semaphoreLine, entry: 0 }, asElement(element)) !== CANCELLED_LEFT_BEHIND
  )
    context.keep(asElement(element));
};

function stubOf(agent: number): number {
  return agent + AGENT_STUB;
}

/** Closes the first semaphore as its last user would, frees it, and creates another semaphore. */
const replace: Body = (actor) => {
  actor.sem.close();
  replaceIt(actor);
};

const giveUpThenReplace: Body = (actor) => {
  giveUp(0)(actor);
  replaceIt(actor);
};

/**
 * Creates the new semaphore. It lies in the same block, unless an agent still refers to the old one. Its only permit
 * can be taken once.
 */
function replaceIt({ core, ctx, context }: Actor): void {
  const arena = { handle: { memory: undefined, arena: 'model' } } as never;
  core.freePrimitive({ arena, context, address: semaphoreAddress(0), tag: tagOf(0) }, 'The semaphore');
  const block = context.heap.allocate(context, BLOCK_LINE);
  context.words.put64(block + GRANT, 1n);
  context.kernel.publish(block, KIND_SEMAPHORE, NEW_TAG, 0);
  const sem = core.semaphoreAt(
    { arena, context, address: block, tag: NEW_TAG },
    { ...core.DEFAULT_POLICY, spinMicros: 0 },
  );
  sem.acquire();
  ctx.assert(!sem.tryAcquire(), 'the only permit existed twice');
  sem.release();
  ctx.assert(
    context.words.load64(block + GRANT) - context.words.load64(block + TICKET) === 1n,
    'the new semaphore does not have exactly one permit',
  );
}

const giveUpThenFill: Body = (actor) => {
  giveUp(0)(actor);
  return fillIts(actor);
};

const closeThenFill: Body = (actor) => {
  actor.sem.close();
  return fillIts(actor);
};

/**
 * Frees the first semaphore. Writes bytes into the next block that look like an open semaphore with one ticket drawn.
 * Returns the address of that block.
 */
function fillIts({ core, context }: Actor): number {
  const arena = { handle: { memory: undefined, arena: 'model' } } as never;
  core.freePrimitive({ arena, context, address: semaphoreAddress(0), tag: tagOf(0) }, 'The semaphore');
  const block = context.heap.allocate(context, BLOCK_LINE);
  context.words.store64(block + TICKET, 1n);
  context.words.store32(block + BLOCK_TAG, tagOf(0));
  return block;
}

export const MODELS: readonly Model[] = [
  {
    name: 'memory',
    entry: new URL('entry.ts', import.meta.url),
    cases: reuseCases,
    mutants: REUSE_MUTANTS,
    caughtByError: 'CorruptArenaError',
  },
];

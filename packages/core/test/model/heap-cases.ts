// Scenarios at the heap. Agents allocate blocks and free them, and may die meanwhile. No bytes are in two blocks, and
// none are lost.

import { soakSize } from '@sluice/harness';
import type { Options } from '@sluice/model';
import { BLOCK_LINE, BLOCK_SIZE, HEADER_FREED_SINCE_JOIN } from '../../src/kernel/layout.ts';
import { checkDead } from './death-cases.ts';
import { reclaim } from './death-bodies.ts';
import { HeapWorld, type HeapSetup } from './heap-world.ts';
import { semaphoreAddress, tagOf } from './places.ts';
import type { Case, Model } from './case.ts';
import type { Actor, Body, Core } from './world.ts';
import { HEAP_MUTANTS } from './reuse-mutants.ts';

const TWO_PREEMPTIONS: Options = { preemptions: 2 };
/** These cases take minutes with two preemptions. */
const TWO_IN_THE_SOAK: Options = { preemptions: soakSize(1, 2) };

export function heapCases(core: Core): Case[] {
  const make = (
    name: string,
    setup: Partial<HeapSetup>,
    bodies: readonly Body[],
    mayCrash: readonly number[] = [],
  ): Case => {
    const world = new HeapWorld(core, { permits: [1], agents: bodies.length, ...setup });
    const scenario = world.scenario(name, bodies, undefined, {
      setup: (words) => {
        world.layOut(words);
        // The free blocks are new on their lists.
        words.put32(HEADER_FREED_SINCE_JOIN, setup.free?.length ?? 0);
      },
      final: (words, outcomes) => world.checkHeap(words) ?? checkDead(world, words, outcomes),
      ...(mayCrash.length === 0 ? {} : { mayCrash, deaths: mayCrash.length }),
    });
    return { scenario, options: mayCrash.length === 0 ? TWO_PREEMPTIONS : TWO_IN_THE_SOAK };
  };
  return [
    make('one free block, two agents', { free: [1] }, [use(1), use(1)]),
    make('two free blocks, and an agent that takes both and frees one', { free: [1, 1] }, [use(1), useTwoOfThree]),
    make('an agent splits a block', { free: [3] }, [use(1), use(2)]),
    make('an agent joins neighbours', { free: [1, 1] }, [use(2), use(1)]),
    make('two agents join neighbours', { free: [1, 1, 1] }, [use(2), use(3)]),
    make('an agent dies while it takes a block from the end', {}, [use(1), use(1), reclaim(0)], [0]),
    make('an agent dies while it splits a block', { free: [3] }, [use(1), use(1), reclaim(0)], [0]),
    make('an agent dies while it joins neighbours', { free: [1, 1] }, [use(2), use(1), reclaim(0)], [0]),
    make('an agent dies while it frees a semaphore', { free: [1] }, [freeSemaphore, use(1), reclaim(0)], [0]),
    make(
      'an agent dies while it joins neighbours, and so does its reclaimer',
      { free: [1, 1] },
      [use(2), reclaim(0), reclaim(1, 0)],
      [0, 1],
    ),
  ];
}

/** Allocates a block, checks that no other agent writes to it, and frees it. */
const use =
  (lines: number): Body =>
  (actor) => {
    const block = actor.context.heap.allocate(actor.context, lines * BLOCK_LINE);
    sign(actor, block);
    expectSigned(actor, block);
    actor.context.heap.free(actor.context, block);
  };

const useTwoOfThree: Body = (actor) => {
  const { heap } = actor.context;
  const first = heap.allocate(actor.context, BLOCK_LINE);
  const second = heap.allocate(actor.context, BLOCK_LINE);
  heap.free(actor.context, first);
  const third = heap.allocate(actor.context, BLOCK_LINE);
  actor.ctx.assert(second !== third, 'two agents got one block at the same time');
  for (const block of [second, third]) sign(actor, block);
  for (const block of [second, third]) expectSigned(actor, block);
  for (const block of [second, third]) heap.free(actor.context, block);
};

const freeSemaphore: Body = ({ core, context }) => {
  const arena = { handle: { memory: undefined, arena: 'model' } } as never;
  core.freePrimitive({ arena, context, address: semaphoreAddress(0), tag: tagOf(0) }, 'The semaphore');
};

/** Where an agent writes its id into each line of its block. */
const SIGNATURE = 32;

function sign({ context }: Actor, block: number): void {
  for (const line of linesOf(context.words, block)) context.words.store32(line + SIGNATURE, context.id);
}

function expectSigned({ ctx, context }: Actor, block: number): void {
  for (const line of linesOf(context.words, block)) {
    const found = context.words.load32(line + SIGNATURE);
    ctx.assert(found === context.id, `bytes of agent ${context.id} are agent ${found}'s, too`);
  }
}

function linesOf(words: Actor['context']['words'], block: number): number[] {
  return Array.from(
    { length: words.load32(block + BLOCK_SIZE) / BLOCK_LINE },
    (_, index) => block + index * BLOCK_LINE,
  );
}

export const MODELS: readonly Model[] = [
  {
    name: 'heap',
    entry: new URL('entry.ts', import.meta.url),
    cases: heapCases,
    mutants: HEAP_MUTANTS,
    caughtByError: 'CorruptArenaError',
  },
];

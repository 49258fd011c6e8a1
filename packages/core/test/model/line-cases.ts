// Scenarios that start with agents in line. A search would otherwise need many steps to reach these states.

import { soakSize } from '@sluice/harness';
import type { Options, Scenario, Words } from '@sluice/model';
import { AGENT_SPARE, GATE, MODE, OWNER, TICKET } from '../../src/kernel/layout.ts';
import { CANCELLED_LEFT_BEHIND, IDLE, PARKED, RACED, TAKEN } from '../../src/kernel/states.ts';
import { give } from './bodies.ts';
import { agentAt, elementAt, entryAt, semaphoreAddress, tagOf } from './places.ts';
import type { Case, Model } from './case.ts';
import { OUTSIDER, World, type Body, type Core, type Setup } from './world.ts';
import { LINE_MUTANTS } from './mutants.ts';

/**
 * Lays out a line. Element i belongs to agent i, which sleeps as the i-th in line and wants `wants[i]` permits. The
 * first `stubs` agents drew their tickets into their stubs, because their elements belong to other agents.
 */
export function queue(world: World, wants: readonly number[], stubs = 0): (words: Words) => void {
  return (words) => {
    world.layOut(words);
    const kernel = world.core.referenceKernel(words);
    for (const [agent, permits] of wants.entries()) {
      const element = elementAt(agent);
      words.put32(element + OWNER, agent < stubs ? OUTSIDER : agent + 1);
      words.put32(element + MODE, 0);
      words.put32(agentAt(agent) + AGENT_SPARE, agent < stubs ? 0 : element);
      kernel.acquire(semaphoreAddress(0), tagOf(0), entryAt(agent, 0), permits, agentAt(agent));
      if (agent < stubs) continue;
      while (kernel.link(agentAt(agent), element) === RACED);
      while (kernel.walk(agentAt(agent)) !== IDLE);
      words.store32(element + GATE, PARKED);
    }
  };
}

/** Continues to sleep until its turn comes. Returns whether it was admitted. */
export const sleepOn =
  (timed = false): Body =>
  ({ core, ctx, context, entry }) => {
    const element = elementAt(ctx.index);
    const policy = { ...core.DEFAULT_POLICY, spinMicros: 0 };
    const verdict = core.sleepInLine(
      context,
      { line: context.semaphoreLine, entry },
      element,
      policy,
      timed ? 0 : Infinity,
    );
    if (verdict !== CANCELLED_LEFT_BEHIND) context.keep(element);
    return verdict === TAKEN;
  };

/** Gives up at once. If the grant came first, releases the permits. */
export const leave =
  (permits = 1): Body =>
  ({ core, ctx, context, sem, entry }) => {
    const element = elementAt(ctx.index);
    const verdict = core.leaveLine(context, { line: context.semaphoreLine, entry }, element);
    if (verdict !== CANCELLED_LEFT_BEHIND) context.keep(element);
    if (verdict === TAKEN) sem.release(permits);
  };

const ALL: Options = {};
const TWO_PREEMPTIONS: Options = { preemptions: 2 };
/** These cases take 45 s with two preemptions. */
const TWO_IN_THE_SOAK: Options = { preemptions: soakSize(1, 2) };

export function lineCases(core: Core): Case[] {
  const make = (
    name: string,
    setup: Setup,
    wants: readonly number[],
    bodies: readonly Body[],
    options: Options,
    ends: (admitted: readonly unknown[]) => number,
  ): Case => {
    const world = new World(core, setup);
    const more: Partial<Scenario> = {
      setup: queue(world, wants),
      final: (words: Words, outcomes: readonly unknown[]) => world.checkEnd(words, [ends(outcomes)]),
    };
    return { scenario: world.scenario(name, bodies, undefined, more), options };
  };
  /** Returns the permits released minus the permits that admitted waiters took. */
  const rest = (released: number, wants: readonly number[]) => (admitted: readonly unknown[]) =>
    released - wants.reduce((sum, want, index) => sum + (admitted[index] === true ? want : 0), 0);

  return [
    make('the head of two waiters leaves', line(2, 1), [1, 1], [leave(), sleepOn(), give()], ALL, rest(1, [1, 1])),
    make('the last of two waiters leaves', line(2, 1), [1, 1], [sleepOn(), leave(), give()], ALL, rest(1, [1, 1])),
    make(
      'both of two waiters may leave',
      line(2, 1),
      [1, 1],
      [leave(), sleepOn(true), give()],
      TWO_PREEMPTIONS,
      rest(1, [1, 1]),
    ),
    make(
      'two releases, and the middle of three waiters leaves',
      line(3, 2),
      [1, 1, 1],
      [sleepOn(), leave(), sleepOn(), give(), give()],
      TWO_IN_THE_SOAK,
      rest(2, [1, 1, 1]),
    ),
    // A case for the detacher's second check: one release has the tombstone in flight while another release makes it
    // due.
    make(
      'two releases, and the head of two waiters leaves',
      line(2, 2),
      [1, 1],
      [leave(), sleepOn(), give(), give()],
      TWO_PREEMPTIONS,
      rest(2, [1, 1]),
    ),
    make(
      'one release of two permits, and the head of two waiters leaves',
      line(2, 2),
      [1, 1],
      [leave(), sleepOn(), give(2)],
      ALL,
      rest(2, [1, 1]),
    ),
    make(
      'a release of two permits with two buckets',
      { ...line(2, 2), buckets: 2 },
      [1, 1],
      [sleepOn(), sleepOn(), give(2)],
      ALL,
      rest(2, [1, 1]),
    ),
    make(
      'the head leaves with a part of its permits granted',
      line(2, 3),
      [3, 1],
      [leave(3), sleepOn(), give(2)],
      ALL,
      rest(2, [3, 1]),
    ),
    // The release passes eight keys in one step unless it sees the waiter at the last of these keys.
    make(
      'a release of eight permits with eight buckets',
      { ...line(1, 8), buckets: 8 },
      [8],
      [sleepOn(), give(8)],
      ALL,
      rest(8, [8]),
    ),
    make(
      'a release of nine permits with 16 buckets',
      { ...line(1, 9), buckets: 16 },
      [9],
      [sleepOn(), give(9)],
      ALL,
      rest(9, [9]),
    ),
    make(
      'the second waiter leaves before it becomes the head',
      { ...line(3, 4), buckets: 4 },
      [1, 3, 1],
      [sleepOn(), leave(3), sleepOn(), give(2)],
      TWO_PREEMPTIONS,
      rest(2, [1, 3, 1]),
    ),
    make(
      'a release of one of two permits to the only waiter, which may time out',
      line(1, 1),
      [2],
      [sleepOn(true), give()],
      ALL,
      rest(1, [2]),
    ),
    make(
      'a waiter gets several permits one by one',
      line(2, 3),
      [2, 1],
      [sleepOn(), sleepOn(), give(), give(2)],
      TWO_PREEMPTIONS,
      rest(3, [2, 1]),
    ),
    lateLeaver(core),
    leavesNothing(core),
    tombstonesGo(core, [1, 2, 1], ALL),
    tombstonesGo(core, [1, 1, 2], ALL),
    tombstonesGo(core, [1, 3, 2, 1], TWO_PREEMPTIONS),
    tombstonesGo(core, [1, 2, 3, 2], TWO_PREEMPTIONS),
    make(
      'two waiters cancel at the same time',
      line(3, 1),
      [1, 1, 1],
      [leave(), leave(), sleepOn(), give()],
      TWO_IN_THE_SOAK,
      rest(1, [1, 1, 1]),
    ),
  ];
}

/**
 * One of three waiters leaves and is delayed right after its element became a tombstone. Meanwhile a walker frees the
 * element, and another agent uses it and leaves. The late leaver must not touch the element.
 */
function lateLeaver(core: Core): Case {
  const world = new World(core, { permits: [0], agents: 5, most: 1, elements: 5 });
  const giveAndTake: Body = ({ ctx, sem }) => {
    sem.release();
    ctx.until(() => ctx.words.load64(semaphoreAddress(0) + TICKET) >= 4n);
    sem.acquire();
  };
  const useAgain: Body = ({ ctx, sem }) => {
    ctx.until(() => ctx.words.load32(elementAt(0) + OWNER) === 0);
    return sem.tryAcquire(1, 1);
  };
  const name = 'an element is reused while its former waiter is late';
  const scenario = world.scenario(name, [leave(), sleepOn(), sleepOn(), giveAndTake, useAgain], undefined, {
    setup: queue(world, [1, 1, 1]),
    // One permit is released and two agents want to keep it, so one of them waits forever. The case checks only the
    // invariant.
    final: () => undefined,
    stuck: () => undefined,
  });
  return { scenario, options: { preemptions: 1 } };
}

/**
 * The first two waiters continue to sleep, and one of them is admitted. The ticket of the third waiter is rolled back
 * at any moment.
 */
function leavesNothing(core: Core): Case {
  const world = new World(core, line(3, 1));
  const sleep: Body = () => undefined;
  const scenario = world.scenario(
    'the last of three waiters leaves without a trace',
    [sleep, sleep, leave(), give()],
    undefined,
    {
      setup: queue(world, [1, 1, 1]),
      final: (words: Words) => {
        const drawn = words.load64(semaphoreAddress(0) + TICKET);
        return drawn === 2n ? undefined : `${drawn} tickets are drawn, expected two`;
      },
    },
  );
  return { scenario, options: ALL };
}

/**
 * All waiters except the first leave, for any number of permits that each wants. Their tickets are rolled back, and
 * every element is free again.
 */
function tombstonesGo(core: Core, wants: readonly number[], options: Options): Case {
  const world = new World(core, { ...line(wants.length, 0), agents: wants.length, buckets: 4 });
  const sleep: Body = () => undefined;
  const [, ...leavers] = wants;
  const scenario = world.scenario(
    `all waiters except the first of ${wants.join(', ')} leave without a trace`,
    [sleep, ...leavers.map((want) => leave(want))],
    undefined,
    {
      setup: queue(world, wants),
      final: (words: Words) => {
        const drawn = words.load64(semaphoreAddress(0) + TICKET);
        if (drawn !== 1n) return `${drawn} tickets are drawn, expected one`;
        const stays = leavers.findIndex((_, index) => words.load32(elementAt(1 + index) + OWNER) !== 0);
        return stays < 0 ? undefined : `the element of waiter ${1 + stays} is still in a chain`;
      },
    },
  );
  return { scenario, options };
}

/** A set-up without free permits: `waiters` agents are in line, and at most `most` permits are ever released. */
function line(waiters: number, most: number): Setup {
  return { permits: [0], agents: waiters + 2, most, elements: waiters };
}

export const MODELS: readonly Model[] = [
  { name: 'line', entry: new URL('entry.ts', import.meta.url), cases: lineCases, mutants: LINE_MUTANTS },
];

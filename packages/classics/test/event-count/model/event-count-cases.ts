// Cases of the event count. Each is small enough for a complete search, or for a complete search within a bound on
// preemptions.

import { STUCK, type Options, type Words } from '@sluice/model';
import { BUCKETS, GATE, GRANT, NEXT, OWNER } from '../../../../core/src/kernel/layout.ts';
import { PARKED, TAKEN } from '../../../../core/src/kernel/states.ts';
import type { Case, Model } from '../../../../core/test/model/case.ts';
import { drawTicket, endWait, giveUp, reclaim, sleepOn } from '../../../../core/test/model/office-bodies.ts';
import type { EventCountKernel } from '../../../src/event-count/kinds.ts';
import {
  EVENT,
  eventCountCase,
  PUBLISHED,
  TAG,
  type EventCountActor,
  type EventCountBody,
  type EventCountCore,
  type EventCountPlan,
} from './event-count-world.ts';
import { MUTANTS } from './mutants.ts';

const ALL: Options = {};
const ONE_PREEMPTION: Options = { preemptions: 1 };
const TWO_PREEMPTIONS: Options = { preemptions: 2 };
const THREE_PREEMPTIONS: Options = { preemptions: 3 };
const NO_PREEMPTION: Options = { preemptions: 0 };
const LOCAL: Options = { preemptions: 1, scheduleLocal: true };

/** Advances `times` times by `n`. Only one agent of a case may publish: `publishes`. */
const advance =
  (times = 1, n = 1, publishes = true): EventCountBody =>
  ({ ctx, event }) => {
    for (let round = 1; round <= times; round++) {
      if (publishes) ctx.words.store32(PUBLISHED, round * n);
      event.advance(n);
      ctx.forget(round);
    }
  };
const check = ({ ctx }: EventCountActor, value: number): void =>
  ctx.assert(ctx.words.load32(PUBLISHED) >= value, `admitted before the count was ${value}`);
const wait =
  (value: number): EventCountBody =>
  (actor) => {
    actor.event.await(value);
    check(actor, value);
  };
/** Waits without a check of what was published. */
const waitBlindly =
  (value: number): EventCountBody =>
  ({ event }) =>
    event.await(value);
/** Sleeps on without a check of what was published. */
const sleepBlindly: EventCountBody = (actor) => void sleepOn(actor, 0);
const tryWait =
  (value: number, times: number): EventCountBody =>
  (actor) => {
    for (let round = 0; round < times; round++) {
      if (actor.event.tryAwait(value, 1)) check(actor, value);
      actor.ctx.forget(round);
    }
  };
/** An async wait as the event loop drives it. An abort may end it at any moment. */
const waitOrAbort =
  (value: number): EventCountBody =>
  (actor) => {
    const { core, ctx, context, policy, line } = actor;
    const element = drawTicket(actor, () =>
      (context.kernel as EventCountKernel).enqueueAtEventCount(EVENT, TAG, context.agent, 1, value),
    );
    if (element === TAKEN) {
      check(actor, value);
      return;
    }
    const abort = ctx.choose(3, 'abort before linking, after it, never');
    if (abort > 0) core.enterChain(context, element);
    const at = { line, entry: 0 } as const;
    const verdict =
      abort < 2 ? core.leaveLine(context, at, element) : core.sleepInLine(context, at, element, policy, Infinity);
    if (endWait(actor, element, verdict)) check(actor, value);
  };
const sleep =
  (value: number): EventCountBody =>
  (actor) => {
    actor.ctx.assert(sleepOn(actor, 0), 'a wait without a limit ended without its verdict');
    check(actor, value);
  };
const leave =
  (value: number): EventCountBody =>
  (actor) => {
    if (giveUp(actor, 0)) check(actor, value);
  };
const gather: EventCountBody = ({ core, context }) => core.compact(context);
/** Advances once, and checks that the only sleeper, which waits for a later value, was not woken. */
const advanceBeside: EventCountBody = (actor) => {
  const { ctx } = actor;
  advance()(actor);
  const element = ctx.words.load32(BUCKETS);
  ctx.assert(element !== 0 && ctx.words.load32(element + GATE) === PARKED, 'a waiter of a later value was woken');
};
const never = (): string => 'an agent waits forever';
/** Checks that only waiters of values that were not reached wait forever. */
const beyond =
  (count: bigint, late: readonly number[]) =>
  (words: Words, outcomes: readonly unknown[]): string | undefined => {
    const stuck = outcomes.flatMap((outcome, agent) => (outcome === STUCK ? [agent] : []));
    return words.load64(EVENT + GRANT) === count && stuck.join() === late.join()
      ? undefined
      : `the agents ${stuck.join()} wait forever at ${words.load64(EVENT + GRANT)}`;
  };

export function eventCountCases(core: EventCountCore): Case[] {
  const make = (name: string, bodies: readonly EventCountBody[], options: Options, plan: EventCountPlan = {}): Case =>
    eventCountCase(core, name, bodies, options, plan);
  return [
    make('one advance and one waiter', [advance(), wait(1)], ALL, { stuck: never }),
    make('one advance and two waiters of one value', [advance(), wait(1), wait(1)], TWO_PREEMPTIONS, { stuck: never }),
    make('two advances and waiters of two values', [advance(2), wait(1), wait(2)], TWO_PREEMPTIONS, { stuck: never }),
    make('two agents advance', [advance(1, 1, false), advance(1, 1, false), waitBlindly(2)], TWO_PREEMPTIONS, {
      stuck: never,
    }),
    make('an advance by two and waiters of two values', [advance(1, 2), wait(1), wait(2)], ONE_PREEMPTION, {
      stuck: never,
    }),
    make('an advance by two races a waiter', [advance(1, 2), wait(2)], ALL, { stuck: never }),
    make('a waiter of a later value sleeps on', [advanceBeside, sleepBlindly], ALL, {
      asleep: [[1, 2]],
      stuck: beyond(1n, [1]),
    }),
    make('one of two sleepers in one chain is due', [advance(), sleep(1), sleepBlindly], TWO_PREEMPTIONS, {
      asleep: [
        [1, 1],
        [2, 3],
      ],
      stuck: beyond(1n, [2]),
    }),
    make(
      'an advance puts a sleeper back while another agent advances',
      [advance(1, 1, false), advance(2, 1, false), sleepBlindly],
      TWO_PREEMPTIONS,
      { asleep: [[2, 3]], stuck: never },
    ),
    make('a waiter may time out', [advance(), tryWait(1, 2)], ALL),
    make('a waiter may be aborted', [advance(), waitOrAbort(1)], ALL),
    make('one of two waiters may be aborted', [advance(2), waitOrAbort(1), wait(2)], TWO_PREEMPTIONS),
    make('one of two sleepers cancels', [advance(2), sleep(2), leave(1)], ALL, {
      asleep: [
        [1, 2],
        [2, 1],
      ],
    }),
    make('both of two sleepers cancel', [advance(), leave(1), leave(1)], THREE_PREEMPTIONS, {
      asleep: [
        [1, 1],
        [2, 1],
      ],
    }),
    make(
      'an agent gathers while one of two sleepers cancels',
      [leave(1), sleep(2), gather, advance(2)],
      TWO_PREEMPTIONS,
      {
        asleep: [
          [0, 1],
          [1, 2],
        ],
      },
    ),
    ...[2n ** 31n - 1n, 2n ** 32n - 1n].map((count) =>
      make(
        `the count starts at ${count}`,
        [advance(2, 1, false), sleepBlindly, waitBlindly(Number(count) + 2)],
        ONE_PREEMPTION,
        { count, asleep: [[1, Number(count) + 1]], stuck: never },
      ),
    ),
    make('two buckets', [advance(2), sleep(1), sleep(2)], THREE_PREEMPTIONS, {
      asleep: [
        [1, 1],
        [2, 2],
      ],
      buckets: 2,
    }),
    make('two buckets, an advance by two', [advance(1, 2), sleep(1), sleep(2)], ONE_PREEMPTION, {
      asleep: [
        [1, 1],
        [2, 2],
      ],
      buckets: 2,
    }),
    make('a sleeper cancels while the count advances, every word watched', [advance(), leave(1), sleep(1)], LOCAL, {
      asleep: [
        [1, 1],
        [2, 1],
      ],
    }),
  ];
}

/** Advances after a death, as another agent. */
const rescue =
  (n: number): EventCountBody =>
  (actor) => {
    reclaim(0)(actor);
    actor.event.advance(n);
  };
/** Like `rescue`. Also checks that no agent can claim an element that the dead agent left in the chain. */
const rescueWhole: EventCountBody = (actor) => {
  const {
    ctx,
    ctx: { words },
  } = actor;
  reclaim(0)(actor);
  for (let element = words.load32(BUCKETS); element !== 0; element = words.load32(element + NEXT))
    ctx.assert(words.load32(element + OWNER) !== 0, 'an element in a chain is free');
  actor.event.advance();
};

export function eventCountDeathCases(core: EventCountCore): Case[] {
  const make = (name: string, bodies: readonly EventCountBody[], options: Options, plan: EventCountPlan = {}): Case =>
    eventCountCase(core, name, bodies, options, { mayCrash: [0], ...plan });
  const forward =
    (n = 1): EventCountBody =>
    ({ event }) =>
      event.advance(n);
  const cancels: EventCountBody = (actor) => void giveUp(actor, 0);
  return [
    make('death of an agent that advances', [forward(), sleepBlindly, rescue(1)], ALL, { asleep: [[1, 1]] }),
    make('death of an agent that advances by two', [forward(2), sleepBlindly, rescue(1)], TWO_PREEMPTIONS, {
      asleep: [[1, 1]],
      buckets: 2,
    }),
    make(
      'death of an agent that advances beside a waiter of a later value',
      [forward(), sleepBlindly, sleepBlindly, rescue(2)],
      ONE_PREEMPTION,
      {
        asleep: [
          [1, 1],
          [2, 2],
        ],
      },
    ),
    make('death of a sleeper', [sleepBlindly, forward(), reclaim(0)], ALL, { asleep: [[0, 1]] }),
    make('death of one of two sleepers', [sleepBlindly, sleepBlindly, forward(2), reclaim(0)], ONE_PREEMPTION, {
      asleep: [
        [0, 2],
        [1, 1],
      ],
    }),
    make('death of a waiter that may time out', [({ event }) => event.tryAwait(1, 1), forward(), reclaim(0)], ALL),
    make('death of a sleeper that cancels beside another', [cancels, sleepBlindly, rescueWhole], ONE_PREEMPTION, {
      asleep: [
        [0, 1],
        [1, 1],
      ],
    }),
    make(
      'death of an agent that advances, then of its reclaimer',
      [
        forward(),
        sleepBlindly,
        reclaim(0),
        (actor) => {
          reclaim(2, 0)(actor);
          actor.event.advance();
        },
      ],
      NO_PREEMPTION,
      { asleep: [[1, 1]], mayCrash: [0, 2], deaths: 2 },
    ),
  ];
}

const ENTRY = new URL('entry.ts', import.meta.url);

export const MODELS: readonly Model[] = [
  { name: 'event count', entry: ENTRY, cases: eventCountCases, mutants: MUTANTS },
  { name: 'event count death', entry: ENTRY, cases: eventCountDeathCases },
];

// Cases of the manual-reset event. Each is small enough for a complete search, or for a complete search within a bound
// on preemptions.

import { STUCK, type Options, type Words } from '@sluice/model';
import { BUCKETS, GRANT, NEXT, OWNER } from '../../../core/src/kernel/layout.ts';
import { TAKEN } from '../../../core/src/kernel/states.ts';
import { drawTicket, endWait, giveUp, reclaim, sleepOn } from '../../../core/test/model/office-bodies.ts';
import type { Case, Model } from '../../../core/test/model/case.ts';
import type { ManualEventKernel } from '../../src/kinds.ts';
import {
  EVENT,
  eventCase,
  PUBLISHED,
  TAG,
  type EventActor,
  type EventBody,
  type EventCore,
  type EventPlan,
} from './event-world.ts';
import { DEATH_MUTANTS, MUTANTS } from './mutants.ts';

const ALL: Options = {};
const ONE_PREEMPTION: Options = { preemptions: 1 };
const TWO_PREEMPTIONS: Options = { preemptions: 2 };
const THREE_PREEMPTIONS: Options = { preemptions: 3 };
const NO_PREEMPTION: Options = { preemptions: 0 };
const LOCAL: Options = { preemptions: 1, scheduleLocal: true };

function publish({ ctx }: EventActor): void {
  ctx.words.store32(PUBLISHED, 1);
}
function check({ ctx }: EventActor): void {
  ctx.assert(ctx.words.load32(PUBLISHED) === 1, 'admitted before the event was set');
}

const set: EventBody = (actor) => {
  publish(actor);
  actor.event.set();
};
/** Admits all current waiters, and no later one. */
const setAndReset: EventBody = (actor) => {
  publish(actor);
  actor.event.set();
  actor.ctx.assert(actor.event.reset(), 'another agent has reset the event');
};
const setTwice: EventBody = (actor) => {
  setAndReset(actor);
  actor.event.set();
};
const reset: EventBody = ({ event }) => event.reset();
const wait: EventBody = (actor) => {
  actor.event.wait();
  check(actor);
};
const tryWait =
  (times: number): EventBody =>
  (actor) => {
    for (let round = 0; round < times; round++) {
      if (actor.event.tryWait(1)) check(actor);
      actor.ctx.forget(round);
    }
  };
/** An async wait as the event loop drives it. An abort may end it at any moment. */
const waitOrAbort: EventBody = (actor) => {
  const { core, ctx, context, policy, line } = actor;
  const element = drawTicket(actor, () =>
    (context.kernel as ManualEventKernel).enqueueAtManualEvent(EVENT, TAG, context.agent, 1),
  );
  if (element === TAKEN) {
    check(actor);
    return;
  }
  const abort = ctx.choose(3, 'abort before linking, after it, never');
  if (abort > 0) core.enterChain(context, element);
  const at = { line, entry: 0 } as const;
  const verdict =
    abort < 2 ? core.leaveLine(context, at, element) : core.sleepInLine(context, at, element, policy, Infinity);
  if (endWait(actor, element, verdict)) check(actor);
};
const sleep: EventBody = (actor) => {
  actor.ctx.assert(sleepOn(actor, 0), 'a wait without a limit ended without its verdict');
  check(actor);
};
const leave: EventBody = (actor) => {
  if (giveUp(actor, 0)) check(actor);
};
/** Cancels the only waiter, which takes its element out of the chain. */
const leaveAlone: EventBody = (actor) => {
  leave(actor);
  actor.ctx.assert(actor.ctx.words.load32(BUCKETS) === 0, 'the element of the only waiter stays in the chain');
};
const gather: EventBody = ({ core, context }) => core.compact(context);
/** Checks that only the waiter that arrived after the reset waits forever. */
const afterReset = (words: Words, outcomes: readonly unknown[]): string | undefined => {
  const isSet = (words.load32(EVENT + GRANT) & 1) !== 0;
  return !isSet && outcomes.includes(STUCK) ? undefined : 'an agent waits forever at a set event';
};
const never = (): string => 'an agent waits forever';

export function eventCases(core: EventCore): Case[] {
  const make = (name: string, bodies: readonly EventBody[], options: Options, plan: EventPlan = {}): Case =>
    eventCase(core, name, bodies, options, plan);
  return [
    make('one set and one waiter', [set, wait], ALL),
    make('one set and two waiters', [set, wait, wait], TWO_PREEMPTIONS),
    make('two sets and one waiter', [set, set, wait], TWO_PREEMPTIONS),
    make('a waiter may time out', [set, tryWait(2)], ALL),
    make('a waiter may be aborted', [set, waitOrAbort], ALL),
    make('one of two waiters may be aborted', [set, waitOrAbort, wait], TWO_PREEMPTIONS),
    make('a set and a reset race a waiter', [setAndReset, wait], ALL, { stuck: afterReset }),
    make('a set and a reset admit a sleeper', [setAndReset, sleep], ALL, { asleep: [1], stuck: never }),
    make('a set and a reset admit two sleepers', [setAndReset, sleep, sleep], TWO_PREEMPTIONS, {
      asleep: [1, 2],
      stuck: never,
    }),
    make('two sets race a waiter', [setTwice, wait], ALL, { stuck: never }),
    make('two sets race a waiter while another sleeps', [setTwice, sleep, wait], TWO_PREEMPTIONS, {
      asleep: [1],
      stuck: never,
    }),
    make('a reset races a set', [set, reset, sleep], ALL, { asleep: [2], stuck: never }),
    ...[2n ** 31n - 2n, 2n ** 32n - 2n, 2n ** 63n - 2n].map((word) =>
      make(`the word starts at ${word}`, [setTwice, sleep, wait], ONE_PREEMPTION, { word, asleep: [1], stuck: never }),
    ),
    make('one of two sleepers cancels', [set, sleep, leave], ALL, { asleep: [1, 2] }),
    make('both of two sleepers cancel', [set, leave, leave], THREE_PREEMPTIONS, { asleep: [1, 2] }),
    make('both of two sleepers cancel at an event that is not set', [leave, leave], ALL, { asleep: [0, 1] }),
    make('the only waiter cancels', [leaveAlone], ALL, { asleep: [0] }),
    make('an agent gathers while two of three sleepers cancel', [leave, leave, sleep, gather, set], ONE_PREEMPTION, {
      asleep: [0, 1, 2],
    }),
    make('an agent gathers while one of two sleepers cancels', [leave, sleep, gather, set], TWO_PREEMPTIONS, {
      asleep: [0, 1],
    }),
    make('a sleeper cancels while the event is set, every word watched', [set, leave, sleep], LOCAL, {
      asleep: [1, 2],
    }),
    make('two buckets', [set, leave, sleep], THREE_PREEMPTIONS, { asleep: [1, 2], buckets: 2 }),
    make('two buckets, the event was set before', [set, sleep], ALL, { asleep: [1], buckets: 2, word: 2n }),
  ];
}

const glance: EventBody = ({ event }) => event.tryWait(1);
/** Sets the event after a death, as another agent. */
const rescue: EventBody = (actor) => {
  reclaim(0)(actor);
  actor.event.set();
};

/** Like `rescue`. Also checks that no agent can claim an element that the dead agent left in the chain. */
const rescueWhole: EventBody = (actor) => {
  const {
    ctx,
    ctx: { words },
  } = actor;
  reclaim(0)(actor);
  for (let element = words.load32(BUCKETS); element !== 0; element = words.load32(element + NEXT))
    ctx.assert(words.load32(element + OWNER) !== 0, 'an element in a chain is free');
  actor.event.set();
};

export function eventDeathCases(core: EventCore): Case[] {
  const make = (name: string, bodies: readonly EventBody[], options: Options, plan: EventPlan = {}): Case =>
    eventCase(core, name, bodies, options, { mayCrash: [0], ...plan });
  const wakes: EventBody = (actor) => void sleepOn(actor, 0);
  return [
    make('death of an agent that sets', [set, wakes, rescue], ALL, { asleep: [1] }),
    make(
      'death of an agent that sets and resets',
      [
        ({ event }) => {
          event.set();
          event.reset();
        },
        wakes,
        rescue,
      ],
      ONE_PREEMPTION,
      { asleep: [1] },
    ),
    make('death of a sleeper', [wakes, set, reclaim(0)], ALL, { asleep: [0] }),
    make('death of one of two sleepers', [wakes, wakes, set, reclaim(0)], ONE_PREEMPTION, { asleep: [0, 1] }),
    make('death of a waiter that may time out', [glance, set, reclaim(0)], ALL),
    make('death of a sleeper that cancels', [(actor) => void giveUp(actor, 0), glance, reclaim(0)], ONE_PREEMPTION, {
      asleep: [0],
    }),
    make(
      'death of a sleeper that cancels beside another',
      [(actor) => void giveUp(actor, 0), wakes, rescueWhole],
      ONE_PREEMPTION,
      { asleep: [0, 1] },
    ),
    make(
      'death of an agent that gathers while a sleeper cancels',
      [gather, (actor) => void giveUp(actor, 0), wakes, rescue],
      ONE_PREEMPTION,
      { asleep: [1, 2] },
    ),
    make('death of a sleeper, then of its reclaimer', [wakes, set, reclaim(0), reclaim(2, 0)], NO_PREEMPTION, {
      asleep: [0],
      mayCrash: [0, 2],
      deaths: 2,
    }),
    make(
      'death of an agent that sets, then of its reclaimer',
      [
        set,
        wakes,
        reclaim(0),
        (actor) => {
          reclaim(2, 0)(actor);
          actor.event.set();
        },
      ],
      NO_PREEMPTION,
      { asleep: [1], mayCrash: [0, 2], deaths: 2 },
    ),
  ];
}

const ENTRY = new URL('entry.ts', import.meta.url);

export const MODELS: readonly Model[] = [
  { name: 'manual event', entry: ENTRY, cases: eventCases, mutants: MUTANTS },
  { name: 'manual event death', entry: ENTRY, cases: eventDeathCases, mutants: DEATH_MUTANTS },
];

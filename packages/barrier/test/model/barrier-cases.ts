// Cases of the barrier. Each is small enough for a complete search, or for a complete search within a bound on
// preemptions.

import { STUCK, type Options, type Words } from '@sluice/model';
import type { Case, Model } from '../../../core/test/model/case.ts';
import {
  abort,
  agree,
  alone,
  arrivalOf,
  deregister,
  deregisterActing,
  glance,
  leave,
  meet,
  meetActing,
  meetLater,
  meetOrAbort,
  meetThrowing,
  meetTimes,
  reset,
  sleep,
  tryMeet,
  tryMeetActing,
} from './barrier-bodies.ts';
import { ARRIVED, BROKEN, RESETS } from '../../src/kernel/layout.ts';
import {
  ACTIONS,
  BARRIER,
  barrierCase,
  lowOf,
  type BarrierBody,
  type BarrierCore,
  type BarrierPlan,
} from './barrier-world.ts';
import { BARRIER_MUTANTS } from './barrier-mutants.ts';

const ALL: Options = {};
const ONE_PREEMPTION: Options = { preemptions: 1 };
const TWO_PREEMPTIONS: Options = { preemptions: 2 };
const THREE_PREEMPTIONS: Options = { preemptions: 3 };
const LOCAL: Options = { preemptions: 1, scheduleLocal: true };

/**
 * Trips the generation of the sleeper. Then breaks each of the next `breaks` generations and makes the barrier whole.
 */
const tripAndBreak =
  (breaks: number): BarrierBody =>
  (actor) => {
    const arrival = arrivalOf(actor, () => actor.barrier.wait());
    for (let count = 0; count < breaks; count++) {
      actor.ctx.assert(actor.barrier.tryWait(1) === undefined, 'one of two parties tripped the barrier');
      actor.barrier.reset();
    }
    return arrival;
  };
/**
 * Trips the generation of the sleeper and says so. Waits in the next generation for a limited time, then makes the
 * barrier whole; another agent may do so, too.
 */
const tripAndMeet: BarrierBody = (actor) => {
  const arrival = arrivalOf(actor, () => actor.barrier.wait());
  actor.ctx.words.store32(ACTIONS, 1);
  arrivalOf(actor, () => actor.barrier.tryWait(1));
  actor.barrier.reset();
  return arrival;
};
const resetAfter: BarrierBody = ({ ctx, barrier }) => {
  if (ctx.words.load32(ACTIONS) === 1) barrier.reset();
};
/** Breaks the generation of the sleeper, makes the barrier whole, and trips the next generation alone. */
const breakAndTrip: BarrierBody = ({ barrier }) => {
  barrier.reset();
  barrier.deregister();
  barrier.wait();
};
/** Breaks the generation of the sleeper and the next generation. */
const breakTwice: BarrierBody = ({ barrier }) => {
  barrier.reset();
  barrier.tryWait(1);
  barrier.reset();
};
/** Registers a further party while others meet. */
const join: BarrierBody = (actor) => {
  actor.barrier.register();
  return meet(0, 1)(actor);
};
const joinAndGo: BarrierBody = ({ barrier }) => {
  barrier.register();
  barrier.deregister();
};

/** Checks that two of three parties met, or none did. The remaining one waits forever if it cannot time out. */
const third = (words: Words, outcomes: readonly unknown[]): string | undefined => {
  const told = outcomes.filter((outcome) => outcome === 'leads' || outcome === 'follows');
  return (told.length === 0 || told.join() === 'leads,follows' || told.join() === 'follows,leads') &&
    outcomes.filter((outcome) => outcome === STUCK).length === 1 &&
    (lowOf(words) & ARRIVED) === 1
    ? undefined
    : `ended as ${outcomes.map(String).join(', ')}`;
};

/** Tries to remove two parties while only one may leave. */
const tryDeregister: BarrierBody = ({ core, ctx, barrier }) => {
  try {
    barrier.deregister(2);
  } catch (error) {
    if (!core.hasCode(error, 'SLUICE_MISUSE')) throw error;
    return;
  }
  ctx.assert(false, 'a party that has arrived was removed');
};

const itBroke = (words: Words, outcomes: readonly unknown[]): string | undefined =>
  outcomes[0] === 'late'
    ? agree(words, outcomes)
    : `the wait that broke its generation ended as ${String(outcomes[0])}`;
/** Checks that one of two waiters that time out breaks the generation. */
const oneIsLate = (words: Words, outcomes: readonly unknown[]): string | undefined =>
  outcomes.includes('late') ? agree(words, outcomes) : 'no wait timed out, yet both ended as broken';
const tripped = (_words: Words, outcomes: readonly unknown[]): string | undefined =>
  outcomes[0] === 'leads'
    ? undefined
    : `the wait of the sleeper, whose generation tripped, ended as ${String(outcomes[0])}`;
/**
 * Checks that one reset was counted for the generation that broke after the sleeper's, whether one agent or two called
 * reset().
 */
const oneReset = (words: Words, outcomes: readonly unknown[]): string | undefined =>
  words.load32(BARRIER + RESETS) === 1
    ? tripped(words, outcomes)
    : `${words.load32(BARRIER + RESETS)} resets were counted`;
const broken = (_words: Words, outcomes: readonly unknown[]): string | undefined =>
  outcomes[0] === 'broke'
    ? undefined
    : `the wait of the sleeper, whose generation was broken, ended as ${String(outcomes[0])}`;
const actedOnce = (words: Words, outcomes: readonly unknown[]): string | undefined =>
  words.load32(ACTIONS) === 1 ? agree(words, outcomes) : `the action ran ${words.load32(ACTIONS)} times`;
/** Checks that each generation of two parties has one leader. */
const twoGenerations = (_words: Words, outcomes: readonly unknown[]): string | undefined => {
  const rounds = outcomes.filter((outcome) => typeof outcome === 'string').map((outcome) => outcome.split(', '));
  const isRight = [0, 1].every(
    (round) =>
      rounds
        .map((each) => each[round])
        .sort()
        .join() === 'follows,leads',
  );
  return isRight ? undefined : `the generations ended as ${outcomes.join(' and ')}`;
};

export function barrierCases(core: BarrierCore): Case[] {
  const make = (name: string, bodies: readonly BarrierBody[], options: Options, plan: BarrierPlan = {}): Case =>
    barrierCase(core, name, bodies, options, { final: agree, ...plan });
  const mayBreak = { mayBreak: true };
  const two = { parties: 2 };
  return [
    make('two parties', [meet(0, 1), meet(0, 1)], ALL),
    make('three parties', [meet(0, 1, 2), meet(0, 1, 2), meet(0, 1, 2)], TWO_PREEMPTIONS),
    make('two parties in two generations', [meetTimes(2, 0, 1), meetTimes(2, 0, 1)], THREE_PREEMPTIONS, {
      final: twoGenerations,
    }),
    ...[2 ** 31 - 1, 2 ** 32 - 1].map((generations) =>
      make(`counter of generations at ${generations}`, [meetTimes(2, 0, 1), meetTimes(2, 0, 1)], TWO_PREEMPTIONS, {
        generations,
        final: twoGenerations,
      }),
    ),
    make('a party that may time out', [meet(0, 1), tryMeet(0, 1)], ALL, mayBreak),
    make('two parties that may time out', [tryMeet(0, 1), tryMeet(0, 1)], ALL, mayBreak),
    make(
      'three parties, one of which may time out',
      [meet(0, 1, 2), meet(0, 1, 2), tryMeet(0, 1, 2)],
      ONE_PREEMPTION,
      mayBreak,
    ),
    make('a party that may be aborted', [meet(0, 1), meetOrAbort(0, 1)], ALL, mayBreak),
    make('two parties that may be aborted', [meetOrAbort(0, 1), meetOrAbort(0, 1)], TWO_PREEMPTIONS, mayBreak),
    make('a non-blocking wait races the arrival of the other party', [meet(0, 1), glance(0, 1)], ALL, {
      stuck: (_words, outcomes) => (outcomes[1] === 'late' ? undefined : 'a party waits forever'),
      final: () => undefined,
    }),
    make('a reset races two parties', [meet(0, 1), meet(0, 1), reset], TWO_PREEMPTIONS, { ...two, stuck: alone }),
    make('abort() races two parties', [meet(0, 1), meet(0, 1), abort], TWO_PREEMPTIONS, {
      ...two,
      mayBreak: true,
    }),
    make('abort() of a barrier without waiters', [abort, meet()], ALL, {
      parties: 1,
      mayBreak: true,
      final: (words) => ((lowOf(words) & BROKEN) === 0 ? 'abort() left the barrier whole' : undefined),
    }),
    make('two resets while a party sleeps', [sleep(), reset, reset], ALL, { ...two, asleep: [0], final: broken }),
    make('the generation of a sleeper trips, then the next one is broken', [sleep(), tripAndBreak(1)], ALL, {
      ...two,
      asleep: [0],
      final: tripped,
    }),
    make('the generation of a sleeper is broken, then the next one trips', [sleep(), breakAndTrip], ALL, {
      ...two,
      asleep: [0],
      ends: 1,
      final: broken,
    }),
    make('the generation of a sleeper is broken, then the next one is broken, too', [sleep(), breakTwice], ALL, {
      ...two,
      asleep: [0],
      final: broken,
    }),
    make('a party sleeps in a barrier that was reset before', [sleep(), breakAndTrip], ALL, {
      ...two,
      asleep: [0],
      ends: 1,
      final: broken,
      resets: 2 ** 32 - 1,
      generations: 9,
    }),
    make(
      'a reset after the generation of a sleeper has tripped',
      [sleep(), tripAndMeet, resetAfter],
      THREE_PREEMPTIONS,
      {
        ...two,
        asleep: [0],
        mayBreak: true,
        final: oneReset,
      },
    ),
    make('a party that has arrived cannot leave', [sleep(), tryDeregister], ALL, {
      ...two,
      asleep: [0],
      stuck: () => undefined,
      final: () => undefined,
    }),
    make('a party leaves while the other arrives', [meet(0, 1), deregister], ALL, { ends: 1 }),
    make('a party leaves while two others meet', [meet(0, 1, 2), meet(0, 1, 2), deregister], TWO_PREEMPTIONS, {
      ends: 2,
    }),
    make('a party joins while two others meet', [meet(0, 1), meet(0, 1), join], ONE_PREEMPTION, {
      ...two,
      ends: 3,
      final: () => undefined,
      stuck: (_words, outcomes) => (outcomes.includes('broke') ? 'broken' : undefined),
    }),
    make('a party joins and leaves while two others meet', [meet(0, 1), meet(0, 1), joinAndGo], TWO_PREEMPTIONS, two),
    make('two parties with an action', [meetActing(0, 1), meetActing(0, 1)], ALL, { final: actedOnce }),
    make('a party leaves while the other arrives, with an action', [meetActing(0, 1), deregisterActing], ALL, {
      ends: 1,
      final: actedOnce,
    }),
    make('an action that throws', [meetThrowing, meetThrowing], ALL, mayBreak),
    make('a party whose generation has an action may time out', [meetActing(0, 1), tryMeetActing], ALL, mayBreak),
    make('a reset races an action', [meetActing(0, 1), meetActing(0, 1), reset], TWO_PREEMPTIONS, {
      ...two,
      stuck: alone,
      final: () => undefined,
    }),
    make(
      'a third party arrives while the action runs, and may time out',
      [meetActing(), meetActing(), tryMeetActing],
      ONE_PREEMPTION,
      {
        ...two,
        mayBreak: true,
        stuck: third,
        final: () => undefined,
      },
    ),
    make('a third party waits while the action runs', [meetActing(), meetActing(), meetActing()], TWO_PREEMPTIONS, {
      ...two,
      stuck: third,
      final: () => 'three parties met at a barrier of two',
    }),
    make(
      'a third party that waits while the action runs times out',
      [sleep(), meetActing(), tryMeetActing],
      TWO_PREEMPTIONS,
      {
        ...two,
        asleep: [0],
        mayBreak: true,
        stuck: tripped,
        final: tripped,
      },
    ),
    make('one of two waiters times out while a third party arrives', [sleep(), leave, meet()], ALL, {
      asleep: [0, 1],
      parties: 3,
      ...mayBreak,
    }),
    make('both of two waiters time out', [leave, leave], THREE_PREEMPTIONS, {
      asleep: [0, 1],
      parties: 3,
      ...mayBreak,
      final: oneIsLate,
    }),
    make('a waiter times out while another party arrives', [leave, meet()], ALL, {
      asleep: [0],
      parties: 3,
      ...mayBreak,
      final: itBroke,
    }),
    make('a waiter times out while another party arrives in the chain', [leave, meetLater()], ALL, {
      asleep: [0],
      parties: 3,
      ...mayBreak,
      final: itBroke,
    }),
    make('a waiter times out while the last party arrives, every word watched', [leave, meet(0, 1)], LOCAL, {
      asleep: [0],
      ...two,
      ...mayBreak,
    }),
    make('two buckets, one of two waiters times out', [sleep(), leave, meet()], TWO_PREEMPTIONS, {
      asleep: [0, 1],
      parties: 3,
      buckets: 2,
      ...mayBreak,
    }),
    make('two buckets, three parties', [sleep(0, 1, 2), meet(0, 1, 2), meet(0, 1, 2)], TWO_PREEMPTIONS, {
      asleep: [0],
      parties: 3,
      buckets: 2,
    }),
  ];
}

export const MODELS: readonly Model[] = [
  { name: 'barrier', entry: new URL('entry.ts', import.meta.url), cases: barrierCases, mutants: BARRIER_MUTANTS },
];

// The scenarios of the barrier. Each is small enough to be explored completely, or completely within a bound on
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

/** Trips the generation of the sleeper, then breaks the next one and makes the barrier whole. */
const tripAndBreak =
  (breaks: number): BarrierBody =>
  (actor) => {
    const arrival = arrivalOf(actor, () => actor.barrier.wait());
    for (let count = 0; count < breaks; count++) {
      actor.ctx.assert(actor.barrier.tryWait(1) === undefined, 'tripped by one of two');
      actor.barrier.reset();
    }
    return arrival;
  };
/**
 * Trips the generation of the sleeper, says so, and comes into the next one for a while. Then makes the barrier whole,
 * as another may do.
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
/** Breaks the generation of the sleeper, and the next one. */
const breakTwice: BarrierBody = ({ barrier }) => {
  barrier.reset();
  barrier.tryWait(1);
  barrier.reset();
};
/** Comes as another party, while others meet. */
const join: BarrierBody = (actor) => {
  actor.barrier.register();
  return meet(0, 1)(actor);
};
const joinAndGo: BarrierBody = ({ barrier }) => {
  barrier.register();
  barrier.deregister();
};

/** Two of three parties met, or none. The other one waits for ever if it cannot time out. */
const third = (words: Words, outcomes: readonly unknown[]): string | undefined => {
  const told = outcomes.filter((outcome) => outcome === 'leads' || outcome === 'follows');
  return (told.length === 0 || told.join() === 'leads,follows' || told.join() === 'follows,leads') &&
    outcomes.filter((outcome) => outcome === STUCK).length === 1 &&
    (lowOf(words) & ARRIVED) === 1
    ? undefined
    : `ended as ${outcomes.map(String).join(', ')}`;
};

/** Two leave where one may. */
const tryDeregister: BarrierBody = ({ core, ctx, barrier }) => {
  try {
    barrier.deregister(2);
  } catch (error) {
    if (!core.hasCode(error, 'SLUICE_MISUSE')) throw error;
    return;
  }
  ctx.assert(false, 'a party that has arrived has left');
};

const itBroke = (words: Words, outcomes: readonly unknown[]): string | undefined =>
  outcomes[0] === 'late'
    ? agree(words, outcomes)
    : `the wait that broke its generation ended as ${String(outcomes[0])}`;
/** Of two that leave, one breaks the generation. */
const oneIsLate = (words: Words, outcomes: readonly unknown[]): string | undefined =>
  outcomes.includes('late') ? agree(words, outcomes) : 'no party left, and both were told that it was broken';
const tripped = (_words: Words, outcomes: readonly unknown[]): string | undefined =>
  outcomes[0] === 'leads' ? undefined : `the sleeper of a generation that tripped was told ${String(outcomes[0])}`;
/** One generation was broken after it, and made whole by one agent or by two at once. */
const oneReset = (words: Words, outcomes: readonly unknown[]): string | undefined =>
  words.load32(BARRIER + RESETS) === 1
    ? tripped(words, outcomes)
    : `${words.load32(BARRIER + RESETS)} resets were counted`;
const broken = (_words: Words, outcomes: readonly unknown[]): string | undefined =>
  outcomes[0] === 'broke' ? undefined : `the sleeper of a generation that was broken was told ${String(outcomes[0])}`;
const actedOnce = (words: Words, outcomes: readonly unknown[]): string | undefined =>
  words.load32(ACTIONS) === 1 ? agree(words, outcomes) : `the action ran ${words.load32(ACTIONS)} times`;
/** Each generation of two parties has one leader. */
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
      make(`${generations} generations have ended`, [meetTimes(2, 0, 1), meetTimes(2, 0, 1)], TWO_PREEMPTIONS, {
        generations,
        final: twoGenerations,
      }),
    ),
    make('a party that may time out', [meet(0, 1), tryMeet(0, 1)], ALL, mayBreak),
    make('two parties that may time out', [tryMeet(0, 1), tryMeet(0, 1)], ALL, mayBreak),
    make(
      'three parties, of which one may time out',
      [meet(0, 1, 2), meet(0, 1, 2), tryMeet(0, 1, 2)],
      ONE_PREEMPTION,
      mayBreak,
    ),
    make('a party that may be aborted', [meet(0, 1), meetOrAbort(0, 1)], ALL, mayBreak),
    make('two parties that may be aborted', [meetOrAbort(0, 1), meetOrAbort(0, 1)], TWO_PREEMPTIONS, mayBreak),
    make('a party that arrives only as the last', [meet(0, 1), glance(0, 1)], ALL, {
      stuck: (_words, outcomes) => (outcomes[1] === 'late' ? undefined : 'a party waits for ever'),
      final: () => undefined,
    }),
    make('a reset beside two parties', [meet(0, 1), meet(0, 1), reset], TWO_PREEMPTIONS, { ...two, stuck: alone }),
    make('an abort of the barrier beside two parties', [meet(0, 1), meet(0, 1), abort], TWO_PREEMPTIONS, {
      ...two,
      mayBreak: true,
    }),
    make('an abort of the barrier alone', [abort, meet()], ALL, {
      parties: 1,
      mayBreak: true,
      final: (words) => ((lowOf(words) & BROKEN) === 0 ? 'an abort left the barrier whole' : undefined),
    }),
    make('two resets beside a sleeper', [sleep(), reset, reset], ALL, { ...two, asleep: [0], final: broken }),
    make('a sleeper whose generation trips before the next one is broken', [sleep(), tripAndBreak(1)], ALL, {
      ...two,
      asleep: [0],
      final: tripped,
    }),
    make('a sleeper whose generation is broken before the next one trips', [sleep(), breakAndTrip], ALL, {
      ...two,
      asleep: [0],
      ends: 1,
      final: broken,
    }),
    make('a sleeper whose generation is broken before the next one is', [sleep(), breakTwice], ALL, {
      ...two,
      asleep: [0],
      final: broken,
    }),
    make('a sleeper after resets', [sleep(), breakAndTrip], ALL, {
      ...two,
      asleep: [0],
      ends: 1,
      final: broken,
      resets: 2 ** 32 - 1,
      generations: 9,
    }),
    make('a reset beside a sleeper whose generation tripped', [sleep(), tripAndMeet, resetAfter], THREE_PREEMPTIONS, {
      ...two,
      asleep: [0],
      mayBreak: true,
      final: oneReset,
    }),
    make('a party that cannot leave', [sleep(), tryDeregister], ALL, {
      ...two,
      asleep: [0],
      stuck: () => undefined,
      final: () => undefined,
    }),
    make('a party leaves as the last', [meet(0, 1), deregister], ALL, { ends: 1 }),
    make('a party leaves beside two', [meet(0, 1, 2), meet(0, 1, 2), deregister], TWO_PREEMPTIONS, { ends: 2 }),
    make('a party joins beside two', [meet(0, 1), meet(0, 1), join], ONE_PREEMPTION, {
      ...two,
      ends: 3,
      final: () => undefined,
      stuck: (_words, outcomes) => (outcomes.includes('broke') ? 'broken' : undefined),
    }),
    make('a party joins and leaves beside two', [meet(0, 1), meet(0, 1), joinAndGo], TWO_PREEMPTIONS, two),
    make('two parties with an action', [meetActing(0, 1), meetActing(0, 1)], ALL, { final: actedOnce }),
    make('a party leaves as the last with an action', [meetActing(0, 1), deregisterActing], ALL, {
      ends: 1,
      final: actedOnce,
    }),
    make('an action that throws', [meetThrowing, meetThrowing], ALL, mayBreak),
    make('a party with an action that may time out', [meetActing(0, 1), tryMeetActing], ALL, mayBreak),
    make('a reset beside an action', [meetActing(0, 1), meetActing(0, 1), reset], TWO_PREEMPTIONS, {
      ...two,
      stuck: alone,
      final: () => undefined,
    }),
    make('a third comes while the action runs', [meetActing(), meetActing(), tryMeetActing], ONE_PREEMPTION, {
      ...two,
      mayBreak: true,
      stuck: third,
      final: () => undefined,
    }),
    make('a third waits while the action runs', [meetActing(), meetActing(), meetActing()], TWO_PREEMPTIONS, {
      ...two,
      stuck: third,
      final: () => 'three of two parties met',
    }),
    make('a third gives up while the action runs', [sleep(), meetActing(), tryMeetActing], TWO_PREEMPTIONS, {
      ...two,
      asleep: [0],
      mayBreak: true,
      stuck: tripped,
      final: tripped,
    }),
    make('a sleeper and one that leaves', [sleep(), leave, meet()], ALL, { asleep: [0, 1], parties: 3, ...mayBreak }),
    make('both of two leave', [leave, leave], THREE_PREEMPTIONS, {
      asleep: [0, 1],
      parties: 3,
      ...mayBreak,
      final: oneIsLate,
    }),
    make('one leaves while another arrives', [leave, meet()], ALL, {
      asleep: [0],
      parties: 3,
      ...mayBreak,
      final: itBroke,
    }),
    make('one leaves while another arrives in the chain', [leave, meetLater()], ALL, {
      asleep: [0],
      parties: 3,
      ...mayBreak,
      final: itBroke,
    }),
    make('one leaves while a party arrives, every word watched', [leave, meet(0, 1)], LOCAL, {
      asleep: [0],
      ...two,
      ...mayBreak,
    }),
    make('two buckets', [sleep(), leave, meet()], TWO_PREEMPTIONS, {
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

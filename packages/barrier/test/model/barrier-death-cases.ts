// Scenarios in which agents die: before any kernel step, write or notification, or asleep.

import { DIED, type Options, type Words } from '@sluice/model';
import { reclaim } from '../../../core/test/model/office-bodies.ts';
import { GRANT } from '../../../core/src/kernel/layout.ts';
import type { Case, Model } from '../../../core/test/model/case.ts';
import { arrivalOf, leave, meetActing, meetOrAbort, reset, sleep, tryMeet } from './barrier-bodies.ts';
import { ACTING, ARRIVED, BROKEN } from '../../src/kernel/layout.ts';
import { BARRIER, barrierCase, lowOf, type BarrierBody, type BarrierCore, type BarrierPlan } from './barrier-world.ts';
import { BARRIER_DEATH_MUTANTS } from './barrier-mutants.ts';

const ALL: Options = {};
const ONE_PREEMPTION: Options = { preemptions: 1 };
const NO_PREEMPTION: Options = { preemptions: 0 };

const wait: BarrierBody = (actor) => arrivalOf(actor, () => actor.barrier.wait());
/** A party of its own, which arrives and leaves. */
const visit: BarrierBody = (actor) => {
  actor.barrier.register();
  const arrival = arrivalOf(actor, () => actor.barrier.wait());
  actor.barrier.deregister();
  return arrival;
};
/** A party that was claimed at the start goes on with something else. */
const work: BarrierBody = ({ barrier }) => {
  barrier.register();
  barrier.deregister();
};
/** Runs an action in which a party leaves. */
const meetAndLeave: BarrierBody = (actor) => {
  const barrier = actor.withAction(() => actor.barrier.deregister());
  return arrivalOf(actor, () => barrier.wait());
};
/** A party that was claimed at the start leaves. */
const leaveParty: BarrierBody = ({ barrier }) => barrier.deregister();
/** Claims its party and goes on to something else. */
const claim: BarrierBody = ({ barrier }) => {
  barrier.claim();
  barrier.tryWait();
};
/** Recovers agent 0, makes the barrier whole if it is broken, and meets the others as one party more. */
const reclaimAndReset: BarrierBody = (actor) => {
  reclaim(0)(actor);
  actor.barrier.reset();
};

/** An agent that died before it arrived was no party, if it had claimed none. */
const neverArrived = (words: Words): string | undefined =>
  (lowOf(words) & (ACTING | BROKEN | ARRIVED)) === 1 ? undefined : 'a party waits for the dead';

/** If agent 0 died as a party, the others were told; if it lived, they were told the same. */
const told = (_words: Words, outcomes: readonly unknown[]): string | undefined => {
  const others = outcomes.slice(1).filter((outcome) => typeof outcome === 'string');
  const isOne = new Set(others.map((outcome) => (outcome === 'broke' ? 'broke' : 'tripped'))).size <= 1;
  return isOne ? undefined : `one generation ended as ${outcomes.map(String).join(', ')}`;
};
const endedOnce = (words: Words): string | undefined => {
  const generations = Number(words.load64(BARRIER + GRANT) >> 32n);
  return generations === 1 ? undefined : `${generations} generations have ended`;
};
const broke = (_words: Words, outcomes: readonly unknown[]): string | undefined =>
  outcomes[0] !== DIED || outcomes[1] === 'broke'
    ? undefined
    : `a party died, and another was told ${String(outcomes[1])}`;

export function barrierDeathCases(core: BarrierCore): Case[] {
  const make = (name: string, bodies: readonly BarrierBody[], options: Options, plan: BarrierPlan = {}): Case =>
    barrierCase(core, name, bodies, options, { mayCrash: [0], mayBreak: true, ends: 'any', ...plan });
  const twice = { mayCrash: [0, 2], deaths: 2 };
  const two = { parties: 2 };
  return [
    make('death of a sleeper', [sleep(), wait, reclaim(0)], ALL, { ...two, asleep: [0], final: told }),
    make('death of a sleeper before the others come', [sleep(), wait, wait, reclaim(0)], ONE_PREEMPTION, {
      parties: 3,
      asleep: [0],
      final: told,
    }),
    make('death of a party that is claimed and works', [work, wait, reclaim(0)], ALL, {
      ...two,
      claims: [1],
      final: broke,
      stuck: (_words, outcomes) => (outcomes[0] === DIED ? 'a party waits for the dead' : undefined),
    }),
    make('death of a party that leaves', [leaveParty, wait, reclaim(0)], ALL, { ...two, claims: [1], ends: 1 }),
    make('death of a party that claims', [claim, reclaim(0)], ALL, { ...two, ends: 'any' }),
    make('death of a party that is claimed and waits', [wait, wait, reclaim(0)], ALL, {
      ...two,
      claims: [1],
      final: told,
    }),
    make('death of the last to arrive', [wait, wait, reclaim(0)], ALL, { ...two, final: told, stuck: neverArrived }),
    make('death of a party, left to one that sleeps', [wait, wait, reclaim(0)], ONE_PREEMPTION, {
      parties: 3,
      claims: [1],
      without: [2],
      final: broke,
      stuck: (_words, outcomes) => (outcomes[0] === DIED ? 'a party waits for the dead' : undefined),
    }),
    make('death of the last to arrive, left to one that sleeps', [wait, wait, reclaim(0)], ONE_PREEMPTION, {
      ...two,
      without: [2],
      final: told,
      stuck: neverArrived,
    }),
    make('death of a party that joins and leaves', [visit, reclaim(0)], ALL, { parties: 0, ends: 0 }),
    make('death of a party that joins beside another', [visit, tryMeet(), reclaim(0)], ONE_PREEMPTION, {
      parties: 1,
      ends: 1,
      stuck: (_words, outcomes) =>
        outcomes[1] === 'broke' || outcomes[1] === 'late' || outcomes[1] === 'leads' || outcomes[1] === 'follows'
          ? undefined
          : 'a party waits for the dead',
    }),
    make('death of an agent that runs the action', [meetActing(), sleep(), reclaim(0)], ALL, {
      ...two,
      asleep: [1],
      ends: 2,
      final: told,
      stuck: neverArrived,
    }),
    make('death of a party that runs the action', [meetActing(), sleep(), reclaim(0)], ALL, {
      ...two,
      asleep: [1],
      claims: [1],
      final: told,
    }),
    make('death of an agent in whose action a party leaves', [meetAndLeave, sleep(), reclaim(0)], ALL, {
      ...two,
      asleep: [1],
      final: told,
      stuck: neverArrived,
    }),
    make('death of a sleeper alone', [sleep(), reclaim(0)], ALL, {
      parties: 3,
      asleep: [0],
      ends: 3,
      final: endedOnce,
      stuck: (_words, outcomes) => (outcomes[0] === DIED ? 'a party waits for the dead' : undefined),
    }),
    make('death of a sleeper that is claimed', [sleep(), reclaim(0)], ALL, {
      parties: 3,
      asleep: [0],
      claims: [1],
      ends: 2,
      final: endedOnce,
      stuck: (_words, outcomes) => (outcomes[0] === DIED ? 'a party waits for the dead' : undefined),
    }),
    make('death of an agent that may be aborted', [meetOrAbort(), wait, reclaim(0)], ONE_PREEMPTION, {
      ...two,
      final: told,
      stuck: neverArrived,
    }),
    make('death of one that leaves beside a sleeper', [leave, sleep(), reclaim(0)], ALL, {
      parties: 3,
      asleep: [0, 1],
      final: told,
    }),
    make('death of an agent that resets', [reset, sleep(), reclaim(0)], ALL, {
      ...two,
      asleep: [1],
      stuck: (_words, outcomes) => (outcomes[0] === DIED ? undefined : 'a party waits after a reset'),
    }),
    make('death of an agent that resets beside one at the bell', [reset, wait, reclaim(0)], ALL, {
      ...two,
      stuck: neverArrived,
    }),
    make('a reset beside the death of a sleeper', [sleep(), reset, reclaimAndReset], ALL, { ...two, asleep: [0] }),
    make('death of a party and of its reclaimer', [wait, sleep(), reclaim(0), reclaim(2, 0)], NO_PREEMPTION, {
      ...two,
      claims: [1],
      asleep: [1],
      final: told,
      ...twice,
    }),
    make('death of a sleeper and of its reclaimer', [sleep(), sleep(), reclaim(0), reclaim(2, 0)], NO_PREEMPTION, {
      parties: 3,
      asleep: [0, 1],
      final: told,
      stuck: (_words, outcomes) => (outcomes[0] === DIED ? 'a party waits for the dead' : undefined),
      ...twice,
    }),
  ];
}

export const MODELS: readonly Model[] = [
  {
    name: 'barrier death',
    entry: new URL('entry.ts', import.meta.url),
    cases: barrierDeathCases,
    mutants: BARRIER_DEATH_MUTANTS,
  },
];

// Cases in which agents die: before any kernel step, write or notification, or asleep.

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
/** Registers a party, arrives, and deregisters. */
const visit: BarrierBody = (actor) => {
  actor.barrier.register();
  const arrival = arrivalOf(actor, () => actor.barrier.wait());
  actor.barrier.deregister();
  return arrival;
};
/** The agent's party, claimed at the start, has not arrived: the agent registers and deregisters another one. */
const work: BarrierBody = ({ barrier }) => {
  barrier.register();
  barrier.deregister();
};
/** Runs an action that removes a party. */
const meetAndLeave: BarrierBody = (actor) => {
  const barrier = actor.withAction(() => actor.barrier.deregister());
  return arrivalOf(actor, () => barrier.wait());
};
/** Removes the party that was claimed at the start. */
const leaveParty: BarrierBody = ({ barrier }) => barrier.deregister();
/** Claims a party, then makes a non-blocking wait. */
const claim: BarrierBody = ({ barrier }) => {
  barrier.claim();
  barrier.tryWait();
};
/** Recovers agent 0, then makes the barrier whole. */
const reclaimAndReset: BarrierBody = (actor) => {
  reclaim(0)(actor);
  actor.barrier.reset();
};

/** Checks that an agent that died before it arrived, without a claim, left the others waiting. */
const neverArrived = (words: Words): string | undefined =>
  (lowOf(words) & (ACTING | BROKEN | ARRIVED)) === 1 ? undefined : 'a party waits for the dead agent';

/** Checks that all waits of the generation ended in the same way, whether agent 0 died as a party or lived. */
const told = (_words: Words, outcomes: readonly unknown[]): string | undefined => {
  const others = outcomes.slice(1).filter((outcome) => typeof outcome === 'string');
  const isOne = new Set(others.map((outcome) => (outcome === 'broke' ? 'broke' : 'tripped'))).size <= 1;
  return isOne ? undefined : `the waits of one generation ended as ${outcomes.map(String).join(', ')}`;
};
const endedOnce = (words: Words): string | undefined => {
  const generations = Number(words.load64(BARRIER + GRANT) >> 32n);
  return generations === 1 ? undefined : `counter of generations at ${generations}`;
};
const broke = (_words: Words, outcomes: readonly unknown[]): string | undefined =>
  outcomes[0] !== DIED || outcomes[1] === 'broke'
    ? undefined
    : `a party died, and the wait of another ended as ${String(outcomes[1])}`;

export function barrierDeathCases(core: BarrierCore): Case[] {
  const make = (name: string, bodies: readonly BarrierBody[], options: Options, plan: BarrierPlan = {}): Case =>
    barrierCase(core, name, bodies, options, { mayCrash: [0], mayBreak: true, ends: 'any', ...plan });
  const twice = { mayCrash: [0, 2], deaths: 2 };
  const two = { parties: 2 };
  return [
    make('death of a sleeper', [sleep(), wait, reclaim(0)], ALL, { ...two, asleep: [0], final: told }),
    make('death of a sleeper before the others arrive', [sleep(), wait, wait, reclaim(0)], ONE_PREEMPTION, {
      parties: 3,
      asleep: [0],
      final: told,
    }),
    make('death of an agent whose claimed party has not arrived', [work, wait, reclaim(0)], ALL, {
      ...two,
      claims: [1],
      final: broke,
      stuck: (_words, outcomes) => (outcomes[0] === DIED ? 'a party waits for the dead agent' : undefined),
    }),
    make('death of an agent that removes its party', [leaveParty, wait, reclaim(0)], ALL, {
      ...two,
      claims: [1],
      ends: 1,
    }),
    make('death of an agent that claims a party', [claim, reclaim(0)], ALL, { ...two, ends: 'any' }),
    make('death of an agent whose claimed party waits', [wait, wait, reclaim(0)], ALL, {
      ...two,
      claims: [1],
      final: told,
    }),
    make('death of the last party to arrive', [wait, wait, reclaim(0)], ALL, {
      ...two,
      final: told,
      stuck: neverArrived,
    }),
    make('death of a claimed party, its recovery left to a sleeper', [wait, wait, reclaim(0)], ONE_PREEMPTION, {
      parties: 3,
      claims: [1],
      without: [2],
      final: broke,
      stuck: (_words, outcomes) => (outcomes[0] === DIED ? 'a party waits for the dead agent' : undefined),
    }),
    make(
      'death of the last party to arrive, its recovery left to a sleeper',
      [wait, wait, reclaim(0)],
      ONE_PREEMPTION,
      {
        ...two,
        without: [2],
        final: told,
        stuck: neverArrived,
      },
    ),
    make('death of an agent that joins and leaves', [visit, reclaim(0)], ALL, { parties: 0, ends: 0 }),
    make('death of an agent that joins while another party waits', [visit, tryMeet(), reclaim(0)], ONE_PREEMPTION, {
      parties: 1,
      ends: 1,
      stuck: (_words, outcomes) =>
        outcomes[1] === 'broke' || outcomes[1] === 'late' || outcomes[1] === 'leads' || outcomes[1] === 'follows'
          ? undefined
          : 'a party waits for the dead agent',
    }),
    make('death of an agent that runs the action', [meetActing(), sleep(), reclaim(0)], ALL, {
      ...two,
      asleep: [1],
      ends: 2,
      final: told,
      stuck: neverArrived,
    }),
    make('death of an agent that runs the action and has a party', [meetActing(), sleep(), reclaim(0)], ALL, {
      ...two,
      asleep: [1],
      claims: [1],
      final: told,
    }),
    make('death of an agent whose action removes a party', [meetAndLeave, sleep(), reclaim(0)], ALL, {
      ...two,
      asleep: [1],
      final: told,
      stuck: neverArrived,
    }),
    make('death of the only sleeper', [sleep(), reclaim(0)], ALL, {
      parties: 3,
      asleep: [0],
      ends: 3,
      final: endedOnce,
      stuck: (_words, outcomes) => (outcomes[0] === DIED ? 'a party waits for the dead agent' : undefined),
    }),
    make('death of a sleeper with a claimed party', [sleep(), reclaim(0)], ALL, {
      parties: 3,
      asleep: [0],
      claims: [1],
      ends: 2,
      final: endedOnce,
      stuck: (_words, outcomes) => (outcomes[0] === DIED ? 'a party waits for the dead agent' : undefined),
    }),
    make('death of a waiter that may be aborted', [meetOrAbort(), wait, reclaim(0)], ONE_PREEMPTION, {
      ...two,
      final: told,
      stuck: neverArrived,
    }),
    make('death of a waiter that times out beside a sleeper', [leave, sleep(), reclaim(0)], ALL, {
      parties: 3,
      asleep: [0, 1],
      final: told,
    }),
    make('death of an agent that resets the barrier', [reset, sleep(), reclaim(0)], ALL, {
      ...two,
      asleep: [1],
      stuck: (_words, outcomes) => (outcomes[0] === DIED ? undefined : 'a party waits after a reset'),
    }),
    make('death of an agent that resets the barrier while a waiter sleeps', [reset, wait, reclaim(0)], ALL, {
      ...two,
      stuck: neverArrived,
    }),
    make('a reset races the recovery of a sleeper', [sleep(), reset, reclaimAndReset], ALL, { ...two, asleep: [0] }),
    make(
      'death of an agent with a party, then of its reclaimer',
      [wait, sleep(), reclaim(0), reclaim(2, 0)],
      NO_PREEMPTION,
      {
        ...two,
        claims: [1],
        asleep: [1],
        final: told,
        ...twice,
      },
    ),
    make('death of a sleeper, then of its reclaimer', [sleep(), sleep(), reclaim(0), reclaim(2, 0)], NO_PREEMPTION, {
      parties: 3,
      asleep: [0, 1],
      final: told,
      stuck: (_words, outcomes) => (outcomes[0] === DIED ? 'a party waits for the dead agent' : undefined),
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

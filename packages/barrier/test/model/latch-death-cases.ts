// Cases in which agents die: before any kernel step, write or notification, or asleep.

import type { Options } from '@sluice/model';
import { reclaim } from '../../../core/test/model/office-bodies.ts';
import { holdsAt } from '../../../core/test/model/places.ts';
import type { Case, Model } from '../../../core/test/model/case.ts';
import { leave, sleep, tryWait, waitOrAbort } from './latch-cases.ts';
import { latchCase, type LatchBody, type LatchCore, type LatchPlan } from './latch-world.ts';
import { DEATH_MUTANTS } from './mutants.ts';

const ALL: Options = {};
const ONE_PREEMPTION: Options = { preemptions: 1 };
const NO_PREEMPTION: Options = { preemptions: 0 };

/** Counts down its claims. If it dies, its recovery counts down, so a waiter may be admitted earlier. */
const pay =
  (n = 1): LatchBody =>
  ({ latch }) => {
    for (let part = 0; part < n; part++) latch.done();
  };
const payAndLook: LatchBody = ({ latch }) => {
  latch.done();
  latch.tryWait();
};
const look: LatchBody = ({ latch }) => latch.tryWait();
const wait: LatchBody = ({ latch }) => latch.wait();
/** Claims its part, records the claim, and counts down. If it dies before the record, another agent counts down. */
const claimAndPay: LatchBody = ({ ctx, latch }) => {
  latch.claim();
  ctx.words.store32(holdsAt(ctx.index), 1);
  latch.done();
};
/** Claims its part, records the claim, and makes a non-blocking wait. It never counts down. */
const claimAndDie: LatchBody = ({ ctx, latch }) => {
  latch.claim();
  ctx.words.store32(holdsAt(ctx.index), 1);
  latch.tryWait();
  return 'lives';
};
/** Recovers agent 0. Counts down in its place if it died before its claim, or lived. */
const reclaimAndPay: LatchBody = (actor) => {
  const { ctx, latch } = actor;
  reclaim(0)(actor);
  const claimed = ctx.dead(0) && ctx.words.load32(holdsAt(0)) === 1;
  ctx.assert(!claimed || latch.count === 0, 'the claim of the dead agent was not counted down');
  if (latch.count > 0) latch.done();
};

export function latchDeathCases(core: LatchCore): Case[] {
  const make = (name: string, bodies: readonly LatchBody[], options: Options, plan: LatchPlan = {}): Case =>
    latchCase(core, name, bodies, options, { mayCrash: [0], ...plan });
  const twice = { mayCrash: [0, 2], deaths: 2 };
  return [
    make('death of an agent with a claim', [pay(), wait, reclaim(0)], ALL, { claims: [1] }),
    make('death of an agent with a claim while another sleeps', [pay(), sleep(), reclaim(0)], ALL, {
      claims: [1],
      asleep: [1],
    }),
    make('death of an agent with two claims', [pay(2), wait, reclaim(0)], ALL, { count: 2, claims: [2] }),
    make('death of an agent that counts down its claim', [payAndLook, reclaim(0)], ALL, {
      count: 3,
      claims: [1],
      ends: 2,
    }),
    make('death of an agent whose claim is of an earlier round', [look, reclaim(0)], ALL, {
      rounds: 5,
      claims: [1],
      claimedIn: 4,
      ends: 1,
    }),
    make(
      'death of an agent with a claim of an earlier round that claims again',
      [claimAndPay, wait, reclaimAndPay],
      ALL,
      {
        rounds: 5,
        claims: [3],
        claimedIn: 4,
      },
    ),
    make('death of an agent that claims and counts down', [claimAndPay, wait, reclaimAndPay], ALL, { count: 1 }),
    make(
      'death of an agent whose earlier claim is over and that claims again',
      [claimAndDie, wait, reclaimAndPay],
      ALL,
      { rounds: 5, claims: [0], claimedIn: 4 },
    ),
    make(
      'death of an agent with a claim while another counts down, too',
      [pay(), pay(), wait, reclaim(0)],
      ONE_PREEMPTION,
      {
        count: 2,
        claims: [1, 0],
      },
    ),
    make('death of a sleeper', [sleep(), pay(), reclaim(0)], ALL, { asleep: [0] }),
    make('death of one of two sleepers', [sleep(), sleep(), pay(), reclaim(0)], ONE_PREEMPTION, {
      asleep: [0, 1],
    }),
    make('death of a waiter that may time out', [tryWait(2), pay(), reclaim(0)], ALL),
    make('death of an async waiter', [waitOrAbort(), pay(), reclaim(0)], ALL),
    make('death of a waiter that cancels beside a sleeper', [leave(), sleep(), pay(), reclaim(0)], ONE_PREEMPTION, {
      asleep: [0, 1],
    }),
    make('death of a waiter that cancels in an open round', [leave(), tryWait(1), reclaim(0)], ONE_PREEMPTION, {
      asleep: [0],
      ends: 1,
    }),
    make(
      'death of an agent with a claim, then of its reclaimer',
      [pay(), sleep(), reclaim(0), reclaim(2, 0)],
      NO_PREEMPTION,
      {
        claims: [1],
        asleep: [1],
        ...twice,
      },
    ),
    make('death of a sleeper, then of its reclaimer', [sleep(), pay(), reclaim(0), reclaim(2, 0)], NO_PREEMPTION, {
      asleep: [0],
      ...twice,
    }),
  ];
}

export const MODELS: readonly Model[] = [
  { name: 'latch death', entry: new URL('entry.ts', import.meta.url), cases: latchDeathCases, mutants: DEATH_MUTANTS },
];

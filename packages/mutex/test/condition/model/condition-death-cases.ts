// Scenarios in which agents die: before any kernel step, write or notification, or asleep. A notification whose waiter
// died before it had locked the lock again goes to the next waiter.

import { STUCK, type Options } from '@sluice/model';
import { reclaim } from '../../../../core/test/model/office-bodies.ts';
import type { Plan } from '../../../../core/test/model/office-world.ts';
import type { Case, Model } from '../../../../core/test/model/case.ts';
import { notify, sleep } from './condition-cases.ts';
import {
  asleep,
  conditionWorld,
  endedAt,
  ITEMS,
  type ConditionActor,
  type ConditionBody,
  type ConditionCore,
  type ConditionSetup,
} from './condition-world.ts';
import { DEATH_MUTANTS } from './mutants.ts';

const NO_PREEMPTION: Options = { preemptions: 0 };
const ONE_PREEMPTION: Options = { preemptions: 1 };

interface Repairable {
  markConsistent(): void;
  release(): void;
}

/** Runs a body that may find that the previous owner died. Then this agent owns the lock and marks it consistent. */
const heir =
  (body: ConditionBody): ConditionBody =>
  (actor) => {
    try {
      return body(actor);
    } catch (error) {
      if (!actor.core.hasCode(error, 'SLUICE_OWNER_DIED')) throw error;
      const { guard } = error as { guard?: Repairable };
      actor.ctx.assert(guard !== undefined, 'the heir has no guard');
      guard?.markConsistent();
      guard?.release();
      return true;
    }
  };

/** Recovers `victim` if it died. Notifies once more if `victim` had to notify, or had received a notification. */
const reclaimAndNotify =
  (victim: number, sleeps: boolean): ConditionBody =>
  (actor) => {
    const { ctx, condition } = actor;
    const died = ctx.waitForDeath(victim);
    if (died) reclaim(victim)(actor);
    const took = sleeps && ctx.words.load32(endedAt(victim)) > 0;
    if (!died || took || !sleeps) condition.notify();
  };

/** Locks, changes the protected words and notifies. The agent may die in between. */
const change: ConditionBody = ({ ctx, lock, condition }) => {
  lock.lock();
  ctx.words.put32(ITEMS, ctx.words.get32(ITEMS) + 1);
  condition.notify();
  lock.unlock();
};

type More = Partial<ConditionSetup & Plan<ConditionActor>>;

export function conditionDeathCases(core: ConditionCore): Case[] {
  const make = (name: string, bodies: readonly ConditionBody[], options: Options, more: More = {}): Case => {
    const { lock = 'fifo' } = more;
    return conditionWorld(core, { agents: bodies.length, ...more }).case({
      name: lock === 'fifo' ? name : `${lock}, ${name}`,
      bodies,
      options,
      mayCrash: [0],
      ...more,
    });
  };
  return (['fifo', 'turns', 'writer'] as const).flatMap((lock) => [
    make(
      'a sleeper with another behind it may die',
      [sleep, heir(sleep), notify(), heir(reclaimAndNotify(0, true))],
      ONE_PREEMPTION,
      { lock, before: asleep(lock, 0, 1) },
    ),
    make('a sleeper may die before the notification', [sleep, sleep, reclaim(0)], ONE_PREEMPTION, {
      lock,
      before: asleep(lock, 0, 1),
      stuck: (_, outcomes) => (outcomes[1] === STUCK ? undefined : 'no agent notified, and a wait has ended'),
      final: () => 'no agent notified, and all waits have ended',
    }),
    make('a notifier may die', [change, heir(sleep), heir(reclaimAndNotify(0, false))], ONE_PREEMPTION, {
      lock,
      before: asleep(lock, 1, 1),
    }),
    make(
      'a sleeper and its reclaimer may die',
      [sleep, heir(sleep), notify(), reclaim(0), heir(reclaimLast)],
      NO_PREEMPTION,
      {
        lock,
        before: asleep(lock, 0, 1),
        mayCrash: [0, 3],
        deaths: 2,
      },
    ),
  ]);
}

/**
 * Recovers agents 3 and 0 if they died. Notifies the remaining sleeper unless it gets the notification of agent 0.
 */
const reclaimLast: ConditionBody = (actor) => {
  const { ctx, condition } = actor;
  reclaim(3)(actor);
  const died = ctx.waitForDeath(0);
  if (died) reclaim(0)(actor);
  if (!died || ctx.words.load32(endedAt(0)) > 0) condition.notify();
};

export const MODELS: readonly Model[] = [
  {
    name: 'condition death',
    entry: new URL('entry.ts', import.meta.url),
    cases: conditionDeathCases,
    mutants: DEATH_MUTANTS,
  },
];

// Scenarios of async calls at a mutex in turns, as the event loop drives them. In its turn, an agent passes the mutex
// on to its own next call, which leaves the line. Whether half a millisecond passes in a critical section is a choice
// of the explorer.

import type { Options, Words } from '@sluice/model';
import { AsyncLoop, ModelSignal } from '../../../core/test/model/async-loop.ts';
import type { Case, Model } from '../../../core/test/model/case.ts';
import { reclaim, sleepOn, visit } from '../../../core/test/model/office-bodies.ts';
import { insideAt, PULSE, TREASURE } from '../../../core/test/model/places.ts';
import type * as AsyncEntry from './async-entry.ts';
import { ASYNC_TURN_MUTANTS } from './async-turn-mutants.ts';
import { MUTEX, mutexWorld, ownedWith, TAG, type MutexActor, type MutexBody, type MutexCore } from './mutex-world.ts';

const NO_PREEMPTION: Options = { preemptions: 0 };
const ONE_PREEMPTION: Options = { preemptions: 1 };
const TWO_PREEMPTIONS: Options = { preemptions: 2 };

/** The waiter of another agent was served. */
const IS_SERVED = TREASURE;

interface Task {
  /** Whether its signal may be aborted at any moment of its wait. */
  readonly mayAbort?: boolean;
  /** How many ms pass in its critical section. Default: the explorer chooses 0 or 1. */
  readonly takes?: number;
  /** Whether another agent's waiter must have been served before. */
  readonly isLast?: boolean;
}

/** Stays inside for a moment. Unlike `visit`, it keeps the state of the body, which the event loop has, too. */
function stay({ ctx }: MutexActor, loop: AsyncLoop, { takes }: Task): void {
  const { words } = ctx;
  words.put32(insideAt(ctx.index), 1);
  ctx.step('inside');
  words.load32(PULSE);
  loop.now += takes ?? ctx.choose(2, 'whether a turn passes');
  words.put32(insideAt(ctx.index), 0);
}

/** Makes async calls, all at once. `owns`: the agent owns the mutex from the start, and unlocks it then. */
const tasks =
  (all: readonly Task[], owns = false): MutexBody =>
  (actor) => {
    const { ctx, context, core, mutex } = actor;
    const loop = new AsyncLoop(actor.bare ?? ctx);
    // The class comes from the bundle, so that its mutants take effect and its timers are those of the loop.
    const { AsyncWaits } = core as unknown as typeof AsyncEntry;
    Object.assign(context.lineState(MUTEX, TAG, { recorded: false }), { asyncWaits: new AsyncWaits() });
    let [over, last] = [0, -1];
    const begin = (task: Task, call: number): void => {
      const signal = task.mayAbort === true ? loop.mayAbort(new ModelSignal()) : undefined;
      mutex.lockAsync({ ref: false, ...(signal !== undefined && { signal: signal as never }) }).then(
        () => {
          ctx.assert(call > last, `call ${call} got the mutex after call ${last}`);
          last = call;
          if (task.isLast === true) ctx.assert(ctx.words.load32(IS_SERVED) === 1, 'a turn went on for too long');
          stay(actor, loop, task);
          mutex.unlock();
          over += 1;
        },
        () => {
          over += 1;
        },
      );
    };
    loop.run(
      () => {
        all.forEach(begin);
        if (!owns) return;
        stay(actor, loop, { takes: 0 });
        mutex.unlock();
      },
      () => over === all.length,
    );
  };

/** Is asleep in line from the start. */
const wait: MutexBody = (actor) => {
  if (!sleepOn(actor, 0)) return;
  actor.ctx.words.store32(IS_SERVED, 1);
  visit(actor);
  actor.mutex.unlock();
};

const pass: MutexBody = (actor) => {
  actor.mutex.lock();
  visit(actor);
  actor.mutex.unlock();
};

const served = (words: Words): string | undefined =>
  words.load32(IS_SERVED) === 1 ? undefined : 'the waiter was not served';

export function mutexAsyncCases(core: MutexCore): Case[] {
  const make = (
    name: string,
    bodies: readonly MutexBody[],
    options: Options,
    more: { readonly waiters?: number; readonly dies?: boolean } = {},
  ): Case => {
    const { waiters, dies = false } = more;
    const world = mutexWorld(core, { order: 'turns', async: true, elements: 8, agents: bodies.length });
    return world.case({
      name: `async turns, ${name}`,
      bodies,
      options,
      ...(waiters !== undefined && { before: ownedWith(waiters) }),
      ...(waiters !== undefined && !dies && { final: served }),
      ...(dies && { mayCrash: [0] }),
    });
  };
  const two = [{}, {}];
  return [
    make('three calls of one agent', [tasks([{}, {}, {}])], NO_PREEMPTION),
    make('three calls and another agent', [tasks([{}, {}, {}]), pass], ONE_PREEMPTION),
    make('two agents with two calls each', [tasks(two), tasks(two)], ONE_PREEMPTION),
    make('a call that may be aborted', [tasks([{}, { mayAbort: true }, {}]), pass], NO_PREEMPTION),
    make('the owner unlocks with calls behind a waiter', [tasks(two, true), wait], TWO_PREEMPTIONS, { waiters: 1 }),
    make(
      'a turn ends',
      [tasks([{ takes: 1 }, { takes: 1, isLast: true }, { takes: 1, isLast: true }], true), wait],
      ONE_PREEMPTION,
      { waiters: 1 },
    ),
    make('death of an agent with calls', [tasks(two), thenPass(reclaim(0))], ONE_PREEMPTION, {
      dies: true,
    }),
  ];
}

/** The step, and then a lock after a death. */
function thenPass(step: (actor: MutexActor) => unknown): (actor: MutexActor) => void {
  return (actor) => {
    step(actor);
    passAnyway(actor);
  };
}

/** Locks after a death, with or without a notice. */
function passAnyway(actor: MutexActor): void {
  const { core, mutex } = actor;
  try {
    mutex.lock();
  } catch (error) {
    if (!core.hasCode(error, 'SLUICE_OWNER_DIED')) throw error;
    mutex.markConsistent();
  }
  visit(actor);
  mutex.unlock();
}

export const MODELS: readonly Model[] = [
  {
    name: 'mutex in turns, async calls',
    entry: new URL('async-entry.ts', import.meta.url),
    lowered: true,
    cases: mutexAsyncCases,
    mutants: ASYNC_TURN_MUTANTS,
  },
];

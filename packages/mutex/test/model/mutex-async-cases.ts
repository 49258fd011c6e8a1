// Scenarios of async calls at a mutex in turns, as the event loop drives them. In its turn, an agent passes the mutex
// on to its own next call, which leaves the line. Whether half a millisecond passes in a critical section is a choice
// of the explorer.

import type { Options, Words } from '@sluice/model';
import { AsyncLoop, ModelSignal } from '../../../core/test/model/async-loop.ts';
import type { Case, Model } from '../../../core/test/model/case.ts';
import { reclaim, sleepOn, visit } from '../../../core/test/model/office-bodies.ts';
import { OFFICE } from '../../../core/src/kernel/layout.ts';
import { ownerOf } from '../../../core/src/kernel/owner-word.ts';
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

interface Calls {
  /** The agent owns the mutex from the start, and unlocks it after it has made the calls. */
  readonly owns?: boolean;
  /** The agent first unlocks the mutex and locks it again in its turn. If another agent is faster, it makes no calls. */
  readonly again?: boolean;
  /** How many calls may settle in one turn of the event loop. */
  readonly most?: number;
}

/** More calls than any case has. */
const MANY = 99;

/** Stays inside for a moment. Unlike `visit`, it keeps the state of the body, which the event loop has, too. */
function stay({ ctx }: MutexActor, loop: AsyncLoop, { takes }: Task): void {
  const { words } = ctx;
  words.put32(insideAt(ctx.index), 1);
  ctx.step('inside');
  words.load32(PULSE);
  loop.now += takes ?? ctx.choose(2, 'whether a turn passes');
  words.put32(insideAt(ctx.index), 0);
}

/** The bit of OFFICE that a successor sets when the turn is over. */
const DUE = 1n << 36n;

/** Unlocks. Checks that the mutex leaves the agent if its turn is due. */
function unlock({ ctx, mutex }: MutexActor): void {
  const isDue = (ctx.words.load64(MUTEX + OFFICE) & DUE) !== 0n;
  mutex.unlock();
  ctx.assert(
    !isDue || ownerOf(ctx.words.load64(MUTEX + OFFICE)) !== ctx.index + 1,
    'a turn that was due went on for a call',
  );
}

/** Makes async calls, all at once. */
const tasks =
  (all: readonly Task[], { owns = false, most = MANY, again = false }: Calls = {}): MutexBody =>
  (actor) => {
    const { ctx, context, core, mutex } = actor;
    const loop = new AsyncLoop(actor.bare ?? ctx);
    // The class comes from the bundle, so that its mutants take effect and its timers are those of the loop.
    const { AsyncWaits } = core as unknown as typeof AsyncEntry;
    Object.assign(context.lineState(MUTEX, TAG, { recorded: false }), { asyncWaits: new AsyncWaits(most) });
    let [over, last] = [0, -1];
    let [turn, inTurn] = [0, 0];
    const begin = (task: Task, call: number): void => {
      const signal = task.mayAbort === true ? loop.mayAbort(new ModelSignal()) : undefined;
      mutex.lockAsync({ ref: false, ...(signal !== undefined && { signal: signal as never }) }).then(
        () => {
          ctx.assert(call > last, `call ${call} got the mutex after call ${last}`);
          last = call;
          inTurn = loop.turns === turn ? inTurn + 1 : 1;
          turn = loop.turns;
          ctx.assert(inTurn <= most, `${inTurn} calls ran in one turn of the event loop`);
          if (task.isLast === true) ctx.assert(ctx.words.load32(IS_SERVED) === 1, 'a turn went on for too long');
          stay(actor, loop, task);
          unlock(actor);
          over += 1;
        },
        () => {
          over += 1;
        },
      );
    };
    loop.run(
      () => {
        if (again) {
          mutex.unlock();
          if (!mutex.tryLock()) {
            over = all.length;
            return;
          }
        }
        all.forEach(begin);
        if (!owns) return;
        stay(actor, loop, { takes: 0 });
        unlock(actor);
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
    more: { readonly waiters?: number; readonly isServed?: boolean; readonly dies?: boolean } = {},
  ): Case => {
    const { waiters, dies = false, isServed = waiters !== undefined && !dies } = more;
    const world = mutexWorld(core, { order: 'turns', async: true, elements: 8, agents: bodies.length });
    return world.case({
      name: `async turns, ${name}`,
      bodies,
      options,
      ...(waiters !== undefined && { before: ownedWith(waiters) }),
      ...(isServed && { final: served }),
      ...(dies && { mayCrash: [0] }),
    });
  };
  const two = [{}, {}];
  return [
    make('three calls of one agent', [tasks([{}, {}, {}])], NO_PREEMPTION),
    make('three calls and another agent', [tasks([{}, {}, {}]), pass], ONE_PREEMPTION),
    make('two agents with two calls each', [tasks(two), tasks(two)], ONE_PREEMPTION),
    make('a call that may be aborted', [tasks([{}, { mayAbort: true }, {}]), pass], NO_PREEMPTION),
    make('the owner unlocks with calls behind a waiter', [tasks(two, { owns: true }), wait], TWO_PREEMPTIONS, {
      waiters: 1,
    }),
    make(
      'a turn ends',
      [tasks([{ takes: 1 }, { takes: 1, isLast: true }, { takes: 1, isLast: true }], { owns: true }), wait],
      ONE_PREEMPTION,
      { waiters: 1 },
    ),
    make('one call in each turn of the event loop', [tasks([{}, {}, {}], { owns: true, most: 1 })], NO_PREEMPTION, {
      waiters: 0,
      isServed: false,
    }),
    make('a successor ends the turn', [tasks([{ takes: 0 }], { owns: true, again: true }), wait], TWO_PREEMPTIONS, {
      waiters: 1,
    }),
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

// Scenarios of the mutexes. They are small: each is explored completely, or completely within a bound on preemptions.

import type { Options, Words } from '@sluice/model';
import type { Kernel } from '../../../core/src/kernel/kernel.ts';
import {
  AGENT_SPARE,
  GATE,
  LIMIT,
  MODE_BLOCKING,
  OFFICE_HIGH,
  OWNER,
  SUCCEEDS,
  TURN,
  TURN_OF,
} from '../../../core/src/kernel/layout.ts';
import { GRANTED, IDLE, RACED, TAKEN, WAITING, type Verdict } from '../../../core/src/kernel/states.ts';
import { drawTicket, endWait, enterOrAbort, giveUp, sleepOn, visit } from '../../../core/test/model/office-bodies.ts';
import type { OfficeSetup, Plan } from '../../../core/test/model/office-world.ts';
import { agentAt, elementAt, holdsAt, TREASURE } from '../../../core/test/model/places.ts';
import type { Case, Model } from '../../../core/test/model/case.ts';
import type { MutexOrder } from '../../src/create-mutex.ts';
import { DUE } from '../../src/kernel/layout.ts';
import type { MutexKernel } from '../../src/kinds.ts';
import {
  MUTEX,
  mutexWorld,
  ownedWith,
  recursiveWorld,
  titled,
  TAG,
  type MutexActor,
  type MutexBody,
  type MutexCore,
} from './mutex-world.ts';
import { asElement } from '../../../core/src/kernel/addresses.ts';
import { MUTANTS, TURN_MUTANTS } from './mutants.ts';

const ALL: Options = {};
const ONE_PREEMPTION: Options = { preemptions: 1 };
const TWO_PREEMPTIONS: Options = { preemptions: 2 };
const THREE_PREEMPTIONS: Options = { preemptions: 3 };
const LOCAL: Options = { preemptions: 2, scheduleLocal: true };

/** Values just below the limits of 32-bit, double and 64-bit counters. */
const WRAPS = [2n ** 31n - 1n, 2n ** 32n - 1n, 2n ** 53n - 1n, 2n ** 63n - 1n];

/** The remaining passes of a turn, more than a body makes. */
const SOME_PASSES = 7;

/** Words by which agents tell each other of their progress. */
const IS_DUE = TREASURE;
const IS_SERVED = TREASURE + 4;

/** Owns the mutex for a moment and unlocks. `summary` is the state that the body keeps. */
function stay(actor: MutexActor, ...summary: number[]): void {
  visit(actor, 1, ...summary);
  actor.mutex.unlock();
}

export const pass =
  (rounds = 1): MutexBody =>
  (actor) => {
    for (let round = 0; round < rounds; round++) {
      actor.mutex.lock();
      stay(actor, round);
      actor.ctx.forget(round);
    }
  };

/** Like `pass`, but may time out at any moment of its sleep. */
export const tryPass =
  (rounds = 1): MutexBody =>
  (actor) => {
    for (let round = 0; round < rounds; round++) {
      if (actor.mutex.tryLock(1)) stay(actor, round);
      actor.ctx.forget(round);
    }
  };

/** Locks once. In a full arena the call may throw. */
const passOrBeRefused: MutexBody = (actor) => {
  try {
    actor.mutex.lock();
  } catch (failure) {
    if (!actor.core.hasCode(failure, 'SLUICE_ARENA_FULL')) throw failure;
    return;
  }
  stay(actor);
};

/** Waits with the ticket in its stub. */
const passByStub: MutexBody = (actor) => {
  const { core, context, line, timedChecks, policy } = actor;
  let drawn: number;
  do drawn = enqueueAtMutex(actor)();
  while (drawn === RACED);
  const element = drawn === TAKEN ? TAKEN : context.begin(asElement(drawn), 0, MODE_BLOCKING);
  if (
    element === TAKEN ||
    endWait(
      actor,
      asElement(element),
      core.sleepInLine(context, { line, entry: 0, timedChecks }, asElement(element), policy, Infinity),
    )
  )
    stay(actor);
};

/** Tries once, without waiting. */
const glance: MutexBody = (actor) => {
  if (actor.mutex.tryLock()) stay(actor);
};

export const enqueueAtMutex =
  ({ context }: MutexActor) =>
  (): number =>
    (context.kernel as MutexKernel).enqueueAtMutex(MUTEX, TAG, context.agent, 1, 0);

export const passOrAbort: MutexBody = (actor) => {
  if (enterOrAbort(actor, enqueueAtMutex(actor), 0)) stay(actor);
};

/** A task of the owner waits in line behind it, and then the owner unlocks. */
const passTwice: MutexBody = (actor) => {
  const { core, context, mutex, policy } = actor;
  mutex.lock();
  const element = drawTicket(actor, enqueueAtMutex(actor));
  core.enterChain(context, asElement(element));
  stay(actor, element);
  if (
    endWait(
      actor,
      asElement(element),
      core.sleepInLine(
        context,
        { line: actor.line, entry: 0, timedChecks: actor.timedChecks },
        asElement(element),
        policy,
        Infinity,
      ),
    )
  )
    stay(actor);
};

/** Two tasks of one agent wait in line, one behind the other. */
const twoTasks: MutexBody = (actor) => {
  const { core, context, policy } = actor;
  const [first, second] = [drawTicket(actor, enqueueAtMutex(actor)), drawTicket(actor, enqueueAtMutex(actor))];
  if (first !== TAKEN) core.enterChain(context, first);
  // In a turn the second task may find the mutex free.
  if (second === TAKEN) stay(actor, first);
  else core.enterChain(context, asElement(second));
  if (first !== TAKEN)
    endWait(
      actor,
      first,
      core.sleepInLine(
        context,
        { line: actor.line, entry: 0, timedChecks: actor.timedChecks },
        first,
        policy,
        Infinity,
      ),
    );
  stay(actor, second);
  if (
    second !== TAKEN &&
    endWait(
      actor,
      asElement(second),
      core.sleepInLine(
        context,
        { line: actor.line, entry: 0, timedChecks: actor.timedChecks },
        asElement(second),
        policy,
        Infinity,
      ),
    )
  )
    stay(actor);
};

/** Unlocks as the owner from the start. */
const unlock: MutexBody = (actor) => stay(actor);
const unlockAndPass: MutexBody = (actor) => {
  stay(actor);
  return pass()(actor);
};
/** Like `unlock`, with early wake-ups. */
const unlockAndWake: MutexBody = (actor) => {
  visit(actor);
  actor.eager().unlock();
};
const wait: MutexBody = (actor) => {
  if (sleepOn(actor, 0)) stay(actor);
};
const waitTimed: MutexBody = (actor) => {
  if (sleepOn(actor, 0, true)) stay(actor);
};
/** Arrives when the element of agent 1 is free, and waits with that element. */
const passWithElement: MutexBody = (actor) => {
  const { ctx } = actor;
  ctx.until(() => ctx.words.load32(elementAt(1) + OWNER) === 0);
  return pass()(actor);
};
const leave: MutexBody = (actor) => {
  if (giveUp(actor, 0)) stay(actor);
};

/**
 * Locks repeatedly as the running agent. After its turn was due, it does not get the mutex before the successor does.
 */
const runOn =
  (rounds: number): MutexBody =>
  ({ ctx, mutex, ...actor }) => {
    for (let round = 0; round < rounds; round++) {
      const wasDue = ctx.words.load32(IS_DUE) === 1;
      stay({ ctx, mutex, ...actor }, round, Number(wasDue));
      mutex.lock();
      ctx.assert(
        !wasDue || ctx.words.load32(IS_SERVED) === 1,
        'an agent that ran got the mutex again after its turn was due',
      );
    }
    stay({ ctx, mutex, ...actor });
  };

/** Is asleep in line from the start. As soon as it is the successor, it ends the turn. */
export const insist: MutexBody = (actor) => {
  const { core, ctx, context, line, timedChecks, policy } = actor;
  const element = elementAt(ctx.index);
  ctx.until(() => ctx.words.load32(element + GATE) === GRANTED);
  let seen: Verdict | typeof WAITING = line.poll(element, 0);
  if (seen === WAITING) {
    timedChecks?.check(element);
    if ((ctx.words.load32(MUTEX + OFFICE_HIGH) & DUE) !== 0) ctx.words.store32(IS_DUE, 1);
    seen = core.sleepInLine(context, { line, entry: 0, timedChecks }, element, policy, Infinity);
  }
  if (!endWait(actor, element, seen)) return;
  ctx.words.store32(IS_SERVED, 1);
  stay(actor);
};

/** Makes a running agent end its turn after one pass. */
const onePass = (words: Words): void => words.put32(MUTEX + LIMIT, 1);

/**
 * The mutex is free in a turn of agent 0, and agent 1 is the successor. Agent 2 has no spare element, and each free
 * element was last used by a successor.
 */
const freeInTurn = (words: Words, kernel: Kernel): void => {
  ownedWith(1)(words, kernel);
  (kernel as MutexKernel).handOverMutex(MUTEX, agentAt(0), 1, 0);
  while (kernel.walk(agentAt(0)) !== IDLE);
  words.put32(holdsAt(0), 0);
  words.put32(MUTEX + TURN, (1 << TURN_OF) | SOME_PASSES);
  for (const element of [2, 3].map(elementAt)) words.put32(element + SUCCEEDS, 1);
  words.put32(elementAt(2) + OWNER, 0);
  words.put32(agentAt(2) + AGENT_SPARE, 0);
};

/** Locks twice, one level inside the other. */
export const nest =
  (timed: boolean): MutexBody =>
  (actor) => {
    const { ctx, mutex } = actor;
    if (timed) {
      if (!mutex.tryLock(1)) return;
    } else mutex.lock();
    ctx.assert(mutex.tryLock(), 'the owner cannot lock again');
    visit(actor);
    mutex.unlock();
    stay(actor);
  };

export function mutexCases(core: MutexCore, order: MutexOrder = 'fifo'): Case[] {
  const make = (
    name: string,
    bodies: readonly MutexBody[],
    options: Options,
    more: OfficeSetup & Partial<Plan<MutexActor>>,
  ): Case => mutexWorld(core, { order, ...more }).case({ name: titled(name, order), bodies, options, ...more });
  const two = { agents: 2 };
  const three = { agents: 3 };
  const line = (waiters: number, agents: number): OfficeSetup & Partial<Plan<MutexActor>> => ({
    agents,
    before: ownedWith(waiters),
  });
  return [
    make('two agents', [pass(2), pass(2)], order === 'fifo' ? ALL : THREE_PREEMPTIONS, two),
    make('one of two agents may time out', [pass(2), tryPass()], ALL, two),
    make('one of two agents may time out twice', [pass(), tryPass(2)], ALL, two),
    make('both agents may time out', [tryPass(), tryPass(2)], ALL, two),
    make('an agent tries without waiting', [pass(2), glance], ALL, two),
    make('an abort during a hand-over', [pass(), passOrAbort], ALL, two),
    make('a task behind its own agent', [passTwice, pass()], THREE_PREEMPTIONS, two),
    make('a task behind its own agent, another agent may time out', [passTwice, tryPass()], THREE_PREEMPTIONS, two),
    make('two tasks of one agent', [twoTasks, pass()], THREE_PREEMPTIONS, two),
    ...WRAPS.map((start) =>
      make(`counters from ${start}`, [pass(2), tryPass()], order === 'fifo' ? ALL : THREE_PREEMPTIONS, {
        ...two,
        start,
      }),
    ),
    make('three agents', [pass(), pass(), pass()], TWO_PREEMPTIONS, three),
    make('three agents, all may time out', [tryPass(), tryPass(), tryPass()], TWO_PREEMPTIONS, three),
    make('three agents, one may abort', [pass(), passOrAbort, pass()], TWO_PREEMPTIONS, three),
    make('the only waiter in line leaves', [unlock, leave], ALL, line(1, 2)),
    make('one waiter leaves and one agent arrives', [unlock, leave, pass()], TWO_PREEMPTIONS, line(1, 3)),
    make(
      'one waiter leaves and one agent arrives that may time out',
      [unlock, leave, tryPass()],
      ONE_PREEMPTION,
      line(1, 3),
    ),
    make('the first of two waiters leaves', [unlock, leave, wait], THREE_PREEMPTIONS, line(2, 3)),
    make('the last of two waiters leaves', [unlock, wait, leave], THREE_PREEMPTIONS, line(2, 3)),
    make('both of two waiters leave', [unlock, leave, leave], TWO_PREEMPTIONS, line(2, 3)),
    make('both of two waiters may time out', [unlock, waitTimed, waitTimed], TWO_PREEMPTIONS, line(2, 3)),
    make(
      'an early wake-up of a waiter that times out',
      [unlockAndWake, waitTimed, waitTimed],
      ONE_PREEMPTION,
      line(2, 3),
    ),
    make('both of two waiters leave and one agent arrives', [unlock, leave, leave, pass()], ONE_PREEMPTION, line(2, 4)),
    make('three agents, one tries twice', [pass(), tryPass(2), pass()], TWO_PREEMPTIONS, three),
    ...(order === 'fifo'
      ? []
      : [
          make('two agents that lock twice, one may time out', [pass(2), tryPass(2)], { preemptions: 4 }, two),
          make('a turn ends', [runOn(2), insist], THREE_PREEMPTIONS, line(1, 2)),
          make('a turn of one pass, two agents', [pass(2), pass()], ALL, { ...two, before: onePass }),
          make('a turn of one pass, three agents', [pass(2), pass(), tryPass()], ONE_PREEMPTION, {
            ...three,
            before: onePass,
          }),
          make('a turn ends, and another agent arrives', [runOn(2), insist, pass()], ONE_PREEMPTION, line(1, 3)),
          make('an agent arrives in the turn of another', [unlockAndPass, wait, pass()], TWO_PREEMPTIONS, line(1, 3)),
          make(
            'an agent without a spare element arrives in the turn of another',
            [pass(), wait, pass()],
            TWO_PREEMPTIONS,
            { ...three, before: freeInTurn },
          ),
          make(
            'an agent arrives in the turn of another in a full arena',
            [pass(), wait, passOrBeRefused],
            TWO_PREEMPTIONS,
            { ...three, elements: 2, before: freeInTurn },
          ),
          make('a ticket moves from a stub to an element', [pass(), wait, passByStub], TWO_PREEMPTIONS, {
            ...three,
            before: freeInTurn,
          }),
        ]),
    // Words that only one agent should use are scheduling points, too.
    make('an abort, every word watched', [pass(), passOrAbort], LOCAL, two),
    make(
      'the first of two waiters leaves, every word watched',
      [unlock, leave, wait],
      { ...LOCAL, preemptions: 1 },
      line(2, 3),
    ),
    // An element is reused while its former waiter is late. If that waiter kept the element, the new waiter would wait
    // forever.
    make('a leaving waiter is late', [unlock, leave, passWithElement], LOCAL, {
      ...line(1, 3),
      elements: 2,
      stuck: () => undefined,
    }),
    make('two buckets, the first of two waiters leaves', [unlock, leave, wait], THREE_PREEMPTIONS, {
      ...line(2, 3),
      buckets: 2,
    }),
    recursiveWorld(core, { order, ...two }).case({
      name: titled('recursive, two agents', order),
      bodies: [nest(false), nest(false)],
      options: ALL,
    }),
    recursiveWorld(core, { order, ...two }).case({
      name: titled('recursive, both agents may time out', order),
      bodies: [nest(true), nest(true)],
      options: ALL,
    }),
  ];
}

const ENTRY = new URL('entry.ts', import.meta.url);

export const MODELS: readonly Model[] = [
  { name: 'mutex', entry: ENTRY, cases: mutexCases, mutants: MUTANTS },
  {
    name: 'mutex in turns',
    entry: ENTRY,
    cases: (source: MutexCore) => mutexCases(source, 'turns'),
    mutants: TURN_MUTANTS,
  },
];

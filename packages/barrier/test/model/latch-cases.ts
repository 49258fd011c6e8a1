// Cases of the latch. Each is small enough for a complete search, or for a complete search within a bound on
// preemptions.

import { STUCK, type Options, type Words } from '@sluice/model';
import { GRANT } from '../../../core/src/kernel/layout.ts';
import { TAKEN } from '../../../core/src/kernel/states.ts';
import { drawTicket, endWait, giveUp, sleepOn } from '../../../core/test/model/office-bodies.ts';
import { insideAt } from '../../../core/test/model/places.ts';
import type { Case, Model } from '../../../core/test/model/case.ts';
import type { LatchKernel } from '../../src/kinds.ts';
import {
  FINISHED,
  LATCH,
  latchCase,
  STARTED,
  TAG,
  type LatchActor,
  type LatchBody,
  type LatchCore,
  type LatchPlan,
} from './latch-world.ts';
import { MUTANTS } from './mutants.ts';

const ALL: Options = {};
const ONE_PREEMPTION: Options = { preemptions: 1 };
const TWO_PREEMPTIONS: Options = { preemptions: 2 };
const THREE_PREEMPTIONS: Options = { preemptions: 3 };
const LOCAL: Options = { preemptions: 1, scheduleLocal: true };

/** Writes its part, which the waiters check, and counts down. */
export const work: LatchBody = ({ ctx, latch }) => {
  ctx.words.store32(insideAt(ctx.index), 1);
  latch.done();
};

/** As `work`, for several rounds: adds, records that the round has begun, writes its part, counts down. */
const rounds =
  (times: number): LatchBody =>
  ({ ctx, latch }) => {
    for (let round = 1; round <= times; round++) {
      latch.add();
      ctx.words.store32(STARTED, round);
      ctx.words.store32(FINISHED, round);
      latch.done();
      ctx.forget(round);
    }
  };

/** Ends the round that is open at the start, and runs another one. */
const endAndBegin: LatchBody = ({ ctx, latch }) => {
  ctx.words.store32(FINISHED, 1);
  latch.done();
  latch.add();
  ctx.words.store32(STARTED, 2);
  ctx.words.store32(FINISHED, 2);
  latch.done();
};

/** Adds a second part to the round that is open at the start, before its first part is done. */
const growAndWork: LatchBody = ({ ctx, latch }) => {
  latch.add();
  latch.done();
  ctx.words.store32(insideAt(ctx.index), 1);
  latch.done();
};

/** Begins a round after the previous one has ended. */
const beginNext: LatchBody = ({ latch }) => {
  if (latch.tryWait()) latch.add();
};

/** Checks after a wait that all parts of the agents in `parts` are written. */
function checkParts({ ctx }: LatchActor, parts: readonly number[]): void {
  for (const part of parts)
    ctx.assert(ctx.words.load32(insideAt(part)) === 1, `admitted before the part of agent ${part}`);
}

export const wait =
  (...parts: readonly number[]): LatchBody =>
  (actor) => {
    actor.latch.wait();
    checkParts(actor, parts);
  };
export const tryWait =
  (times: number, ...parts: readonly number[]): LatchBody =>
  (actor) => {
    for (let round = 0; round < times; round++) {
      if (actor.latch.tryWait(1)) checkParts(actor, parts);
      actor.ctx.forget(round);
    }
  };
const glance: LatchBody = (actor) => {
  if (actor.latch.tryWait()) checkParts(actor, [0]);
};

/** Checks that a round that had begun before the wait ended before the wait returned. */
const waitForRound =
  (times: number, timed = false): LatchBody =>
  ({ ctx, latch }) => {
    for (let round = 0; round < times; round++) {
      const begun = ctx.words.load32(STARTED);
      const isOver = timed ? latch.tryWait(1) : (latch.wait(), true);
      if (isOver) ctx.assert(ctx.words.load32(FINISHED) >= begun, `admitted in round ${begun}, which has not ended`);
      ctx.forget(round);
    }
  };

/** An async wait as the event loop drives it. An abort may end it at any moment. */
export const waitOrAbort =
  (...parts: readonly number[]): LatchBody =>
  (actor) => {
    const { core, ctx, context, policy, line } = actor;
    const element = drawTicket(actor, () =>
      (context.kernel as LatchKernel).enqueueAtLatch(LATCH, TAG, context.agent, 1),
    );
    if (element === TAKEN) {
      checkParts(actor, parts);
      return;
    }
    const abort = ctx.choose(3, 'abort before linking, after it, never');
    if (abort > 0) core.enterChain(context, element);
    const at = { line, entry: 0 } as const;
    const verdict =
      abort < 2 ? core.leaveLine(context, at, element) : core.sleepInLine(context, at, element, policy, Infinity);
    if (endWait(actor, element, verdict)) checkParts(actor, parts);
  };

export const sleep =
  (...parts: readonly number[]): LatchBody =>
  (actor) => {
    actor.ctx.assert(sleepOn(actor, 0), 'a wait without a limit ended without its verdict');
    checkParts(actor, parts);
  };
export const leave =
  (...parts: readonly number[]): LatchBody =>
  (actor) => {
    if (giveUp(actor, 0)) checkParts(actor, parts);
  };

/** Checks that a waiter that arrived after the new round had begun waits forever, as that round does not end. */
function inNewRound(words: Words, outcomes: readonly unknown[]): string | undefined {
  return outcomes[2] === STUCK && words.load32(LATCH + GRANT) === -1 ? undefined : 'an agent waits forever';
}

export function latchCases(core: LatchCore): Case[] {
  const make = (name: string, bodies: readonly LatchBody[], options: Options, plan?: LatchPlan): Case =>
    latchCase(core, name, bodies, options, plan);
  const two = { count: 2 };
  const none = { count: 0 };
  return [
    make('one part and one waiter', [work, wait(0)], ALL),
    make('two parts and one waiter', [work, work, wait(0, 1)], ALL, two),
    make('one part and two waiters', [work, wait(0), wait(0)], TWO_PREEMPTIONS),
    make('a waiter that may time out', [work, tryWait(2, 0)], ALL),
    make('a non-blocking wait races done()', [work, glance], ALL),
    make('an abort races done()', [work, waitOrAbort(0)], ALL),
    make('one of two waiters is aborted', [work, waitOrAbort(0), wait(0)], TWO_PREEMPTIONS),
    make(
      'two parts and two waiters, one of which may time out',
      [work, work, wait(0, 1), tryWait(1, 0, 1)],
      ONE_PREEMPTION,
      two,
    ),
    make('two agents add and count down', [rounds(1), rounds(1)], ALL, none),
    make('a round ends while another begins', [endAndBegin, waitForRound(2)], ALL),
    make('a part is added to an open round', [growAndWork, wait(0)], ALL),
    make('a new round begins before the waiters of the last one wake', [work, beginNext, sleep(0)], ALL, {
      asleep: [2],
      ends: 'any',
    }),
    make('a new round begins before the waiters of the last one link', [work, beginNext, wait(0)], ALL, {
      ends: 'any',
      stuck: inNewRound,
    }),
    make('a waiter races two rounds', [rounds(2), waitForRound(2)], ALL, none),
    make('a waiter that may time out races two rounds', [rounds(2), waitForRound(2, true)], ALL, none),
    make('two waiters race two rounds', [rounds(2), waitForRound(1), waitForRound(1)], TWO_PREEMPTIONS, none),
    make(
      'two waiters, one of which may time out, race two rounds',
      [rounds(2), waitForRound(1), waitForRound(1, true)],
      TWO_PREEMPTIONS,
      none,
    ),
    ...[2 ** 31 - 1, 2 ** 32 - 1].map((ended) =>
      make(`counter of rounds at ${ended}`, [endAndBegin, waitForRound(2)], ALL, { rounds: ended }),
    ),
    make('a waiter behind a sleeper cancels', [work, sleep(0), leave(0)], ALL, { asleep: [1, 2] }),
    make('a waiter ahead of a sleeper cancels', [work, leave(0), sleep(0)], ALL, { asleep: [1, 2] }),
    make('both of two waiters cancel', [work, leave(0), leave(0)], THREE_PREEMPTIONS, { asleep: [1, 2] }),
    make('one waiter cancels, one sleeps, one arrives', [work, leave(0), sleep(0), wait(0)], ONE_PREEMPTION, {
      asleep: [1, 2],
    }),
    // No done() follows: the elements of cancelled waiters are freed without one.
    make('two waiters cancel in an open round', [leave(), leave()], ALL, { asleep: [0, 1], ends: 1 }),
    make('a waiter cancels in an open round while another arrives and times out', [leave(), tryWait(2)], ALL, {
      asleep: [0],
      ends: 1,
    }),
    make('a waiter cancels while its round ends, every word watched', [work, leave(0), sleep(0)], LOCAL, {
      asleep: [1, 2],
    }),
    make('two buckets, a waiter cancels', [work, leave(0), sleep(0)], THREE_PREEMPTIONS, {
      asleep: [1, 2],
      buckets: 2,
    }),
  ];
}

export const MODELS: readonly Model[] = [
  { name: 'latch', entry: new URL('entry.ts', import.meta.url), cases: latchCases, mutants: MUTANTS },
];

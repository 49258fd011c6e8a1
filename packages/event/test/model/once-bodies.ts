// Bodies of agents at a once in a model.

import { drawTicket, endWait, giveUp, sleepOn } from '../../../core/test/model/office-bodies.ts';
import { entryAt, PULSE } from '../../../core/test/model/places.ts';
import { NEEDS_WALK, TAKEN } from '../../../core/src/kernel/states.ts';
import type { OnceKernel } from '../../src/kinds.ts';
import { ONCE, RUNNER, SEEN, TAG, VALUE, type OnceActor, type OnceBody } from './once-world.ts';

/** An initialiser. It checks that no other runs, and that no call has returned before it began. */
export function beginInside({ ctx }: OnceActor): void {
  const { words } = ctx;
  ctx.assert(words.load32(SEEN) === 0, 'an initialiser begins after a call has returned');
  words.store32(RUNNER, ctx.index + 1);
  ctx.step('inside');
  words.load32(PULSE);
  ctx.assert(words.load32(RUNNER) === ctx.index + 1, 'two initialisers run at once');
}

export function initialise(actor: OnceActor): void {
  beginInside(actor);
  actor.ctx.words.store32(VALUE, 1);
}

/** Checks that a call that has returned sees the value. */
export function check({ ctx }: OnceActor): void {
  ctx.assert(ctx.words.load32(VALUE) === 1, 'continued before an initialiser had returned');
  ctx.words.store32(SEEN, 1);
}

export class Failure extends Error {}
/** The outcome of an agent that closed the once. */
export const CLOSED = 'closed';

function fail(actor: OnceActor): never {
  beginInside(actor);
  throw new Failure();
}

/** Makes a call, and ignores errors of the initialiser and ClosedError. Returns whether the once is done. */
function tried(actor: OnceActor, call: () => boolean): boolean {
  try {
    const isDone = call();
    if (isDone) check(actor);
    return isDone;
  } catch (failure) {
    if (failure instanceof Failure || actor.core.hasCode(failure, 'SLUICE_CLOSED')) return false;
    throw failure;
  }
}

export const run: OnceBody = (actor) => {
  actor.once.run(() => initialise(actor));
  check(actor);
};
export const runTwice: OnceBody = (actor) => {
  run(actor);
  actor.once.run(() => initialise(actor));
};
/** Makes a call whose initialiser throws, then a call whose initialiser returns. */
export const failAndRun: OnceBody = (actor) => {
  tried(actor, () => actor.once.tryRun(() => fail(actor), Infinity));
  run(actor);
};
export const failing: OnceBody = (actor) => tried(actor, () => actor.once.tryRun(() => fail(actor), Infinity));
export const tryRun: OnceBody = (actor) => tried(actor, () => actor.once.tryRun(() => initialise(actor), 1));
export const glance: OnceBody = (actor) => tried(actor, () => actor.once.tryRun(() => initialise(actor)));
export const runOrClosed: OnceBody = (actor) =>
  tried(actor, () => actor.once.tryRun(() => initialise(actor), Infinity));
export const wait: OnceBody = (actor) => {
  actor.once.wait();
  check(actor);
};
export const waitOrClosed: OnceBody = (actor) => tried(actor, () => actor.once.tryWait(Infinity));
export const tryWait: OnceBody = (actor) => tried(actor, () => actor.once.tryWait(1));
export const close: OnceBody = ({ once }) => (once.close() ? CLOSED : 'late');

/** Closes the once after a call has returned, which changes nothing. */
export const runAndClose: OnceBody = (actor) => {
  run(actor);
  actor.ctx.assert(!actor.once.close(), 'a once that is done was closed');
};

/** Ends the initialiser that runs from the start. */
export const finish =
  (succeeded: number): OnceBody =>
  (actor) => {
    const { ctx, context } = actor;
    ctx.assert(ctx.words.load32(RUNNER) === ctx.index + 1, 'two initialisers run at once');
    if (succeeded === 1) ctx.words.store32(VALUE, 1);
    const kernel = context.kernel as OnceKernel;
    const ended = kernel.endOnce(ONCE, TAG, context.agent, entryAt(ctx.index, 0), succeeded);
    if (ended === NEEDS_WALK) context.finishWalk();
  };

/**
 * An async call as the event loop drives it. It may run the initialiser, and an abort may end it at any moment of its
 * waits.
 */
export const runOrAbort: OnceBody = (actor) => {
  const { core, ctx, context, policy, line } = actor;
  while (!actor.once.tryRun(() => initialise(actor))) {
    const element = drawTicket(actor, () =>
      (context.kernel as OnceKernel).enqueueAtOnce(ONCE, TAG, context.agent, 1, 0),
    );
    if (element === TAKEN) continue;
    const abort = ctx.choose(3, 'abort before linking, after it, never');
    if (abort > 0) core.enterChain(context, element);
    const at = { line, entry: entryAt(ctx.index, 0) };
    const verdict =
      abort < 2 ? core.leaveLine(context, at, element) : core.sleepInLine(context, at, element, policy, Infinity);
    if (!endWait(actor, element, verdict)) return;
  }
  check(actor);
};

/** Enqueued from the start, then waits for the end of all attempts. */
export const sleep: OnceBody = (actor) => {
  actor.ctx.assert(sleepOn(actor, entryAt(actor.ctx.index, 0)), 'a wait without a limit ended without its verdict');
  wait(actor);
};
/** Enqueued from the start, then makes an attempt. */
export const sleepAndRun: OnceBody = (actor) => {
  actor.ctx.assert(sleepOn(actor, entryAt(actor.ctx.index, 0)), 'a wait without a limit ended without its verdict');
  run(actor);
};
export const leave: OnceBody = (actor) => void giveUp(actor, entryAt(actor.ctx.index, 0));

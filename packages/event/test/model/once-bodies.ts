// What agents do with a once in a model.

import { drawTicket, endWait, giveUp, sleepOn } from '../../../core/test/model/office-bodies.ts';
import { entryAt, PULSE } from '../../../core/test/model/places.ts';
import { NEEDS_WALK, TAKEN } from '../../../core/src/kernel/states.ts';
import type { OnceKernel } from '../../src/kinds.ts';
import { ONCE, RUNNER, SEEN, TAG, VALUE, type OnceActor, type OnceBody } from './once-world.ts';

/** An initialiser is alone, and begins before any call has returned. */
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

/** A call that has returned sees the value. */
export function check({ ctx }: OnceActor): void {
  ctx.assert(ctx.words.load32(VALUE) === 1, 'went on before an initialiser had returned');
  ctx.words.store32(SEEN, 1);
}

export class Failure extends Error {}
/** The outcome of an agent that closed the once. */
export const CLOSED = 'closed';

function fail(actor: OnceActor): never {
  beginInside(actor);
  throw new Failure();
}

/** Calls it, and lets pass what the initialiser throws, and that the once is closed. Returns whether it is done. */
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
/** Its first initialiser throws, and it tries once more. */
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

/** A close after a call has returned changes nothing. */
export const runAndClose: OnceBody = (actor) => {
  run(actor);
  actor.ctx.assert(!actor.once.close(), 'a once that is done was closed');
};

/** Its initialiser runs from the start. */
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
 * As the event loop drives a call that may run the initialiser, and that an abort may end at any moment of its waits.
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

/** In line from the start; then it waits for the end of all attempts. */
export const sleep: OnceBody = (actor) => {
  actor.ctx.assert(sleepOn(actor, entryAt(actor.ctx.index, 0)), 'a wait without a limit ended without its verdict');
  wait(actor);
};
/** In line from the start; then it tries itself. */
export const sleepAndRun: OnceBody = (actor) => {
  actor.ctx.assert(sleepOn(actor, entryAt(actor.ctx.index, 0)), 'a wait without a limit ended without its verdict');
  run(actor);
};
export const leave: OnceBody = (actor) => void giveUp(actor, entryAt(actor.ctx.index, 0));

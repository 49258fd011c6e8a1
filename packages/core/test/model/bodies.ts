// Bodies of agents in models of semaphores.

import { hasCode } from '../../src/api/has-code.ts';
import { type SluiceErrorCode } from '../../src/api/errors.ts';
import { CANCELLED_LEFT_BEHIND, TAKEN } from '../../src/kernel/states.ts';
import type { Body } from './world.ts';
import { asElement } from '../../src/kernel/addresses.ts';

/** Acquires permits and releases them, `rounds` times. */
export const pass =
  (permits = 1, rounds = 1): Body =>
  ({ ctx, sem }) => {
    for (let round = 0; round < rounds; round++) {
      sem.acquire(permits);
      sem.release(permits);
      ctx.forget();
    }
  };

/** Like `pass`, but may time out at any moment of its sleep. */
export const tryPass =
  (permits = 1, rounds = 1): Body =>
  ({ ctx, sem }) => {
    for (let round = 0; round < rounds; round++) {
      if (sem.tryAcquire(permits, 1)) sem.release(permits);
      ctx.forget();
    }
  };

/** Tries once, without waiting. */
export const glance: Body = ({ sem }) => {
  if (sem.tryAcquire()) sem.release();
};

export const take =
  (permits = 1): Body =>
  ({ sem }) =>
    sem.acquire(permits);

export const give =
  (permits = 1): Body =>
  ({ sem }) =>
    sem.release(permits);

/** Like `body`, but returns normally if it throws an error with that code. */
export const orFails =
  (code: SluiceErrorCode, body: Body): Body =>
  (actor) => {
    try {
      return body(actor);
    } catch (error) {
      if (hasCode(error, code)) return code;
      throw error;
    }
  };

/**
 * An async waiter as the event loop drives it. It draws a ticket and links. Then either the wake-up of the gate or an
 * abort comes first. The abort may come at any moment: before the waiter links, or between its verdict and the moment
 * when it reads it.
 */
export const passOrAbort =
  (permits = 1): Body =>
  ({ core, ctx, context, sem, entry, draw }) => {
    const element = draw(permits);
    if (element === 0) {
      sem.release(permits);
      return;
    }
    const abort = ctx.choose(3, 'abort before linking, after linking, or never');
    if (abort > 0) core.enterChain(context, asElement(element));
    const verdict =
      abort < 2
        ? core.leaveLine(context, { line: context.semaphoreLine, entry }, asElement(element))
        : core.sleepInLine(
            context,
            { line: context.semaphoreLine, entry },
            asElement(element),
            { ...core.DEFAULT_POLICY, spinMicros: 0 },
            Infinity,
          );
    if (verdict !== CANCELLED_LEFT_BEHIND) context.keep(asElement(element));
    if (verdict === TAKEN) sem.release(permits);
  };

// Bodies of agents at a broadcast in a model.

import { TAKEN } from '../../../core/src/kernel/states.ts';
import { drawTicket, endWait, giveUp, sleepOn } from '../../../core/test/model/office-bodies.ts';
import type { BroadcastKernel } from '../../src/kinds.ts';
import { STREAM, TAG, tallyAt, type BroadcastActor, type BroadcastBody } from './broadcast-world.ts';

/** Returns whether `use` threw because the broadcast is closed. */
export function isRefused({ core }: BroadcastActor, use: () => void): boolean {
  try {
    use();
  } catch (failure) {
    // The explorer stops agents by errors of its own.
    if (!core.hasCode(failure, 'SLUICE_CLOSED')) throw failure;
    return true;
  }
  return false;
}

/** Publishes these values until the broadcast is closed. The tally is the number of published values. */
export const publish =
  (...values: readonly number[]): BroadcastBody =>
  (actor) => {
    const { ctx, stream } = actor;
    for (const value of values) {
      if (isRefused(actor, () => stream.publish(value))) break;
      ctx.words.put32(tallyAt(ctx.index), ctx.words.get32(tallyAt(ctx.index)) + 1);
    }
  };

export const close: BroadcastBody = ({ stream }) => stream.close();

export const both =
  (...bodies: readonly BroadcastBody[]): BroadcastBody =>
  (actor) => {
    for (const body of bodies) body(actor);
  };

/**
 * Subscribes at any moment and reads to the end. The values of one publisher are 1, 2 and so on, and the last is
 * `last`.
 */
export const join =
  (last: number): BroadcastBody =>
  (actor) => {
    const { ctx, stream } = actor;
    const subscription = stream.subscribe({ onLag: () => undefined });
    let value = 0;
    let lost = 0;
    while (
      !isRefused(actor, () => {
        const next = subscription.next();
        ctx.assert(value === 0 || next === value + 1 + subscription.lost - lost, `${next} came after ${value}`);
        value = next;
        lost = subscription.lost;
      })
    ) {
      ctx.forget(value, lost);
    }
    ctx.assert(value === 0 || value === last, `the last value was ${value} instead of ${last}`);
  };

/**
 * Reads a broadcast from its oldest value to the end. The tally is the number of values that it read, lost, or came too
 * late for. With `last` there is one publisher, whose values are 1, 2 and so on. Otherwise all values are kept.
 */
export const follow =
  (last?: number): BroadcastBody =>
  (actor) => {
    const { ctx, stream } = actor;
    const subscription = stream.subscribe({ from: 'oldest', onLag: () => undefined });
    let got = 0;
    let value = 0;
    let before = 0;
    while (
      !isRefused(actor, () => {
        value = subscription.next();
        got += 1;
      })
    ) {
      if (last !== undefined && got === 1) before = value - 1 - subscription.lost;
      ctx.assert(
        last === undefined || value === before + got + subscription.lost,
        `${value} came as value ${before + got + subscription.lost}`,
      );
      ctx.forget(got, subscription.lost, value, before);
    }
    ctx.assert(last === undefined || value === last, `the last value was ${value} instead of ${last}`);
    ctx.words.put32(tallyAt(ctx.index), before + got + subscription.lost);
  };

/** Takes the values that are there, of any publishers. Each must be whole. */
export const look =
  (times: number): BroadcastBody =>
  ({ stream }) => {
    const subscription = stream.subscribe({ from: 'oldest', onLag: () => undefined });
    for (let round = 0; round < times; round++) subscription.tryNext();
  };

export const tryNext =
  (times: number): BroadcastBody =>
  (actor) => {
    const subscription = actor.stream.subscribe({ onLag: () => undefined });
    for (let round = 0; round < times; round++) {
      let value: number | undefined;
      if (isRefused(actor, () => (value = subscription.tryNext(1)))) break;
      actor.ctx.assert(value === undefined || value > 0, `${value} was never published`);
      actor.ctx.forget(round, subscription.lost);
    }
  };

/** An async wait as the event loop drives it. An abort may end it at any moment. */
export const waitOrAbort: BroadcastBody = (actor) => {
  const { core, ctx, context, policy, line } = actor;
  const element = drawTicket(actor, () =>
    (context.kernel as BroadcastKernel).enqueueAtBroadcast(STREAM, TAG, context.agent, 1, 0, 0),
  );
  if (element === TAKEN) return;
  const abort = ctx.choose(3, 'abort before linking, after it, never');
  if (abort > 0) core.enterChain(context, element);
  const at = { line, entry: 0 } as const;
  const verdict =
    abort < 2 ? core.leaveLine(context, at, element) : core.sleepInLine(context, at, element, policy, Infinity);
  if (endWait(actor, element, verdict))
    ctx.assert(actor.stream.published > 0 || actor.stream.closed, 'admitted before a value was published');
};

/** Sleeps until a value is published or the broadcast is closed. */
export const sleep: BroadcastBody = (actor) => {
  actor.ctx.assert(sleepOn(actor, 0), 'a wait without a limit ended without its verdict');
  actor.ctx.assert(actor.stream.published > 0 || actor.stream.closed, 'admitted before a value was published');
};
export const leave: BroadcastBody = (actor) => void giveUp(actor, 0);

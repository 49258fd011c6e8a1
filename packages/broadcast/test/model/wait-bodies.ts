// Bodies of agents at a broadcast with overflow 'wait' in a model.

import { isRefused } from './broadcast-bodies.ts';
import { tallyAt, type BroadcastActor, type BroadcastBody } from './broadcast-world.ts';
import { markOf } from './wait-world.ts';

/**
 * Subscribes, reads to the end, and closes the subscription. `total`: reads instead until it has read or missed that
 * many values, which are published in any case. `most`: reads at most that many. The values of one publisher are 1, 2
 * and so on. With two publishers, each value is new.
 */
export const read =
  ({
    total = Infinity,
    most = Infinity,
    publishers = 1,
    from = 'oldest',
  }: {
    total?: number;
    most?: number;
    publishers?: number;
    from?: 'oldest' | 'next';
  } = {}): BroadcastBody =>
  (actor) => {
    const { ctx, stream } = actor;
    const subscription = stream.subscribe({
      from,
      onLag: (lost) => ctx.assert(false, `a subscription lost ${lost} values`),
    });
    // The position at which the subscription begins. Another value may come in between, so the position is an upper
    // bound.
    let passed = total === Infinity ? 0 : began(actor, () => subscription.behind);
    const mark = markOf(ctx.words, ctx.index);
    ctx.assert(mark >= 0, 'a subscription has no mark');
    let value = 0;
    for (let got = 0; got < most && passed < total; got++, passed++) {
      const before = value;
      if (isRefused(actor, () => (value = subscription.next()))) break;
      ctx.assert(
        value !== before && (publishers > 1 || before === 0 || value === before + 1),
        `${value} came after ${before}`,
      );
      ctx.forget(got, passed, value, mark);
    }
    ctx.assert(subscription.lost === 0, 'a subscription lost a value');
    subscription.close();
  };

/** Returns the number of values before a subscription that has just begun. */
function began({ stream }: BroadcastActor, behind: () => number): number {
  for (;;) {
    const published = stream.published;
    const left = behind();
    if (stream.published === published) return published - left;
  }
}

/**
 * Publishes if there is room at once, or within a time that may end at any moment. The tally is the number of published
 * values.
 */
export const tryPublish =
  (timeoutMs: number, ...values: readonly number[]): BroadcastBody =>
  (actor) => {
    const { ctx, stream } = actor;
    for (const value of values) {
      const note = (published: boolean): void => {
        if (published) ctx.words.put32(tallyAt(ctx.index), ctx.words.get32(tallyAt(ctx.index)) + 1);
      };
      if (isRefused(actor, () => note(stream.tryPublish(value, timeoutMs)))) break;
    }
  };

/** Subscribes, reads nothing, and closes the subscription. */
export const come: BroadcastBody = ({ stream }) => stream.subscribe().close();
/** Subscribes, and keeps the subscription. */
export const stay: BroadcastBody = ({ stream }) => void stream.subscribe();

// Cases of async calls on a broadcast, as the event loops of their agents drive them. Every wake-up, timeout and abort
// may come at any moment.

import type { WaitOptions } from '@sluice/core';
import type { Options } from '@sluice/model';
import { AsyncLoop, ModelSignal } from '../../../core/test/model/async-loop.ts';
import { reclaim } from '../../../core/test/model/office-bodies.ts';
import type { Case, Model } from '../../../core/test/model/case.ts';
import { both, close, publish } from './broadcast-bodies.ts';
import {
  broadcastCase,
  type BroadcastActor,
  type BroadcastBody,
  type BroadcastCore,
  type BroadcastPlan,
} from './broadcast-world.ts';
import { ASYNC_MUTANTS } from './mutants.ts';

/** The event that may end a call early. */
export type End = 'abort' | 'timeout' | 'never';

const TWO_PREEMPTIONS: Options = { preemptions: 2 };
const ONE_PREEMPTION: Options = { preemptions: 1 };

export function optionsOf(loop: AsyncLoop, end: End): WaitOptions {
  if (end === 'timeout') return { timeout: 5, ref: false };
  return end === 'abort' ? { signal: loop.mayAbort(new ModelSignal()) as never, ref: false } : { ref: false };
}

export function isExpected({ core }: BroadcastActor, failure: unknown, end: End): boolean {
  if (core.hasCode(failure, 'SLUICE_CLOSED')) return true;
  return end === 'abort' ? failure === 'aborted' : end === 'timeout' && core.hasCode(failure, 'SLUICE_TIMEOUT');
}

/** Starts calls on one subscription to the oldest value, in this order. The calls must get the values in call order. */
const calls = (...ends: readonly End[]): BroadcastBody => callsAnd(0, ends);

/** The agent itself publishes value n after call n, and `more` at the end. No value is lost. */
const callsAmongValues = (more: number, ...ends: readonly End[]): BroadcastBody => callsAnd(ends.length + more, ends);

const callsAnd =
  (values: number, ends: readonly End[]): BroadcastBody =>
  (actor) => {
    const { ctx, stream } = actor;
    const subscription = stream.subscribe({ from: 'oldest' });
    const loop = new AsyncLoop(ctx);
    let over = 0;
    const got: (number | undefined)[] = [];
    const begin = (end: End, n: number): void => {
      subscription.nextAsync(optionsOf(loop, end)).then(
        (value) => {
          over += 1;
          got[n] = value;
        },
        (failure: unknown) => {
          over += 1;
          // The explorer stops agents by errors, and ignores this when it has done so.
          ctx.assert(isExpected(actor, failure, end), `a call failed with ${String(failure)}`);
        },
      );
      if (n < values) stream.publish(n + 1);
    };
    loop.run(
      () => {
        ends.forEach(begin);
        for (let n = ends.length; n < values; n++) stream.publish(n + 1);
      },
      () => over === ends.length,
    );
    const all = got.filter((value) => value !== undefined);
    while (all.length < values) all.push(subscription.tryNext() ?? 0);
    ctx.assert(
      all.every((value, at) => value === at + 1),
      `the calls and the next ones got ${all.join(' ')}`,
    );
  };

/** Runs a loop over a broadcast from its oldest value to the end. Not a `for await`: this file is not lowered. */
const loop =
  (last: number): BroadcastBody =>
  ({ ctx, stream }) => {
    let values: AsyncGenerator<number, void, undefined> | undefined;
    const events = new AsyncLoop(ctx);
    let got = 0;
    let isOver = false;
    const step = (): void => {
      // Created here, and not earlier: the iterator makes promises.
      values ??= stream.subscribe({ from: 'oldest' })[Symbol.asyncIterator]();
      values.next().then(
        ({ done, value }) => {
          if (done === true) {
            isOver = true;
            return;
          }
          got += 1;
          ctx.assert(value === got, `value ${got} is ${String(value)}`);
          step();
        },
        (failure: unknown) => ctx.assert(false, `a loop failed with ${String(failure)}`),
      );
    };
    events.run(step, () => isOver);
    ctx.assert(got === last, `the loop ended after ${got} values instead of ${last}`);
  };

export function asyncBroadcastCases(core: BroadcastCore): Case[] {
  const make = (name: string, bodies: readonly BroadcastBody[], options: Options, plan: BroadcastPlan = {}): Case =>
    broadcastCase(core, name, bodies, options, { async: true, elements: 6, ...plan });
  return [
    make('an async call races publish()', [calls('never'), publish(1)], TWO_PREEMPTIONS),
    make('an async call races close()', [calls('never'), close], TWO_PREEMPTIONS),
    make('two async calls of one subscription', [calls('never', 'never'), publish(1, 2)], ONE_PREEMPTION),
    make(
      'two async calls, the first of which may be aborted',
      [calls('abort', 'never'), publish(1, 2)],
      ONE_PREEMPTION,
    ),
    make(
      'two async calls, the second of which may time out',
      [calls('never', 'timeout'), publish(1, 2)],
      ONE_PREEMPTION,
    ),
    make(
      'an async call begins between a value and the wake-up of an earlier call',
      [callsAmongValues(1, 'never', 'never', 'never')],
      TWO_PREEMPTIONS,
      { capacity: 4 },
    ),
    make(
      'an async call may time out when a later one begins',
      [callsAmongValues(0, 'timeout', 'never')],
      TWO_PREEMPTIONS,
    ),
    make(
      'an async call may be aborted when a later one begins',
      [callsAmongValues(0, 'abort', 'never')],
      TWO_PREEMPTIONS,
    ),
    make('an async call that may be aborted races close()', [calls('abort'), close], TWO_PREEMPTIONS),
    make('a loop runs to the end', [loop(2), both(publish(1, 2), close)], ONE_PREEMPTION),
    make('death of an agent with async calls', [calls('never', 'never'), publish(1, 2), reclaim(0)], ONE_PREEMPTION, {
      mayCrash: [0],
    }),
  ];
}

export const MODELS: readonly Model[] = [
  {
    name: 'async broadcast',
    entry: new URL('entry.ts', import.meta.url),
    lowered: true,
    cases: asyncBroadcastCases,
    mutants: ASYNC_MUTANTS,
  },
];

// Cases of async calls as the event loop drives them. No timer has to fire here: the other cases cover a head that only
// its timer wakes.

import type { Options } from '@sluice/model';
import { AsyncLoop, ModelSignal } from '../../../../core/test/model/async-loop.ts';
import type { Case, Model } from '../../../../core/test/model/case.ts';
import { RateWorld, type Plan, type RateBody, type RateCore } from './rate-world.ts';
import { ASYNC_MUTANTS } from './mutants.ts';

const ONE: Options = { preemptions: 1 };
const TWO: Options = { preemptions: 2 };

type End = 'abort' | 'timeout' | 'never';

/** Starts calls of one agent in this order. Each may end early as its entry says. */
const calls =
  (...ends: readonly End[]): RateBody =>
  ({ ctx, limiter }) => {
    const loop = new AsyncLoop(ctx);
    let over = 0;
    const begin = (end: End): void => {
      const signal = end === 'abort' ? (loop.mayAbort(new ModelSignal()) as never) : undefined;
      const ended = (): void => {
        over += 1;
      };
      const failed = (reason: unknown): void => {
        const { code } = reason as { readonly code?: string };
        ctx.assert(code === 'SLUICE_CLOSED' || end !== 'never', `a call ended with ${code}`);
        over += 1;
      };
      limiter
        .runAsync(() => undefined, 1, { signal, timeout: end === 'timeout' ? 5 : undefined, ref: false })
        .then(ended, failed);
    };
    loop.run(
      () => ends.forEach(begin),
      () => over === ends.length,
    );
  };

const bookAndReturn: RateBody = ({ limiter }) => {
  limiter.reserve(2).cancel();
};

const close: RateBody = ({ limiter }) => limiter.close();

const both =
  (...bodies: readonly RateBody[]): RateBody =>
  (actor) => {
    for (const body of bodies) body(actor);
  };

export function asyncRateCases(core: RateCore): Case[] {
  const make = (
    name: string,
    burst: number,
    bodies: readonly RateBody[],
    options: Options,
    more: Partial<Plan> = {},
  ): Case => new RateWorld(core, { name, burst, bodies, options, isAsync: true, ...more }).case;
  const closed = { isClosed: true, taken: 1 };
  return [
    make('an async call waits while another agent closes', 1, [calls('never'), close], TWO, closed),
    make('two async calls wait while another agent closes', 1, [calls('never', 'never'), close], ONE, closed),
    make('an async call may be aborted while another agent closes', 1, [calls('abort'), close], TWO, closed),
    make(
      'the first of two async calls may be aborted while another agent closes',
      1,
      [calls('abort', 'never'), close],
      ONE,
      closed,
    ),
    make('an async call may time out while another agent closes', 1, [calls('timeout'), close], TWO, closed),
    make(
      'async calls of two agents wait while a third closes',
      1,
      [calls('never'), calls('never'), close],
      ONE,
      closed,
    ),
    make(
      'an async call waits while a booking is cancelled, then the limiter is closed',
      2,
      [calls('never'), both(bookAndReturn, close)],
      TWO,
      { isClosed: true, taken: 1 },
    ),
  ];
}

export const MODELS: readonly Model[] = [
  {
    name: 'async rate limit',
    entry: new URL('entry.ts', import.meta.url),
    lowered: true,
    cases: asyncRateCases,
    mutants: ASYNC_MUTANTS,
  },
];

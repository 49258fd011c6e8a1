// Cases of publishers in async calls, as the event loops of their agents drive them. Every wake-up, timeout and abort
// may come at any moment.

import type { Options } from '@sluice/model';
import { AsyncLoop } from '../../../core/test/model/async-loop.ts';
import { reclaim } from '../../../core/test/model/office-bodies.ts';
import type { Case, Model } from '../../../core/test/model/case.ts';
import { isExpected, optionsOf, type End } from './async-cases.ts';
import { close } from './broadcast-bodies.ts';
import { tallyAt, type BroadcastBody, type BroadcastCore } from './broadcast-world.ts';
import { read, stay } from './wait-bodies.ts';
import { waitCase, type WaitPlan } from './wait-world.ts';
import { WAIT_ASYNC_MUTANTS } from './wait-mutants.ts';

const ONE_PREEMPTION: Options = { preemptions: 1 };
const NO_PREEMPTION: Options = { preemptions: 0 };

/**
 * Publishes 1, 2 and so on in calls that start at once. The successful calls must publish in call order. The tally is
 * their number.
 */
const publishLater = (...ends: readonly End[]): BroadcastBody => publishLaterFrom(0, ...ends);

const publishLaterFrom =
  (before: number, ...ends: readonly End[]): BroadcastBody =>
  (actor) => {
    const { ctx, stream } = actor;
    const loop = new AsyncLoop(ctx);
    let over = 0;
    const done: number[] = [];
    loop.run(
      () => {
        for (const [n, end] of ends.entries()) {
          stream.publishAsync(before + n + 1, optionsOf(loop, end)).then(
            () => {
              over += 1;
              done.push(n + 1);
            },
            (failure: unknown) => {
              over += 1;
              // The explorer stops agents by errors, and ignores this when it has done so.
              ctx.assert(isExpected(actor, failure, end), `a call failed with ${String(failure)}`);
            },
          );
        }
      },
      () => over === ends.length,
    );
    ctx.assert(
      done.every((value, at) => at === 0 || value > (done[at - 1] ?? 0)),
      `the values were published as ${done.join(' ')}`,
    );
    ctx.words.put32(tallyAt(ctx.index), done.length);
  };

/** Publishes 1 and 2 in calls that start at once, and 3 when the first call has ended: by then 2 is in the queue. */
const publishAfterward: BroadcastBody = (actor) => {
  const { ctx, stream } = actor;
  const loop = new AsyncLoop(ctx);
  const done: number[] = [];
  const call = (value: number): Promise<number> =>
    stream.publishAsync(value, optionsOf(loop, 'never')).then(() => done.push(value));
  loop.run(
    () => {
      void call(1).then(() => call(3));
      void call(2);
    },
    () => done.length === 3,
  );
  ctx.assert(done.join() === '1,2,3', `the values were published as ${done.join(' ')}`);
  ctx.words.put32(tallyAt(ctx.index), done.length);
};

const endAfter =
  (body: BroadcastBody): BroadcastBody =>
  (actor) => {
    body(actor);
    actor.stream.close();
  };

export function asyncWaitCases(core: BroadcastCore): Case[] {
  const make = (name: string, bodies: readonly BroadcastBody[], options: Options, plan: WaitPlan = {}): Case =>
    waitCase(core, name, bodies, options, { async: true, elements: 8, ...plan });
  return [
    make('async publishers and a subscription', [endAfter(publishLater('never', 'never')), read()], ONE_PREEMPTION, {
      publishers: [0],
    }),
    make('an async call begins while another waits', [endAfter(publishAfterward), read()], ONE_PREEMPTION, {
      publishers: [0],
    }),
    make(
      'two async publishers, one of which may be aborted',
      [publishLater('never', 'abort', 'never'), read({ total: 2, publishers: 2 })],
      NO_PREEMPTION,
      { publishers: [0] },
    ),
    make(
      'two async publishers, one of which may time out',
      [endAfter(publishLater('never', 'timeout')), read()],
      ONE_PREEMPTION,
      { publishers: [0] },
    ),
    make('async publishers race close()', [publishLater('never', 'never', 'never'), close, stay], NO_PREEMPTION, {
      publishers: [0],
      left: 1,
    }),
    make(
      'async publishers of two agents',
      [publishLater('never'), publishLaterFrom(5, 'never'), read({ total: 2, publishers: 2 })],
      NO_PREEMPTION,
      { spares: 2, publishers: [0, 1] },
    ),
    make(
      'death of an agent with async publishers',
      [
        publishLater('never', 'never'),
        read({ total: 1, publishers: 2 }),
        endAfter((actor) => {
          reclaim(0)(actor);
          actor.stream.publish(9);
        }),
      ],
      NO_PREEMPTION,
      { spares: 2, mayCrash: [0] },
    ),
  ];
}

export const MODELS: readonly Model[] = [
  {
    name: 'broadcast that waits, async',
    entry: new URL('entry.ts', import.meta.url),
    lowered: true,
    cases: asyncWaitCases,
    mutants: WAIT_ASYNC_MUTANTS,
  },
];

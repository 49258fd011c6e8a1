// Cases of async calls on a once, as the event loops of their agents drive them. Every wake-up, timeout and abort may
// come at any moment.

import type { WaitOptions } from '@sluice/core';
import type { Options } from '@sluice/model';
import { AsyncLoop, ModelSignal } from '../../../core/test/model/async-loop.ts';
import { reclaim } from '../../../core/test/model/office-bodies.ts';
import type { Case, Model } from '../../../core/test/model/case.ts';
import { ONCE_IDLE } from '../../src/kernel/layout.ts';
import { beginInside, check, Failure, failing, initialise, run, wait } from './once-bodies.ts';
import { idle } from './once-cases.ts';
import { onceCase, RUNNER, type OnceActor, type OnceBody, type OnceCore, type OncePlan } from './once-world.ts';
import { ASYNC_MUTANTS } from './once-async-mutants.ts';

interface Call {
  /**
   * `slow`: the initialiser ends in a later turn of the event loop. `fails`: it rejects there. `wait`: the call has no
   * initialiser.
   */
  readonly how: 'run' | 'slow' | 'fails' | 'wait';
  readonly ends?: 'timeout' | 'abort';
}

const TWO_PREEMPTIONS: Options = { preemptions: 2 };
const ONE_PREEMPTION: Options = { preemptions: 1 };
const NO_PREEMPTION: Options = { preemptions: 0 };

const inLaterTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Not `async` functions: this file is not lowered. */
function begin(actor: OnceActor, { how }: Call, options: WaitOptions): Promise<void> {
  const { once } = actor;
  if (how === 'wait') return once.waitAsync(options);
  if (how === 'run') return once.runAsync(() => initialise(actor), options);
  return once.runAsync(() => {
    beginInside(actor);
    return inLaterTurn().then(() => {
      actor.ctx.assert(actor.ctx.words.load32(RUNNER) === actor.ctx.index + 1, 'another initialiser began in between');
      if (how === 'fails') throw new Failure();
      initialise(actor);
    });
  }, options);
}

function optionsOf(loop: AsyncLoop, { ends }: Call): WaitOptions {
  if (ends === 'timeout') return { timeout: 5, ref: false };
  return ends === 'abort' ? { signal: loop.mayAbort(new ModelSignal()) as never, ref: false } : { ref: false };
}

/** Whether a call may end with that error. */
function isExpected({ core }: OnceActor, failure: unknown, { how, ends }: Call): boolean {
  if (failure instanceof Failure) return how === 'fails';
  return ends === 'abort' ? failure === 'aborted' : ends === 'timeout' && core.hasCode(failure, 'SLUICE_TIMEOUT');
}

/** Starts calls of one agent in this order. */
const calls =
  (...all: readonly Call[]): OnceBody =>
  (actor) => {
    const { ctx } = actor;
    const loop = new AsyncLoop(ctx);
    let over = 0;
    loop.run(
      () => {
        for (const call of all) {
          begin(actor, call, optionsOf(loop, call)).then(
            () => {
              over += 1;
              check(actor);
            },
            (failure: unknown) => {
              over += 1;
              // The explorer stops agents by errors, and ignores this when it has done so.
              ctx.assert(isExpected(actor, failure, call), `a call failed with ${String(failure)}`);
            },
          );
        }
      },
      () => over === all.length,
    );
  };

const RUN: Call = { how: 'run' };
const SLOW: Call = { how: 'slow' };
const FAILS: Call = { how: 'fails' };
const WAIT: Call = { how: 'wait' };

export function asyncOnceCases(core: OnceCore): Case[] {
  const make = (name: string, bodies: readonly OnceBody[], options: Options, plan: OncePlan = {}): Case =>
    onceCase(core, name, bodies, options, { async: true, elements: 6, ...plan });
  const any = { ends: 'any' } as const;
  return [
    make('an async call and a blocking call', [calls(RUN), run], TWO_PREEMPTIONS),
    make('two async calls of one agent and a blocking call', [calls(RUN, RUN), run], TWO_PREEMPTIONS),
    make('async calls of two agents', [calls(SLOW), calls(RUN)], TWO_PREEMPTIONS),
    make('a slow initialiser while its agent makes another call', [calls(SLOW, RUN), run], TWO_PREEMPTIONS),
    make('a slow initialiser while agents wait', [calls(SLOW, WAIT), wait], TWO_PREEMPTIONS),
    make('an async wait', [calls(WAIT), run], TWO_PREEMPTIONS),
    make('an async wait for an initialiser that throws', [calls(WAIT), failing, run], ONE_PREEMPTION),
    make('an async initialiser that fails', [calls(FAILS), run], TWO_PREEMPTIONS),
    make('an async initialiser fails while its agent makes another call', [calls(FAILS, RUN), wait], TWO_PREEMPTIONS),
    make('an async initialiser fails while other async calls wait', [calls(FAILS), calls(RUN, WAIT)], ONE_PREEMPTION),
    make('an async call may time out', [calls({ how: 'run', ends: 'timeout' }), run], TWO_PREEMPTIONS),
    make(
      'an async call whose initialiser may throw may time out',
      [calls({ how: 'run', ends: 'timeout' }), failing],
      TWO_PREEMPTIONS,
      any,
    ),
    make('an async call may be aborted', [calls({ how: 'run', ends: 'abort' }), run], TWO_PREEMPTIONS),
    make('an async wait may time out', [calls({ how: 'wait', ends: 'timeout' }), failing, run], ONE_PREEMPTION),
    make(
      'an async wait may be aborted while a slow initialiser runs',
      [calls(SLOW, { how: 'wait', ends: 'abort' }), run],
      ONE_PREEMPTION,
    ),
    make('death in a slow initialiser', [calls(SLOW), run, reclaim(0)], ONE_PREEMPTION, { mayCrash: [0] }),
    make('death of an agent with async calls', [calls(RUN, WAIT), run, reclaim(0)], ONE_PREEMPTION, { mayCrash: [0] }),
    make(
      'death in a slow initialiser while another agent makes an async call',
      [calls(SLOW), calls(RUN), reclaim(0)],
      NO_PREEMPTION,
      {
        mayCrash: [0],
      },
    ),
    make(
      'an async wait while no initialiser returns',
      [calls({ how: 'wait', ends: 'timeout' }), failing],
      TWO_PREEMPTIONS,
      { ends: ONCE_IDLE, stuck: idle },
    ),
  ];
}

export const MODELS: readonly Model[] = [
  {
    name: 'async once',
    entry: new URL('entry.ts', import.meta.url),
    lowered: true,
    cases: asyncOnceCases,
    mutants: ASYNC_MUTANTS,
  },
];

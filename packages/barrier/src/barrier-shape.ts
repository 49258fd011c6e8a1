// The description of a barrier's waiters for the core, and the action that a thread gives to the barrier.

import { MisuseError, type DoneOnReturn } from '@sluice/core';
import { AGENT_CHAIN, AGENT_DUTY_KIND, TAKEN } from '@sluice/core/format';
import { checkFunction, checkOptions, isThenable, reportRejection, type Titled } from '@sluice/core/calls';
import { recordedAt, type LineShape, type LockOptions } from '@sluice/core/internal';
import { stateText } from './barrier-report.ts';
import { BARRIER, type BarrierKernel, type BarrierSteps } from './kinds.ts';

/** Runs before a generation trips. It should return nothing. */
export type Action = (() => unknown) | undefined;

export interface BarrierOptions extends LockOptions {
  /**
   * Runs in each generation after all parties have arrived and before any party proceeds, on the thread of the last
   * party to arrive. Each thread has its own action, from its `create` or `from`.
   *
   * If it throws, the generation is broken, and the call that ran it throws the same error. If it returns a promise,
   * the generation is broken, and the call throws `MisuseError`.
   */
  readonly action?: (() => DoneOnReturn) | undefined;
}

export function shapeOf(action: Action): LineShape<BarrierSteps> {
  const acts = action === undefined ? 0 : 1;
  return {
    kind: BARRIER,
    className: 'Barrier',
    what: 'The barrier',
    late: 'did not trip',
    untouched: 'It was not changed.',
    gaveUp: 'This call had arrived, so the generation is broken.',
    ordered: false,
    state: stateText,
    blame: (ref) => [{ how: 'claimed', agents: recordedAt(ref.context, ref) }],
    behaviour: { recorded: true, together: true },
    enterOrEnqueue: ({ context, address, tag }) => {
      const { agent, words } = context;
      const kernel = context.kernel as BarrierKernel;
      return (mayWait, entry) => {
        const arrived = kernel.arriveAtBarrier(address, tag, agent, entry, mayWait, acts);
        if (arrived === TAKEN && (words.get32(agent + AGENT_DUTY_KIND) !== 0 || words.get32(agent + AGENT_CHAIN) !== 0))
          context.finishWalk();
        return arrived;
      };
    },
  };
}

/** Checks the names of the options, and the action. */
export function checkAction<Options extends { readonly action?: Action }>(
  options: Options,
  names: readonly string[],
): Options {
  checkOptions(options, [...names, 'action']);
  if (options.action !== undefined) checkFunction(options.action);
  return options;
}

/** Throws `MisuseError` if the action returned a promise: the barrier would trip before the promise settles. */
export function refusePromiseOf(result: unknown, barrier: Titled): void {
  if (!isThenable(result)) return;
  reportRejection(result, `the action of ${barrier.toString()}`);
  throw new MisuseError(
    `The action of ${barrier.toString()} returned a promise: it must be synchronous. The generation is broken. The promise is the cause of this error.`,
    { cause: result },
  );
}

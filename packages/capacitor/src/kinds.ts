// The gates of this package as kinds of the arena: their kernel and their steps.

import { kindCode, type Kernel, type KernelSource, type Kind, type KindSteps, type Words } from '@sluice/core/internal';
import { LEASE } from './kernel/layout.ts';
import type * as steps from './kernel/steps.ts';
import { KERNEL_ID, KERNEL_TEXT } from './kernel/wasm.generated.ts';

export type GateSteps = { readonly [Step in keyof typeof steps]: (typeof steps)[Step] };
/** The core's steps and those of gates. */
export type GateKernel = Kernel & GateSteps;

const kernel: KernelSource<GateSteps> = {
  entry: '@sluice/capacitor',
  id: KERNEL_ID,
  text: KERNEL_TEXT,
  uncontended: ['takeTurn', 'endTurn', 'pause', 'resume'],
};

function turnSteps({ pollTurnstile, park, cancelTurnstileWait, cancelDeadTurnstileWait, endTurnForDead }: GateKernel): KindSteps {
  return {
    poll: pollTurnstile,
    park,
    cancel: cancelTurnstileWait,
    cancelDead: cancelDeadTurnstileWait,
    releaseForDeadOwner: endTurnForDead,
  };
}

/** An agent that went out keeps its turn for a while. A waiter ends it. */
function isInsideTurnstile(words: Words, turnstile: number): boolean {
  return words.load32(turnstile + LEASE) === 0;
}

export const TURNSTILE: Kind<GateSteps> = {
  name: 'sluice.turnstile',
  code: /* @__PURE__ */ kindCode('turn'),
  kernel,
  title: 'capacitor',
  steps: turnSteps,
  isInside: isInsideTurnstile,
};

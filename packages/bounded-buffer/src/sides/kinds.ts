// The bounded buffer as a kind of the arena: its kernel, and the steps of its lines. The locks of its sides have a kind
// of their own, because their waiters compete. At the other lines, agents wait with the steps of the core's semaphore.

import {
  kindCode,
  type Kernel,
  type KernelSource,
  type Kind,
  type KindAgent,
  type KindSteps,
  type WaitEnd,
} from '@sluice/core/internal';
import type * as steps from '../kernel/steps.ts';
import { KERNEL_ID, KERNEL_TEXT } from '../kernel/wasm.generated.ts';

export type BufferSteps = { readonly [Step in keyof typeof steps]: (typeof steps)[Step] };
/** The core's steps and a bounded buffer's. */
export type BufferKernel = Kernel & BufferSteps;

const kernel: KernelSource<BufferSteps> = {
  entry: '@sluice/bounded-buffer',
  id: KERNEL_ID,
  text: KERNEL_TEXT,
  uncontended: ['enterSide', 'enqueueAtSide', 'lookAtSide', 'countSideUnits', 'commitSide', 'passInt32'],
};

function lineSteps({ poll, park, cancelWait, serveSides }: BufferKernel, agent: KindAgent): KindSteps {
  // An agent that can recover one line must be able to recover the others.
  agent.load(SIDE_LOCK);
  return { poll, park, cancel: cancelWait, notesGrants: true, walk: serveSides };
}

function lockSteps(kernel: BufferKernel): KindSteps {
  return {
    poll: kernel.pollSideLock,
    park: kernel.parkSideLock,
    cancel: kernel.cancelSideLockWait,
    releaseForDeadOwner: kernel.releaseSideForDeadOwner,
    deadOwnerIn: 'buffersInterrupted',
    walk: kernel.serveSides,
  };
}

/** The first of the lines in which agents wait. Of these, every second line is one of producers (lines.ts). */
const FIRST_WAITED_IN = 3;

function endedBy(line: number): WaitEnd | undefined {
  if (line < FIRST_WAITED_IN) return undefined;
  return line % 2 === FIRST_WAITED_IN % 2
    ? { what: 'room', verb: 'takes from', lines: [FIRST_WAITED_IN + 1] }
    : { what: 'values', verb: 'adds to', lines: [FIRST_WAITED_IN] };
}

/** The buffer, and the lines in which its agents wait. Loading this kind also loads the locks of the sides. */
export const BUFFER: Kind<BufferSteps> = {
  name: 'sluice.bounded-buffer',
  // Equal to the kernel's BUFFER_CODE.
  code: /* @__PURE__ */ kindCode('buf'),
  kernel,
  title: 'buffer',
  endedBy,
  steps: lineSteps,
};

/** The lock of a side. No handle is of this kind. */
export const SIDE_LOCK: Kind<BufferSteps> = {
  name: 'sluice.bounded-buffer',
  code: /* @__PURE__ */ kindCode('bufl'),
  kernel,
  title: 'buffer',
  steps: lockSteps,
};

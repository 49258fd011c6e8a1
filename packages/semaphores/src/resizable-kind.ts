// The resizable semaphore as a kind of the arena. It shares the kernel of this package.

import {
  BLOCK_LINE,
  CANCELLED,
  CANCELLED_LEFT_BEHIND,
  kindCode,
  leaveLine,
  SEM,
  type AgentContext,
  type ElementAddress,
  type EntryAddress,
  type Kind,
  type KindSteps,
  type LineSteps,
  type Look,
} from '@sluice/core/internal';
import { noteCancelled } from './cancelled-waits.ts';
import { SEMAPHORES, type MemberKernel, type MemberSteps } from './kinds.ts';
import { CANCEL_REASON } from './kernel/layout.ts';
import { LATE } from './kernel/resizable.ts';

function stepsOf({ pollSized, parkSized, cancelSized, cancelDeadSized, restoreSized, walkSized }: MemberKernel, context: AgentContext): KindSteps {
  function poll(element: ElementAddress, entry: EntryAddress): Look {
    const seen = pollSized(element, entry);
    if (seen !== LATE) return seen;
    const { words } = context;
    const reason = words.load32(words.get32(element + SEM) + BLOCK_LINE + CANCEL_REASON);
    const left = leaveLine(context, { line, entry, patrol: undefined }, element);
    if (left === CANCELLED || left === CANCELLED_LEFT_BEHIND) noteCancelled(context, element, reason);
    return left;
  }

  const line: LineSteps = { poll, park: parkSized, cancel: cancelSized };
  return { ...line, cancelDead: cancelDeadSized, notesGrants: true, restore: restoreSized, walk: walkSized };
}

export const RESIZABLE: Kind<MemberSteps> = {
  name: 'sluice.resizable-semaphore',
  code: /* @__PURE__ */ kindCode('sized'),
  kernel: SEMAPHORES.kernel,
  title: 'semaphore',
  steps: stepsOf,
};

/** The steps of an agent that waits until a permit is free. */
export function watcherSteps({ pollWatcher, cancelWatcher, park }: MemberKernel): LineSteps {
  return { poll: pollWatcher, cancel: cancelWatcher, park };
}

// The resizable semaphore as a kind of the arena. It shares the kernel of this package.

import {
  asLine,
  BLOCK_LINE,
  CANCELLED,
  CANCELLED_LEFT_BEHIND,
  kindCode,
  leaveLine,
  SEM,
  SHUT,
  TAG,
  untilWon,
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
import { CANCEL_REASON, ENTRY_BACK } from './kernel/layout.ts';
import { CANCELLED_HOLDING, LATE, LEFT_BEHIND_HOLDING } from './kernel/resizable-waits.ts';

function stepsOf({ pollSized, parkSized, cancelSized, cancelDeadSized, releaseSized, restoreSized, walkSized }: MemberKernel, context: AgentContext): KindSteps {
  function poll(element: ElementAddress, entry: EntryAddress): Look {
    const seen = pollSized(element, entry);
    if (seen !== LATE) return seen;
    const { words } = context;
    const reason = words.load32(words.get32(element + SEM) + BLOCK_LINE + CANCEL_REASON);
    const left = leaveLine(context, { line, entry, patrol: undefined }, element);
    if (left === CANCELLED || left === CANCELLED_LEFT_BEHIND) noteCancelled(context, element, reason);
    return left;
  }

  /** A wait that was given up may have collected permits: they go back. */
  const cancel: LineSteps['cancel'] = (agent, element, entry) => {
    const { words } = context;
    const home = asLine(words.get32(element + SEM));
    const tag = words.get32(element + TAG);
    const left = cancelSized(agent, element, entry);
    if (left !== CANCELLED_HOLDING && left !== LEFT_BEHIND_HOLDING) return left;
    // What it lacked is posted. The record has room for one post, and the release may need it.
    context.finishWalk();
    const back = words.get32(entry + ENTRY_BACK);
    const released = untilWon(() => releaseSized(home, tag, agent, entry, back));
    // Closed meanwhile: no waiter needs them, and the ledger no longer lists them.
    if (released === SHUT) words.put64(entry, words.get64(entry) - BigInt(back));
    return left === CANCELLED_HOLDING ? CANCELLED : CANCELLED_LEFT_BEHIND;
  };

  const line: LineSteps = { poll, park: parkSized, cancel };
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

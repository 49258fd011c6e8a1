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
import { SEMAPHORES, type MemberKernel, type MemberSteps } from './kinds.ts';
import { CANCEL_REASON, ENTRY_BACK } from './kernel/layout.ts';
import { CANCELLED_HOLDING, LATE, LEFT_BEHIND_HOLDING } from './kernel/resizable-waits.ts';

/** The steps of one wait. They note why it ended. */
export class CancellableWait implements LineSteps {
  readonly park: LineSteps['park'];
  readonly cancel: LineSteps['cancel'];
  /** The reason of the cancel that ended the wait. `undefined`: none did. */
  reason: number | undefined;
  readonly #context: AgentContext;
  readonly #pollSized: MemberKernel['pollSized'];

  constructor(context: AgentContext, { pollSized }: MemberKernel, { park, cancel }: Pick<LineSteps, 'park' | 'cancel'>) {
    this.park = park;
    this.cancel = cancel;
    this.#context = context;
    this.#pollSized = pollSized;
  }

  poll(element: ElementAddress, entry: EntryAddress): Look {
    const seen = this.#pollSized(element, entry);
    if (seen !== LATE) return seen;
    const context = this.#context;
    const { words } = context;
    // Before the wait leaves: until then the element keeps the memory of the line.
    const reason = words.load32(words.get32(element + SEM) + BLOCK_LINE + CANCEL_REASON);
    const left = leaveLine(context, { line: this, entry, patrol: undefined }, element);
    if (left === CANCELLED || left === CANCELLED_LEFT_BEHIND) this.reason = reason;
    return left;
  }
}

function stepsOf(kernel: MemberKernel, context: AgentContext): KindSteps {
  const { parkSized, cancelSized, cancelDeadSized, releaseSized, restoreSized, walkSized } = kernel;

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

  const wait = new CancellableWait(context, kernel, { park: parkSized, cancel });
  const poll: LineSteps['poll'] = (element, entry) => wait.poll(element, entry);
  return { poll, park: parkSized, cancel, cancelDead: cancelDeadSized, notesGrants: true, restore: restoreSized, walk: walkSized };
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

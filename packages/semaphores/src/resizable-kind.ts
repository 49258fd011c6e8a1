// The resizable semaphore as a kind of the arena. It shares the kernel of this package.

import { asLine, CANCELLED, CANCELLED_LEFT_BEHIND, FLAGS, LINE, SHUT, TAG } from '@sluice/core/format';
import {
  kindCode,
  retryWhileRaced,
  type KindAgent,
  type Kind,
  type KindSteps,
  type LineSteps,
} from '@sluice/core/internal';
import { CancellableWait } from './cancellable-wait.ts';
import { ENTRY_BACK, FLAG_WATCH } from './kernel/layout.ts';
import { CANCELLED_HOLDING, LEFT_BEHIND_HOLDING } from './kernel/outcomes.ts';
import { PRIORITY } from './kinds.ts';
import type { OwnKernel, OwnSteps } from './own-kernel.ts';

function stepsOf(kernel: OwnKernel, context: KindAgent): KindSteps {
  const { parkSized, cancelSized, cancelWatcher, releaseSized, restoreSized, walkSized } = kernel;

  /** A cancelled wait may have collected permits. They are released. */
  const cancel: LineSteps['cancel'] = (agent, element, entry, dead) => {
    const { words } = context;
    const home = asLine(words.get32(element + LINE));
    // A living agent that waits until a permit is free has steps of its own (resizable-watch.ts).
    if (dead !== 0 && (words.get32(home + FLAGS) & FLAG_WATCH) !== 0) return cancelWatcher(agent, element, entry, dead);
    const tag = words.get32(element + TAG);
    const left = cancelSized(agent, element, entry, dead);
    if (left !== CANCELLED_HOLDING && left !== LEFT_BEHIND_HOLDING) return left;
    // The cancel may have left a duty. The record has room for one duty, and the release may need it.
    context.finishWalk();
    const back = words.get32(entry + ENTRY_BACK);
    const released = retryWhileRaced(() => releaseSized(home, tag, agent, entry, back));
    // The semaphore was closed: no waiter needs the permits, and the ledger no longer lists them.
    if (released === SHUT) words.put64(entry, words.get64(entry) - BigInt(back));
    return left === CANCELLED_HOLDING ? CANCELLED : CANCELLED_LEFT_BEHIND;
  };

  const wait = new CancellableWait(context, kernel, { park: parkSized, cancel });
  const poll: LineSteps['poll'] = (element, entry) => wait.poll(element, entry);
  return { poll, park: parkSized, cancel, notesGrants: true, restore: restoreSized, walk: walkSized };
}

export const RESIZABLE: Kind<OwnSteps> = {
  name: 'sluice.resizable-semaphore',
  code: /* @__PURE__ */ kindCode('sized'),
  kernel: PRIORITY.kernel,
  title: 'semaphore',
  steps: stepsOf,
};

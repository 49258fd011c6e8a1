// The papers' semaphores as one kind of the arena: their kernel and their steps. `FLAGS` of a line says which of these
// semaphores the line belongs to.

import {
  asLine,
  FLAGS,
  LEAVING,
  RACED,
  LINE,
  WAITING,
  type ElementAddress,
  type EntryAddress,
  type Poll,
} from '@sluice/core/format';
import {
  kindCode,
  retryOrThrow,
  notingPlaces,
  type KindAgent,
  type KernelSource,
  type Kind,
  type KindSteps,
} from '@sluice/core/internal';
import { FRONT } from '@sluice/semaphores/kernel';
import {
  FLAG_ARRAY,
  FLAG_CHAINED,
  FLAG_DEALT,
  FLAG_GLOBAL,
  FLAG_MONITORED,
  FLAG_PLACED,
  FLAG_TOKENS,
} from './kernel/layout.ts';
import { KERNEL_ID, KERNEL_TEXT } from './kernel/wasm.generated.ts';
import type { MemberKernel, MemberSteps } from './family-kernel.ts';
import { mergeEverywhere } from './merge-tombstones.ts';

const kernel: KernelSource<MemberSteps> = {
  entry: '@sluice/classics',
  id: KERNEL_ID,
  text: KERNEL_TEXT,
  uncontended: [
    ...(['acquireTicket', 'releaseTickets', 'releaseBlindly', 'giveTokens', 'takeTokens'] as const),
    ...(['takeAtBox', 'boxRelease', 'enterLane', 'tryEnterLane', 'postToLanes'] as const),
  ],
};

const FAMILY = FLAG_GLOBAL | FLAG_ARRAY | FLAG_CHAINED | FLAG_MONITORED | FLAG_PLACED | FLAG_TOKENS;

/** Whether the waiters are linked in the chain of the line, as in a line of the core. */
function isLaneOfCore(flags: number): boolean {
  return (flags & (FLAG_DEALT | FAMILY)) === FLAG_DEALT;
}

function stepsOf(
  { pollMember, park, cancelMemberWait, leaveLine, restoreMember, walkMembers }: MemberKernel,
  context: KindAgent,
): KindSteps {
  const { words } = context;
  // Only lines with tokens return RACED, and their waits have a loop of their own (family-line.ts).
  function settled(element: ElementAddress, entry: EntryAddress): Poll {
    for (let tries = 1; ; tries++) {
      const seen = pollMember(element, entry);
      if (seen !== RACED) return seen;
      retryOrThrow(tries);
    }
  }

  const leaveLane: KindSteps['cancel'] = (agent, element, entry, dead) => {
    const cancelled = cancelMemberWait(agent, element, entry, dead);
    return cancelled === WAITING ? leaveLine(agent, element) : cancelled;
  };
  const leaveStray = notingPlaces(context, leaveLane, (lane) => asLine(words.get32(lane + FRONT)));

  return {
    poll: settled,
    park,
    // Only a counted waiter leaves a place behind that its agent can take up again.
    cancel: (agent, element, entry, dead) => {
      const isCounted =
        words.get32(element + LEAVING) === 0 && isLaneOfCore(words.get32(words.get32(element + LINE) + FLAGS));
      return isCounted ? leaveStray(agent, element, entry, dead) : leaveLane(agent, element, entry, dead);
    },
    notesGrants: true,
    restore: restoreMember,
    walk: walkMembers,
    compact: () => mergeEverywhere(context),
  };
}

export const SEMAPHORES: Kind<MemberSteps> = {
  name: 'sluice.family-semaphore',
  code: /* @__PURE__ */ kindCode('sema'),
  kernel,
  title: 'semaphore',
  steps: stepsOf,
};

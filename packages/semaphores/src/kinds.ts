// The semaphores of this package as one kind of the arena: their kernel and their steps. FLAGS of a line tell which of
// them it belongs to.

import {
  asLine,
  FLAGS,
  kindCode,
  LEAVING,
  mayRetry,
  notingPlaces,
  RACED,
  SEM,
  WAITING,
  type KindAgent,
  type ElementAddress,
  type EntryAddress,
  type KernelSource,
  type Kind,
  type KindSteps,
  type Poll,
} from '@sluice/core/internal';
import {
  FLAG_ARRAY,
  FLAG_CHAINED,
  FLAG_DEALT,
  FLAG_GLOBAL,
  FLAG_MONITORED,
  FLAG_PLACED,
  FLAG_TOKENS,
  FRONT,
} from './kernel/layout.ts';
import { KERNEL_ID, KERNEL_TEXT } from './kernel/wasm.generated.ts';
import type { MemberKernel, MemberSteps } from './member-kernel.ts';
import { mergeEverywhere } from './merge-tombstones.ts';

const kernel: KernelSource<MemberSteps> = {
  entry: '@sluice/semaphores',
  id: KERNEL_ID,
  text: KERNEL_TEXT,
  uncontended: [
    ...(['acquireTicket', 'releaseTickets', 'releaseBlindly', 'giveTokens', 'takeTokens'] as const),
    ...([
      'boxTake',
      'boxRelease',
      'levelsRelease',
      'enterLane',
      'tryEnterLane',
      'postToLanes',
      'takeSized',
      'releaseSized',
    ] as const),
  ],
};

const FAMILY = FLAG_GLOBAL | FLAG_ARRAY | FLAG_CHAINED | FLAG_MONITORED | FLAG_PLACED | FLAG_TOKENS;

/** Whether waiters wait there as in core's line: linked, in its chain. */
function isLaneOfCore(flags: number): boolean {
  return (flags & (FLAG_DEALT | FAMILY)) === FLAG_DEALT;
}

function stepsOf(
  { pollMember, park, cancelMemberWait, leaveLine, restoreMember, walkMembers }: MemberKernel,
  context: KindAgent,
): KindSteps {
  const { words } = context;
  // RACED comes from lines with tokens only, whose waits have a loop of their own (line.ts).
  function settled(element: ElementAddress, entry: EntryAddress): Poll {
    for (let tries = 1; ; tries++) {
      const seen = pollMember(element, entry);
      if (seen !== RACED) return seen;
      mayRetry(tries);
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
    // A waiter that is no longer counted has no place that it could come back to.
    cancel: (agent, element, entry, dead) => {
      const isCounted =
        words.get32(element + LEAVING) === 0 && isLaneOfCore(words.get32(words.get32(element + SEM) + FLAGS));
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

// The steps of waiters at semaphores of this package, and the steps of the core whose results mean the same, for drivers of kernel steps.

import type { LineNames } from '../../../core/test/support/line-players.ts';

export const MEMBER_NAMES: LineNames = {
  park: 'park',
  poll: 'pollMember',
  cancel: 'cancelMemberWait',
  cancelDead: 'cancelDeadMemberWait',
  restore: 'restoreMember',
  releaseForDeadOwner: 'releaseForDeadOwner',
};

const LIKE = new Map([
  ['acquireTicket', 'acquire'],
  ['pollMember', 'poll'],
  ['cancelMemberWait', 'leave'],
  ['cancelDeadMemberWait', 'cancelDeadWaiter'],
  ['restoreMember', 'restore'],
  ['walkMembers', 'walk'],
  ...['releaseTickets', 'releaseBlindly', 'giveTokens', 'closeOfFamily', 'boxRelease', 'postToLanes'].map((step) => [step, 'release'] as const),
  ...['boxTake', 'beginDrain', 'endDrain'].map((step) => [step, 'takeSome'] as const),
  ...['enqueueAtBox', 'enterLane', 'tryEnterLane'].map((step) => [step, 'enqueueAtMutex'] as const),
]);

export function likeMember(step: string): string {
  return LIKE.get(step) ?? step;
}

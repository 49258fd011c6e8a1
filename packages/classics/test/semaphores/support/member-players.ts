// Random waiters at semaphores of this package, for drivers of kernel steps.

import * as L from '../../../../core/src/kernel/layout.ts';
import { CANCELLED, CANCELLED_LEFT_BEHIND, WAITING } from '../../../../core/src/kernel/states.ts';
import type { Element } from '../../../../core/test/support/kernel-players.ts';
import { LinePlayers, type LineNames } from '../../../../core/test/support/line-players.ts';

/** The steps of waiters. */
const NAMES: LineNames = {
  park: 'park',
  poll: 'pollMember',
  cancel: 'cancelMemberWait',
  restore: 'restoreMember',
  releaseForDeadOwner: 'releaseForDeadOwner',
};

/** Results of the core's steps that mean the same. */
const LIKE = new Map([
  ['acquireTicket', 'acquire'],
  ['pollMember', 'poll'],
  ['cancelMemberWait', 'cancelWait'],
  ['restoreMember', 'restore'],
  ['walkMembers', 'walk'],
  ['beginMerge', 'detachTombstones'],
  ['mergeNeighbours', 'mergeTombstones'],
  ...['releaseTickets', 'releaseBlindly', 'giveTokens', 'closeOfFamily', 'boxRelease', 'postToLanes'].map(
    (step) => [step, 'release'] as const,
  ),
  ...['takeAtBox', 'beginDrain', 'endDrain'].map((step) => [step, 'takeSome'] as const),
  ...['enqueueAtBox', 'enterLane', 'tryEnterLane'].map((step) => [step, 'enqueueAtMutex'] as const),
]);

export abstract class MemberPlayers extends LinePlayers {
  protected override namesAt(): LineNames {
    return NAMES;
  }

  protected override likeStep(step: string): string {
    return LIKE.get(step) ?? step;
  }

  protected override walkKind(agent: number): boolean {
    const isOnDuty = this.twins.words.get32(this.at(agent) + L.AGENT_DUTY_KIND) !== 0;
    if (isOnDuty) this.call('walkMembers', this.at(agent));
    return isOnDuty;
  }

  /** Lets the waiter check for its permits. */
  protected pollMember(element: Element, entry: number): void {
    this.settle(element, this.call('pollMember', element.at, entry));
  }

  /** Cancels the waiter. */
  protected cancelMember(agent: number, element: Element, entry: number): void {
    let left = this.call('cancelMemberWait', this.at(agent), element.at, entry, 0);
    if (left === WAITING) left = this.call('leaveLine', this.at(agent), element.at);
    if (left === CANCELLED || left === CANCELLED_LEFT_BEHIND) this.walking[agent] = true;
    this.settle(element, left);
  }
}

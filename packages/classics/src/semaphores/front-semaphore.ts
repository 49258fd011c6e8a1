// A semaphore of the papers with a front line, and lines behind it in which agents wait.

import {
  BLOCK_KIND,
  BLOCK_LINE,
  BLOCK_TAG,
  FLAG_OWN_CHAIN,
  FLAGS,
  TAKEN,
  type AgentContext,
} from '@sluice/core/internal';
import { CompositeSemaphore } from '@sluice/semaphores/internal';
import { FRONT } from '@sluice/semaphores/kernel';
import { FLAG_ARRAY, FLAG_INNER, THRESHOLD } from './kernel/layout.ts';
import { SEMAPHORES } from './kinds.ts';
import { traitsOf, type FamilyName, type Membership } from './member.ts';
import { kernelOf, type MemberKernel } from './member-kernel.ts';

/**
 * Writes one of the inner lines of `front`, before any agent can find it, and returns its address. `flags`: its scheme
 * and its purpose.
 */
export function writeLine({ words }: AgentContext, front: number, tag: number, index: number, flags: number): number {
  const line = front + (1 + index) * BLOCK_LINE;
  words.put32(line + BLOCK_TAG, tag);
  words.put32(line + BLOCK_KIND, SEMAPHORES.code);
  // The waiters of core's semaphore behind a box office wait as at any semaphore. A lane has strays, which only this
  // kind visits.
  words.put32(line + FLAGS, flags === FLAG_INNER ? flags : flags | FLAG_OWN_CHAIN);
  words.put32(line + FRONT, front);
  // The default of a waiting array; in other lines this word counts sleepers.
  if ((flags & FLAG_ARRAY) !== 0) words.put32(line + THRESHOLD, 1);
  return line;
}

export abstract class FrontSemaphore extends CompositeSemaphore<FamilyName> {
  /** `ordered`, `orderedLines`: as in `Furniture`. */
  protected constructor(membership: Membership | undefined, className: string, ordered = true, orderedLines = false) {
    super(membership, traitsOf(className, ordered, orderedLines));
  }

  protected get kernel(): MemberKernel {
    return kernelOf(this.context);
  }

  protected override closeFront(): boolean {
    return this.kernel.closeFront(this.context.agent, this.place.address, this.place.tag) === TAKEN;
  }
}

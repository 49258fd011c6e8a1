// A semaphore of the papers with a front line. Agents wait in the lines behind it.

import { BLOCK_KIND, BLOCK_LINE, BLOCK_TAG, FLAG_OWN_CHAIN, FLAGS, TAKEN } from '@sluice/core/format';
import type { AgentContext } from '@sluice/core/internal';
import { CompositeSemaphore } from '@sluice/semaphores/internal';
import { FRONT } from '@sluice/semaphores/kernel';
import { FLAG_ARRAY, FLAG_INNER, NEAR_TICKETS } from './kernel/layout.ts';
import { SEMAPHORES } from './kinds.ts';
import { traitsOf, type FamilyName, type Membership } from './create-and-open.ts';
import { kernelOf, type MemberKernel } from './family-kernel.ts';

/**
 * Writes one of the inner lines of `front`, before any agent can find it. Returns its address. `flags` are its scheme
 * and its purpose.
 */
export function writeLine({ words }: AgentContext, front: number, tag: number, index: number, flags: number): number {
  const line = front + (1 + index) * BLOCK_LINE;
  words.put32(line + BLOCK_TAG, tag);
  words.put32(line + BLOCK_KIND, SEMAPHORES.code);
  // Behind a box office, the waiters of the core's semaphore wait as at any semaphore. A lane has strays, which only
  // this kind visits.
  words.put32(line + FLAGS, flags === FLAG_INNER ? flags : flags | FLAG_OWN_CHAIN);
  words.put32(line + FRONT, front);
  // The default threshold of a waiting array. In other lines this word counts sleepers.
  if ((flags & FLAG_ARRAY) !== 0) words.put32(line + NEAR_TICKETS, 1);
  return line;
}

export abstract class FrontSemaphore extends CompositeSemaphore<FamilyName> {
  /** `ordered` and `orderedLines` are those of `ExtraParts`. */
  protected constructor(membership: Membership | undefined, className: string, ordered = true, orderedLines = false) {
    super(membership, traitsOf(className, ordered, orderedLines));
  }

  protected get kernel(): MemberKernel {
    return kernelOf(this.context);
  }

  protected override closeFront(): boolean {
    return this.kernel.closeFront(this.context.agent, this.ref.address, this.ref.tag) === TAKEN;
  }
}

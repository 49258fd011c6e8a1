// What the semaphores ask of a line of waiters: the line of a simple semaphore, or one of the inner lines of a
// composite one. `coreLine` waits as the core does. A `FamilyLine` (family-line.ts) waits by a scheme of its semaphore.

import type { WaitOptions } from '@sluice/core';
import type { SHUT, TAKEN, Draw, LineAddress, Poll } from '@sluice/core/format';
import {
  awaitInLine,
  blockInLine,
  tagAt,
  type AgentContext,
  type Claim,
  type LineState,
  type WaitErrors,
} from '@sluice/core/internal';
import type { AgentLine } from './agent-line.ts';

/** A drawn ticket. */
export interface Ticket {
  /** Checks whether the wait is over, and if so takes the permits. */
  readonly look: () => boolean;
  /** The key of the post that admits the ticket: the ticket's number, or that of its last permit. */
  readonly key: number;
  /** Returns the number of posts until the ticket is admitted. */
  readonly distance: () => number;
}

/**
 * Identifies the owner of the word that an agent sleeps on. After the agent's death the semaphore may be freed, and the
 * word reused.
 */
export function claimOn({ words }: AgentContext, line: LineAddress): Claim {
  return { tag: tagAt(words, line), permits: 0 };
}

/** Blocks until a check says that the wait is over, or until `deadline`, a time of the context's clock. */
export type WaitFor = (agentLine: AgentLine, ticket: Ticket, deadline: number) => void;

export interface TicketWaits {
  /**
   * Blocks with a drawn ticket. Returns TAKEN, SHUT, or WAITING when the time ran out. If the draw returned TAKEN or
   * SHUT, it returns that result.
   */
  block(element: Draw, timeoutMs: number, errors: WaitErrors): Poll;
  /**
   * Waits as `block` does, without blocking. Resolves with TAKEN or SHUT. Rejects with the reason for which the wait
   * ended, and with the errors of `draw`. Calls `taken` in the turn in which the permits are taken.
   */
  await(draw: () => Draw, options: WaitOptions, errors: WaitErrors, taken?: () => void): Promise<Poll>;
}

export function coreLine({ context, policy }: AgentLine, lineState: LineState): TicketWaits {
  return {
    block: (element, timeoutMs, what) =>
      blockInLine<typeof TAKEN | typeof SHUT>(context, lineState, element, policy, timeoutMs, what),
    await: (draw, options, what, taken) =>
      awaitInLine<typeof TAKEN | typeof SHUT>(context, lineState, draw, options, what, taken),
  };
}

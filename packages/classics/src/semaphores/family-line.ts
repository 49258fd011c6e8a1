// A line of waiters as one agent sees it, in which they do not wait as in the core's lines: the line of a simple
// semaphore, or one of the inner lines of a composite one.
//
// Lost wake-up: every `WaitFor` announces its waiter and then checks again. The releasing side increases `grant` and
// then wakes the announced waiters (kernel/posts.ts). If a waiter checked first (the mutant "MonitorSemaphore checks
// its turn before it reads the sequence"), a release could come between the check and the read. The waiter would then
// sleep on the new sequence.

import type { WaitOptions } from '@sluice/core';
import {
  COUNT,
  DRAWN,
  FLAGS,
  RACED,
  TAKEN,
  WAITING,
  type Draw,
  type ElementAddress,
  type Poll,
} from '@sluice/core/format';
import { rejected } from '@sluice/core/calls';
import {
  deadlineIn,
  endOfWait,
  finishPending,
  isElement,
  leaveLine,
  retryOrThrow,
  type LineState,
  type WaitErrors,
} from '@sluice/core/internal';
import type { AgentLine } from './agent-line.ts';
import { awaitTurn, type AsyncLine } from './async-turn.ts';
import { kernelOf } from './family-kernel.ts';
import { FLAG_ARRAY, FLAG_GLOBAL, FLAG_TOKENS } from './kernel/layout.ts';
import type { Ticket, TicketWaits, WaitFor } from './ticket-waits.ts';

export class FamilyLine implements TicketWaits {
  readonly #agentLine: AgentLine;
  readonly #lineState: LineState;
  readonly #waitFor: WaitFor;

  constructor(agentLine: AgentLine, lineState: LineState, waitFor: WaitFor) {
    this.#agentLine = agentLine;
    this.#lineState = lineState;
    this.#waitFor = waitFor;
  }

  block(element: Draw, timeoutMs: number, errors: WaitErrors): Poll {
    if (!isElement(element)) return element;
    const before = this.#lineState.asyncWaits.size;
    const stuck = timeoutMs === Infinity && before > 0;
    const ticket = this.#ticketOf(element);
    const failure = stuck ? errors.deadlock(before) : this.#failureOf(ticket, timeoutMs);
    const outcome = this.#end(element, ticket.verdict());
    if (failure !== undefined && outcome === WAITING) throw failure;
    return outcome;
  }

  /**
   * Waits with a ticket. Returns the error if the wait failed, for instance without a free element. The ticket is then
   * still in line.
   */
  #failureOf(ticket: Ticket, timeoutMs: number): Error | undefined {
    try {
      this.#waitFor(this.#agentLine, ticket, deadlineIn(this.#agentLine.context.parking, timeoutMs));
      return undefined;
    } catch (failure) {
      return failure as Error;
    }
  }

  async await(draw: () => Draw, options: WaitOptions, errors: WaitErrors, taken?: () => void): Promise<Poll> {
    const element = draw();
    if (element === TAKEN) taken?.();
    if (!isElement(element)) return element;
    const end = (verdict: Poll): Poll => {
      const outcome = this.#end(element, verdict);
      if (outcome === TAKEN) taken?.();
      return outcome;
    };
    const moves = { element, look: () => this.#look(element), end };
    const { outcome, reason } = await awaitTurn(this.#asyncLine(element), this.#lineState, moves, options, errors);
    // An abort's reason passes unchanged, even if it is not an Error.
    return outcome === WAITING ? rejected(reason) : outcome;
  }

  #ticketOf(element: ElementAddress): Ticket & { readonly verdict: () => Poll } {
    const { kernel } = this.#agentLine.context;
    let seen: Poll = WAITING;
    return {
      key: this.#keyOf(element),
      look: () => {
        if (seen === WAITING) seen = this.#look(element);
        return seen !== WAITING;
      },
      distance: () => kernel.distance(element),
      verdict: () => seen,
    };
  }

  #look(element: ElementAddress): Poll {
    for (let tries = 1; ; tries++) {
      const seen = kernelOf(this.#agentLine.context).pollMember(element, this.#lineState.entry);
      if (seen === RACED) retryOrThrow(tries);
      // A dead agent's permits may wait for a recovery that only agents with this kind can finish.
      else if (seen !== WAITING || !finishPending(this.#agentLine.context)) return seen;
    }
  }

  #keyOf(element: ElementAddress): number {
    const { words } = this.#agentLine.context;
    return Number(BigInt.asIntN(32, words.get64(element + DRAWN))) + words.get32(element + COUNT) - 1;
  }

  /**
   * Returns the place where an async wait sleeps: one bucket for all waits if the scheme is global, otherwise the
   * bucket of its key.
   */
  #asyncLine(element: ElementAddress): AsyncLine {
    const { context, line } = this.#agentLine;
    const flags = context.words.get32(line + FLAGS);
    const global = (flags & (FLAG_GLOBAL | FLAG_TOKENS)) !== 0;
    const { ordered } = this.#lineState;
    const key = global ? 0 : this.#keyOf(element);
    const bucket =
      (flags & FLAG_ARRAY) !== 0 ? kernelOf(context).slotOfTicket(line, key) : context.kernel.bucketAt(line, key);
    return { ...this.#agentLine, bucket, group: ordered ? 0 : line, isLane: !ordered };
  }

  /** Ends a wait that is over. With WAITING it cancels the wait. Returns TAKEN, SHUT, or WAITING. */
  #end(element: ElementAddress, verdict: Poll): Poll {
    const { context } = this.#agentLine;
    return endOfWait(
      context,
      this.#lineState,
      element,
      verdict === WAITING ? leaveLine(context, this.#lineState, element) : verdict,
    );
  }
}

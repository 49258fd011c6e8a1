// What errors say about a primitive: its name, the agents that hold it, the waiters before the caller, and its state.
// An error looks all of this up when it is made.

import type { BlockRef } from '../arena/block-ref.ts';
import { ClosedError, DeadlockError, MisuseError, TimeoutError } from '../api/errors.ts';
import { isInUse } from '../memory/heap.ts';
import { endedText } from './agents.ts';
import { agentsText } from '../report/agent-names.ts';
import { heldSince, holdersOf, waitersText, type LineRef } from './blockers.ts';
import type { Counted } from '../report/counted.ts';
import { duration, plural } from '../api/wording.ts';
import { titleOf } from './title.ts';
import type { ElementAddress } from '../kernel/addresses.ts';

/** Makes the errors of a wait. */
export interface WaitErrors {
  /**
   * Returns the error of a wait that timed out. `element` is the element that waited, or 0 if the caller did not stand
   * in line.
   */
  timedOut(timeoutMs: number | undefined, element: ElementAddress | 0): Error;
  /** `why`: the number of the agent's own async waits before this one, or the deadlock that this wait would close. */
  deadlock(why: number | string): DeadlockError;
  closed(): ClosedError;
  /** The title of the primitive. */
  toString(): string;
}

/** Makes the errors for a later wait of a call. They name the timeout of the whole call. */
export function withCallTimeout(errors: WaitErrors, callTimeout: number): WaitErrors {
  return {
    timedOut: (_left, element) => errors.timedOut(callTimeout, element),
    deadlock: (why) => errors.deadlock(why),
    closed: () => errors.closed(),
    toString: () => errors.toString(),
  };
}

/** Agents that block others, and how, as in 'held by'. */
export interface Blame {
  readonly how: string;
  readonly agents: readonly number[];
}

export interface ErrorShape {
  readonly className: string;
  /** The action that a timed-out wait did not complete, as in 'could not be locked within 5 ms'. */
  readonly late: string;
  /** What a failed call left unchanged. */
  readonly untouched: string;
  /**
   * The change that a waiter leaves behind when it times out in line. Default: none, and the message shows `untouched`.
   */
  readonly gaveUp?: string | undefined;
  /** Whether agents are served in order of arrival. Default true. */
  readonly ordered?: boolean | undefined;
  /** The agents to name as the cause of the wait. Default: the agents that hold the primitive. */
  readonly blame?: ((ref: BlockRef) => readonly Blame[]) | undefined;
  /** The state of the primitive, such as '0 of 4 available'. */
  readonly state?: ((ref: BlockRef) => string) | undefined;
  /** The noun for a waiter. Default 'waiter'. */
  readonly noun?: string | undefined;
  /** The lines of its waiters, in the order in which they are served. Default: the line that the constructor was given. */
  readonly lines?: ((ref: BlockRef) => readonly LineRef[]) | undefined;
  /**
   * Counts the waiters if they cannot be counted in the lines. `element` is the caller's own element (0: none), and is
   * not counted. In an ordered line, only the waiters before it count.
   */
  readonly count?: ((ref: BlockRef, element: ElementAddress | 0) => Counted | undefined) | undefined;
}

export class PrimitiveErrors implements WaitErrors {
  readonly #shape: ErrorShape;
  readonly #ref: BlockRef;
  readonly #line: LineRef;

  /** `line` is the line of the waiters, if it is not the first line of the block. */
  constructor(shape: ErrorShape, ref: BlockRef, line: LineRef = ref) {
    this.#shape = shape;
    this.#ref = ref;
    this.#line = line;
  }

  /** Returns the title, such as "Mutex 'accounts'". */
  toString(): string {
    return titleOf(this.#shape.className, this.#ref);
  }

  timedOut(timeoutMs: number | undefined, element: ElementAddress | 0): TimeoutError {
    const { late, untouched, gaveUp = untouched } = this.#shape;
    const why = this.why(element);
    return new TimeoutError(
      `${this.toString()} ${late} within ${timeoutMs} ms${why === '' ? '' : `: ${why}`}. ${element === 0 ? untouched : gaveUp}${this.ended()}`,
    );
  }

  deadlock(why: number | string): DeadlockError {
    if (typeof why === 'string')
      return new DeadlockError(`${this.toString()}: the wait closes a deadlock: ${why}. ${this.#shape.untouched}`);
    const asyncWaits = why;
    return new DeadlockError(
      `${this.toString()}: the call would block this agent behind ${plural(asyncWaits, 'async wait')} of its own, which cannot settle ` +
        `while this agent is blocked. ${this.#shape.untouched} Use the async form, or await the ${asyncWaits === 1 ? 'wait' : 'waits'} first.`,
    );
  }

  /** Returns the error of a closed primitive. The primitive may have been freed since it was closed. */
  closed(untouched = this.#shape.untouched): ClosedError {
    return new ClosedError(`${this.toString()} ${this.#isThere ? 'is' : 'was'} closed. ${untouched}`);
  }

  /** Returns the error of an action that only the owner may take. `what` names the action, as in 'be unlocked'. */
  notOwner(what: string): MisuseError {
    return new MisuseError(
      `${this.toString()} cannot ${what}: this agent (agent ${this.#ref.context.id}) does not own it. ${capital(this.#held() || 'owned by no agent')}.`,
    );
  }

  ownedAlready(): MisuseError {
    return new MisuseError(
      `${this.toString()} is owned by this agent (agent ${this.#ref.context.id}) already, so the call would never return. ${this.#shape.untouched}`,
    );
  }

  inUse(advice = ''): MisuseError {
    const why = this.why(0);
    return new MisuseError(`${this.toString()} is in use and cannot be freed${why === '' ? '' : `: ${why}`}.${advice}`);
  }

  /** Names the agents that hold the primitive and those that wait. Returns '' if nothing is known. */
  why(element: ElementAddress | 0): string {
    const { state, ordered = true, noun = 'waiter', lines, count } = this.#shape;
    const { context } = this.#ref;
    return [
      this.#told(() => state?.(this.#ref) ?? ''),
      this.#held(),
      this.#told(() =>
        waitersText(
          context,
          { lines: lines?.(this.#ref) ?? [this.#line], known: count?.(this.#ref, element), ordered, noun },
          element,
        ),
      ),
    ]
      .filter((part) => part !== '')
      .join(', ');
  }

  /** Names the blocking agents whose threads have ended. */
  ended(): string {
    return this.#told(() =>
      endedText(
        this.#ref.context,
        this.#blame().flatMap(({ agents }) => agents),
      ),
    );
  }

  #held(): string {
    return this.#told(() =>
      this.#blame()
        .filter(({ agents }) => agents.length > 0)
        .map(({ how, agents }) => `${how} by ${agentsText(this.#ref.context, agents)}${this.#heldFor(agents)}`)
        .join(', '),
    );
  }

  /** Returns text such as ' for 2.1 s' if exactly one agent holds the primitive and that agent had to wait for it. */
  #heldFor([agent, ...others]: readonly number[]): string {
    const { context } = this.#ref;
    const since = agent === undefined || others.length > 0 ? 0 : heldSince(context, this.#line, agent);
    return since === 0 ? '' : ` for ${duration(context.parking.date() - since)}`;
  }

  /** Returns '' for a freed primitive: its memory may belong to another one. */
  #told(look: () => string): string {
    return told(() => (this.#isThere ? look() : ''));
  }

  /** Whether the primitive is open or closed, but not freed. */
  get #isThere(): boolean {
    const { context, address, tag } = this.#ref;
    return isInUse(context.words, address, tag);
  }

  #blame(): readonly Blame[] {
    const { blame } = this.#shape;
    return blame?.(this.#ref) ?? [{ how: 'held', agents: holdersOf(this.#ref.context, this.#ref) }];
  }
}

/** The result of `look`, or '' if it throws: the memory may be gone or belong to another primitive. */
function told(look: () => string): string {
  try {
    return look();
  } catch {
    return '';
  }
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** A wait for `permits` permits of a semaphore. */
export class PermitErrors implements WaitErrors {
  readonly #errors: PrimitiveErrors;
  readonly #permits: number;

  constructor(errors: PrimitiveErrors, permits: number) {
    this.#errors = errors;
    this.#permits = permits;
  }

  timedOut(timeoutMs: number | undefined, element: ElementAddress | 0): TimeoutError {
    const errors = this.#errors;
    return new TimeoutError(
      `${errors.toString()}: timed out after ${timeoutMs} ms waiting for ${plural(this.#permits, 'permit')} (${errors.why(element)}). ` +
        `No permit was taken.${errors.ended()}`,
    );
  }

  deadlock(why: number | string): DeadlockError {
    return this.#errors.deadlock(why);
  }

  closed(): ClosedError {
    return this.#errors.closed();
  }

  toString(): string {
    return this.#errors.toString();
  }
}

// A turn at a lock: the time for which a running agent may lock it again while others wait. The successor measures it,
// and so does the owner.

import type { Place } from '../arena/place.ts';
import type { Patrol } from '../agent/agent-context.ts';
import { mayRetry } from '../memory/retry.ts';
import { isElement } from '../agent/drawn.ts';
import type { ElementAddress, LineAddress } from '../kernel/addresses.ts';
import {
  DUE,
  GRANT,
  LIMIT,
  OFFICE,
  PASSES_LEFT,
  SUCCEEDS,
  SUCCEEDS_SINCE,
  SUCCESSOR,
  TURN,
  TURN_OF,
  TURN_TAKEN,
} from '../kernel/layout.ts';
import { NEEDS_WALK, RACED, type HandOver, type IDLE } from '../kernel/states.ts';
import { adapted, TURN_MS } from '../platform/turn-length.ts';

/** Where a lock is, as an agent sees it. */
type Spot = Pick<Place, 'context' | 'address'>;

/** What turns need to know about a kind of lock. */
export interface TurnTraits {
  /** In the high half of OFFICE: one waiter has a permit and competes with the agents that run. */
  readonly successor: number;
  /** In the high half of OFFICE: the turn is over, and the lock goes to the successor. */
  readonly due: number;
  /** Whether the halves of OFFICE say that the lock is free between two passes. */
  readonly isFree: (low: number, high: number) => boolean;
  /** Whether an agent that finds the lock free may take the turn over from another. Default: true. */
  readonly mayChangeHands?: boolean;
  /** The line whose bouncer its waiters wait at. Default: that of the lock. */
  readonly line?: LineAddress;
}

/** Of a mutex, and of a turnstile, which has the box office of one. */
export const MUTEX_TRAITS: TurnTraits = { successor: SUCCESSOR, due: DUE, isFree: (owner) => owner === 0 };

/** Passes before an owner first looks at the clock in a turn. */
const FIRST_LOOK = 8;
/** How long the successor sleeps between two looks at a lock that is free between two passes, in ms. */
const NAP_MS = 0.05;

/**
 * What a waiter does after it has become the successor: it sleeps at most until the turn is over, and then ends it with
 * the step `makeDue`.
 *
 * The successor may find the lock free between two passes, or because the agent whose turn it is has gone on to other
 * work. If the scheduler has put the successor on that agent's core, it cannot tell which: it sees no pass however long
 * it looks. Therefore it rests before it looks again.
 */
export function patrolInTurns(
  spot: Spot,
  { due, isFree }: TurnTraits,
  makeDue: (element: ElementAddress) => typeof IDLE | typeof RACED,
): Patrol {
  const {
    context: { words, parking },
    address,
  } = spot;
  return {
    afterAdmission: true,
    nap(element) {
      if (words.get32(element + SUCCEEDS) === 0 || (words.load32(address + OFFICE + 4) & due) !== 0) return Infinity;
      // A number of 32 bits, in µs, whose differences are right across the wrap. 0: the successor has not looked at the
      // clock yet.
      const now = (parking.now() * 1000) | 1;
      const since = words.get32(element + SUCCEEDS_SINCE);
      if (since === 0) words.put32(element + SUCCEEDS_SINCE, now);
      return since === 0 ? TURN_MS : Math.max(0, TURN_MS - ((now - since) | 0) / 1000);
    },
    look(element) {
      for (let tries = 1; makeDue(element) === RACED; tries++) mayRetry(tries);
    },
    rest(element) {
      if (words.get32(element + SUCCEEDS) === 0) return 0;
      return isFree(words.load32(address + OFFICE), words.load32(address + OFFICE + 4)) && hasPassed(spot) ? NAP_MS : 0;
    },
  };
}

/**
 * Whether the agent whose turn it is has passed in it. False also if that agent has just taken the turn over, or few
 * passes fit in a turn.
 */
function hasPassed({ context: { words }, address }: Spot): boolean {
  const turn = words.load32(address + TURN);
  return (
    (turn & TURN_TAKEN) === 0 && (turn & PASSES_LEFT) !== FIRST_LOOK - 1 && words.get32(address + LIMIT) >= FIRST_LOOK
  );
}

/**
 * For an agent that arrives and finds the lock free in another agent's turn. Returns TURN if the agent may take that
 * turn, otherwise a value that TURN does not have.
 */
export function turnToTake(spot: Spot): number {
  const turn = spot.context.words.load32(spot.address + TURN);
  // Not a value that a pass leads to: with TURN_TAKEN no passes are left.
  return hasPassed(spot) ? turn | TURN_TAKEN | 1 : turn;
}

/** Before any turn was measured. */
const FIRST_LIMIT = 1000;
/** The share of a turn by which an agent that catches up may have a longer turn, at most. */
const MOST_CREDIT = 1 / 4;
/** The number of missed turns that an agent may catch up with, at most. */
const MOST_TURNS_MISSED = 3;
const NONE = -1;

function between(least: number, value: number, most: number): number {
  return Math.min(Math.max(value, least), most);
}

/**
 * The turn as a running agent sees it. The agent looks at the clock about ten times in a turn. A turn also ends after
 * as many passes as turns have on average. Otherwise an agent that is interrupted less often than others would pass
 * more often. An agent whose turn was cut short has longer turns afterwards, within half a millisecond each (deficit
 * round robin).
 */
export class OwnTurn {
  /**
   * The turn went on when this agent last left, so the steps for a lock without waiters would fail. Only a guess: other
   * agents may have ended it.
   */
  isOpen = false;
  readonly #place: Spot;
  readonly #traits: TurnTraits;
  /** GRANT during the turn. */
  #number = 0;
  #since = 0;
  /** The passes that TURN allowed for so far. NONE: every turn of this agent that began has been settled. */
  #allowed = NONE;
  /** How many passes this agent is behind others. */
  #credit = 0;

  constructor(place: Spot, traits: TurnTraits) {
    this.#place = place;
    this.#traits = traits;
  }

  /** All that it remembers. */
  get summary(): readonly number[] {
    return [Number(this.isOpen), this.#number, this.#since, this.#allowed, this.#credit];
  }

  /**
   * The contended unlock. Calls `step` with 1 at the end of the turn, else with 0, until it succeeds; then wakes the
   * waiter that may enter.
   */
  leave(step: (ends: number) => HandOver | ElementAddress): void {
    const { context } = this.#place;
    const ends = this.#isOver() ? 1 : 0;
    this.isOpen = ends === 0;
    let left: HandOver | ElementAddress;
    let tries = 0;
    do left = step(ends);
    while (left === RACED && mayRetry(++tries));
    if (isElement(left)) context.notify(left);
    else if (left === NEEDS_WALK) context.finishWalk();
  }

  /** The agent ends its turn itself, before the unlock: it has no claim to what is left of it. */
  end(): void {
    this.isOpen = false;
    this.#allowed = NONE;
  }

  /** Whether the turn is over. If it is not, sets when an owner looks next. */
  #isOver(): boolean {
    const {
      context: { words, parking },
      address,
    } = this.#place;
    const { successor, due, line = address, mayChangeHands } = this.#traits;
    const now = parking.now();
    const high = words.load32(address + OFFICE + 4);
    const begins = (high & successor) === 0;
    const number = (words.load32(line + GRANT) + (begins ? 1 : 0)) | 0;
    const usual = words.get32(address + LIMIT) || FIRST_LIMIT;
    const limit = Math.max(1, usual + Math.trunc(between(-usual * MOST_CREDIT, this.#credit, usual * MOST_CREDIT)));
    const turn = words.get32(address + TURN);
    if (begins || number !== this.#number || (turn & TURN_TAKEN) !== 0) {
      // Another agent took the turn before. It had between a third and all of the passes that were allowed for.
      if (this.#allowed !== NONE) this.#settle(usual, Math.trunc((this.#allowed * 2) / 3));
      // The agent was late: it entered in its own turn, which had ended by then.
      if (!begins && mayChangeHands === false) return true;
      this.#number = number;
      this.#since = now;
      this.#lookAfter(Math.min(FIRST_LOOK, limit), 0);
      return false;
    }
    const took = now - this.#since;
    // Includes the pass that ends now. At least that one: another agent with the same low bits of its id may have
    // allowed for more.
    const passes = Math.max(1, this.#allowed - (turn & PASSES_LEFT) + 1);
    const isDue = (high & due) !== 0;
    if (took >= TURN_MS || passes >= limit || isDue) {
      this.#settle(usual, passes);
      words.put32(address + LIMIT, adapted(usual, passes, took));
      // The step that follows sees by itself that the turn is due.
      return !isDue;
    }
    this.#lookAfter(Math.min(3 * passes, limit), passes);
    return false;
  }

  #settle(usual: number, passes: number): void {
    this.#credit = between(-usual, this.#credit + usual - passes, usual * MOST_TURNS_MISSED);
    this.#allowed = NONE;
  }

  /** `passes`: those of the turn so far. */
  #lookAfter(total: number, passes: number): void {
    const {
      context: { words, id },
      address,
    } = this.#place;
    this.#allowed = total - 1;
    words.put32(address + TURN, (id << TURN_OF) | (total - 1 - passes));
  }
}

// Turns at a lock. A turn is the time in which one running agent may acquire the lock again and again while other
// agents wait. Each acquisition in a turn is a pass. The agent that has the turn measures it, and so does the
// successor: the waiter that is next to own the lock.

import type { BlockRef } from '../arena/block-ref.ts';
import type { TimedChecks } from '../agent/agent-context.ts';
import { retryOrThrow } from '../memory/retry.ts';
import type { ElementAddress, LineAddress } from '../kernel/addresses.ts';
import {
  GRANT,
  LIMIT,
  OFFICE,
  OFFICE_HIGH,
  PASSES_LEFT,
  SUCCEEDS,
  SUCCEEDS_SINCE,
  TURN,
  TURN_OF,
  TURN_TAKEN,
} from '../kernel/layout.ts';
import { RACED, type HandOver, type IDLE } from '../kernel/states.ts';
import { adapted, TURN_MS } from './turn-length.ts';

/** The place of a lock. */
type Spot = Pick<BlockRef, 'context' | 'address'>;

/** The properties of a kind of lock that turns depend on. */
export interface TurnTraits {
  /** A bit of OFFICE's high half. It is set while one waiter has a permit and competes with the running agents. */
  readonly successor: number;
  /** A bit of OFFICE's high half. It is set when the turn is over and the lock must go to the successor. */
  readonly due: number;
  /** Returns whether the halves of OFFICE say that the lock is free between two passes. */
  readonly isFree: (low: number, high: number) => boolean;
  /** Whether an agent that finds the lock free may take the turn over from another. Default: true. */
  readonly mayChangeHands?: boolean;
  /** The line in which the lock's waiters wait. Default: the lock's first line. */
  readonly line?: LineAddress;
}

/** The number of passes in a turn before the owner first reads the clock. */
const FIRST_LOOK = 8;
/** The successor's sleep in ms between two checks of a lock that is free between two passes. */
const NAP_MS = 0.05;

/**
 * Creates the timed checks of the waiters at a lock in turns. A waiter that has become the successor sleeps at most
 * until the turn is over. It then ends the turn with `makeDue`, a step of its kind.
 *
 * The successor may find the lock free for two reasons. Either the agent that has the turn is between two passes, or
 * that agent has gone on to other work. If the scheduler has put both agents on one core, the successor sees no pass
 * while it runs, so it cannot tell the two apart. Therefore it sleeps for `NAP_MS` before it checks again.
 */
export function turnChecks(
  spot: Spot,
  { due, isFree }: TurnTraits,
  makeDue: (element: ElementAddress) => typeof IDLE | typeof RACED,
): TimedChecks {
  const {
    context: { words, parking },
    address,
  } = spot;
  return {
    afterAdmission: true,
    sleepMs(element) {
      if (words.get32(element + SUCCEEDS) === 0 || (words.load32(address + OFFICE_HIGH) & due) !== 0) return Infinity;
      // The time is a 32-bit number of µs. Differences stay correct when it wraps. SUCCEEDS_SINCE is 0 until the
      // successor has read the clock.
      const now = (parking.now() * 1000) | 1;
      const since = words.get32(element + SUCCEEDS_SINCE);
      if (since === 0) words.put32(element + SUCCEEDS_SINCE, now);
      return since === 0 ? TURN_MS : Math.max(0, TURN_MS - ((now - since) | 0) / 1000);
    },
    check(element) {
      for (let tries = 1; makeDue(element) === RACED; tries++) retryOrThrow(tries);
    },
    pauseMs(element) {
      if (words.get32(element + SUCCEEDS) === 0) return 0;
      return isFree(words.load32(address + OFFICE), words.load32(address + OFFICE_HIGH)) && hasPassed(spot)
        ? NAP_MS
        : 0;
    },
  };
}

/**
 * Returns whether the agent that has the turn has made a pass in it. Also returns `false` if that agent has just taken
 * the turn over, or if a turn has fewer than `FIRST_LOOK` passes.
 */
function hasPassed({ context: { words }, address }: Spot): boolean {
  const turn = words.load32(address + TURN);
  return (
    (turn & TURN_TAKEN) === 0 && (turn & PASSES_LEFT) !== FIRST_LOOK - 1 && words.get32(address + LIMIT) >= FIRST_LOOK
  );
}

/**
 * Returns TURN if an arriving agent that has found the lock free may take over another agent's turn. Otherwise returns
 * a value that TURN never has. The arriving agent takes the lock only if TURN still has the returned value.
 */
export function turnToTake(spot: Spot): number {
  const turn = spot.context.words.load32(spot.address + TURN);
  // TURN never has both TURN_TAKEN and passes, so the comparison in the kind's enqueue step fails.
  return hasPassed(spot) ? turn | TURN_TAKEN | 1 : turn;
}

/** The number of passes in a turn before any turn was measured. */
const FIRST_LIMIT = 1000;
/** The maximum share of a turn by which an agent's turn may be longer or shorter than usual. */
const MAX_CREDIT = 1 / 4;
/** The maximum number of missed turns that an agent may catch up with. */
const MAX_TURNS_MISSED = 3;
const NONE = -1;

function between(least: number, value: number, most: number): number {
  return Math.min(Math.max(value, least), most);
}

/**
 * One agent's turns at a lock, as that agent measures them. The agent reads the clock about ten times in a turn.
 *
 * A turn also ends after as many passes as turns have on average. Otherwise an agent that is interrupted less often
 * than others would make more passes. An agent whose turn was cut short has longer turns afterwards, each within half a
 * millisecond (deficit round robin).
 */
export class OwnTurn {
  /**
   * Whether the turn went on when this agent last unlocked. If so, the steps for a lock without waiters would fail. It
   * is only a guess: another agent may have ended the turn since.
   */
  isOpen = false;
  readonly #spot: Spot;
  readonly #traits: TurnTraits;
  /** The value of GRANT during the turn. */
  #number = 0;
  #since = 0;
  /**
   * The number of passes that TURN has allowed for in this turn so far. NONE if each turn that this agent began is
   * settled.
   */
  #allowed = NONE;
  /** The number of passes by which this agent is behind other agents. */
  #credit = 0;
  /** Whether calls of this agent's own line have had passes of this turn (`goesOnHere`). Nothing is measured then. */
  #isShared = false;

  constructor(spot: Spot, traits: TurnTraits) {
    this.#spot = spot;
    this.#traits = traits;
  }

  /** All state of the turn, as numbers. */
  get summary(): readonly number[] {
    return [Number(this.isOpen), this.#number, this.#since, this.#allowed, this.#credit, Number(this.#isShared)];
  }

  /**
   * Does the contended unlock. Calls `step` until it succeeds, with 1 if the turn ends and with 0 if it goes on. Then
   * wakes the waiter that may enter.
   */
  leave(step: (ends: number) => HandOver | ElementAddress): void {
    const { context } = this.#spot;
    const ends = this.#isOver() ? 1 : 0;
    this.isOpen = ends === 0;
    let left: HandOver | ElementAddress;
    let tries = 0;
    do left = step(ends);
    while (left === RACED && retryOrThrow(++tries));
    context.wakeAdmitted(left);
  }

  /**
   * Returns whether the turn goes on for another call of this agent that waits in line. The owner asks before it
   * unlocks, and then passes the lock to that call, which leaves the line. The lock stays owned, so no other agent is
   * woken.
   *
   * While no other agent waits (`othersWait`), the turn begins anew with each pass. The owner reads the clock for each
   * pass: such passes take microseconds.
   */
  goesOnHere(othersWait: boolean): boolean {
    const {
      context: { words, parking },
      address,
    } = this.#spot;
    const { successor, due } = this.#traits;
    const now = parking.now();
    const high = words.load32(address + OFFICE_HIGH);
    const begins = (high & successor) === 0;
    if (othersWait && (high & due) !== 0) return false;
    if (!othersWait || this.#isAnother(begins)) {
      this.#settleUnseen(words.get32(address + LIMIT) || FIRST_LIMIT);
      this.#begin(begins, now);
    } else if (now - this.#since >= TURN_MS) return false;
    this.#isShared = true;
    this.#allowed = NONE;
    // The next unlock reads the clock, too.
    if (!begins) this.#setPasses(0);
    return true;
  }

  /**
   * Ends the turn before the unlock, because this agent gives it up. The agent gets no credit for the rest of the turn.
   */
  end(): void {
    this.isOpen = false;
    this.#isShared = false;
    this.#allowed = NONE;
  }

  /** Returns the number of the turn, which is the value of GRANT while it lasts. */
  #numberOf(begins: boolean): number {
    const { context, address } = this.#spot;
    return (context.words.load32((this.#traits.line ?? address) + GRANT) + (begins ? 1 : 0)) | 0;
  }

  /** Returns whether the lock is in another turn than the one that this agent measures. `begins`: it has no successor. */
  #isAnother(begins: boolean): boolean {
    if (this.#numberOf(begins) !== this.#number) return true;
    // Without a successor no agent takes a turn over, and TURN is that of an earlier turn.
    return begins ? !this.#isShared : (this.#spot.context.words.get32(this.#spot.address + TURN) & TURN_TAKEN) !== 0;
  }

  #begin(begins: boolean, now: number): void {
    this.#isShared = false;
    this.#number = this.#numberOf(begins);
    this.#since = now;
  }

  /** Returns whether the turn is over. If it is not over, sets after how many passes the owner next reads the clock. */
  #isOver(): boolean {
    const {
      context: { words, parking },
      address,
    } = this.#spot;
    const { successor, due, mayChangeHands } = this.#traits;
    const now = parking.now();
    const high = words.load32(address + OFFICE_HIGH);
    const begins = (high & successor) === 0;
    const usual = words.get32(address + LIMIT) || FIRST_LIMIT;
    const limit = Math.max(1, usual + Math.trunc(between(-usual * MAX_CREDIT, this.#credit, usual * MAX_CREDIT)));
    if (this.#isAnother(begins)) {
      this.#settleUnseen(usual);
      // This agent entered in its own turn, but the turn had ended by then.
      if (!begins && mayChangeHands === false) return true;
      this.#begin(begins, now);
      this.#lookAfter(Math.min(FIRST_LOOK, limit), 0);
      return false;
    }
    const isDue = (high & due) !== 0;
    const took = now - this.#since;
    if (this.#isShared) {
      this.#isShared = took < TURN_MS && !isDue;
      // If the turn is due, the step that follows sees that by itself.
      if (!this.#isShared) return !isDue;
      this.#setPasses(FIRST_LOOK - 1);
      return false;
    }
    // The number includes the pass that ends now. It is at least 1: another agent with the same low bits of its id may
    // have allowed for more passes.
    const passes = Math.max(1, this.#allowed - (words.get32(address + TURN) & PASSES_LEFT) + 1);
    if (took >= TURN_MS || passes >= limit || isDue) {
      this.#settle(usual, passes);
      words.put32(address + LIMIT, adapted(usual, passes, took));
      return !isDue;
    }
    this.#lookAfter(Math.min(3 * passes, limit), passes);
    return false;
  }

  /**
   * Settles a turn that another agent ended or took over before this agent did. This agent made between a third and all
   * of the allowed passes in it.
   */
  #settleUnseen(usual: number): void {
    if (this.#allowed !== NONE) this.#settle(usual, Math.trunc((this.#allowed * 2) / 3));
  }

  #settle(usual: number, passes: number): void {
    this.#credit = between(-usual, this.#credit + usual - passes, usual * MAX_TURNS_MISSED);
    this.#allowed = NONE;
  }

  /** Lets the owner read the clock next after `total` passes of the turn, of which it has made `passes`. */
  #lookAfter(total: number, passes: number): void {
    this.#allowed = total - 1;
    this.#setPasses(total - 1 - passes);
  }

  /** Lets the owner make that many passes without the clock. */
  #setPasses(left: number): void {
    const {
      context: { words, id },
      address,
    } = this.#spot;
    words.put32(address + TURN, (id << TURN_OF) | left);
  }
}

// An agent's async waits at one primitive, and the order in which they settle.
//
// Waits are in groups. A group is a line, or a lane of a semaphore, or all waits without tickets for the same number of
// permits. Only the oldest wait of a group can have its turn, so only that wait is checked.
//
// A pass checks the oldest wait of each group, in the order of their age. When a wait settles, the pass continues with
// the next wait of its group. So a pass costs one check for each wait that settles, and one check for each group.
//
// INVARIANT: between two turns of the event loop the oldest wait of each group is asleep, or its wake-up is under way,
// or `goesOn` is set. The waits behind it stay LINKED, or QUEUED in no chain, and a verdict for them notifies no
// thread. So a release that admits many of them costs one wake-up, and each pass costs one wake-up.
//
// Lost wake-up, waiter side: a wait that becomes the oldest is checked (`settle`). Then it goes to sleep by a
// compare-and-swap from LINKED to PARKED. Pairs with `walk` and `release`, which write the verdict to the gate and
// notify only a PARKED waiter. If the verdict came between the check and the sleep, the walker found LINKED and
// notified no thread. The compare-and-swap then finds GRANTED instead of LINKED, and the wait is checked again. A plain
// store of PARKED would hide the verdict.

import { ownTimers } from '../platform/own-timers.ts';

/** The group of each wait that is independent of other waits. Only its own verdict wakes such a wait. */
export const ALONE = -1;

/** The maximum number of waits that settle in one turn of the event loop. Their continuations take some ms. */
const MAX_IN_A_TURN = 256;

/** An async wait under way. */
export abstract class AsyncWait {
  /** Order of arrival: a lower age arrived earlier. */
  age = 0;
  group = ALONE;
  isUnderWay = false;
  before: AsyncWait | undefined;
  behind: AsyncWait | undefined;

  /** Ends and deletes the wait if it has its verdict. Returns whether it had the verdict. */
  abstract settle(): boolean;
  /** Returns whether the wait has a verdict that it sees without a step of the kernel. */
  isDue(): boolean {
    return false;
  }
  /**
   * Ends and deletes the wait without its verdict, because its agent has what the wait is for. Returns whether the wait
   * took it. Default: it takes nothing.
   */
  take(): boolean {
    return false;
  }
  /**
   * Makes sure that a verdict wakes the wait, which is the oldest of its group and had no verdict. Returns `false` if
   * the wait may have a verdict by now. A wait that cannot sleep ends with a failure.
   */
  sleep(): boolean {
    // The default is for a wait without a sleep of its own. The sleeper that several waits share wakes it.
    return true;
  }
  /** Ends and deletes the wait with `failure`. */
  abstract fail(failure: unknown): void;
}

interface Group {
  first: AsyncWait | undefined;
  last: AsyncWait | undefined;
}

export class AsyncWaits {
  readonly #groups = new Map<number, Group>();
  size = 0;
  #age = 0;
  readonly #most: number;
  /** The number of waits that may still settle in this turn of the event loop. */
  #left: number;
  #goesOn = false;
  /** The group in which `settleOwn` last settled a wait. */
  #recent: Group | undefined;

  /** `most` is the maximum number of waits that settle in one turn of the event loop. */
  constructor(most = MAX_IN_A_TURN) {
    this.#most = most;
    this.#left = most;
  }

  /** Adds a wait to a group. `group` is 0 or more, or ALONE. */
  add(wait: AsyncWait, group: number): void {
    wait.age = this.#age += 1;
    wait.group = group;
    wait.isUnderWay = true;
    this.size += 1;
    if (group !== ALONE) this.#append(wait);
  }

  has(wait: AsyncWait): boolean {
    return wait.isUnderWay;
  }

  delete(wait: AsyncWait): void {
    if (!wait.isUnderWay) return;
    wait.isUnderWay = false;
    this.size -= 1;
    if (wait.group !== ALONE) this.#remove(wait);
  }

  /** Whether the next turn of the event loop settles the waits whose turn it is. */
  get goesOn(): boolean {
    return this.#goesOn;
  }

  /** Returns the oldest wait of a group. */
  first(group: number): AsyncWait | undefined {
    return this.#groups.get(group)?.first;
  }

  /** Returns the oldest wait of an arbitrary group. */
  any(): AsyncWait | undefined {
    for (const { first } of this.#groups.values()) return first;
    return undefined;
  }

  /**
   * Settles all waits whose turn it is, in the order in which they began. After `most` waits the pass continues in the
   * next turn of the event loop. Otherwise the oldest wait of each group is asleep afterwards.
   */
  settle(): void {
    if (this.#goesOn) return;
    this.#left = this.#most;
    this.#settle();
    if (this.#left > 0) return;
    this.#goOn();
  }

  /**
   * Settles this agent's waits that are due, without their wake-ups. An agent calls it after it has released what at
   * most `count` waits can take. The call puts no wait to sleep: the next turn of the event loop does that, once for
   * all releases of this turn.
   */
  settleOwn(count: number): void {
    if (this.size === 0) return;
    // If `goesOn` is not set, `#left` is more than 0: a pass that uses it up sets `goesOn`.
    if (!this.#goesOn) this.#goOn();
    const most = Math.min(count, this.#left);
    // Check the recent group first: consecutive releases often serve one group, and then no other group is checked.
    let left = this.#recent === undefined ? most : this.#settleDue(this.#recent, most);
    if (left === 0) return;
    for (const group of this.#groups.values()) {
      left = this.#settleDue(group, left);
      if (left === 0) return;
    }
  }

  /**
   * Passes on what this agent has to the oldest of its waits, without a verdict. Returns whether a wait took it. As
   * with `settleOwn`, the next turn of the event loop puts the wait behind it to sleep.
   */
  passOn(): boolean {
    if (this.size === 0) return false;
    if (!this.#goesOn) this.#goOn();
    if (this.#left === 0 || this.any()?.take() !== true) return false;
    this.#left -= 1;
    return true;
  }

  /**
   * Settles the first waits of a group while they are due, at most `most`. Returns `most` minus the number of settled
   * waits.
   */
  #settleDue(group: Group, most: number): number {
    let left = most;
    while (left > 0 && group.first?.isDue() === true && group.first.settle()) {
      this.#left -= 1;
      left -= 1;
    }
    if (left < most) this.#recent = group;
    return left;
  }

  /**
   * Settles as `settle` does, for a caller that cannot catch a failure. On a failure all waits fail with it, because no
   * other wake-up of them will come.
   */
  settleOrFail(): void {
    try {
      this.settle();
    } catch (failure) {
      for (const wait of [...this]) wait.fail(failure);
    }
  }

  #goOn(): void {
    this.#goesOn = true;
    ownTimers.inNextTurn(() => {
      this.#goesOn = false;
      this.settleOrFail();
    });
  }

  #settle(): void {
    if (this.#groups.size === 1) {
      for (const { first } of this.#groups.values()) this.#settleLine(first);
      return;
    }
    const heads = [...this.#groups.values()].map(({ first }) => first).filter((wait) => wait !== undefined);
    heads.sort((one, other) => one.age - other.age);
    for (let head = heads.shift(); head !== undefined; head = heads.shift()) {
      const { behind } = head;
      if (this.#left === 0) return;
      if (!head.isUnderWay || !this.#settleOrSleep(head)) continue;
      this.#left -= 1;
      if (behind === undefined) continue;
      const later = heads.findIndex(({ age }) => age > behind.age);
      heads.splice(later < 0 ? heads.length : later, 0, behind);
    }
  }

  /** Iterates over the waits of all groups, group by group, oldest first. */
  *[Symbol.iterator](): Generator<AsyncWait> {
    for (const { first } of this.#groups.values())
      for (let wait = first; wait !== undefined; wait = wait.behind) yield wait;
  }

  #append(wait: AsyncWait): void {
    let line = this.#groups.get(wait.group);
    if (line === undefined) this.#groups.set(wait.group, (line = { first: undefined, last: undefined }));
    wait.before = line.last;
    wait.behind = undefined;
    if (line.last === undefined) line.first = wait;
    else line.last.behind = wait;
    line.last = wait;
  }

  #settleLine(first: AsyncWait | undefined): void {
    for (let wait = first; wait?.isUnderWay === true && this.#left > 0; this.#left -= 1) {
      // Read `behind` before the wait settles: afterwards the wait is in no group.
      const { behind } = wait;
      if (!this.#settleOrSleep(wait)) return;
      wait = behind;
    }
  }

  /** Settles a wait or puts it to sleep. Returns whether the wait is over. */
  #settleOrSleep(wait: AsyncWait): boolean {
    while (!wait.settle()) if (wait.sleep()) return !this.has(wait);
    return true;
  }

  #remove(wait: AsyncWait): void {
    const line = this.#groups.get(wait.group);
    if (line === undefined) return;
    const { before, behind } = wait;
    if (before === undefined) line.first = behind;
    else before.behind = behind;
    if (behind === undefined) line.last = before;
    else behind.before = before;
    if (line.first === undefined) this.#groups.delete(wait.group);
  }
}

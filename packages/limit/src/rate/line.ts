// Where callers wait: a semaphore with one permit, whose owner is at the head of the line, and a semaphore without
// permits, at which the head sleeps until its time has come.
//
// The head alone looks at the bucket and sets a timer. It keeps its place until it has its permits or gives up, so
// callers are served in the order in which they came, whatever they want. If the head dies, the recovery releases the
// permit of the line, and the next waiter is the head.

import { hasCode, TimeoutError, type Semaphore, type WaitOptions } from '@sluice/core';
import {
  acquireFor,
  mayBlock,
  offAbort,
  ofLocalState,
  onAbort,
  refuseToBlock,
  throwIfAborted,
  type Account,
  type Place,
  type Wanted,
} from '@sluice/core/internal';
import { TICKS_PER_MS } from './time.ts';

/** Where the head sleeps. */
export type Alarm = Pick<Semaphore, 'tryAcquire' | 'release' | 'available' | 'close' | 'free' | 'handle'>;

/**
 * What the head does when it looks: 0: it is done. More: that many ticks later it can be. Throws if the limiter was
 * closed.
 */
export type Attempt = () => number;

/** How many async calls of an agent are in line or at its head. All objects of an agent share it. */
interface Calls {
  async: number;
}

const callsAt: (place: Place) => Calls = ofLocalState(() => ({ async: 0 }));

export class Line {
  readonly #line: Semaphore;
  readonly #alarm: Alarm;
  readonly #place: Place;
  readonly #account: Account;
  readonly #calls: Calls;
  /** Makes the errors of the head's sleep. A sleep that ends by its timer has no error to tell of. */
  readonly #asleep: Wanted;

  constructor(line: Semaphore, alarm: Alarm, place: Place, account: Account) {
    this.#line = line;
    this.#alarm = alarm;
    this.#place = place;
    this.#account = account;
    this.#calls = callsAt(place);
    this.#asleep = {
      timedOut: () => IN_TIME,
      deadlock: (waits) => account.deadlock(waits),
      closed: () => account.closed(),
    };
  }

  /** Waits in line, then until an attempt is done. Returns whether that was within `timeoutMs`. Blocks the thread. */
  block(attempt: Attempt, timeoutMs: number): boolean {
    if (!mayBlock()) refuseToBlock();
    const { parking } = this.#place.context;
    const deadline = parking.now() + timeoutMs;
    if (timeoutMs === Infinity) this.#checkAhead();
    if (!this.#enter(timeoutMs)) return false;
    try {
      for (let left = attempt(); left > 0; left = attempt()) {
        const ms = left / TICKS_PER_MS;
        // A waiter that will be late leaves at once, so that it does not keep the line from those behind.
        if (parking.now() + ms > deadline) return false;
        this.#sleep(ms);
      }
      return true;
    } finally {
      this.#line.release();
    }
  }

  /**
   * Does what `block` does, without blocking the thread. When the attempt has succeeded, leaves the line, calls `act`
   * in the same job, and resolves with its result. Rejects with `TimeoutError` if the attempt would be late. `options`
   * are checked.
   */
  async wait<T>(attempt: Attempt, options: WaitOptions, act: () => T): Promise<T> {
    const { signal, ref, timeout = Infinity } = options;
    const { parking } = this.#place.context;
    const deadline = parking.now() + timeout;
    // From here on, although it may not be at the head yet: a call that has the line and has not gone on is in the way,
    // too.
    this.#calls.async += 1;
    try {
      // A free line is taken at once, so an abort that follows finds the call at the head.
      if (!this.#enter(0)) await acquireFor(this.#line, options, this.#account);
    } catch (failure) {
      this.#calls.async -= 1;
      throw failure;
    }
    const leave = this.#leaver();
    let isDone: boolean;
    try {
      // Leaves within the abort, because the limiter may be freed right after it.
      onAbort(signal, leave);
      throwIfAborted(signal);
      for (let left = attempt(); ; left = attempt()) {
        isDone = left <= 0;
        const ms = left / TICKS_PER_MS;
        if (isDone || parking.now() + ms > deadline) break;
        await this.#sleepAsync({ timeout: ms, signal, ref });
        throwIfAborted(signal);
      }
    } finally {
      offAbort(signal, leave);
      leave();
    }
    // After the line was released: the message names the agents before this one.
    if (!isDone) throw this.#account.timedOut(timeout, 0);
    const result = act();
    const later = this.#place.context.budget.spend();
    // Both at once: a promise that `act` returned may reject before the event loop turns.
    if (later !== undefined) await Promise.all([result, later]);
    return result;
  }

  /**
   * Wakes the head, if there is one, because its time may have come earlier. `isOccupied`: whether the line has a
   * waiter.
   */
  hurry(isOccupied: boolean): void {
    // One permit is enough. Without a head it would only wake the next one once without effect.
    if (isOccupied && this.#alarm.available === 0) this.#alarm.release();
  }

  close(): void {
    this.#line.close();
    this.#alarm.close();
  }

  /** Returns a function that makes an async call leave the head, once. */
  #leaver(): () => void {
    let hasLeft = false;
    return () => {
      if (hasLeft) return;
      hasLeft = true;
      this.#calls.async -= 1;
      this.#line.release();
    };
  }

  /** Refuses a wait behind an async call of this agent, which could not go on while the agent is blocked. */
  #checkAhead(): void {
    const { async: ahead } = this.#calls;
    if (ahead > 0) throw this.#account.deadlock(ahead);
  }

  #enter(timeoutMs: number): boolean {
    try {
      return this.#line.tryAcquire(1, timeoutMs);
    } catch (failure) {
      throw hasCode(failure, 'SLUICE_CLOSED') ? this.#account.closed() : failure;
    }
  }

  #sleep(ms: number): void {
    try {
      this.#alarm.tryAcquire(1, ms);
    } catch (failure) {
      throw hasCode(failure, 'SLUICE_CLOSED') ? this.#account.closed() : failure;
    }
  }

  async #sleepAsync(options: WaitOptions): Promise<void> {
    try {
      await acquireFor(this.#alarm as Semaphore, options, this.#asleep);
    } catch (failure) {
      if (failure !== IN_TIME) throw failure;
    }
  }
}

/** One for all sleeps: a caller never sees it. */
const IN_TIME = /* @__PURE__ */ new TimeoutError('The time of the head has come.');

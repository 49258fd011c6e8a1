// The waiting calls of one agent at one limit, made through any of the agent's limit objects.
//
// The calls share one place in the limit's line: an async wait for one slot. When that wait ends, the oldest call of
// the highest priority starts.

import { PriorityLine, type Ranked } from './priority-line.ts';
import type { Slots } from '../slots/slots.ts';
import { PlaceInLine } from '../line/place-in-line.ts';

/** A call that waits for its slot. */
export interface LimitCall extends Ranked<LimitCall> {
  readonly reject: (reason: unknown) => void;
  /** Called when the call has left the queue. */
  readonly left: () => void;
  /** Starts the call, which has its slot. */
  readonly begin: () => void;
}

/** The waiting calls of one agent, as the limit objects use them. */
export interface CallQueue {
  readonly isEmpty: boolean;
  /** The number of calls that have their slots and have not spent from the budget of the event loop yet. */
  arriving: number;
  /** The call that begins next. */
  readonly first: LimitCall | undefined;
  /** The oldest call of the lowest priority. */
  readonly lowest: LimitCall | undefined;
  all(): LimitCall[];
  push(call: LimitCall, slots: Slots): void;
  /** Removes the call `old` from the queue, and adds another. The agent keeps its place in the limit's line. */
  replace(old: LimitCall, call: LimitCall): void;
  remove(call: LimitCall, slots: Slots): void;
  /**
   * Whether the call comes first and a slot was granted to it. `undefined`: only a later turn of the event loop can
   * tell.
   */
  isGranted(call: LimitCall, slots: Slots): boolean | undefined;
  /** Hands the slot of a call that has ended to another call. */
  passOn(slots: Slots): void;
}

export class SlotQueue implements CallQueue {
  arriving = 0;
  readonly #line = new PriorityLine<LimitCall>();
  /** The agent's place in the limit's line. */
  #place: PlaceInLine | undefined;

  get isEmpty(): boolean {
    return this.#line.size === 0;
  }

  get size(): number {
    return this.#line.size;
  }

  get first(): LimitCall | undefined {
    return this.#line.first;
  }

  get lowest(): LimitCall | undefined {
    return this.#line.lowest;
  }

  all(): LimitCall[] {
    return this.#line.all();
  }

  push(call: LimitCall, slots: Slots): void {
    this.#line.push(call);
    slots.notePending(this.#line.size);
    this.#enter(slots);
  }

  replace(old: LimitCall, call: LimitCall): void {
    // First: an agent whose queue is empty leaves the limit's line.
    this.#line.push(call);
    this.#line.remove(old);
    old.left();
  }

  remove(call: LimitCall, slots: Slots): void {
    this.#line.remove(call);
    slots.notePending(this.#line.size);
    call.left();
    if (this.#line.size > 0) return;
    const place = this.#place;
    this.#place = undefined;
    // If a slot was granted before, `#granted` releases it.
    place?.giveUp();
  }

  /** Removes a waiting call, changes its priority with `change`, and puts it behind the calls of its new priority. */
  reorder(call: LimitCall, change: () => void): void {
    this.#line.remove(call);
    change();
    this.#line.push(call);
  }

  isGranted(call: LimitCall, slots: Slots): boolean | undefined {
    const haveSettled = slots.settleOwn();
    if (this.#line.first !== call) return false;
    if (this.#place?.isWaiting === false) return true;
    return haveSettled ? false : undefined;
  }

  /**
   * Hands the slot of a call that has ended to this agent's first call, if no other agent waits. Otherwise releases it
   * to the limit's line.
   */
  passOn(slots: Slots): void {
    const { first } = this.#line;
    if (first !== undefined && this.#isAlone(slots)) this.#begin(first, slots);
    else slots.giveBack();
  }

  /** Whether no other waiter was in the limit's line at one moment of this call. */
  #isAlone(slots: Slots): boolean {
    const waiting = slots.wanted();
    if (waiting <= 0) return true;
    const place = this.#place;
    if (waiting > 1 || place?.isWaiting !== true) return false;
    // The one waiter may be another agent, if this agent's place was granted a slot before the waiters were counted.
    return slots.settleOwn() && place.isWaiting;
  }

  #begin(call: LimitCall, slots: Slots): void {
    this.remove(call, slots);
    this.arriving += 1;
    call.begin();
  }

  /** Begins calls while slots are free, then takes a place in the limit's line for the next call. */
  #enter(slots: Slots): void {
    for (let { first } = this.#line; first !== undefined && this.#place === undefined; { first } = this.#line) {
      try {
        if (!slots.tryTake()) {
          this.#stand(slots);
          return;
        }
      } catch (failure) {
        this.#reject(first, slots, failure);
        continue;
      }
      this.#begin(first, slots);
    }
  }

  #stand(slots: Slots): void {
    const place = new PlaceInLine();
    this.#place = place;
    try {
      slots.take(
        place,
        () => this.#granted(place, slots),
        (failure) => this.#refused(place, slots, failure),
      );
    } catch (failure) {
      this.#place = undefined;
      throw failure;
    }
  }

  #granted(place: PlaceInLine, slots: Slots): void {
    if (this.#place === place) this.#place = undefined;
    const { first } = this.#line;
    if (first === undefined) slots.giveBack();
    else this.#begin(first, slots);
    this.#enter(slots);
  }

  #refused(place: PlaceInLine, slots: Slots, failure: unknown): void {
    // The queue was empty, and left the line.
    if (this.#place !== place) return;
    this.#place = undefined;
    const { first } = this.#line;
    if (first !== undefined) this.#reject(first, slots, failure);
    this.#enter(slots);
  }

  #reject(call: LimitCall, slots: Slots, failure: unknown): void {
    this.remove(call, slots);
    call.reject(failure);
  }
}

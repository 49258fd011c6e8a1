// The waiting calls of one agent at a limit with an interval. For a limit without an interval, see slot-queue.ts.
//
// A call is in one of these places:
//
//   waiting    in `#line`, or in `#returned` if it was under way before and found no start
//   under way  it has a slot, and counts its start later in this thread, right before its function
//
// The calls under way count in the order in which they were made. All calls in `#returned` were made before those in
// `#line`.
//
// While a call is under way, no other call leaves the queue, because the call may return. While a call that waited is
// under way, later calls join the queue, because the call may have to let the event loop turn before it counts.

import { PriorityLine } from '../calls/priority-line.ts';
import type { IntervalSlots } from './interval-slots.ts';
import type { LimitCall, CallQueue } from '../calls/slot-queue.ts';
import { IntervalPlace } from './interval-place.ts';

/** The time after which the head of the line looks again whether its agent has a call, in ms. */
const TURN_BACK_MS = 1;

/** A call that waits for its slot, and then for its start. */
export interface IntervalCall extends LimitCall {
  before: IntervalCall | undefined;
  behind: IntervalCall | undefined;
  readonly hasReturned: boolean;
  /** The agent's place at the head of the line. Absent if the agent is outside the line. */
  place?: IntervalPlace | undefined;
}

export class IntervalQueue implements CallQueue {
  /** Always 0: while a call is under way, later calls join the queue. */
  arriving = 0;
  readonly #returned = new PriorityLine<IntervalCall>();
  readonly #line = new PriorityLine<IntervalCall>();
  /** The agent's place in the limit's line. */
  #place: IntervalPlace | undefined;
  #underWay = 0;
  /** Whether a call that waited is under way. */
  #isLeaving = false;

  get isEmpty(): boolean {
    return this.size === 0;
  }

  get size(): number {
    return this.#returned.size + this.#line.size;
  }

  get first(): IntervalCall | undefined {
    const older = this.#returned.first;
    const later = this.#line.first;
    return older !== undefined && (later === undefined || older.priority >= later.priority) ? older : later;
  }

  /** Leaves out the calls that were under way before. */
  get lowest(): IntervalCall | undefined {
    return this.#line.lowest;
  }

  all(): IntervalCall[] {
    return [...this.#returned.all(), ...this.#line.all()];
  }

  /** Takes a slot for a new call, if it need not wait. Returns whether it did; then the call is under way. */
  tryBegin(slots: IntervalSlots): boolean {
    if (!this.isEmpty || this.#isLeaving || !slots.tryTake()) return false;
    this.#underWay += 1;
    return true;
  }

  /**
   * Counts the start of a call that is under way. Returns false if the call lost its slot and has to wait. Then `push`
   * or `goOn` must follow.
   *
   * `call`: absent for a call that has not waited yet.
   */
  start(slots: IntervalSlots, call?: IntervalCall): boolean {
    this.#underWay -= 1;
    if (call !== undefined) this.#isLeaving = false;
    let hasBegun = true;
    try {
      // A new call must not overtake a call that returned.
      if (call === undefined && this.#returned.size > 0) {
        slots.giveBack();
        hasBegun = false;
      } else hasBegun = slots.begin(call?.place, this.#underWay + 1);
    } finally {
      if (call?.place?.isOver === true && call.place === this.#place) this.#place = undefined;
      if (hasBegun) this.goOn(slots);
    }
    return hasBegun;
  }

  push(call: IntervalCall, slots: IntervalSlots): void {
    this.#lineOf(call).push(call);
    slots.notePending(this.size);
    this.goOn(slots);
  }

  replace(old: IntervalCall, call: IntervalCall): void {
    // First: an agent whose queue is empty leaves the limit's line.
    this.#lineOf(call).push(call);
    this.#lineOf(old).remove(old);
    old.left();
  }

  remove(call: IntervalCall, slots: IntervalSlots): void {
    this.#take(call, slots);
    this.goOn(slots);
  }

  /** Takes a waiting call out of its priority's order, changes it with `change`, and puts it behind its new equals. */
  reorder(call: IntervalCall, change: () => void): void {
    const line = this.#lineOf(call);
    line.remove(call);
    change();
    line.push(call);
  }

  /** Returns the slot of a call that has waited and is under way, without a start. */
  turnBack(call: IntervalCall, slots: IntervalSlots): void {
    this.#underWay -= 1;
    this.#isLeaving = false;
    slots.giveBack();
    call.place?.end(TURN_BACK_MS);
    this.goOn(slots);
  }

  /** Always false: a call with a start runs already, and no longer waits. */
  isGranted(): boolean {
    return false;
  }

  /** Releases the slot. It cannot be handed on, because the next call needs a start, too. */
  passOn(slots: IntervalSlots): void {
    slots.giveBack();
  }

  /**
   * Sends the first call on its way if it can start. Otherwise the agent waits in the limit's line. An agent without
   * waiting calls leaves the line.
   */
  goOn(slots: IntervalSlots): void {
    if (this.#underWay > 0) return;
    for (let { first } = this; first !== undefined && this.#place === undefined; { first } = this) {
      try {
        if (!slots.tryTakeOutsideLine()) {
          this.#stand(slots);
          return;
        }
      } catch (failure) {
        this.#reject(first, slots, failure);
        continue;
      }
      this.#send(first, slots);
      return;
    }
    if (!this.isEmpty) return;
    const place = this.#place;
    this.#place = undefined;
    place?.giveUp();
  }

  #lineOf(call: IntervalCall): PriorityLine<IntervalCall> {
    return call.hasReturned ? this.#returned : this.#line;
  }

  #take(call: IntervalCall, slots: IntervalSlots): void {
    this.#lineOf(call).remove(call);
    slots.notePending(this.size);
    call.left();
  }

  #send(call: IntervalCall, slots: IntervalSlots, place?: IntervalPlace): void {
    this.#take(call, slots);
    this.#underWay += 1;
    this.#isLeaving = true;
    call.place = place;
    call.begin();
  }

  #stand(slots: IntervalSlots): void {
    const place = new IntervalPlace();
    this.#place = place;
    slots.take(
      place,
      () => this.#granted(place, slots),
      (failure) => this.#refused(place, slots, failure),
    );
  }

  #granted(place: IntervalPlace, slots: IntervalSlots): void {
    const { first } = this;
    // An agent whose queue is empty has left the line.
    if (first !== undefined) this.#send(first, slots, place);
  }

  #refused(place: IntervalPlace, slots: IntervalSlots, failure: unknown): void {
    // The queue was empty, and left the line.
    if (this.#place !== place) return;
    this.#place = undefined;
    const { first } = this;
    if (first !== undefined) this.#reject(first, slots, failure);
    this.goOn(slots);
  }

  #reject(call: IntervalCall, slots: IntervalSlots, failure: unknown): void {
    this.#take(call, slots);
    call.reject(failure);
  }
}

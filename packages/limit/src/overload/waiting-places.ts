// The places of the waiting calls of a limit with `maxWaiting`, over all agents.
//
// A place is a permit of a semaphore. A call takes one before it waits, and releases it when it starts or gives up. So
// never more calls wait than there are places, and the places of an agent that dies come back with its recovery. No
// call waits for a place.
//
// The place of a call can also pass to a later call of the same agent, without a release: if the call is shed, or if it
// has its slot and has not begun yet.

import type { Semaphore } from '@sluice/core';
import { OverloadedError, plural } from '@sluice/core/calls';
import { WaitingCall } from '../calls/calls.ts';
import type { CallQueue, LimitCall } from '../calls/slot-queue.ts';
import type { Slots } from '../slots/slots.ts';
import type { SheddingTerms } from '../api/shedding-options.ts';

export class WaitingPlaces {
  readonly #places: Semaphore;
  readonly #terms: SheddingTerms;
  readonly #slots: Slots;
  readonly #shed: () => void;
  readonly #leave = (): void => {
    try {
      this.#places.release();
    } catch {
      // This agent has left the arena, so its places have come back. No caller could handle the error.
    }
  };

  /** `shed` counts a call that was shed. */
  constructor(places: Semaphore, terms: SheddingTerms, slots: Slots, shed: () => void) {
    this.#places = places;
    this.#terms = terms;
    this.#slots = slots;
    this.#shed = shed;
  }

  /** Gives a place to a call that begins to wait, and puts it in the queue. Otherwise returns the error of the call. */
  enter(call: WaitingCall, queue: CallQueue): Error | undefined {
    try {
      if (!this.#takePlace(queue)) return this.#shedOne(call, queue);
    } catch (failure) {
      return failure as Error;
    }
    call.leavePlace = this.#leave;
    queue.push(call, this.#slots);
    return undefined;
  }

  /** Puts the call in the queue in place of another one, or returns its error. */
  #shedOne(call: WaitingCall, queue: CallQueue): Error | undefined {
    const oldest = this.#terms.isOldest ? oldestWithPlace(queue) : undefined;
    this.#shed();
    if (oldest === undefined || oldest.priority > call.priority) return this.#overloaded('');
    // The place changes its owner without a release. Otherwise another agent might take it.
    call.leavePlace = this.#leave;
    oldest.leavePlace = undefined;
    queue.replace(oldest, call);
    oldest.reject(this.#overloaded('A later call took the place of this one. '));
    return undefined;
  }

  #takePlace(queue: CallQueue): boolean {
    if (this.#places.tryAcquire()) return true;
    this.#slots.settleOwn();
    const { first } = queue;
    if (!(hasPlace(first) && queue.isGranted(first, this.#slots) === true)) return false;
    // The first call has its slot, and begins in a later microtask. It does not wait, so it needs no place.
    first.leavePlace = undefined;
    return true;
  }

  #overloaded(how: string): OverloadedError {
    const { maxWaiting } = this.#terms;
    return new OverloadedError(
      `${this.#slots.toString()} has ${plural(maxWaiting, 'waiting call')}, which is the maximum (maxWaiting). ${how}The function was not called.`,
    );
  }
}

function hasPlace(call: LimitCall | undefined): call is WaitingCall {
  return call instanceof WaitingCall && call.leavePlace !== undefined;
}

/** Returns the oldest call of the lowest priority that has a place. */
function oldestWithPlace(queue: CallQueue): WaitingCall | undefined {
  const { lowest } = queue;
  if (hasPlace(lowest)) return lowest;
  // A call without a place has its slot already, or was under way before. There are few of them.
  let found: WaitingCall | undefined;
  for (const call of queue.all())
    if (hasPlace(call) && (found === undefined || call.priority < found.priority)) found = call;
  return found;
}

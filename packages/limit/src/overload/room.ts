// The places of the waiting calls of a limit with `maxWaiting`, over all agents.
//
// A place is a permit of a semaphore. A call takes one before it waits, and releases it when it starts or gives up. So
// never more calls wait than there are places, and the places of an agent that dies come back with its recovery. No
// call waits for a place.

import type { Semaphore } from '@sluice/core';
import { plural } from '@sluice/core/internal';
import { WaitingCall } from '../calls.ts';
import type { CallQueue } from '../queue.ts';
import type { Slots } from '../slots.ts';
import { OverloadedError } from './errors.ts';
import type { SheddingTerms } from './options.ts';

export class Room {
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

  /** Gives a place to a call that is about to wait. Otherwise returns the error with which the call rejects. */
  enter(call: WaitingCall, queue: CallQueue): OverloadedError | undefined {
    if (!this.#hasPlace()) {
      const oldest = this.#terms.isOldest ? queue.lowest : undefined;
      if (!(oldest instanceof WaitingCall && oldest.leaveRoom !== undefined && oldest.priority <= call.priority)) {
        this.#shed();
        return this.#overloaded('');
      }
      // The place changes its owner without a release. Otherwise another agent might take it.
      oldest.leaveRoom = undefined;
      queue.remove(oldest as never, this.#slots);
      this.#shed();
      oldest.reject(this.#overloaded('A later call took the place of this one. '));
    }
    call.leaveRoom = this.#leave;
    return undefined;
  }

  #hasPlace(): boolean {
    if (this.#places.tryAcquire()) return true;
    // Calls that were granted slots leave their places.
    this.#slots.settleOwn();
    return this.#places.tryAcquire();
  }

  #overloaded(how: string): OverloadedError {
    const { maxWaiting } = this.#terms;
    return new OverloadedError(
      `${this.#slots.toString()} has ${plural(maxWaiting, 'waiting call')}, and not more may wait (maxWaiting). ${how}The function was not called.`,
    );
  }
}

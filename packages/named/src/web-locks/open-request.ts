// One request of a lock manager, from its call to its end. It is an object because async functions would create several
// promises each, which would take longer than the rest of a request that waits.

import { hasCode } from '@sluice/core';
import { reasonOf } from '@sluice/core/calls';
import { lockOf } from './held-lock.ts';
import type { KeyTable } from '../table/key-table.ts';
import type { HeldRequest, RequestQueue } from './request-queue.ts';
import type { Drawer, LockLines } from './lock-lines.ts';
import { stolen, type LockRequest } from './lock-request.ts';
import type { QueuedRequest, WaitingRequests } from './waiting-requests.ts';

/** The parts of a lock manager, which all its requests share. */
export interface ManagerParts {
  readonly keys: KeyTable;
  readonly lines: LockLines;
  readonly waiting: WaitingRequests;
}

export class OpenRequest implements HeldRequest, Drawer {
  readonly #parts: ManagerParts;
  readonly #request: LockRequest;
  readonly #resolve: (result: unknown) => void;
  readonly #reject: (reason: unknown) => void;
  /** The line in which the request waits, and in which it then holds the lock. */
  #line: RequestQueue | undefined;
  /** The place of the request among the waiting requests. */
  #place: QueuedRequest | undefined;
  readonly #granted = (): void => this.#hold();
  readonly #refused = (failure: unknown): void => this.#leave(failure);

  /** `resolve` and `reject` settle the promise that the caller gets. The callback's result or a steal settles it. */
  constructor(
    parts: ManagerParts,
    request: LockRequest,
    resolve: (result: unknown) => void,
    reject: (reason: unknown) => void,
  ) {
    this.#parts = parts;
    this.#request = request;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  /**
   * Takes the lock or draws a ticket, within the call of `request`. Never calls the callback in that call. Throws the
   * reason with which the request rejects.
   */
  begin(): void {
    const { lines } = this.#parts;
    const { name, ifAvailable, steal } = this.#request;
    if (ifAvailable) this.#line = lines.tryTake(this.#request, this);
    else if (steal) this.#line = lines.steal(name);
    else return this.#enter();
    void this.#soon().then(this.#line === undefined ? () => this.#callWithoutLock() : this.#granted);
  }

  onStolen(): void {
    this.#reject(stolen(this.#request.name));
  }

  mayDraw(): boolean {
    return this.#parts.waiting.isNext(this.#request.name, this.#place);
  }

  /**
   * Takes the lock or draws a ticket, at once or after the earlier requests of this agent have drawn theirs. Throws the
   * reason with which the request rejects.
   */
  #enter(): void {
    const { lines, waiting } = this.#parts;
    const { name } = this.#request;
    const drawn = lines.draw(this.#request, this, this.#granted, this.#refused);
    if (drawn === undefined) {
      this.#place ??= waiting.add(name);
      void waiting.beforeMoves(this.#place).then(() => this.#orReject(() => this.#enter()));
      return;
    }
    this.#line = drawn.line;
    if (drawn.isTaken) {
      this.#leavePlace();
      void this.#soon().then(this.#granted);
    } else {
      this.#place ??= waiting.add(name);
      waiting.enter(this.#place, drawn.line);
    }
  }

  /** Resolves before the callback is called. */
  #soon(): Promise<void> {
    return this.#parts.keys.context.budget.done();
  }

  /** Ends the request after a wait that ended without the lock. */
  #leave(failure: unknown): void {
    const { lines } = this.#parts;
    this.#orReject(() => {
      if (this.#line !== undefined) lines.leave(this.#line, this.#request.name);
      // Closed: another request stole the lock, and the name now leads to another line.
      if (!hasCode(failure, 'SLUICE_CLOSED')) throw failure;
      this.#enter();
    });
  }

  #hold(): void {
    const { lines } = this.#parts;
    const { name, mode, signal, callback } = this.#request;
    const line = this.#line as RequestQueue;
    this.#leavePlace();
    try {
      line.held.add(this);
      lines.keep(line);
      if (signal?.aborted === true) throw reasonOf(signal);
      Promise.resolve(callback(lockOf(name, mode))).then(
        (result) => this.#end(line, this.#resolve, result),
        (failure: unknown) => this.#end(line, this.#reject, failure),
      );
    } catch (failure) {
      this.#end(line, this.#reject, failure);
    }
  }

  /** Releases the lock, and then settles the request. */
  #end(line: RequestQueue, settle: (outcome: unknown) => void, outcome: unknown): void {
    const { name, mode } = this.#request;
    // A promise with a `then` of its own may settle twice.
    if (!line.held.delete(this)) return;
    // The event of a steal comes with a turn of the event loop. The callback may end before that.
    if (!this.#parts.keys.isThere(line)) this.onStolen();
    this.#orReject(() => {
      this.#parts.lines.release(line, name, mode);
      settle(outcome);
    });
  }

  #callWithoutLock(): void {
    this.#orReject(() => this.#resolve(this.#request.callback(null)));
  }

  #orReject(act: () => void): void {
    try {
      act();
    } catch (failure) {
      this.#leavePlace();
      this.#reject(failure);
    }
  }

  #leavePlace(): void {
    const place = this.#place;
    if (place === undefined) return;
    this.#place = undefined;
    this.#parts.waiting.remove(this.#request.name, place);
  }
}

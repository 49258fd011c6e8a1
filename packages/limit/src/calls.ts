// The calls that go through one limit object of one agent. All of an agent's objects for the same limit share one line of waiting calls, so
// an agent's calls start in the order in which they were made.

import type { WaitOptions } from '@sluice/core';
import { checkFunction, checkWait, offAbort, ofLocalState, onAbort, reasonOf, type Place } from '@sluice/core/internal';
import { Line, type Linked } from './line.ts';
import type { Slots } from './slots.ts';
import { WayOut } from './way-out.ts';

export const NO_OPTIONS: WaitOptions = {};

/** A call that waits for its slot. */
interface Call extends Linked<Call> {
  readonly calls: Calls;
  readonly start: () => void;
  readonly reject: (reason: unknown) => void;
  /** Leaves the shared line. A slot that was granted first is released when it arrives. */
  readonly leave: () => void;
  /** Removes the listener from the caller's signal. */
  readonly unlisten: () => void;
  granted: boolean;
  dropped: boolean;
}

const lineAt: (place: Place) => Line<Call> = ofLocalState(() => new Line<Call>());

export class Calls {
  readonly #slots: Slots;
  readonly #line: Line<Call>;
  #active = 0;
  #pending = 0;

  constructor(slots: Slots) {
    this.#slots = slots;
    this.#line = lineAt(slots.place);
  }

  get active(): number {
    return this.#active;
  }

  get pending(): number {
    return this.#pending;
  }

  /** Runs `fn` once it has a slot. Settles as the result of `fn` does. */
  call<Args extends unknown[], T>(
    fn: (...args: Args) => PromiseLike<T> | T,
    args: Args,
    options: WaitOptions,
  ): Promise<T> {
    return new Promise((resolve, reject) => {
      checkFunction(fn);
      const checked = options === NO_OPTIONS ? options : checkWait(options);
      let start: () => void = nothing;
      const turn = new Promise<void>((begin) => (start = begin));
      // A call must not overtake a waiting one, even if that one's slot has not arrived yet.
      if (this.#line.size === 0 && this.#slots.tryTake()) this.#start(start);
      else this.#standInLine(start, reject, checked);
      // Registered in the caller's turn, so `fn` runs in the caller's async context, whichever call starts it.
      void turn.then(() => this.#run(fn, args)).then(resolve, reject);
    });
  }

  /** Drops all waiting calls. With a reason they reject. */
  clear(reason?: { readonly reason: unknown }): void {
    const calls = this.#line.all().filter((call) => call.calls === this);
    for (const call of calls) {
      call.dropped = true;
      this.#remove(call);
      if (reason !== undefined) call.reject(reason.reason);
    }
    for (const call of calls) this.#takeLeave(call);
    this.#startThoseDue();
  }

  async #run<Args extends unknown[], T>(fn: (...args: Args) => PromiseLike<T> | T, args: Args): Promise<T> {
    try {
      return await fn(...args);
    } finally {
      this.#active -= 1;
      this.#slots.giveBack();
    }
  }

  #start(start: () => void): void {
    this.#active += 1;
    start();
  }

  #standInLine(start: () => void, reject: (reason: unknown) => void, options: WaitOptions): void {
    const { signal } = options;
    const out = new WayOut();
    const abort = (): void => this.#drop(call, reasonOf(signal));
    const call: Call = {
      calls: this,
      start,
      reject,
      leave: () => out.take(),
      unlisten: () => offAbort(signal, abort),
      granted: false,
      dropped: false,
      before: undefined,
      behind: undefined,
    };
    onAbort(signal, abort);
    this.#line.push(call);
    this.#pending += 1;
    this.#slots.take({ ...options, signal: out as unknown as AbortSignal }).then(
      () => this.#grant(call),
      (failure: unknown) => this.#refuse(call, failure),
    );
  }

  #grant(call: Call): void {
    call.granted = true;
    if (call.dropped) this.#slots.giveBack();
    else this.#startThoseDue();
  }

  /** The call left the line without a slot: its wait failed, or it was dropped. */
  #refuse(call: Call, failure: unknown): void {
    if (call.dropped) return;
    this.#remove(call);
    call.reject(failure);
    this.#startThoseDue();
  }

  #drop(call: Call, reason: unknown): void {
    call.dropped = true;
    this.#remove(call);
    call.reject(reason);
    this.#takeLeave(call);
    this.#startThoseDue();
  }

  #takeLeave(call: Call): void {
    if (call.granted) this.#slots.giveBack();
    else call.leave();
  }

  /** Starts all granted calls at the head of the line, including those of this agent's other objects. */
  #startThoseDue(): void {
    for (let first = this.#line.first; first?.granted === true; first = this.#line.first) {
      first.calls.#remove(first);
      first.calls.#start(first.start);
    }
  }

  #remove(call: Call): void {
    this.#line.remove(call);
    this.#pending -= 1;
    call.unlisten();
  }
}

function nothing(): void {
  // Replaced before it is called.
}

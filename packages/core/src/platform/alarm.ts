// A timer that never fires early. The platform's timers may: they truncate a delay to whole ms, compare it with a clock
// of whole ms, and replace a delay of more than 24.8 days with 1 ms.
//
// The platform's functions are looked up at each use, so a timeout follows the fake timers that a test has installed.

import { noteEnd, now } from './clock.ts';
import { LONGEST_MS, setRef } from './keep-alive.ts';

/** Calls `act` once, at least `delayMs` ms after its construction. */
export class Alarm {
  readonly #end: number;
  /** The time at which the current timer ends. */
  #due = 0;
  readonly #act: () => void;
  readonly #ref: boolean;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(delayMs: number, act: () => void, ref: boolean) {
    this.#end = now() + delayMs;
    this.#act = act;
    this.#ref = ref;
    this.#set(delayMs);
  }

  /** Cancels the alarm: `act` is not called after this. */
  stop(): void {
    clearTimeout(this.#timer);
  }

  #set(leftMs: number): void {
    const delayMs = Math.min(Math.ceil(leftMs), LONGEST_MS);
    this.#due = now() + Math.min(leftMs, delayMs);
    this.#timer = setTimeout(() => this.#look(), delayMs);
    if (!this.#ref) setRef(this.#timer, false);
  }

  #look(): void {
    noteEnd(this.#due);
    const left = this.#end - now();
    if (left > 0) this.#set(left);
    else this.#act();
  }
}

/**
 * Calls `act` in a later turn of the event loop, at least `delayMs` ms from now; never if `delayMs` is `Infinity`.
 * `ref`: whether the alarm keeps the process alive.
 */
export function setAlarm(delayMs: number, act: () => void, ref: boolean): Alarm | undefined {
  return delayMs === Infinity ? undefined : new Alarm(delayMs, act, ref);
}

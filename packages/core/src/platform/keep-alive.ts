// A pending waitAsync does not keep the event loop alive: Node would exit with code 13, or silently drop the rest of an
// async function. Instead, one timer per realm keeps the event loop alive. It is referenced only while a wait is
// pending. ref and unref together cost 30 ns. A timer for each wait would cost 1 us.

import { ownTimers } from './own-timers.ts';

/** The longest delay that the platform's timers accept: 24.8 days. */
export const LONGEST_MS = 2 ** 31 - 1;

interface Timers {
  refTimer(id: unknown): void;
  unrefTimer(id: unknown): void;
}

let waits = 0;
let timer: unknown;

/** Call when a wait begins for which the process must stay alive. Pair it with `letGo`. */
export function keepAlive(): void {
  timer ??= ownTimers.every(() => undefined, LONGEST_MS);
  if (waits++ === 0) setRef(timer, true);
}

/** Call when that wait has ended. */
export function letGo(): void {
  if (--waits === 0) setRef(timer, false);
}

/**
 * References or unreferences a timer. In Deno a timer is a number. In a browser this has no effect: timers do not keep
 * a page alive.
 */
export function setRef(handle: unknown, referenced: boolean): void {
  if (typeof handle === 'object' && handle !== null) {
    const nodeTimer = handle as NodeJS.Timeout;
    if (referenced) nodeTimer.ref();
    else nodeTimer.unref();
    return;
  }
  const { Deno } = globalThis as { Deno?: Timers };
  if (referenced) Deno?.refTimer(handle);
  else Deno?.unrefTimer(handle);
}

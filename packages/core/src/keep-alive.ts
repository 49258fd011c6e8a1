// A pending waitAsync keeps no event loop alive: Node would exit with code 13, or drop the rest of an async
// function without a word. One timer per realm, referenced only while somebody waits, keeps it alive instead: an idle
// wait costs nothing, and ref + unref 30 ns where a timer for each wait would cost 1 us.

/** The longest delay that timers take: 24.8 days. */
export const LONGEST_MS = 2 ** 31 - 1;

interface Timers {
  refTimer(id: unknown): void;
  unrefTimer(id: unknown): void;
}

let waits = 0;
let timer: unknown;

/** A wait begins that the process has to stay alive for. */
export function keepAlive(): void {
  timer ??= setInterval(() => undefined, LONGEST_MS);
  if (waits++ === 0) setRef(timer, true);
}

/** It ended. */
export function letGo(): void {
  if (--waits === 0) setRef(timer, false);
}

/** References or unreferences a timer. In Deno a timer is a number; in a browser nothing keeps a page alive anyway. */
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

// Bounds for the loops that repeat a kernel step while it loses its race. On damaged memory it can lose forever.
//
// A healthy arena does not come near the bound. A step loses only to a step of another agent, and a step has no loop.
// So a thread loses for seconds only if another thread stops inside a step for that long. A debugger can stop a thread
// inside a step of jsEngine, but not inside a step of the WebAssembly kernel. No thread can tell this case from damage,
// so the error message names both.

import { CorruptArenaError } from '../api/errors.ts';
import { DAMAGED, damagedAt, type Where } from './corrupt.ts';
import { RACED } from '../kernel/states.ts';

/** The number of tries between two checks of the clock. */
const TRIES_BETWEEN_LOOKS = 4096;
/** A step that loses its races for this long throws `CorruptArenaError`. */
export const LONGEST_RACE_MS = 10_000;
/** The maximum time that counts between two checks, because this thread itself may have been stopped. */
const LONGEST_LOOK_MS = LONGEST_RACE_MS / 4;

// Module state suffices: a thread runs one such loop at a time.
let raced = 0;
let looked = 0;

/**
 * Call it after each try of a step that lost its race. `tries` is the number of tries in this loop, from 1. `where`
 * names the primitive, for the message. Returns true. Throws `CorruptArenaError` if the step has lost for
 * `LONGEST_RACE_MS`.
 */
export function retryOrThrow(tries: number, where?: Where): boolean {
  if (tries % TRIES_BETWEEN_LOOKS === 0) lookAtClock(tries === TRIES_BETWEEN_LOOKS, where);
  return true;
}

/**
 * Calls a step until it does not lose its race, and returns its result. For contended paths, since the closure costs an
 * allocation.
 */
export function retryWhileRaced<Result extends number>(
  step: () => Result,
  where?: Where,
): Exclude<Result, typeof RACED> {
  for (let tries = 1; ; tries++) {
    const result = step();
    if (result !== RACED) return result as Exclude<Result, typeof RACED>;
    retryOrThrow(tries, where);
  }
}

function lookAtClock(isFirst: boolean, where: Where | undefined): void {
  const now = performance.now();
  raced = isFirst ? 0 : raced + Math.min(now - looked, LONGEST_LOOK_MS);
  looked = now;
  if (raced >= LONGEST_RACE_MS) throw lostForTooLong(where);
}

function lostForTooLong(where: Where | undefined): CorruptArenaError {
  return new CorruptArenaError(
    `${DAMAGED}${damagedAt(where)}: a step was refused for ${LONGEST_RACE_MS / 1000} s without a pause. Something other than Sluice wrote to it, or ` +
      'a thread with jsEngine stands still inside a step: it was killed, or a debugger stopped it. Create another arena.',
  );
}

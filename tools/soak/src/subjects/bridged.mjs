// @ts-check
// What threads do at a bridge to a Redis server: they need no client.
import { BridgedSemaphore } from '@sluice/redis';
import { checksOf, visitorOf } from './subject.mjs';

/** @import { Subject } from './subject.mjs' */

export const BRIDGED = 'BridgedSemaphore';
export const PERMITS = 2;

/** @type {NonNullable<Subject['open']>} */
export function openBridged(handles, place) {
  const sem = BridgedSemaphore.from(/** @type {never} */ (handles));
  return visitorOf(
    {
      enter: () => sem.acquire(),
      tryEnter: (_, timeoutMs) => sem.tryAcquire(1, timeoutMs),
      enterAsync: (_, options) => sem.acquireAsync(1, options),
      leave: () => sem.release(),
      most: 1,
      ...checksOf(place, PERMITS),
    },
    place,
  );
}

// Makes `postMessage` fail for an instance that is posted in place of its handle. Otherwise the instance would arrive
// as an empty object.

/** Structured clone refuses symbols. Platforms that name the refused value print this symbol's text. */
const POST_THE_HANDLE = Symbol('an instance cannot be posted to another thread: post its handle');

/**
 * Gives the instance an own enumerable property that structured clone refuses on every platform. The types do not show
 * it.
 *
 * Call it first in a constructor: structured clone would refuse or copy earlier properties first. `reason`: a symbol
 * whose text says what to do, for an instance without a handle.
 */
export function refusePosting(instance: object, reason = POST_THE_HANDLE): void {
  (instance as { _unpostable?: symbol })._unpostable = reason;
}

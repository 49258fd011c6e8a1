// What makes an instance fail when it is posted in place of its handle, where it would arrive as an empty object.

/** Structured clone refuses symbols, and platforms that say what they refused print this one's text. */
const POST_THE_HANDLE = Symbol('an instance cannot be posted to another thread: post its handle');

/**
 * Gives the instance an own enumerable property that structured clone refuses, on every platform. Call it first in a constructor: structured
 * clone would refuse or copy earlier properties first. The types do not show it.
 * `reason`: a symbol whose text says what to do, for what has no handle.
 */
export function refusePosting(instance: object, reason = POST_THE_HANDLE): void {
  (instance as { _unpostable?: symbol })._unpostable = reason;
}

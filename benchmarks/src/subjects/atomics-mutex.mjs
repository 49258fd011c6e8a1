// @ts-check

/** @typedef {object} V8Mutex opaque */
/** @typedef {{ new (): V8Mutex, lock(mutex: V8Mutex, critical: () => void): void }} V8MutexConstructor */

/** V8's own mutex for shared structs, behind `--harmony-struct`. */
const { Mutex } = /** @type {{ Mutex?: V8MutexConstructor }} */ (/** @type {unknown} */ (Atomics));

export function create() {
  if (!Mutex) throw new Error(`Node ${process.versions.node} has no Atomics.Mutex`);
  return new Mutex();
}

/** @param {V8Mutex} mutex */
export function open(mutex) {
  return {
    /** @param {() => void} critical */
    locked(critical) {
      Mutex?.lock(mutex, critical);
    },
  };
}

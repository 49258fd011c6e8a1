// @ts-check
// A lock of two words of the program's own, as many programs have one: 0 is free, 1 is taken, 2 is taken with waiters.

/** @param {Int32Array} words @param {number} at */
export function lock(words, at) {
  if (Atomics.compareExchange(words, at, 0, 1) === 0) return;
  while (Atomics.exchange(words, at, 2) !== 0) Atomics.wait(words, at, 2);
}

/** @param {Int32Array} words @param {number} at */
export function unlock(words, at) {
  if (Atomics.exchange(words, at, 0) === 2) Atomics.notify(words, at, 1);
}

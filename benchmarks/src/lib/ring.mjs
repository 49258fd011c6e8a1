// @ts-check
// The floor of a buffer: Lamport's ring for one producer and one consumer, by hand. No line, no lock, no close, and no
// recovery.

/** Words between two positions, so that each has a cache line of its own. */
const LINE = 32;
const [TAIL, HEAD, SLOTS] = /** @type {const} */ ([0, LINE, 2 * LINE]);
/** For how long a side that waits looks again before it sleeps, and for how long it sleeps, in ms. */
const [LOOKS_MS, SLEEP_MS, APART_MS] = /** @type {const} */ ([0.02, 0.05, 0.001]);

/** @param {number} capacity a power of two */
export function ringOf(capacity) {
  return new SharedArrayBuffer(4 * (SLOTS + capacity));
}

/** Returns once the word is no longer `seen`. @param {Int32Array} words @param {number} at @param {number} seen */
function changed(words, at, seen) {
  const end = performance.now() + LOOKS_MS;
  for (;;) {
    const next = performance.now() + APART_MS;
    while (performance.now() < next);
    const now = Atomics.load(words, at);
    if (now !== seen) return now;
    if (next > end) Atomics.wait(words, at, seen, SLEEP_MS);
  }
}

/** @param {SharedArrayBuffer} ring @param {number} count @param {number} value */
export function produceInRing(ring, count, value) {
  const words = new Int32Array(ring);
  const capacity = words.length - SLOTS;
  let [tail, head] = [0, 0];
  for (let n = 0; n < count; n++) {
    if (((tail - head) | 0) === capacity) head = Atomics.load(words, HEAD);
    if (((tail - head) | 0) === capacity) head = changed(words, HEAD, head);
    words[SLOTS + (tail & (capacity - 1))] = value;
    tail = (tail + 1) | 0;
    Atomics.store(words, TAIL, tail);
  }
}

/** Returns how many came. @param {SharedArrayBuffer} ring @param {number} count @param {number} value */
export function consumeFromRing(ring, count, value) {
  const words = new Int32Array(ring);
  const capacity = words.length - SLOTS;
  let [tail, head, right] = [0, 0, 0];
  for (let n = 0; n < count; n++) {
    if (tail === head) tail = Atomics.load(words, TAIL);
    if (tail === head) tail = changed(words, TAIL, tail);
    if (words[SLOTS + (head & (capacity - 1))] === value) right++;
    head = (head + 1) | 0;
    Atomics.store(words, HEAD, head);
  }
  return right;
}

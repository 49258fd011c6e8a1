// @ts-check

/**
 * The barrier that people write by hand: a count and a generation, and one notify for all. It has no timeout, is never
 * broken, and hangs when a thread dies.
 */
const [ARRIVED, GENERATION, PARTIES] = [0, 1, 2];

/** @param {import('./subject.mjs').SubjectOptions} options */
export function create({ parties = 2 }) {
  const buffer = new SharedArrayBuffer(128);
  new Int32Array(buffer)[PARTIES] = parties;
  return buffer;
}

/** @param {SharedArrayBuffer} buffer */
export function open(buffer) {
  const words = new Int32Array(buffer);
  const parties = words[PARTIES] ?? 0;
  return {
    meet() {
      const generation = Atomics.load(words, GENERATION);
      if (Atomics.add(words, ARRIVED, 1) + 1 === parties) {
        Atomics.store(words, ARRIVED, 0);
        Atomics.add(words, GENERATION, 1);
        Atomics.notify(words, GENERATION);
      } else {
        while (Atomics.load(words, GENERATION) === generation) Atomics.wait(words, GENERATION, generation);
      }
    },
  };
}

// @ts-check
// Tasks of a pool, two of which never end.

export function stuckOn() {
  return new Int32Array(new SharedArrayBuffer(4));
}

/** @param {{ words?: Int32Array, isEndless?: boolean }} options */
export default function task({ words, isEndless = false }) {
  if (words !== undefined) waitForReply(words);
  for (let found = !isEndless; !found; ) found = Math.random() > 1;
  return 'done';
}

/** @param {Int32Array} words */
function waitForReply(words) {
  Atomics.wait(words, 0, 0);
}

// Tables without a seed of their hashes: then keys of one hash are in one list, and every run of a crash test does the
// same.

const { random } = Math;

/** Calls `create` so that the table which it creates has the seed 0. */
export function unseeded<T>(create: () => T): T {
  Math.random = () => 0;
  try {
    return create();
  } finally {
    Math.random = random;
  }
}

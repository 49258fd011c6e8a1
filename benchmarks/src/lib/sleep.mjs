// @ts-check
import { setTimeout } from 'node:timers/promises';

/** @param {number} milliseconds */
export async function sleep(milliseconds) {
  await setTimeout(milliseconds);
}

/**
 * Looks every millisecond whether something has come true.
 * @param {() => boolean} condition
 */
export async function until(condition) {
  while (!condition()) await setTimeout(1);
}

/**
 * Fails if the promise does not settle in time.
 * @template Value
 * @param {Promise<Value>} promise
 * @param {number} milliseconds
 * @param {() => string} stand how far it got
 * @returns {Promise<Value>}
 */
export async function within(promise, milliseconds, stand) {
  const late = new AbortController();
  const limit = setTimeout(milliseconds, undefined, { signal: late.signal }).then(() => {
    throw new Error(`after ${milliseconds} ms, ${stand()}`);
  });
  try {
    return await Promise.race([promise, limit]);
  } finally {
    limit.catch(() => undefined);
    late.abort();
  }
}

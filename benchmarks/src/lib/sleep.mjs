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

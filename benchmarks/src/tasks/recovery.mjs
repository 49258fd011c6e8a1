// @ts-check
import process from 'node:process';

/**
 * A task of so many microseconds, or with `Infinity` one that ends its worker.
 * @param {number} micros
 */
export function workOrDie(micros) {
  if (micros === Infinity) process.exit(7);
  const end = performance.now() + micros / 1000;
  while (performance.now() < end);
}

// @ts-check
// What a process does with a cache and the limits of keys of a space until it is killed.
import { hasCode } from '@sluice/core';
import process, { stdout } from 'node:process';

/** @typedef {import('@sluice/remote').Space} Space */
/** @typedef {{ readonly key: string, readonly fill: string, readonly text: string }} Value */

const never = () => new Promise(() => undefined);

/**
 * Computes a value, or holds the slot of a key, and never ends. Prints a line when it has begun.
 *
 * @param {Space} space @param {string} what
 */
export function holdForEver(space, what) {
  const begun = () => {
    stdout.write('there\n');
    return never();
  };
  void (what === 'value' ? space.cache('held').getAsync('a', begun) : limitOf(space).runAsync('a', begun));
  setInterval(() => undefined, 1000);
}

/** @param {Space} space */
export function limitOf(space) {
  return space.keyedLimit('tenants', { concurrency: 1, total: 2 });
}

/**
 * Gets, sets and removes values of one cache, and takes slots of a keyed limit and permits of a keyed rate limiter.
 * Each value tells what it must look like, so a torn one shows. A lost lease does not end the work.
 *
 * @param {Space} space
 */
export function workForEver(space) {
  const cache = /** @type {import('@sluice/remote').RemoteCache<Value>} */ (space.cache('values', { ttl: 600_000 }));
  const limit = limitOf(space);
  const rates = space.keyedRateLimiter('rates', { permits: 1000, interval: 1 });
  let made = 0;
  let entered = 0;

  /** @param {string} key @returns {Value} */
  const make = (key) => {
    const fill = String.fromCharCode(97 + (made++ % 26));
    return { key, fill, text: fill.repeat(5000) };
  };

  /** @param {string} key @param {Value | undefined} value */
  const check = (key, value) => {
    if (value !== undefined && (value.key !== key || value.text !== value.fill.repeat(5000)))
      stdout.write(`WRONG: a torn value of ${key}\n`);
  };

  /** @param {number} task @param {number} turn */
  const round = async (task, turn) => {
    const key = `key ${(task + turn) % 3}`;
    const value = await cache.getAsync(key, async () => {
      await new Promise((resolve) => setImmediate(resolve));
      return make(key);
    });
    check(key, value);
    if (turn % 4 === task) await cache.set(key, make(key));
    if (turn % 5 === task) await cache.delete(key);
    if (turn % 17 === task) await cache.clear();
    await limit.runAsync(key, () => new Promise((resolve) => setImmediate(resolve)));
    await rates.consume(key);
    stdout.write(`entered ${++entered}\n`);
  };

  /** @param {number} task */
  const work = async (task) => {
    for (let turn = 0; ; turn++) {
      try {
        await round(task, turn);
      } catch (failure) {
        if (!hasCode(failure, 'SLUICE_LEASE_LOST')) throw failure;
        stdout.write('LOST\n');
      }
    }
  };

  for (const task of [0, 1, 2]) {
    work(task).catch((/** @type {unknown} */ failure) => {
      stdout.write(`WRONG: ${String(failure)}\n`);
      process.exit(1);
    });
  }
  stdout.write('ready\n');
}

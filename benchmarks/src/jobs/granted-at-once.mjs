// @ts-check
// Thousands of async waits of one thread that one release grants: how long the release takes, how long the longest turn
// of the event loop, and how long it takes until all have gone on.
import { Semaphore } from '@sluice/core';
import { main } from '../lib/jobs.mjs';
import { sleep } from '../lib/sleep.mjs';

/** @typedef {{ waits: number, warmUps: number }} GrantedSpecification */
/** @typedef {{ releaseMillis: number, longestTurnMillis: number, totalMillis: number }} GrantedResult */

/** So that all waits have gone to sleep. */
const REST_MS = 20;

await main(async (/** @type {GrantedSpecification} */ { waits, warmUps }) => {
  for (let round = 0; round < warmUps; round++) await grant(waits);
  return grant(waits);
});

/** @param {number} waits @returns {Promise<GrantedResult>} */
async function grant(waits) {
  const semaphore = Semaphore.create(0);
  const all = Array.from({ length: waits }, () => semaphore.acquireAsync());
  await sleep(REST_MS);
  const turns = turnsOfTheLoop();
  await turns.next();
  const began = performance.now();
  semaphore.release(waits);
  const releaseMillis = performance.now() - began;
  await Promise.all(all);
  const totalMillis = performance.now() - began;
  const longestTurnMillis = await turns.end();
  semaphore.free();
  return { releaseMillis, longestTurnMillis, totalMillis };
}

/** Measures each turn of the event loop. The turn that `next` returns in is the first that counts. */
function turnsOfTheLoop() {
  let [longest, isOver] = [0, false];
  let last = performance.now();
  const next = () => new Promise((resolve) => setImmediate(resolve));
  const look = async () => {
    while (!isOver) {
      await next();
      const now = performance.now();
      longest = Math.max(longest, now - last);
      last = now;
    }
  };
  /** @type {Promise<void> | undefined} */
  let looks;
  return {
    next: async () => {
      await next();
      last = performance.now();
      looks = look();
    },
    end: async () => {
      isOver = true;
      await looks;
      return longest;
    },
  };
}

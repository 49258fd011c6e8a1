// @ts-check
import { createLimit } from '@sluice/limit/interval';
import { RateLimiter } from '@sluice/rate-limit';
import { RateLimiter as Limiter } from 'limiter';
import PQueue from 'p-queue';
import { main } from '../lib/jobs.mjs';

/** @typedef {'try' | 'call' | 'wait'} RateLoad */
/** @typedef {{ subject: 'sluice' | 'limit' | 'limiter' | 'p-queue', load: RateLoad, calls: number }} RateSpecification */
/** @typedef {{ perSecond: number }} RateResult */

/** So many permits in an interval that there is always one. */
const PLENTY = { permits: 10_000_000, interval: 1000 };
/** Waiting calls get two permits in 1 ms, ten at once. */
const SCARCE = { permits: 10, interval: 5 };

const nothing = () => Promise.resolve();

await main(measure);

/** @param {RateSpecification} specification @returns {Promise<RateResult>} */
async function measure({ subject, load, calls }) {
  const run = { sluice, limit, limiter, 'p-queue': queue }[subject](load);
  // Compiled first.
  await run(Math.ceil(calls / 10));
  const began = performance.now();
  await run(calls);
  return { perSecond: calls / ((performance.now() - began) / 1000) };
}

/** @param {RateLoad} load @returns {(calls: number) => unknown} */
function sluice(load) {
  const rate = RateLimiter.create(load === 'wait' ? SCARCE : PLENTY);
  if (load === 'try') return (calls) => tryAll(calls, () => rate.tryAcquire());
  if (load === 'call') return (calls) => oneByOne(calls, () => rate.runAsync(nothing));
  return (calls) => Promise.all(Array.from({ length: calls }, () => rate.runAsync(nothing)));
}

/** @param {RateLoad} load @returns {(calls: number) => unknown} */
function limiter(load) {
  const { permits, interval } = load === 'wait' ? SCARCE : PLENTY;
  const rate = new Limiter({ tokensPerInterval: permits, interval });
  if (load === 'try') return (calls) => tryAll(calls, () => rate.tryRemoveTokens(1));
  const call = async () => {
    await rate.removeTokens(1);
    return nothing();
  };
  return load === 'call' ? (calls) => oneByOne(calls, call) : (calls) => Promise.all(Array.from({ length: calls }, call));
}

/** @param {RateLoad} load @returns {(calls: number) => unknown} */
function queue(load) {
  const { permits, interval } = load === 'wait' ? SCARCE : PLENTY;
  const calls = new PQueue({ interval, intervalCap: permits });
  if (load === 'try') throw new Error('p-queue has no call that only tries.');
  return load === 'call' ? (count) => oneByOne(count, () => calls.add(nothing)) : (count) => calls.addAll(Array.from({ length: count }, () => nothing));
}

/** @param {RateLoad} load @returns {(calls: number) => unknown} */
function limit(load) {
  const { permits, interval } = load === 'wait' ? SCARCE : PLENTY;
  const calls = createLimit({ interval, intervalCap: permits });
  if (load === 'try') throw new Error('A limit has no call that only tries.');
  return load === 'call' ? (count) => oneByOne(count, () => calls(nothing)) : (count) => Promise.all(Array.from({ length: count }, () => calls(nothing)));
}

/** @param {number} calls @param {() => boolean} call */
function tryAll(calls, call) {
  for (let done = 0; done < calls; done++) if (!call()) throw new Error('A permit is missing.');
}

/** @param {number} calls @param {() => Promise<unknown>} call */
async function oneByOne(calls, call) {
  for (let done = 0; done < calls; done++) await call();
}

// @ts-check
// What the tools of @sluice/inspect cost: locks that one thread opens without tools and with them, in blocks that
// alternate. The subjects that end in "nested" lock a second mutex within the first one, and are compared with "off,
// nested".
import { Arena } from '@sluice/core';
import { startChannels, startOrderChecks, startStatistics } from '@sluice/inspect';
import { Mutex } from '@sluice/mutex';
import { main } from '../lib/jobs.mjs';
import { median } from '../lib/statistics.mjs';

/**
 * @typedef {object} ObservedSpecification
 * @property {number} blocks
 * @property {number} blockMillis
 * @property {number} workMicros of work while the lock is held
 * @property {readonly string[]} titles of the subjects. A program has one tool, and calls to several are slower
 */

/** @typedef {Readonly<Record<string, { readonly nanos: number, readonly ratio: number }>>} ObservedResult */

const arena = Arena.create({ maxPages: 16 });

/** Calls with a tool before the time is taken: a tool may learn from its first calls. */
const FIRST_CALLS = 1000;

const off = () => ({ stop: () => undefined });

/** @type {Readonly<Record<string, () => { stop(): void }>>} */
const tools = {
  'channels without a subscriber': () => startChannels(),
  'order checks': () => startOrderChecks(),
  'order checks, nested': () => startOrderChecks(),
  'statistics, 1 of 100': () => startStatistics({ sample: 100 }),
  'statistics, every call': () => startStatistics({ sample: 1 }),
};

let state = 1;

/** A few instructions that no compiler removes. @param {number} rounds */
function work(rounds) {
  for (let i = 0; i < rounds; i++) state = (Math.imul(state, 1_103_515_245) + 12_345) | 0;
}

/** @param {Mutex} lock @param {Mutex} inner @param {number} count @param {number} rounds */
function nestedPairs(lock, inner, count, rounds) {
  for (let i = 0; i < count; i++) {
    lock.lock();
    inner.lock();
    if (rounds > 0) work(rounds);
    inner.unlock();
    lock.unlock();
  }
}

/** @param {Mutex} lock @param {number} count @param {number} rounds */
function pairs(lock, count, rounds) {
  for (let i = 0; i < count; i++) {
    lock.lock();
    if (rounds > 0) work(rounds);
    lock.unlock();
  }
}

/** @param {() => void} run */
function millis(run) {
  const start = performance.now();
  run();
  return performance.now() - start;
}

/** @param {number} micros of work */
function roundsFor(micros) {
  if (micros === 0) return 0;
  for (let i = 0; i < 50; i++) work(10_000);
  return Math.ceil((micros * 10_000) / (millis(() => work(10_000)) * 1000));
}

await main(
  /** @param {ObservedSpecification} specification @returns {Promise<ObservedResult>} */
  ({ blocks, blockMillis, workMicros, titles }) => {
    const rounds = roundsFor(workMicros);
    const subjects = titles.map((title) => {
      const start = tools[title] ?? off;
      // The lock is followed by the tool that was there when it was opened, whenever a tool runs.
      const running = start();
      const [lock, inner] = [Mutex.create({ arena, name: `${title} 1` }), Mutex.create({ arena, name: `${title} 2` })];
      const isNested = title.endsWith('nested');
      /** @param {number} count */
      const run = (count) => (isNested ? nestedPairs(lock, inner, count, rounds) : pairs(lock, count, rounds));
      const warm = () => run(20_000);
      for (let i = 0; i < 10; i++) warm();
      const count = Math.ceil((20_000 * blockMillis) / millis(warm));
      running.stop();
      return { title, start, run, count };
    });
    /** @type {Map<string, number[]>} */
    const nanos = new Map(subjects.map(({ title }) => [title, []]));
    for (let block = 0; block < blocks; block++) {
      for (const { title, start, run, count } of subjects) {
        const running = start();
        run(Math.min(count, FIRST_CALLS));
        nanos.get(title)?.push((millis(() => run(count)) * 1e6) / count);
        running.stop();
      }
    }
    const result = Object.fromEntries(
      [...nanos].map(([title, all]) => {
        const base = nanos.get(title.endsWith('nested') ? 'off, nested' : 'off') ?? [];
        const ratios = all.map((each, at) => each / (base[at] ?? NaN));
        return [title, { nanos: median(all), ratio: median(ratios) }];
      }),
    );
    return Promise.resolve(result);
  },
);

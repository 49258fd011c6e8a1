// @ts-check
// The hashes of the waiting array. Computed, and the same on every machine: how many other waiters a post meets in the
// bucket of the ticket that it admits. Measured: what hand-overs cost.
import { Arena } from '@sluice/core';
import { contextOf } from '@sluice/core/internal';
import { WaitingArraySemaphore } from '@sluice/classics';
import { interleave } from '../lib/repeat.mjs';
import { show } from '../lib/report.mjs';
import { currentRuntime } from '../lib/runtimes.mjs';
import { semabench, summarize } from '../lib/semabench.mjs';
import { max, sum } from '../lib/statistics.mjs';
import { xorshift } from '../lib/xorshift.mjs';

/** @typedef {import('@sluice/classics').TicketHash} TicketHash */
/** @typedef {(ticket: number) => number} Slot */

export const name = 'hashes';
export const summary = 'the hashes of the waiting array: collisions, computed, and hand-overs of WaitingArraySemaphore';
export const repetitions = 3;

/** @type {readonly TicketHash[]} */
const hashes = ['linear', 'product', 'pairs', 'pages', 'gray', 'mixed'];
const BUCKETS = 256;
/** Whole rounds of all buckets. */
const POSTS = 16 * BUCKETS;

/** @param {import('../lib/context.mjs').Context} context */
export async function run(context) {
  reportCollisions(context);
  reportSizes(context);
  await reportHandOvers(context);
}

/**
 * The buckets of semaphores that were created one after the other.
 * @param {TicketHash} hash
 * @param {number} count
 * @param {number} [buckets]
 * @returns {Slot[]}
 */
function semaphoresWith(hash, count, buckets = BUCKETS) {
  const arena = Arena.create({ policy: { buckets } });
  return Array.from({ length: count }, () => {
    const { address } = WaitingArraySemaphore.create(0, { arena, hash }).handle;
    const kernel = /** @type {{ slotOfTicket(line: number, ticket: number): number }} */ (
      /** @type {unknown} */ (contextOf(arena).kernel)
    );
    return (ticket) => kernel.slotOfTicket(address, ticket);
  });
}

/**
 * How many other waiters are in the bucket of an admitted ticket, on average. Each semaphore has `waiters` in line, and
 * all post in turn. The semaphore `i` is `apart(i)` tickets ahead of the first.
 * @param {readonly Slot[]} slots
 * @param {number} waiters
 * @param {(index: number) => number} apart
 */
function othersPerPost(slots, waiters, apart) {
  const ahead = slots.map((_, index) => apart(index));
  const tables = slots.map((slot, index) =>
    Array.from({ length: POSTS + waiters }, (__, n) => slot(n + (ahead[index] ?? 0))),
  );
  /** @type {Map<number, number>} */
  const inBucket = new Map();
  const add = (/** @type {number | undefined} */ slot, /** @type {number} */ count) =>
    inBucket.set(slot ?? 0, (inBucket.get(slot ?? 0) ?? 0) + count);
  for (const table of tables) for (const slot of table.slice(0, waiters)) add(slot, 1);
  let others = 0;
  for (let post = 0; post < POSTS; post++)
    for (const table of tables) {
      others += (inBucket.get(table[post] ?? 0) ?? 0) - 1;
      add(table[post], -1);
      add(table[post + waiters], 1);
    }
  return others / (POSTS * slots.length);
}

/**
 * The mean of several draws of the distances, the same at every run. Each semaphore has 8 waiters.
 * @param {readonly Slot[]} slots
 * @param {number} draws
 */
function atRandom(slots, draws) {
  let state = 1;
  const draw = () => (state = xorshift(state)) >>> 12;
  return sum(Array.from({ length: draws }, () => othersPerPost(slots, 8, draw))) / draws;
}

/** @param {readonly Slot[]} slots */
function pageChanges([slot = Number]) {
  const pages = Array.from({ length: POSTS }, (_, ticket) => slot(ticket) >> 12);
  return pages.filter((page, n) => n > 0 && page !== pages[n - 1]).length / POSTS;
}

/** @param {TicketHash} hash */
function collisionsOf(hash) {
  const two = semaphoresWith(hash, 2);
  const many = semaphoresWith(hash, 16);
  const atDistances = Array.from({ length: BUCKETS }, (_, distance) => othersPerPost(two, 1, (n) => n * distance));
  return {
    alone: othersPerPost(many.slice(0, 1), 64, () => 0),
    inStep: othersPerPost(many, 8, () => 0),
    anyDistance: atRandom(many, 16),
    worstOfTwo: max(atDistances),
    pageChanges: pageChanges(two),
  };
}

/** @param {import('../lib/context.mjs').Context} context */
function reportCollisions({ report }) {
  const rows = hashes.map((hash) => {
    const found = collisionsOf(hash);
    report.add({ subject: hash, runtime: currentRuntime.name, collisions: found });
    return [hash, ...Object.values(found).map((value) => value.toFixed(3))];
  });
  const head = [
    'hash',
    '1 of 64 waiters',
    '16 of 8, in step',
    '16 of 8, random',
    'worst distance of 2 of 1',
    'page changes',
  ];
  report.table(
    `Other waiters in the bucket of an admitted ticket, ${BUCKETS} buckets; changes of a 4 KiB page`,
    head,
    rows,
  );
}

/** @param {import('../lib/context.mjs').Context} context */
function reportSizes({ report }) {
  const rows = [64, 256, 1024, 4096].map((buckets) => {
    const others = [2, 16, 64].map((count) => {
      return atRandom(semaphoresWith('linear', count, buckets), 4);
    });
    report.add({ subject: `${buckets} buckets`, runtime: currentRuntime.name, othersPerPost: others });
    return [String(buckets), `${buckets / 16}`, ...others.map((value) => value.toFixed(3))];
  });
  const head = ['buckets', 'KiB', '2 semaphores of 8', '16 of 8', '64 of 8'];
  report.table("Other waiters in the bucket of an admitted ticket, hash 'linear', random distances", head, rows);
}

/** @param {import('../lib/context.mjs').Context} context */
async function reportHandOvers({ report, quick, repetitions: times }) {
  const seconds = quick ? { seconds: 0.05, warmUpSeconds: 0.02 } : { seconds: 1, warmUpSeconds: 0.2 };
  const choices = [
    ...hashes.map((hash) => ({ title: hash, member: { name: 'WaitingArraySemaphore', hash }, buckets: BUCKETS })),
    ...[16, 4096].map((buckets) => ({
      title: `linear, ${buckets} buckets`,
      member: { name: 'WaitingArraySemaphore' },
      buckets,
    })),
  ];
  const rows = [];
  for (const workers of quick ? [4] : [4, 16]) {
    const measurements = new Map(
      choices.map(({ title, member, buckets }) => [
        title,
        () =>
          semabench({
            subject: 'member',
            options: { member, policy: { buckets } },
            ...{ workers, mixed: false, ...seconds, patienceSeconds: 20 },
          }),
      ]),
    );
    const outcomes = await interleave(measurements, times, (line) => report.progress(`${workers} workers ${line}`));
    for (const [title, { values, failure }] of outcomes) {
      if (failure !== null) {
        report.fail(`${title} at ${workers} workers`, failure);
        continue;
      }
      const found = summarize(values);
      report.add({
        subject: title,
        runtime: currentRuntime.name,
        workers,
        repetitions: times,
        ...found,
        samples: values,
      });
      rows.push([
        String(workers),
        title,
        show(found.handOversPerSecond),
        show(found.wakeUpsEach ?? 0),
        show(found.futileEach ?? 0),
      ]);
    }
  }
  report.table(
    `Hand-overs of WaitingArraySemaphore on ${currentRuntime.name}, median of ${times}`,
    ['workers', 'hash', 'hand-overs/s', 'wake-ups', 'futile'],
    rows,
  );
}

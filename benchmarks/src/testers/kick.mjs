// @ts-check
import { RandomWork } from '../lib/random-work.mjs';
import { nothingWrong, sharedInts } from './tester.mjs';

/** @typedef {{ signal(): void, wait(): void }} Event */

/**
 * Workers that kick each other. In each round one signals the events of all others, which wait for their own; each
 * takes one off a shared counter, and the worker that takes the last one starts the next round. Then a little work,
 * mostly none.
 * @template Handle
 * @param {(arena: import('@sluice/core').Arena) => Handle} createEvent
 * @param {(handle: Handle) => Event} openEvent
 */
export function kickTester(createEvent, openEvent) {
  return {
    create: (/** @type {import('@sluice/core').Arena} */ arena, /** @type {number} */ workers) => ({
      events: Array.from({ length: workers }, () => createEvent(arena)),
      left: sharedInts(1),
    }),
    open: (/** @type {{ events: Handle[], left: Int32Array }} */ shared, /** @type {number} */ worker) => {
      const events = shared.events.map(openEvent);
      return (/** @type {number} */ rounds) => takePart(events, shared.left, worker, rounds);
    },
    passed: nothingWrong,
  };
}

/** @param {readonly Event[]} events @param {Int32Array} left @param {number} worker @param {number} rounds */
function takePart(events, left, worker, rounds) {
  const own = /** @type {Event} */ (events[worker]);
  const others = events.filter((event) => event !== own);
  const random = new RandomWork(worker + 1);
  let wrong = 0;
  let kicks = worker === 0;
  for (let i = 0; i < rounds; i++) {
    if (kicks) {
      Atomics.store(left, 0, events.length);
      for (const event of others) event.signal();
    } else own.wait();
    const before = Atomics.sub(left, 0, 1);
    if (before < 1) wrong++;
    kicks = before === 1;
    random.do(Math.floor(random.fraction() ** 2 * 10));
  }
  return wrong;
}

// @ts-check
import { RandomWork } from '../lib/random-work.mjs';
import { nothingWrong, sharedInts } from './tester.mjs';

/** @typedef {import('@sluice/core').Arena} Arena */
/** @typedef {{ beginEating(philosopher: number): void, endEating(philosopher: number): void }} Table */

/**
 * Philosophers at a round table, each a worker: a little thinking, a meal fifty times as long. Each looks whether a
 * neighbour eats beside it.
 * @template Handle
 * @param {(philosophers: number, options: { arena: Arena }) => { handle: Handle }} createTable
 * @param {(handle: Handle) => Table} openTable
 */
export function diningTester(createTable, openTable) {
  return {
    create: (/** @type {Arena} */ arena, /** @type {number} */ workers) => ({
      table: createTable(workers, { arena }).handle,
      eating: sharedInts(workers),
    }),
    open: (
      /** @type {{ table: Handle, eating: Int32Array }} */ { table: handle, eating },
      /** @type {number} */ me,
    ) => {
      const table = openTable(handle);
      return (/** @type {number} */ meals) => dine(table, eating, me, meals);
    },
    passed: nothingWrong,
  };
}

/** @param {Table} table @param {Int32Array} eating @param {number} me @param {number} meals */
function dine(table, eating, me, meals) {
  const random = new RandomWork(me + 1);
  const left = (me + 1) % eating.length;
  const right = (me + eating.length - 1) % eating.length;
  let wrong = 0;
  for (let meal = 0; meal < meals; meal++) {
    random.do(random.below(101));
    table.beginEating(me);
    Atomics.store(eating, me, 1);
    if (Atomics.load(eating, left) + Atomics.load(eating, right) > 0) wrong++;
    random.do(random.below(5001));
    Atomics.store(eating, me, 0);
    table.endEating(me);
  }
  return wrong;
}

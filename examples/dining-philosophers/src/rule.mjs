// Decides which philosopher eats when, as pure arithmetic on the statuses of a table. After Jeff Preshing's
// DiningPhilosophers.
//
//   0   thinks
//   1   eats
//   s   waits (s > 1): one more than the highest status among the neighbours that come first
//
// 1. Of two neighbours that want to eat, the one with the lower status asked first and eats first. Their statuses
//    differ.
// 2. A philosopher with status s > 1 has a neighbour with status s - 1. So a status s is the end of a chain s, s - 1,
//    ... 1 of different philosophers, each the next one's neighbour. So no status is higher than the number of
//    philosophers, and each chain begins with a philosopher that eats.
// 3. Asking changes no other philosopher's status, and finishing raises none. So every chain only gets shorter, and no
//    philosopher waits for ever.

/**
 * The statuses of all philosophers, in the order in which they sit.
 * @typedef {{ length: number, [philosopher: number]: number }} Statuses
 */

export const THINKS = 0;
export const EATS = 1;

/**
 * A philosopher wants to eat. Returns whether it may eat at once.
 * @param {Statuses} statuses
 * @param {number} philosopher
 */
export function ask(statuses, philosopher) {
  expect(statuses, philosopher, THINKS);
  const [left, right] = neighbourStatuses(statuses, philosopher);
  const status = Math.max(left, right) + 1;
  statuses[philosopher] = status;
  return status === EATS;
}

/**
 * A philosopher has eaten. Returns the waiting philosophers that may eat now: at most two, because they are its
 * neighbours.
 * @param {Statuses} statuses
 * @param {number} philosopher
 */
export function finish(statuses, philosopher) {
  expect(statuses, philosopher, EATS);
  statuses[philosopher] = THINKS;
  const { length } = statuses;
  /** @type {number[]} */
  const free = [];
  for (const step of [1, length - 1]) {
    // Outwards, until a philosopher's status is still right. Then the statuses of all behind it are right, too.
    for (let next = (philosopher + step) % length; settle(statuses, next); next = (next + step) % length) {
      if (statuses[next] === EATS) free.push(next);
    }
  }
  return free;
}

/**
 * Lowers a status that has become too high. Returns whether it had.
 * @param {Statuses} statuses
 * @param {number} philosopher
 */
function settle(statuses, philosopher) {
  const status = statuses[philosopher] ?? THINKS;
  if (status <= EATS) return false;
  const [left, right] = neighbourStatuses(statuses, philosopher);
  const settled = Math.max(left < status ? left : 0, right < status ? right : 0) + 1;
  statuses[philosopher] = settled;
  return settled < status;
}

/**
 * At a table of two, both neighbours are the same philosopher.
 * @param {number} philosophers the number of philosophers
 * @param {number} philosopher
 * @returns {[left: number, right: number]}
 */
export function neighbours(philosophers, philosopher) {
  return [(philosopher + philosophers - 1) % philosophers, (philosopher + 1) % philosophers];
}

/**
 * @param {Statuses} statuses
 * @param {number} philosopher
 * @returns {[left: number, right: number]}
 */
function neighbourStatuses(statuses, philosopher) {
  const [left, right] = neighbours(statuses.length, philosopher);
  return [statuses[left] ?? THINKS, statuses[right] ?? THINKS];
}

/**
 * @param {Statuses} statuses
 * @param {number} philosopher
 * @param {number} expected
 */
function expect(statuses, philosopher, expected) {
  const status = statuses[philosopher];
  if (status === expected) return;
  throw new Error(`Philosopher ${philosopher} must have status ${expected}: it is ${String(status)}`);
}

// One dinner, from the first to the last thread.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { checkLog } from './check-log.mjs';
import { createDinner } from './dinner.mjs';
import { neighbours, THINKS } from './rule.mjs';

const LOOK_MS = 50;

/** @typedef {Awaited<ReturnType<typeof dine>>} Evening */

/**
 * @typedef {object} DinnerOptions
 * @property {number} philosophers
 * @property {number} meals of each philosopher
 * @property {number} pace the maximum time to think or to eat, in ms
 * @property {number} seed
 */

/**
 * @param {import('./dinner.mjs').Solution} solution
 * @param {DinnerOptions} options
 * @param {AbortSignal} signal ends it early: a philosopher that has asked for a meal still gets it
 * @param {(eaten: number, statuses: number[]) => void} onLook called repeatedly with the current state
 * @param {(arena: import('@sluice/core').Arena) => void} onArena called with the arena of the dinner
 */
export async function dine(solution, { philosophers, meals, pace, seed }, signal, onLook, onArena) {
  const { table, log, bell, forks, seated, served, handles, arena } = createDinner(solution, philosophers, meals);
  onArena(arena);
  const ring = () => bell.ring();
  signal.addEventListener('abort', ring);
  if (signal.aborted) ring();

  const url = new URL('./philosopher.mjs', import.meta.url);
  const group = Array.from({ length: philosophers }, (_, me) => {
    return new Worker(url, { workerData: { me, meals, pace, seed, handles } });
  });
  let start = 0;
  const serve = async () => {
    await seated.acquireAsync(philosophers);
    start = performance.now();
    served.release(philosophers);
  };
  const timer = setInterval(() => void table.statuses().then((statuses) => onLook(log.eaten, statuses)), LOOK_MS);
  try {
    await Promise.all([serve(), ...group.map((worker) => once(worker, 'exit'))]);
  } finally {
    clearInterval(timer);
    signal.removeEventListener('abort', ring);
    await Promise.all(group.map((worker) => worker.terminate()));
  }
  const seconds = (performance.now() - start) / 1000;
  const findings = checkLog(log.entries(), { philosophers, meals: signal.aborted ? undefined : meals });
  const statuses = await table.statuses();
  return {
    ...findings,
    seconds,
    /** Each fork was used at every meal of the two philosophers beside it. */
    forksAddUp: findings.meals.every((eaten, index) => {
      const [, right] = neighbours(philosophers, index);
      return forks[index] === eaten + (findings.meals[right] ?? 0);
    }),
    atRest: table.permitsLeft === 0 && statuses.every((status) => status === THINKS),
  };
}

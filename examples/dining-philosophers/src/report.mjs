// All printed output, except the view.
import { BOUND } from './check-log.mjs';

const LABEL_WIDTH = 15;

/**
 * @param {string} label
 * @param {string} text
 */
const row = (label, text) => console.log(`${label.padEnd(LABEL_WIDTH)} ${text}`);

/** @param {boolean} holds */
const verdict = (holds) => (holds ? 'ok' : 'FAILED');

/** @param {import('./options.mjs').Options} options */
export function header({ philosophers, meals, pace, seed }) {
  console.log(`${philosophers} philosophers, ${meals} meals each, pauses of up to ${pace} ms, --seed ${seed}`);
  console.log('at the table: . thinks, 1 eats, 2 and more wait for a neighbour with a lower number');
}

/**
 * @param {import('./dinner.mjs').Solution} solution
 * @param {import('./options.mjs').Options} options
 * @param {import('./dine.mjs').Evening} evening
 * @param {boolean} interrupted
 */
export function evening(solution, options, { meals, waits, events, mostPassed, faults, ...rest }, interrupted) {
  const total = options.philosophers * options.meals;
  const eaten = meals.reduce((sum, count) => sum + count, 0);
  const waited = waits.reduce((sum, count) => sum + count, 0);
  const most = Math.max(...waits);
  console.log(solution);
  if (interrupted) row('  interrupted', `after ${eaten} of ${total} meals`);
  row('  meals', `${eaten} in ${rest.seconds.toFixed(2)} s, ${range(meals)} by each`);
  if (solution !== 'forks') {
    row('  waited', `for ${waited} meals; most often philosopher ${waits.indexOf(most)}, for ${most}`);
    row('  overtaken', `during one wait by the same neighbour: at most ${times(mostPassed)} (bound ${BOUND})`);
  }
  row('  checked', `${events} events: ${verdict(faults.length === 0)}`);
  for (const fault of faults) row('', fault);
  row('  forks', `each was used at every meal to its left and right: ${verdict(rest.forksAddUp)}`);
  row('  at rest', `all philosophers think, no bouncer has a permit: ${verdict(rest.atRest)}`);
}

/** @param {number[]} counts */
function range(counts) {
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  return least === most ? `${least}` : `${least} to ${most}`;
}

/** @param {number} count */
const times = (count) => (count === 1 ? 'once' : `${count} times`);

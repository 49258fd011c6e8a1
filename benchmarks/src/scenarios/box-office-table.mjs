// @ts-check
import { show } from '../lib/report.mjs';
import { max, median, min, pairedRatios } from '../lib/statistics.mjs';

/** @typedef {import('../jobs/box-office.mjs').BoxOfficeResult} BoxOfficeResult */

const span = 'fastest..slowest';
const comparisons = ['parking/spinning', 'sleeps/round', 'over the event'];
export const head = ['test', 'threads', 'rounds', 'spinning ms', span, 'parking ms', span, ...comparisons];

/**
 * One line of the table: both policies, and for the condition variable how it compares with the event.
 * @param {import('./box-office.mjs').Test} test
 * @param {(title: string, policy: import('./box-office.mjs').Policy) => readonly BoxOfficeResult[]} valuesOf
 */
export function rowOf({ title, workers, rounds }, valuesOf) {
  const spinning = valuesOf(title, 'spinning');
  const parking = valuesOf(title, 'parking');
  if (spinning.length === 0 || parking.length === 0) return [title, String(workers)];
  const gains = (/** @type {import('./box-office.mjs').Policy} */ policy) =>
    show(median(pairedRatios(millisOf(valuesOf(title, policy)), millisOf(valuesOf('testAutoResetEvent', policy)))));
  const sleeps = (/** @type {readonly BoxOfficeResult[]} */ values) =>
    show(median(values.map(({ wakeUps }) => wakeUps)) / (rounds * workers));
  return [
    title,
    String(workers),
    show(rounds),
    ...figures(spinning),
    ...figures(parking),
    show(median(pairedRatios(millisOf(parking), millisOf(spinning)))),
    // Wake-ups of the condition variable itself are not counted.
    title.includes('CondVar') ? '' : `${sleeps(spinning)}; ${sleeps(parking)}`,
    title.includes('CondVar') ? `${gains('spinning')}; ${gains('parking')}` : '',
  ];
}

/** @param {readonly BoxOfficeResult[]} values */
const millisOf = (values) => values.map(({ millis }) => millis);

/** @param {readonly BoxOfficeResult[]} values */
function figures(values) {
  const millis = millisOf(values);
  return [show(median(millis)), `${show(min(millis))}..${show(max(millis))}`];
}

// All printed output.
const LABEL_WIDTH = 28;

/** @param {import('./options.mjs').Options} options */
export function header({ workers, requests, delay }) {
  console.log(`${workers} workers, ${requests} requests each, ${delay} ms each at the server`);
}

/**
 * @param {string} what
 * @param {import('./run.mjs').Outcome} outcome
 */
export function outcome(what, { most, answered, seconds }) {
  const rate = (answered / seconds).toFixed(0);
  console.log(
    `${what.padEnd(LABEL_WIDTH)} at most ${most} at once; ${answered} answered in ${seconds.toFixed(2)} s, ${rate}/s`,
  );
}

/**
 * Returns whether all results are as expected.
 * @param {import('./options.mjs').Options} options
 * @param {import('./run.mjs').Outcome} own
 * @param {import('./run.mjs').Outcome} shared
 */
export function check({ workers, limit, requests }, own, shared) {
  const wrong = [];
  if (own.most > workers * limit) wrong.push(`${own.most} at once with ${workers} limits of ${limit}`);
  if (shared.most > limit) wrong.push(`${shared.most} at once with one limit of ${limit}`);
  for (const { answered } of [own, shared]) {
    if (answered !== workers * requests) wrong.push(`${answered} of ${workers * requests} requests answered`);
  }
  for (const what of wrong) console.log(`WRONG: ${what}`);
  if (wrong.length === 0) console.log(`never more than ${limit} at once through one limit: ok`);
  return wrong.length === 0;
}

export function interrupted() {
  console.log('interrupted');
}

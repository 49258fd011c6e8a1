// @ts-check

// What the waiting of one worker costs, counted where it sleeps and wakes others: at its own parking, the only place of
// the library that calls the platform for either.

/** The places in a worker's words. `worstMicros`: of all waits, from going to sleep first to waking last. */
export const tallied = { wakeUps: 0, futile: 1, notifies: 2, vain: 3, worstMicros: 4 };

/** @typedef {keyof typeof tallied} TallyName */
/**
 * @typedef {Pick<import('@sluice/core/internal').AgentContext['parking'], 'wait' | 'waitAsync' | 'notify' | 'now'>}
 *   Parking
 */

/**
 * @typedef {object} Tally
 * @property {() => void} admitted what slept until now slept for one acquire
 */

/**
 * Counts the calls that a parking gets from now on, in `words`.
 *
 * A wake-up is futile when the same acquire then goes to sleep again. An async wait that settles only when its acquire
 * is over was a wake-up as well: it cost a turn of the event loop.
 * @param {Parking} parking
 * @param {Int32Array} words
 * @param {() => boolean} counting whether waits that end now count for the worst
 * @returns {Tally}
 */
export function tallyOf(parking, words, counting) {
  let round = 0;
  let woken = 0;
  let since = 0;
  const wait = parking.wait.bind(parking);
  const waitAsync = parking.waitAsync.bind(parking);
  const notify = parking.notify.bind(parking);

  /** @param {TallyName} name */
  const count = (name) => {
    words[tallied[name]] = (words[tallied[name]] ?? 0) + 1;
  };
  const fellAsleep = () => {
    if (woken > 0) count('futile');
  };
  const woke = () => {
    woken++;
    count('wakeUps');
    const micros = Math.round((parking.now() - since) * 1000);
    if (micros > (words[tallied.worstMicros] ?? 0) && counting()) words[tallied.worstMicros] = micros;
  };
  const begin = () => {
    if (since === 0) since = parking.now();
  };

  parking.wait = (address, expected, timeoutMs) => {
    begin();
    const outcome = wait(address, expected, timeoutMs);
    if (outcome !== 'not-equal') {
      fellAsleep();
      woke();
    }
    return outcome;
  };
  parking.waitAsync = (address, expected) => {
    begin();
    const settled = waitAsync(address, expected);
    if (settled === undefined) return undefined;
    fellAsleep();
    const mine = round;
    void settled.then(() => (mine === round ? woke() : count('wakeUps')));
    return settled;
  };
  parking.notify = (address, number) => {
    const answered = notify(address, number);
    count('notifies');
    if (answered === 0) count('vain');
    return answered;
  };

  return {
    admitted() {
      round++;
      woken = 0;
      since = 0;
    },
  };
}

// @ts-check
import { MeasurementError } from './jobs.mjs';
import { undisturbed } from './undisturbed.mjs';

/** For all measurements of this process: whether those that others disturbed are taken again. */
export const patience = { waits: false };

/**
 * @template Value
 * @typedef {object} Outcome
 * @property {Value[]} values one for each repetition
 * @property {string | null} failure why there are no values
 */

/**
 * Takes every measurement once, then every measurement again, and so on, so that a slow minute of the machine hits all
 * of them alike. The order turns by one each time. A measurement that fails is not tried again.
 * @template Value
 * @param {ReadonlyMap<string, () => Promise<Value>>} measurements
 * @param {number} repetitions
 * @param {(line: string) => void} [progress]
 * @returns {Promise<Map<string, Outcome<Value>>>}
 */
export async function interleave(measurements, repetitions, progress = () => {}) {
  /** @type {Map<string, Outcome<Value>>} */
  const outcomes = new Map();
  for (const name of measurements.keys()) outcomes.set(name, { values: [], failure: null });
  const entries = [...measurements];
  for (let repetition = 0; repetition < repetitions; repetition++) {
    for (let i = 0; i < entries.length; i++) {
      const [name, measure] = /** @type {[string, () => Promise<Value>]} */ (
        entries[(i + repetition) % entries.length]
      );
      const outcome = /** @type {Outcome<Value>} */ (outcomes.get(name));
      if (outcome.failure !== null) continue;
      progress(`${repetition + 1}/${repetitions} ${name}`);
      try {
        outcome.values.push(await (patience.waits ? undisturbed(measure) : measure()));
      } catch (error) {
        if (!(error instanceof MeasurementError)) throw error;
        outcome.failure = error.message;
        outcome.values = [];
      }
    }
  }
  return outcomes;
}

// @ts-check

/**
 * What every scenario is given.
 * @typedef {object} Context
 * @property {import('./report.mjs').Report} report
 * @property {boolean} quick about a second in all, to prove that everything runs; its figures mean nothing
 * @property {number} repetitions
 * @property {Choice} choice
 */

/**
 * What a command line may pick of a scenario with many points: `undefined` leaves it to the scenario.
 * @typedef {object} Choice
 * @property {string[] | undefined} subjects
 * @property {number[] | undefined} workers
 * @property {string[] | undefined} series
 * @property {number | undefined} seconds
 */

/**
 * @typedef {object} Scenario
 * @property {string} name
 * @property {string} summary
 * @property {number} [repetitions] behind each median, where the usual number is too small
 * @property {boolean} [onlyWhenNamed] takes hours: left out where no scenario is named
 * @property {(context: Context) => Promise<void>} run
 */

export {};

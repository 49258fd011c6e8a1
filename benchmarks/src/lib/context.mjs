// @ts-check

/**
 * What every scenario is given.
 * @typedef {object} Context
 * @property {import('./report.mjs').Report} report
 * @property {boolean} quick about a second in all, to prove that everything runs; its figures mean nothing
 * @property {number} repetitions
 */

/**
 * @typedef {object} Scenario
 * @property {string} name
 * @property {string} summary
 * @property {(context: Context) => Promise<void>} run
 */

export {};

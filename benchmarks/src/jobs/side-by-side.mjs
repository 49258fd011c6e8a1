// @ts-check
import { main } from '../lib/jobs.mjs';

await main(measure);

/**
 * @param {import('../lib/side-by-side.mjs').SideSpecification} specification
 * @returns {Promise<import('../lib/side-by-side.mjs').SideResult>}
 */
async function measure({ file, load, subject, calls, warm }) {
  const { loads } = /** @type {import('../lib/side-by-side.mjs').Loads} */ (await import(`../loads/${file}.mjs`));
  const make = loads.find(({ name }) => name === load)?.subjects[subject];
  if (make === undefined) throw new Error(`${file} has no load ${load} with a subject ${subject}`);
  const run = await make();
  // Compiled first.
  await run(warm);
  const began = performance.now();
  await run(calls);
  return { perSecond: calls / ((performance.now() - began) / 1000) };
}

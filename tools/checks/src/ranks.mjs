// @ts-check
/**
 * A new package adds its line here.
 * @type {import('./graph.mjs').Ranks}
 */
export const ranks = {
  '@sluice/core': { rank: 0 },
};

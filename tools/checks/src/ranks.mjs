// @ts-check
/**
 * A new package adds its line here.
 * @type {import('./graph.mjs').Ranks}
 */
export const ranks = {
  '@sluice/core': { rank: 0 },
  '@sluice/mutex': { rank: 1 },
  '@sluice/auto-reset-event': { rank: 1 },
  '@sluice/barrier': { rank: 1 },
  '@sluice/event': { rank: 2 },
  '@sluice/rw-lock': { rank: 1 },
  '@sluice/classics': { rank: 2 },
  '@sluice/named': { rank: 2 },
  '@sluice/seq-lock': { rank: 2 },
  '@sluice/capacitor': { rank: 2 },
  '@sluice/limit': { rank: 1 },
  '@sluice/address-wait': { rank: 1 },
  '@sluice/broadcast': { rank: 1 },
  '@sluice/semaphores': { rank: 1 },
  '@sluice/bounded-buffer': { rank: 2, external: ['msgpackr'], nodeFiles: ['node-streams.ts', 'node-reading.ts'] },
  '@sluice/worker-pool': { rank: 3, node: true },
  sluice: { rank: 4 },
  '@sluice/redis': { rank: 1, external: ['redis', 'ioredis'] },
};

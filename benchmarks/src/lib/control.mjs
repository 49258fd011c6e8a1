// @ts-check

/**
 * The words that a semabench run's main thread and workers share, each on a padded line of its own.
 */
export const control = {
  bytes: 4 * 128,
  phase: 0,
  ready: 32,
  sharedState: 64,
};

export const phases = { gather: 0, warmUp: 1, count: 2, stop: 3 };

export const sharedSeed = 1;

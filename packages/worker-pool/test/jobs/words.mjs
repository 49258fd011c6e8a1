// @ts-check
// The words that tasks and tests share.

/** How many tasks wait. */
export const BEGUN = 0;
/** 1: they need not wait any more. */
export const OPEN = 1;
/** How many tasks went on after that. */
export const ENDED = 2;
/** How many tasks saw that they were aborted. */
export const ABORTED = 3;
/** Free for a test. */
export const COUNT = 4;
/** From here on the inputs of the tasks, in the order in which they began. */
export const LOG = 8;
export const STAGE_WORDS = 256;

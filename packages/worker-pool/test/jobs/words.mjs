// @ts-check
// The words that tasks and tests share.

/** The number of waiting tasks. */
export const BEGUN = 0;
/** 1: the tasks may continue. */
export const OPEN = 1;
/** The number of tasks that continued after that. */
export const ENDED = 2;
/** The number of tasks that saw their abort. */
export const ABORTED = 3;
/** For use by a test. */
export const COUNT = 4;
/** From here on, the inputs of the tasks in the order in which they began. */
export const LOG = 8;
export const STAGE_WORDS = 256;

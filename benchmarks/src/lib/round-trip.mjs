// @ts-check

/** Words that both threads know, on separate cache lines: the number of calls, and the number of answers. */
export const CALL = 0;
export const ANSWER = 32;
export const WORDS = 64;

/** @typedef {{ there: 'port' | 'waitAsync' | 'wait', back: 'port' | 'waitAsync' }} Ways how each thread sleeps */

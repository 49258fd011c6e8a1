// @ts-check

/** The word that tells the first worker to die. After the first `OTHER_WORDS` words each worker has its count of passes. */
export const KILLED = 0;
export const OTHER_WORDS = 1;

// The result that only the steps of an interval have. The other results are the core's.

/** A start was counted. In a ring the index of its place is subtracted. */
export const STARTED = -1024;

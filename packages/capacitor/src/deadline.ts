// A timeout that is for two waits together.

/** A time of `performance.now`; 0 and `Infinity` stand for themselves. */
export function endOf(timeoutMs: number): number {
  return timeoutMs === 0 || timeoutMs === Infinity ? timeoutMs : performance.now() + timeoutMs;
}

/** What is left of it. */
export function leftUntil(end: number): number {
  return end === 0 || end === Infinity ? end : Math.max(0, end - performance.now());
}

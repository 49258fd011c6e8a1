// @ts-check
/**
 * What a task of the pool benchmark does: nothing, or so many microseconds of work.
 * @param {number | undefined} micros
 */
export function work(micros) {
  if (!micros) return micros;
  const end = performance.now() + micros / 1000;
  while (performance.now() < end);
  return micros;
}

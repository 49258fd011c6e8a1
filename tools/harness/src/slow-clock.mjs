// @ts-check
// Makes this thread's clock run as if the thread lost its core at each reading. Each reading adds 12 ms to the time
// that has passed. A test fails under this clock if its outcome depends on how fast a few lines run.

const STEP_MS = 12;

const now = performance.now.bind(performance);
let ahead = 0;
performance.now = () => {
  ahead += STEP_MS;
  return now() + ahead;
};

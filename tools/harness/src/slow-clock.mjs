// @ts-check
// Makes this thread's clock run as on a machine that takes the core away at each look at it: every look finds it 12 ms later than the one
// before, in addition to the time that passed. A test fails under this clock if its outcome depends on how fast a few lines run.

const STEP_MS = 12;

const now = performance.now.bind(performance);
let ahead = 0;
performance.now = () => {
  ahead += STEP_MS;
  return now() + ahead;
};

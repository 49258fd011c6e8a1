import { serve } from './serve.js';

serve((n) => {
  if (n < 0) throw new RangeError(`no root of ${n}`);
  const end = performance.now() + 60; // what a task computes
  while (performance.now() < end);
  return n * n;
});

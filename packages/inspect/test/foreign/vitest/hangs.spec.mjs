// @ts-check
// Vitest runs it in a worker. No timeout of Vitest ends it, because the worker's event loop does not turn.
import { test } from 'vitest';

test('waits for a worker that was never started', () => {
  const reply = new Int32Array(new SharedArrayBuffer(4));
  Atomics.wait(reply, 0, 0);
});

// Node.js's own timers and clock. The global ones may be those of a page (jsdom), or the fake timers of a test, which
// must not stop the pool. Only the timeouts of tasks follow the global timers: they use alarms of the core.

import { performance } from 'node:perf_hooks';
import { nextTick as afterThis } from 'node:process';
import * as timers from 'node:timers';
import * as promises from 'node:timers/promises';

export const { clearInterval, clearTimeout, setImmediate, setInterval, setTimeout } = timers;
export const { setImmediate: turn, setTimeout: sleep } = promises;
export const nextTick = afterThis;
export const { timeOrigin } = performance;
/** Milliseconds since `timeOrigin`. */
export const now = performance.now.bind(performance);

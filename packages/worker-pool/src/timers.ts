// Node.js's timers and clock as they were at import: those of a page (jsdom) are others, and fake timers that a test installs later must not stop the
// pool. Only the timeouts of tasks follow such timers: they use alarms of the core.

import { performance } from 'node:perf_hooks';
import * as events from 'node:process';
import * as timers from 'node:timers';
import * as promises from 'node:timers/promises';

export const { clearInterval, clearTimeout, setImmediate, setInterval, setTimeout } = timers;
export const { setImmediate: turn, setTimeout: sleep } = promises;
export const { nextTick } = events;
export const { timeOrigin } = performance;
/** Milliseconds since `timeOrigin`. */
export const now = performance.now.bind(performance);

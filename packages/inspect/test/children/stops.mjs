// @ts-check
// Starts a watchdog, asks it for a report, ends it, and goes on for as long as its own wait lasts.
import { Arena, Semaphore } from '@sluice/core';
import { startWatchdog } from '@sluice/inspect/watchdog';

const arena = Arena.create({ maxPages: 4 });
const jobs = Semaphore.create(0, { arena, name: 'jobs' });
const watchdog = startWatchdog(arena, { after: 60_000, lines: 5 });
watchdog.report();
const wait = jobs.acquireAsync();
await Promise.all([watchdog.stop(), watchdog.stop()]);
watchdog.report();
watchdog[Symbol.dispose]();
console.log('stopped', arena.inspect().agents.length);
jobs.release();
await wait;

// The entry '@sluice/inspect/watchdog', for Node.js. With SLUICE_WATCHDOG in the environment, loading it starts a
// watchdog for the whole process (docs/decisions/172-a-watchdog-is-a-thread-that-is-no-agent.md).
// Without, loading it does nothing.

import { watchProcess } from './watchdog/watch-process.ts';

export { startWatchdog, Watchdog, type WatchdogOptions } from './watchdog/start-watchdog.ts';

watchProcess();

// The watchdog that the environment asks for. It watches all arenas that the threads of this process open.

import type { ArenaHandle } from '@sluice/core';
import { LAYOUT_VERSION } from '@sluice/core/format';
import { listenToOpened, openedArenas, type OpenedArena } from '@sluice/core/report';
import process from 'node:process';
import { BroadcastChannel, isMainThread } from 'node:worker_threads';
import { msInVariable } from './environment-seconds.ts';
import { DEFAULT_LINES } from '../report/format-report.ts';
import { levelsIn } from '../lints/names.ts';
import { warnOfBlockedMain, warnOfUnwatchedDeaths } from './process-warnings.ts';
import { createPlaceTable } from '../tables/place-table.ts';
import { Watchdog } from './start-watchdog.ts';
import { withoutModules, type ToWatchdog } from './watchdog-messages.ts';

const VARIABLE = 'SLUICE_WATCHDOG';
/** The folder for dumps. */
const DUMPS = 'SLUICE_DUMP';
/** Two layouts in one process have a watchdog each. */
const CHANNEL = `sluice watchdog, layout ${LAYOUT_VERSION}`;
/** The longest time in ms that the program waits for the watchdog's thread. It takes some 50 ms. */
const START_MS = 5000;

/**
 * Starts a watchdog in the main thread if SLUICE_WATCHDOG is set. In the other threads it tells that watchdog of the
 * arenas that they open. A second copy of this package in the thread does nothing.
 *
 * Throws `RangeError` for a value that is no time.
 */
export function watchProcess(): void {
  const after = msInVariable(VARIABLE);
  if (after === undefined) return;
  // Throws `TypeError` for levels that are none, before anything has begun.
  levelsIn();
  let watchdog: Watchdog | undefined;
  // An arena that this thread has left is not kept from collection.
  const arenas = new Set<WeakRef<ArenaHandle>>();
  const attend = (opened: OpenedArena): void => {
    const { handle } = opened;
    for (const arena of arenas) if (arena.deref() === undefined) arenas.delete(arena);
    arenas.add(new WeakRef(handle));
    if (isMainThread) {
      watchdog?.add(handle);
      warnOfBlockedMain(opened);
    } else broadcast(handle);
  };
  if (!listenToOpened('watchdog', attend)) return;
  warnOfUnwatchedDeaths(() => [...arenas].flatMap((arena) => arena.deref() ?? []));
  if (isMainThread) {
    const ready = new Int32Array(new SharedArrayBuffer(4));
    const dumps = process.env[DUMPS];
    watchdog = new Watchdog(
      { after, lines: DEFAULT_LINES, handles: [], places: createPlaceTable().memory, dumps, channel: CHANNEL, ready },
      signalHere(),
    );
    // A worker tells of an arena only once, so the thread has to listen before the program starts one.
    Atomics.wait(ready, 0, 0, START_MS);
  }
  for (const opened of openedArenas()) attend(opened);
}

/** Windows has no SIGUSR2. */
function signalHere(): string | undefined {
  return process.platform === 'win32' ? undefined : 'SIGUSR2';
}

/** Tells the watchdog's thread, without the main thread, which may be blocked. */
function broadcast(handle: ArenaHandle): void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.postMessage({ type: 'arena', handle: withoutModules(handle) } satisfies ToWatchdog);
  channel.close();
}

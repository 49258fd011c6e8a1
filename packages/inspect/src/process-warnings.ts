// Warnings of a program that runs with SLUICE_WATCHDOG: a worker that ended and that no thread watches, and a blocking
// call on a main thread that has other work. Each is given once.
//
// Neither costs the program anything without the variable. The first listens to the ends of workers; the second stands
// before the one function in which an agent of the main thread parks.

import type { ArenaHandle } from '@sluice/core';
import { duration, type OpenedArena } from '@sluice/core/internal';
import process from 'node:process';
import type { Worker } from 'node:worker_threads';
import { givenHere, levelsIn, tell, type LintLevel } from './lints/names.ts';
import { GRACE_MS, unwatchedIn } from './unwatched-death.ts';
import { hasWork, tellsWork } from './work-of-main.ts';

/** Whether this thread has given the warning. */
const given = givenHere();

/** Warns when a worker of this thread has ended and its agent is still in an arena that `opened` returns. */
export function warnOfUnwatchedDeaths(opened: () => Iterable<ArenaHandle>): void {
  const level = levelsIn()['unwatched-death'];
  if (level === 'allow') return;
  const onWorker = (worker: Worker): void => {
    // A worker that has ended has no id any more.
    const thread = worker.threadId + 1;
    worker.once('exit', () => {
      setTimeout(() => {
        if (given.unwatched) return;
        for (const handle of opened()) {
          const text = unwatchedIn(handle, thread);
          if (text === undefined) continue;
          given.unwatched = true;
          process.off('worker', onWorker);
          tell(level, 'unwatched-death', text);
          return;
        }
      }, GRACE_MS).unref();
    });
  };
  process.on('worker', onWorker);
}

/** The shortest park in ms of which the program is warned. */
const SHORTEST_MS = 10;

/**
 * Warns when this thread, the main thread, parks in a blocking call while its event loop has work. Does nothing where
 * the runtime does not tell what keeps an event loop alive.
 */
export function warnOfBlockedMain({ parking }: OpenedArena): void {
  const level = levelsIn()['blocks-main'];
  if (given.blocked || level === 'allow' || !tellsWork()) return;
  const sleep = parking.wait.bind(parking);
  parking.wait = (address, expected, timeoutMs) => {
    // Back to the method of the class, after the warning.
    if (given.blocked) Reflect.deleteProperty(parking, 'wait');
    const begin = parking.now();
    const outcome = sleep(address, expected, timeoutMs);
    const ms = parking.now() - begin;
    if (ms >= SHORTEST_MS && !given.blocked) warnIfBlocked(level, ms);
    return outcome;
  };
}

/** Never throws: its caller is in the middle of a call of the program. */
function warnIfBlocked(level: LintLevel, ms: number): void {
  try {
    if (!hasWork()) return;
    given.blocked = true;
    tell(
      level,
      'blocks-main',
      `A blocking call parked the main thread for at least ${duration(ms)}, while its event loop had timers, sockets or async waits to serve. Await instead, as with acquireAsync or lockAsync. node --trace-warnings shows the call.`,
    );
  } catch {
    given.blocked = true;
  }
}

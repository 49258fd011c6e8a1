// Warnings of a program that runs with SLUICE_WATCHDOG: a worker that ended and that no thread watches, and a blocking
// call on a main thread that has other work. Each is given once.
//
// Neither costs the program anything without the variable. The first listens to the ends of workers. The second wraps
// the one function in which an agent of the main thread parks.

import type { ArenaHandle } from '@sluice/core';
import { duration } from '@sluice/core/calls';
import type { OpenedArena } from '@sluice/core/report';
import { emit, levelsIn, warningsGiven, type LintLevel } from '../lints/names.ts';
import { onUnwatchedDeath } from '../process/unwatched-death.ts';
import { hasWork, tellsWork } from '../process/work-of-main.ts';

/** Whether this thread has given the warning. */
const given = warningsGiven();

/** Warns when a worker of this thread has ended and its agent is still in an arena that `opened` returns. */
export function warnOfUnwatchedDeaths(opened: () => Iterable<ArenaHandle>): void {
  const level = levelsIn()['unwatched-death'];
  if (level === 'allow') return;
  const stop = onUnwatchedDeath(opened, (text) => {
    if (given.unwatched) return;
    given.unwatched = true;
    stop();
    emit(level, 'unwatched-death', text);
  });
}

/** The shortest park in ms that leads to a warning. */
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
    // After the warning, use the method of the class again.
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
    emit(
      level,
      'blocks-main',
      `A blocking call parked the main thread for at least ${duration(ms)}, while its event loop had timers, sockets or async waits to serve. Await instead, as with acquireAsync or lockAsync. node --trace-warnings shows the call.`,
    );
  } catch {
    given.blocked = true;
  }
}

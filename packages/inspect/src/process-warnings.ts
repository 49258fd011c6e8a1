// Warnings of a program that runs with SLUICE_WATCHDOG: a worker that ended and that no thread watches, and a blocking
// call on a main thread that has other work. Each is given once.
//
// Neither costs the program anything without the variable. The first listens to the ends of workers; the second stands
// before the one function in which an agent of the main thread parks.

import type { ArenaHandle } from '@sluice/core';
import {
  AGENT_LEFT,
  AGENT_PENDING,
  AGENT_STATE,
  AGENT_THREAD,
  duration,
  HEADER_AGENT_POOL,
  records,
  type Onlooker,
  type OpenedArena,
} from '@sluice/core/internal';
import process from 'node:process';
import type { Worker } from 'node:worker_threads';
import { onlookerOfHandle } from './reader.ts';
import { Index, nameOf } from './wording.ts';

/** The time in ms within which a watch recovers a worker that has ended. */
const GRACE_MS = 100;
/** The most primitives that a warning names. */
const MAX_NAMED = 3;

/** Whether this thread has given the warning. */
const given = { unwatched: false, blocked: false };

/** Warns when a worker of this thread has ended and its agent is still in an arena that `opened` returns. */
export function warnOfUnwatchedDeaths(opened: () => Iterable<ArenaHandle>): void {
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
          warn('SLUICE_UNWATCHED', text);
          return;
        }
      }, GRACE_MS).unref();
    });
  };
  process.on('worker', onWorker);
}

/** Returns the warning, or `undefined` if there is none, or the arena cannot be read. */
function unwatchedIn(handle: ArenaHandle, thread: number): string | undefined {
  try {
    return unwatched(onlookerOfHandle(handle), thread);
  } catch {
    // The calls of the program say that the arena is damaged.
    return undefined;
  }
}

/** Returns the warning of a thread that has ended with an agent in the arena. `thread`: as in AGENT_THREAD. */
function unwatched(onlooker: Onlooker, thread: number): string | undefined {
  const { words } = onlooker;
  for (const { record, owner } of records(words, HEADER_AGENT_POOL)) {
    const state = words.load32(record + AGENT_STATE);
    // An agent that a thread has recovered in part was watched.
    if (owner === 0 || state === AGENT_LEFT || state === AGENT_PENDING) continue;
    if (words.load32(record + AGENT_THREAD) !== thread) continue;
    const index = new Index(onlooker);
    const held = new Set(index.agents.get(owner)?.holds.map(nameOf));
    return `${index.agent(owner)} has ended${heldText([...held])}. No thread has recovered it: start workers with spawn, call arena.watch(worker) right after new Worker, or call arena.reclaimDead().`;
  }
  return undefined;
}

function heldText(held: readonly string[]): string {
  if (held.length === 0) return '';
  const more = held.length - MAX_NAMED;
  return ` and still holds ${held.slice(0, MAX_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** What a main thread serves by its event loop. Ports of workers and the standard streams are not among it. */
const WORK = /^(?:Timeout|Immediate|TCP|UDP|TLS|HTTP|PipeServer|Process|FSReq|GetAddrInfo|GetNameInfo|Query)/;
/** The shortest park in ms of which the program is warned. */
const SHORTEST_MS = 10;

/**
 * Warns when this thread, the main thread, parks in a blocking call while its event loop has work. Does nothing where
 * the runtime does not tell what keeps an event loop alive.
 */
export function warnOfBlockedMain({ parking }: OpenedArena): void {
  if (given.blocked || typeof process.getActiveResourcesInfo !== 'function') return;
  const sleep = parking.wait.bind(parking);
  parking.wait = (address, expected, timeoutMs) => {
    // Back to the method of the class, after the warning.
    if (given.blocked) Reflect.deleteProperty(parking, 'wait');
    const begin = parking.now();
    const outcome = sleep(address, expected, timeoutMs);
    const ms = parking.now() - begin;
    if (ms >= SHORTEST_MS && !given.blocked) warnIfBlocked(ms);
    return outcome;
  };
}

/** Never throws: its caller is in the middle of a call of the program. */
function warnIfBlocked(ms: number): void {
  try {
    if (!process.getActiveResourcesInfo().some((name) => WORK.test(name))) return;
    given.blocked = true;
    warn(
      'SLUICE_BLOCKS_MAIN',
      `A blocking call parked the main thread for at least ${duration(ms)}, while its event loop had timers, sockets or async waits to serve. Await instead, as with acquireAsync or lockAsync. node --trace-warnings shows the call.`,
    );
  } catch {
    given.blocked = true;
  }
}

function warn(code: string, text: string): void {
  process.emitWarning(text, { type: 'SluiceWarning', code });
}

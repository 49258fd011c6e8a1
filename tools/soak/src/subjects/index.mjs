// @ts-check
// All primitives, and which of them a run takes.
import { SHARED_WORD } from './address-wait.mjs';
import { BARRIER } from './barrier.mjs';
import { BROADCAST } from './broadcast.mjs';
import { BUFFERS } from './buffers.mjs';
import { CACHE } from './cache.mjs';
import { CONDITIONS } from './condition.mjs';
import { EVENT } from './event.mjs';
import { EVENT_COUNT } from './event-count.mjs';
import { GATE_EVENT } from './gate-event.mjs';
import { GATES } from './gates.mjs';
import { KEYED } from './keyed.mjs';
import { KEYED_LIMITS } from './keyed-limits.mjs';
import { LATCH } from './latch.mjs';
import { LIMIT } from './limit.mjs';
import { LOCKS } from './locks.mjs';
import { ONCES } from './once.mjs';
import { RATE_LIMITER } from './rate-limiter.mjs';
import { RW_LOCKS } from './rw-lock.mjs';
import { SEMAPHORES } from './semaphores.mjs';
import { SEQ_LOCK } from './seq-lock.mjs';
import { TASK_QUEUE } from './task-queue.mjs';
import { WATCH } from './watch.mjs';
import { WEB_LOCKS } from './web-locks.mjs';

/** @import { Subject } from './subject.mjs' */

/**
 * The subjects that workers visit. Those of Redis and of the pool are loaded only where they are used. @type {readonly Subject[]}
 */
export const SUBJECTS = [
  ...SEMAPHORES,
  ...LOCKS,
  ...RW_LOCKS,
  SEQ_LOCK,
  ...KEYED,
  ...KEYED_LIMITS,
  WEB_LOCKS,
  CACHE,
  EVENT,
  GATE_EVENT,
  EVENT_COUNT,
  ...ONCES,
  ...CONDITIONS,
  LATCH,
  BARRIER,
  ...GATES,
  ...BUFFERS,
  WATCH,
  BROADCAST,
  LIMIT,
  TASK_QUEUE,
  RATE_LIMITER,
  SHARED_WORD,
];

/** The subjects with places in line that waits give up, or with turns. */
export const PLACES_AND_TURNS = [
  'Semaphore(1)',
  'Semaphore(3)',
  'MultilaneSemaphore',
  'Mutex(turns)',
  'Mutex(fifo)',
  'RecursiveMutex(turns)',
  'RwLock(turns)',
  'RwLock(fifo)',
  'TtsLock',
  'TicketLock',
  'McsLock',
  'LifoLock',
  'ReciprocatingLock',
  'CapacitorLock(TtsLock)',
  'Capacitor',
  'LanedCapacitor',
  'Turnstile',
  'AutoResetEvent',
  'BoundedBuffer(int32)',
];

/**
 * The primitives whose name or package is listed; all if none is. Throws for a name that is neither.
 * @template {{ readonly name: string, readonly group: string }} T
 * @param {readonly string[]} wanted
 * @param {readonly T[]} all
 */
export function chosen(wanted, all) {
  const base = (/** @type {string} */ name) => name.replace(/\(.*/, '');
  const names = [...new Set(all.flatMap(({ name, group }) => [name, base(name), group]))];
  const unknown = wanted.filter((name) => !names.includes(name));
  if (unknown.length > 0)
    throw new RangeError(
      `There is no primitive ${unknown.join(', ')}. The primitives and packages: ${names.join(', ')}.`,
    );
  return all.filter(
    ({ name, group }) => wanted.length === 0 || [name, base(name), group].some((it) => wanted.includes(it)),
  );
}

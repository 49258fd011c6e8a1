// What the workers share, and the lock that they contend for. The main thread creates it, every worker opens it.
import { CapacitorLock } from '@sluice/capacitor';
import { Region, Semaphore } from '@sluice/core';
import { LifoLock, McsLock, ReciprocatingLock, TicketLock, TtsLock } from '@sluice/classics';

export const LOCKS = {
  tts: TtsLock,
  ticket: TicketLock,
  mcs: McsLock,
  lifo: LifoLock,
  reciprocating: ReciprocatingLock,
};

/** Words of the board: the value that the lock guards, the stop flag, and the count of each worker. */
export const TALLY = 0;
export const STOP = 1;
const COUNTS = 2;

/**
 * @param {keyof typeof LOCKS} kind
 * @param {import('./options.mjs').Wrapping} wrapping
 * @param {number} workers
 */
export function createJob(kind, wrapping, workers) {
  const inner = LOCKS[kind].create({ name: kind });
  const wrapped =
    wrapping === 'bare'
      ? undefined
      : CapacitorLock.create(inner, { bypassLimit: wrapping, name: `capacitor, ${wrapping}` });
  const handles = {
    kind,
    inner: inner.handle,
    capacitor: wrapped?.handle,
    board: Region.create((COUNTS + workers) * Float64Array.BYTES_PER_ELEMENT).handle,
    ready: Semaphore.create(0, { recovery: false, name: 'ready' }).handle,
    start: Semaphore.create(0, { recovery: false, name: 'start' }).handle,
  };
  return { ...openJob(handles), handles };
}

/**
 * @param {{ kind: keyof typeof LOCKS, inner: unknown, capacitor: import('@sluice/capacitor').CapacitorLockHandle |
 *   undefined, board: import('@sluice/core').RegionHandle, ready: import('@sluice/core').SemaphoreHandle,
 *   start: import('@sluice/core').SemaphoreHandle }} handles
 */
export function openJob({ kind, inner: handle, capacitor, board, ready, start }) {
  const Lock = /** @type {{ from(handle: unknown): import('@sluice/core').Holdable }} */ (
    /** @type {unknown} */ (LOCKS[kind])
  );
  const inner = Lock.from(handle);
  const shared = Region.from(board).float64;
  return {
    /** @type {import('@sluice/core').Holdable} */
    lock: capacitor === undefined ? inner : CapacitorLock.from(capacitor, inner),
    shared,
    /** How often each worker has held the lock. */
    counts: shared.subarray(COUNTS),
    /** One permit for each worker that is ready. */
    ready: Semaphore.from(ready),
    /** One permit for each worker, released as soon as all are ready. */
    start: Semaphore.from(start),
  };
}

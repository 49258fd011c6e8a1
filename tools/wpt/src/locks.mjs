// @ts-check
// The lock manager of a thread: one of an arena that all threads of the page share, or that of Node.js.
import { Arena } from '@sluice/core';
import * as sluice from '@sluice/named';

/** @import { ArenaHandle } from '@sluice/core' */
/** @import { Worker } from 'node:worker_threads' */
/** @import { LocksOf } from './options.mjs' */

/** The data with which a thread opens the manager. @typedef {{ of: LocksOf, arena: ArenaHandle | undefined }} Shared */

/**
 * @typedef {object} Locks
 * @property {unknown} manager what `navigator.locks` is
 * @property {Readonly<Record<string, unknown>>} interfaces `LockManager` and `Lock`
 * @property {Shared} shared
 * @property {(worker: Worker) => void} adopt recovers what a worker had when it ends
 */

/** For the first thread of a page. @param {LocksOf} of @returns {Locks} */
export function createLocks(of) {
  return of === 'node' ? nativeLocks() : locksIn(Arena.create({ maxPages: 64 }));
}

/** @param {Shared} shared @returns {Locks} */
export function openLocks({ arena }) {
  return arena === undefined ? nativeLocks() : locksIn(Arena.from(arena));
}

/** @param {Arena} arena @returns {Locks} */
function locksIn(arena) {
  const { LockManager, HeldLock: Lock, named } = sluice;
  return {
    manager: named(arena, 'navigator.locks', LockManager),
    interfaces: { LockManager, Lock },
    shared: { of: 'sluice', arena: arena.handle },
    adopt: (worker) => void arena.watch(worker),
  };
}

/** @returns {Locks} */
function nativeLocks() {
  const { navigator, LockManager, Lock } =
    /** @type {{ navigator?: { locks?: unknown }, LockManager?: unknown, Lock?: unknown }} */ (
      /** @type {unknown} */ (globalThis)
    );
  if (navigator?.locks === undefined)
    throw new Error('This version of Node.js has no navigator.locks: version 24 is the first.');
  const interfaces = Object.fromEntries(
    Object.entries({ LockManager, Lock }).filter(([, value]) => value !== undefined),
  );
  return { manager: navigator.locks, interfaces, shared: { of: 'node', arena: undefined }, adopt: () => undefined };
}

// @ts-check

/**
 * What is under test. `create` runs once, in the process's main thread; its result is posted to the workers, and each
 * thread that uses it calls `open` on it.
 * @typedef {object} Subject
 * @property {(options: SubjectOptions) => unknown} create
 * @property {(handle: never) => Opened} open
 * @property {(handle: never) => number} [wakeUps] how often the calling thread has woken from a park so far
 */

/** @typedef {Lock | ScopedLock | FamilyLock | FamilyEvent | Latch | Meeting | Floor} Opened */
/** @typedef {{ acquire(): void, release(): void }} Lock */
/** @typedef {{ locked(critical: () => void): void }} ScopedLock a lock that only offers a callback form */
/** @typedef {{ lock(): void, unlock(): void }} FamilyLock */
/** @typedef {{ signal(): void, tryWait(): boolean }} FamilyEvent */
/** @typedef {{ add(n: number): void, done(): void, wait(): void }} Latch */
/** @typedef {{ meet(): void }} Meeting a barrier */
/** @typedef {{ pairs: (count: number) => void, lock: () => number, unlock: () => number }} Floor bare instructions */

/**
 * What only Sluice can vary, and of barriers how many threads meet.
 * @typedef {object} SubjectOptions
 * @property {'wasm' | 'js'} [engine]
 * @property {boolean} [recovery]
 * @property {Partial<import('@sluice/core').WaitingPolicy>} [policy]
 * @property {import('@sluice/capacitor').CapacitorLockOptions} [capacitor] behind which the lock is put, where it can
 *   be
 * @property {number} [parties] of a barrier
 * @property {import('./member.mjs').Member} [member] which semaphore of the family, for the subject `member`
 */

/**
 * A module of this folder each.
 * @typedef {'sluice' | 'mutex' | 'mutex-fifo' | 'recursive-mutex' | 'auto-reset-event' | 'countdown-latch' |
 *   'atomics-latch' | 'barrier' | 'atomics-barrier' | 'multithreading-barrier' | 'rw-lock-reader' | 'rw-lock-writer'
 *   | 'textbook-mutex' | 'atomics-mutex' | 'multithreading-mutex' | 'multithreading-semaphore' | 'floor' | 'member'
 *   | InnerName} SubjectName
 */

/** @typedef {'tts-lock' | 'ticket-lock' | 'mcs-lock' | 'lifo-lock' | 'reciprocating-lock'} InnerName */

/**
 * Imports one subject only, since some do not load on every runtime.
 * @param {SubjectName} name
 * @returns {Promise<Subject>}
 */
export async function loadSubject(name) {
  return await import(`./${name}.mjs`);
}

/**
 * The same two names for all locks.
 * @param {Opened} opened
 * @returns {Lock | ScopedLock}
 */
export function asLock(opened) {
  if ('locked' in opened || 'acquire' in opened) return opened;
  if ('signal' in opened) throw new Error('an event is no lock');
  if ('meet' in opened) throw new Error('a barrier is no lock');
  if ('done' in opened) throw new Error('a latch is no lock');
  return { acquire: () => void opened.lock(), release: () => void opened.unlock() };
}

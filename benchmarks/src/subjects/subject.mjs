// @ts-check

/**
 * A lock under test. `create` runs once, in the process's main thread; its result is posted to the workers, and each
 * thread that uses the lock calls `open` on it.
 * @typedef {object} Subject
 * @property {(options: SubjectOptions) => unknown} create
 * @property {(handle: never) => Lock | ScopedLock} open
 * @property {(handle: never) => number} [wakeUps] how often the calling thread has woken from a park so far
 */

/** @typedef {{ acquire(): void, release(): void }} Lock */
/** @typedef {{ locked(critical: () => void): void }} ScopedLock a lock that only offers a callback form */

/**
 * What only Sluice's semaphore can vary.
 * @typedef {object} SubjectOptions
 * @property {'wasm' | 'js'} [engine]
 * @property {boolean} [recovery]
 * @property {Partial<import('@sluice/core').WaitingPolicy>} [policy]
 */

/** @typedef {'sluice' | 'textbook-mutex' | 'atomics-mutex' | 'multithreading-mutex' | 'multithreading-semaphore'} SubjectName */

/**
 * Imports one subject only, since some do not load on every runtime.
 * @param {SubjectName} name
 * @returns {Promise<Subject>}
 */
export async function loadSubject(name) {
  return await import(`./${name}.mjs`);
}

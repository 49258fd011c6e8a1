// @ts-check
// Primitives at which agents wait in line: what takes one, what polls it, and what lets the line go on.

/**
 * @typedef {object} Waited
 * @property {string} package
 * @property {string} class
 * @property {readonly unknown[]} [args] of `create`, before the options
 * @property {object} [options]
 * @property {(it: any) => void} [hold] default: nothing, the line is shut from the start
 * @property {(it: any) => boolean} poll waits for a millisecond at most
 * @property {(it: any) => void} end
 * @property {(it: any) => void} [leave] what one does that was let in; default: `end`, where there is a `hold`
 */

const lock = { hold: (/** @type {any} */ it) => it.lock(), poll: (/** @type {any} */ it) => it.tryLock(1), end: (/** @type {any} */ it) => it.unlock() };
const permits = { args: [0], poll: (/** @type {any} */ it) => it.tryAcquire(1, 1), end: (/** @type {any} */ it) => it.release() };
const gate = { hold: (/** @type {any} */ it) => it.arrive(), poll: (/** @type {any} */ it) => it.tryArrive(1), end: (/** @type {any} */ it) => it.depart() };

/** @type {readonly Waited[]} */
export const waited = [
  { package: 'core', class: 'Semaphore', ...permits },
  { package: 'mutex', class: 'Mutex', ...lock },
  { package: 'mutex', class: 'RecursiveMutex', ...lock },
  { package: 'rw-lock', class: 'RwLock', hold: (it) => it.writer.lock(), poll: (it) => it.reader.tryLock(1), leave: (it) => it.reader.unlock(), end: (it) => it.writer.unlock() },
  { package: 'auto-reset-event', class: 'AutoResetEvent', poll: (it) => it.tryWait(1), end: (it) => it.signal() },
  { package: 'locks', class: 'TtsLock', ...lock },
  { package: 'locks', class: 'TicketLock', ...lock },
  { package: 'locks', class: 'McsLock', ...lock },
  { package: 'locks', class: 'LifoLock', ...lock },
  { package: 'locks', class: 'ReciprocatingLock', ...lock },
  { package: 'barrier', class: 'CountdownLatch', args: [1], poll: (it) => it.tryWait(1), end: (it) => it.done() },
  { package: 'bounded-buffer', class: 'BoundedBuffer', options: { capacity: 16, codec: 'int32' }, poll: (it) => it.tryPop(1) !== undefined, end: (it) => it.push(1) },
  { package: 'capacitor', class: 'Capacitor', options: { bypassLimit: 1 }, ...gate },
  { package: 'capacitor', class: 'LanedCapacitor', options: { bypassLimit: 2, lanes: 2 }, ...gate },
  { package: 'capacitor', class: 'Turnstile', ...gate },
  ...['TicketSemaphore', 'ChainSemaphore', 'AddressSemaphore', 'LocationSemaphore', 'MonitorSemaphore', 'WaitingArraySemaphore', 'LightweightSemaphore', 'MultilaneSemaphore'].map((name) => ({
    package: 'semaphores',
    class: name,
    ...permits,
  })),
];

/** @param {string} packages the URL of the folder of packages @param {string} name */
export function load(packages, name) {
  return import(new URL(`${name}/dist/index.js`, packages).href);
}

// @ts-check
// Primitives at which agents wait in line: what takes one, what polls it, and what lets the line go on.

/**
 * A primitive of any class: each has some of the verbs.
 * @typedef {object} Primitive
 * @property {unknown} handle
 * @property {(() => void) | undefined} free
 * @property {Primitive} reader
 * @property {Primitive} writer
 * @property {() => void} lock
 * @property {(timeoutMs: number) => boolean} tryLock
 * @property {() => void} unlock
 * @property {(permits: number, timeoutMs: number) => boolean} tryAcquire
 * @property {(permits?: number, options?: { signal?: AbortSignal | undefined }) => Promise<void>} acquireAsync
 * @property {(permits?: number) => void} release
 * @property {() => void} arrive
 * @property {(timeoutMs: number) => boolean} tryArrive
 * @property {() => void} depart
 * @property {(timeoutMs: number) => boolean} tryWait
 * @property {() => void} signal
 * @property {() => void} done
 * @property {(timeoutMs: number) => unknown} tryPop
 * @property {(value: number) => void} push
 */

/** @typedef {{ handle: unknown, inspect(): { elements: { total: number, free: number } } }} AnyArena */

/**
 * What a built package exports.
 * @typedef {{ Arena: { create(options?: object): AnyArena, from(handle: unknown): AnyArena } }} Core
 * @typedef {Readonly<Record<string, { create(...args: unknown[]): Primitive, from(handle: unknown): Primitive } |
 *   undefined>>} Package
 */

/**
 * @typedef {object} Waited
 * @property {string} package
 * @property {string} class
 * @property {readonly unknown[]} [args] of `create`, before the options
 * @property {object} [options]
 * @property {(it: Primitive) => void} [hold] default: nothing, the line is shut from the start
 * @property {(it: Primitive) => boolean} poll waits for a millisecond at most
 * @property {(it: Primitive) => void} end
 * @property {(it: Primitive) => void} [leave] what one does that was let in; default: `end`, where there is a `hold`
 */

const lock = {
  hold: (/** @type {Primitive} */ it) => it.lock(),
  poll: (/** @type {Primitive} */ it) => it.tryLock(1),
  end: (/** @type {Primitive} */ it) => it.unlock(),
};
const permits = {
  args: [0],
  poll: (/** @type {Primitive} */ it) => it.tryAcquire(1, 1),
  end: (/** @type {Primitive} */ it) => it.release(),
};
const gate = {
  hold: (/** @type {Primitive} */ it) => it.arrive(),
  poll: (/** @type {Primitive} */ it) => it.tryArrive(1),
  end: (/** @type {Primitive} */ it) => it.depart(),
};

/** @type {readonly Waited[]} */
export const waited = [
  { package: 'core', class: 'Semaphore', ...permits },
  { package: 'mutex', class: 'Mutex', ...lock },
  { package: 'mutex', class: 'RecursiveMutex', ...lock },
  {
    package: 'rw-lock',
    class: 'RwLock',
    hold: (it) => it.writer.lock(),
    poll: (it) => it.reader.tryLock(1),
    leave: (it) => it.reader.unlock(),
    end: (it) => it.writer.unlock(),
  },
  { package: 'auto-reset-event', class: 'AutoResetEvent', poll: (it) => it.tryWait(1), end: (it) => it.signal() },
  { package: 'classics', class: 'TtsLock', ...lock },
  { package: 'classics', class: 'TicketLock', ...lock },
  { package: 'classics', class: 'McsLock', ...lock },
  { package: 'classics', class: 'LifoLock', ...lock },
  { package: 'classics', class: 'ReciprocatingLock', ...lock },
  { package: 'barrier', class: 'CountdownLatch', args: [1], poll: (it) => it.tryWait(1), end: (it) => it.done() },
  {
    package: 'bounded-buffer',
    class: 'BoundedBuffer',
    options: { capacity: 16, codec: 'int32' },
    poll: (it) => it.tryPop(1) !== undefined,
    end: (it) => it.push(1),
  },
  { package: 'capacitor', class: 'Capacitor', options: { bypassLimit: 1 }, ...gate },
  { package: 'capacitor', class: 'LanedCapacitor', options: { bypassLimit: 2, lanes: 2 }, ...gate },
  { package: 'capacitor', class: 'Turnstile', ...gate },
  ...[
    'TicketSemaphore',
    'ChainSemaphore',
    'AddressSemaphore',
    'LocationSemaphore',
    'MonitorSemaphore',
    'WaitingArraySemaphore',
    'LightweightSemaphore',
    'MultilaneSemaphore',
    'PrioritySemaphore',
  ].map((name) => ({
    package: 'semaphores',
    class: name,
    ...permits,
  })),
];

/**
 * The core and the class of a subject, of the packages in a folder.
 * @param {string} packages the URL of the folder
 * @param {string} subject
 */
export async function load(packages, subject) {
  const description = waited.find((each) => each.class === subject);
  if (description === undefined) throw new Error(`there is no ${subject}`);
  const entry = (/** @type {string} */ name) => new URL(`${name}/dist/index.js`, packages).href;
  const { Arena } = /** @type {Core} */ (await import(entry('core')));
  const exported = /** @type {Package} */ (await import(entry(description.package)));
  const kind = exported[subject];
  if (kind === undefined) throw new Error(`${description.package} has no ${subject}`);
  return { Arena, kind, description };
}

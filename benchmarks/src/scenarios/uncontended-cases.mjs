// @ts-check

/** @typedef {import('../jobs/uncontended.mjs').UncontendedSpecification} Specification */
/** @typedef {Omit<Specification, 'blocks' | 'blockMillis'> & { flags?: string[] }} Case */

export const shipped = 'Semaphore, acquire + release';
export const withRecovery = 'the same, wasm, recovery on';
export const withoutRecovery = 'the same, wasm, recovery off';
export const mutex = 'Mutex, lock + unlock';
export const v8Mutex = 'V8 Atomics.Mutex';

/** @type {Record<string, Case>} */
const locks = {
  [mutex]: { subject: 'mutex', operation: 'lock' },
  'textbook futex mutex': { subject: 'textbook-mutex', operation: 'acquire' },
  [v8Mutex]: { subject: 'atomics-mutex', operation: 'locked', flags: ['--harmony-struct'] },
};

/** @type {Record<string, Case>} */
export const cases = {
  [shipped]: { subject: 'sluice', operation: 'acquire' },
  [withRecovery]: { subject: 'sluice', operation: 'acquire', options: { engine: 'wasm', recovery: true } },
  [withoutRecovery]: { subject: 'sluice', operation: 'acquire', options: { engine: 'wasm', recovery: false } },
  'the same, js, recovery on': { subject: 'sluice', operation: 'acquire', options: { engine: 'js', recovery: true } },
  'the same, js, recovery off': { subject: 'sluice', operation: 'acquire', options: { engine: 'js', recovery: false } },
  'Semaphore, tryAcquire + release': { subject: 'sluice', operation: 'tryAcquire' },
  'Semaphore, hold + release': { subject: 'sluice', operation: 'hold' },
  'Semaphore, await acquireAsync + release': { subject: 'sluice', operation: 'acquireAsync' },
  ...locks,
  'RecursiveMutex, lock + unlock': { subject: 'recursive-mutex', operation: 'lock' },
  'RecursiveMutex, one deeper and back': { subject: 'recursive-mutex', operation: 'nested' },
  'RwLock, reader.lock + unlock': { subject: 'rw-lock-reader', operation: 'lock' },
  'RwLock, writer.lock + unlock': { subject: 'rw-lock-writer', operation: 'lock' },
  'AutoResetEvent, signal + tryWait': { subject: 'auto-reset-event', operation: 'signal' },
  'CountdownLatch, add(2) + 2 done + wait': { subject: 'countdown-latch', operation: 'countDown' },
  'the same, hand-written on Atomics': { subject: 'atomics-latch', operation: 'countDown' },
  'floor: two compare-and-swaps in a WebAssembly loop': { subject: 'floor', operation: 'bareLoop' },
  'floor: two bare WebAssembly calls': { subject: 'floor', operation: 'bareCalls' },
};

/**
 * What is compared on the newer Node, where V8's own mutex is younger and `multithreading` loads.
 * @type {Record<string, Case>}
 */
export const mutexCases = {
  ...locks,
  'multithreading Mutex': { subject: 'multithreading-mutex', operation: 'acquire' },
};

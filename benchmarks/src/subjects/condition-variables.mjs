// @ts-check
// Locks with conditions, behind one interface: Sluice's, and a number on which people call Atomics.wait. Those of
// multithreading have a module of their own, because that package needs Node 21.
import { Condition, Mutex } from '@sluice/mutex';
import * as textbookMutex from './textbook-mutex.mjs';

/**
 * A lock and its conditions, which are numbered.
 * @typedef {object} Monitor
 * @property {() => void} acquire
 * @property {() => void} release
 * @property {(which: number) => void} wait with the lock held; may return for nothing
 * @property {(which: number) => void} notifyOne
 * @property {(which: number) => void} notifyAll
 */

/**
 * @typedef {object} MonitorSubject
 * @property {(arena: import('@sluice/core').Arena, conditions: number) => unknown} create
 * @property {(handle: never) => Monitor} open
 */

/** @param {'turns' | 'fifo'} order @returns {MonitorSubject} */
function ofSluice(order) {
  return {
    create: (arena, conditions) => {
      const mutex = Mutex.create({ arena, order });
      return {
        mutex: mutex.handle,
        conditions: Array.from({ length: conditions }, () => Condition.create(mutex).handle),
      };
    },
    open: (
      /**
       * @type {{ mutex: import('@sluice/mutex').MutexHandle, conditions: import('@sluice/mutex').ConditionHandle[] }}
       */
      handle,
    ) => {
      const mutex = Mutex.from(handle.mutex);
      const conditions = handle.conditions.map((each) => Condition.from(each, mutex));
      return {
        acquire: () => mutex.lock(),
        release: () => mutex.unlock(),
        wait: (which) => conditions[which]?.wait(),
        notifyOne: (which) => void conditions[which]?.notify(),
        notifyAll: (which) => void conditions[which]?.notifyAll(),
      };
    },
  };
}

/** @type {MonitorSubject} */
const ofTextbook = {
  create: (_, conditions) => ({
    mutex: textbookMutex.create(),
    words: new Int32Array(new SharedArrayBuffer(128 * conditions)),
  }),
  open: (/** @type {{ mutex: SharedArrayBuffer, words: Int32Array }} */ { mutex: handle, words }) => {
    const mutex = textbookMutex.open(handle);
    const notify = (/** @type {number} */ which, /** @type {number} */ count) => {
      Atomics.add(words, 32 * which, 1);
      Atomics.notify(words, 32 * which, count);
    };
    return {
      acquire: () => mutex.acquire(),
      release: () => mutex.release(),
      wait: (which) => {
        const sequence = Atomics.load(words, 32 * which);
        mutex.release();
        Atomics.wait(words, 32 * which, sequence);
        mutex.acquire();
      },
      notifyOne: (which) => notify(which, 1),
      notifyAll: (which) => notify(which, Infinity),
    };
  },
};

export const monitors = {
  'Condition of a Mutex': ofSluice('turns'),
  "Condition of a Mutex, order 'fifo'": ofSluice('fifo'),
  'a sequence number and the textbook mutex': ofTextbook,
};

export const PEER = 'multithreading Condvar';

/** @typedef {keyof typeof monitors | typeof PEER} MonitorName */

/** @param {MonitorName} name @returns {Promise<MonitorSubject>} */
export async function loadMonitor(name) {
  return name === PEER ? (await import('./multithreading-condvar.mjs')).ofMultithreading : monitors[name];
}

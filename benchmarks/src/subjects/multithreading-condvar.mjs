// @ts-check
import { Condvar, Mutex } from 'multithreading';

/**
 * Its constructors' last arguments, which its pool uses too, attach to the same words. @type
 * {import('./condition-variables.mjs').MonitorSubject}
 */
export const ofMultithreading = {
  create: (_, conditions) => ({
    mutex: new SharedArrayBuffer(4),
    conditions: Array.from({ length: conditions }, () => new SharedArrayBuffer(4)),
  }),
  open: (/** @type {{ mutex: SharedArrayBuffer, conditions: SharedArrayBuffer[] }} */ handle) => {
    const mutex = new Mutex(undefined, handle.mutex);
    const conditions = handle.conditions.map((buffer) => new Condvar(buffer));
    /** @type {ReturnType<typeof mutex.blockingLock> | undefined} */
    let guard;
    return {
      acquire: () => {
        guard = mutex.blockingLock();
      },
      release: () => guard?.dispose(),
      wait: (which) => {
        if (guard !== undefined) conditions[which]?.blockingWait(guard);
      },
      notifyOne: (which) => conditions[which]?.notifyOne(),
      notifyAll: (which) => conditions[which]?.notifyAll(),
    };
  },
};

// The box office is an array of statuses in shared memory, guarded by a mutex.
import { Region } from '@sluice/core';
import { Mutex } from '@sluice/mutex';
import { createBouncers, Table } from './table.mjs';

/** @typedef {{ solution: 'mutex', bouncers: import('./table.mjs').BouncerHandles,
 *   mutex: import('@sluice/mutex').MutexHandle, statuses: import('@sluice/core').RegionHandle }} MutexTableHandle */

/** Not a limit of the rule: the default arena has room for this many threads. */
export const MAX_AT_MUTEX = 64;

export class MutexTable extends Table {
  #mutex;
  #statuses;

  /** @param {MutexTableHandle} handle */
  constructor(handle) {
    const mutex = Mutex.from(handle.mutex);
    const statuses = Region.from(handle.statuses).int32;
    super(handle.bouncers, (change, philosopher) => mutex.run(() => change(statuses, philosopher)));
    this.handle = handle;
    this.#mutex = mutex;
    this.#statuses = statuses;
  }

  /**
   * @param {number} philosophers 2 to 64
   * @param {import('./table.mjs').TableOptions} [options]
   */
  static create(philosophers, { arena } = {}) {
    const bouncers = createBouncers(philosophers, MAX_AT_MUTEX, { arena });
    const bytes = philosophers * Int32Array.BYTES_PER_ELEMENT;
    const { handle: statuses } = Region.create(bytes, { arena, name: 'statuses' });
    const { handle: mutex } = Mutex.create({ arena, name: 'box office' });
    return new MutexTable({ solution: 'mutex', bouncers, mutex, statuses });
  }

  /** The statuses at this moment, without blocking. */
  async statuses() {
    return this.#mutex.runAsync(() => [...this.#statuses]);
  }
}

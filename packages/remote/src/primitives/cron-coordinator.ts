// Elects the process that runs a scheduled job: the interface that node-cron calls.

import { checkTimeout } from '@sluice/core/calls';
import type { Timing } from '../engine/timing.ts';

/** What node-cron calls a run coordinator. */
export interface CronCoordinator {
  /**
   * Resolves with whether this process runs the job. `key` names the job and the time for which it is scheduled. For
   * `ttlMs` ms, no other call with this key resolves with `true`, unless the process ends or closes its space before.
   * Rejects with `TypeError` or `RangeError` for a wrong `ttlMs`.
   */
  shouldRun(key: string, ttlMs: number): Promise<boolean>;
}

/** The locks of all keys, as this file uses them. */
interface Locks {
  tryLock(key: string): Promise<boolean>;
  unlock(key: string): Promise<void>;
}

/**
 * The process that locks a key first runs the job. It keeps the lock for `ttlMs`, also after the job has ended, because the
 * clock of another process may be late.
 */
export function cronCoordinatorOver(locks: Locks, timing: Timing): CronCoordinator {
  return {
    shouldRun: async (key, ttlMs) => {
      checkTimeout(ttlMs, 'ttlMs');
      if (!(await locks.tryLock(key))) return false;
      // If the lease was lost, there is nothing to unlock.
      timing.after(ttlMs, () => void locks.unlock(key).catch(() => undefined), false);
      return true;
    },
  };
}

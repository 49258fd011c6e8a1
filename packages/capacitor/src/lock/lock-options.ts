// The options of a capacitor lock.

import type { Arena, WaitingPolicy } from '@sluice/core';
import type { SemaphoreCapacitor } from '../gates/semaphore-capacitor.ts';

export interface CapacitorLockOptions {
  /**
   * The bound on overtaking. Default `'adaptive'`; with `lanes` 10.
   *
   * - `'adaptive'`: agents take turns in FIFO order. A turn has as many holdings as fit in half a millisecond, B on
   *   average. At most (w + 1) · 5/4 · B agents that arrive after a waiter with w waiters before it acquire the lock
   *   first.
   * - A number B, 1 to 2,147,483,647: at most B - 1 agents that arrive after a waiter acquire the lock before it. A
   *   small B costs nearly all of the throughput under contention: nearly every hand-off puts one thread to sleep and
   *   wakes another.
   */
  readonly bypassLimit?: number | 'adaptive' | undefined;
  /**
   * 0 to 1: the share of attempts, chosen at random, that go around the capacitor. Fairness is then statistical.
   * Default 0.
   */
  readonly fraction?: number | undefined;
  /**
   * Whether a call goes around an empty capacitor (no agent inside, none waiting) if the inner lock is free. The bound
   * holds. `run` and `runAsync` around an owned lock of this family arrive nevertheless. Default false.
   */
  readonly skipWhenUncontended?: boolean | undefined;
  /** The number of queues (lanes), a power of two up to 64. `'random'` order gives up the bound. Default: one queue. */
  readonly lanes?: number | { readonly count: number; readonly order: 'ordered' | 'random' } | undefined;
  /**
   * The capacitor, if its semaphore is not the one of a `Capacitor`. The lock uses it, and frees it with `free`. Cannot
   * be combined with `bypassLimit`, `lanes`, `arena`, `name` and `policy`.
   */
  readonly gate?: SemaphoreCapacitor | undefined;
  /** The arena of the capacitor. Default: the arena of the inner lock, or the realm's default arena. */
  readonly arena?: Arena | undefined;
  /** Shown by `inspect`; up to 60 bytes of UTF-8. */
  readonly name?: string | undefined;
  /** How this agent waits at the capacitor. Default: the arena's policy. */
  readonly policy?: Partial<Omit<WaitingPolicy, 'buckets'>> | undefined;
}

export const LOCK_OPTIONS: readonly (keyof CapacitorLockOptions)[] = [
  'bypassLimit',
  'fraction',
  'skipWhenUncontended',
  'lanes',
  'gate',
  'arena',
  'name',
  'policy',
];

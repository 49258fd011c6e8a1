// How waiters wait: one policy object for all wait loops of the core.

import { checkInteger, checkOptions, show } from './check.ts';

/** How waiters spin and park. docs/decisions/ has the measurements behind the defaults. */
export interface WaitingPolicy {
  /**
   * The number of places from the head of the line within which a waiter counts as near (the paper's
   * `LongTermThreshold`).
   *
   * A near waiter spins before it parks, and a release wakes it early, so that it is awake when its turn comes. With 0,
   * every waiter parks at once.
   */
  readonly longTermThreshold: number;
  /** The longest time that a near waiter spins before it parks, in microseconds. With 0, it never spins. */
  readonly spinMicros: number;
  /**
   * Number of buckets in the arena's waiting array, a power of two. Use about four per agent. Fixed at `Arena.create`.
   */
  readonly buckets: number;
}

export const DEFAULT_POLICY: WaitingPolicy = { longTermThreshold: 1, spinMicros: 20, buckets: 256 };

const POLICY_OPTIONS: readonly (keyof WaitingPolicy)[] = ['longTermThreshold', 'spinMicros', 'buckets'];

/** Returns `base` with the `given` settings on top. Throws `TypeError` or `RangeError` for a wrong setting. */
export function mergePolicy(base: WaitingPolicy, given: Partial<WaitingPolicy> = {}): WaitingPolicy {
  checkOptions(given, POLICY_OPTIONS);
  const policy = { ...base, ...given };
  checkInteger('policy.longTermThreshold', policy.longTermThreshold, 0, 1024);
  checkInteger('policy.buckets', policy.buckets, 1, 65_536);
  if ((policy.buckets & (policy.buckets - 1)) !== 0) {
    throw new RangeError(`policy.buckets must be a power of two: received ${policy.buckets}`);
  }
  if (typeof policy.spinMicros !== 'number' || !(policy.spinMicros >= 0 && policy.spinMicros <= 1e6)) {
    throw new RangeError(`policy.spinMicros must be 0 to 1000000 us: received ${show(policy.spinMicros)}`);
  }
  return policy;
}

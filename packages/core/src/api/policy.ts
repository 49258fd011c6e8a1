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

/** After many failures in a row, one of 2^6 opportunities is still used, to notice when attempts succeed again. */
const MOST_DOUBLINGS = 6;

/**
 * Decides whether a speculative attempt, such as a spin, is worth its cost for this agent at present (exponential
 * back-off).
 *
 * When agents outnumber cores, a spinning waiter may occupy the core that the lock's owner needs. No API tells how many
 * cores are free, but the outcome of spins does. Each failure in a row doubles the number of opportunities skipped
 * before the next attempt.
 */
export class AdaptiveBudget {
  /**
   * Whether the last attempt succeeded. True before the first attempt. This is a field because a getter would add a
   * call to contended paths.
   */
  pays = true;
  #doublings = 0;
  #toSkip = 0;

  /** Whether to make an attempt at this opportunity. Each call counts as one opportunity. */
  mayTry(): boolean {
    if (this.#toSkip === 0) return true;
    this.#toSkip -= 1;
    return false;
  }

  /** Records the outcome of an attempt. */
  note(paid: boolean): void {
    this.pays = paid;
    this.#doublings = paid ? 0 : Math.min(this.#doublings + 1, MOST_DOUBLINGS);
    this.#toSkip = paid ? 0 : 2 ** this.#doublings - 1;
  }
}
